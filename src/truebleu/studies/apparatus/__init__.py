"""What studies are made of: pools, samples, journals, tests, and the tables of the larger ones."""
