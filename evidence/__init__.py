"""Evidence: every study on public data, compared with its paper. See docs/evidence."""
