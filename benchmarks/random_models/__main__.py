"""`python -m benchmarks.random_models N [seed]`: check N random models; exit code 1 if one fails."""

import sys

from . import soak

counts = soak(int(float(sys.argv[1])), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
for what, (ratio, seed) in sorted(counts.closest.items()):
    print(f"{what:<34} at most {ratio:8.2g} of its bound, seed {seed}")
sys.exit(bool(counts.failed))
