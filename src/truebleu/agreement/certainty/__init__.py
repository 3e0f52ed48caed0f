"""How sure an agreement is: intervals, tests between metrics, and ranks."""
