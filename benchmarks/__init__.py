"""How fast livens is, how that grows, and how it compares with other programs: `python -m benchmarks --help`."""
