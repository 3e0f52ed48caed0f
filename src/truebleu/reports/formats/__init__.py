"""Output formats: one file each, which renders the blocks of a document."""
