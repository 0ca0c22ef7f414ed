"""Speed, scaling and accuracy of livens, compared with other programs: `python -m benchmarks --help`."""
