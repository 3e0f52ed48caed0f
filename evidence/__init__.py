"""The evidence: every study on public data, beside what its paper reports. See docs/evidence."""
