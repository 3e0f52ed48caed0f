"""Tests of reading human judgments."""
