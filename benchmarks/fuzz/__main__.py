"""python -m benchmarks.fuzz [READER, …] [count, or first..last] [seed]: all readers if none is named."""

from __future__ import annotations

import sys
from functools import partial

from . import READERS
from .harness import fuzz, missing


def main() -> int:
    readers = READERS if sys.argv[1:2] in ([], ["all"]) else tuple(sys.argv[1].split(","))
    first, dots, last = (sys.argv[2:] or ["100000"])[0].rpartition("..")
    failed = 0
    for reader in readers:
        assert reader in READERS, f"The readers are {', '.join(READERS)}"
        if lacking := missing(reader):
            print(f"{reader}: {lacking} is not installed")
            continue
        seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
        done = fuzz(reader, int(float(last)), seed, int(first) if dots else 0, partial(print, flush=True))
        print(f"{reader}: {done}", flush=True)
        failed += len(done.failed)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
