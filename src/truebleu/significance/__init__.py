"""Step 5, infer: scores of replicates become intervals, tests, corrections and ranks."""
