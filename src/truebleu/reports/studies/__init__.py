"""Reports of studies: each module makes a document of one study's result."""
