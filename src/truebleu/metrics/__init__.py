"""Step 3, count and score: one file per metric, and a table of their names."""
