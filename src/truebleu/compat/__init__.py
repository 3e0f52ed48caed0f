"""Doors for code that was written for other tools."""
