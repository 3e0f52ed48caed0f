"""The command line: one file per command; a command parses, calls the API and renders."""
