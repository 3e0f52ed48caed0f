"""What agreement is: cells, pairs, coefficients, groups and ties."""
