"""Speeds and work–precision: `python -m benchmarks`, `python -m benchmarks.compositions`."""
