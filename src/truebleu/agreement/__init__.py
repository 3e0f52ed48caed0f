"""Do metrics agree with people? Coefficients, how sure they are, and tests between metrics."""
