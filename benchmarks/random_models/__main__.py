"""`python -m benchmarks.random_models N [seed]`: try N random models; exit code 1 if one fails."""

import sys

from . import soak

counts = soak(int(float(sys.argv[1])), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
for what, (ratio, seed) in sorted(counts.closest.items()):
    print(f"{what:<34} {ratio:8.2g} of its bound at most, seed {seed}")
sys.exit(bool(counts.failed))
