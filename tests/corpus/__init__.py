"""Tests of step 1, read."""
