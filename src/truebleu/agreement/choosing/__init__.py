"""Which settings of a metric agree best with people: a grid, development data, and test data."""
