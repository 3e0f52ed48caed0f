"""Scripts for those who work on truebleu."""
