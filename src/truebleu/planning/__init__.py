"""How much test data is needed, and which: power, test-set size, and the drawing of test sets."""
