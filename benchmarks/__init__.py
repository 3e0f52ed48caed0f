"""Benchmarks of speed and memory, as ratios to other tools within one run."""
