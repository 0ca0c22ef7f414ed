"""Coverage-guided fuzzing: python -m benchmarks.fuzz.guided READER [count].

It requires atheris (Linux, Python 3.11 to 3.13). The package is instrumented when it is imported, and libFuzzer derives
its inputs from the seeds. The first byte of an input selects the name of its file. A failure ends the run with exit
code 77; the input is stored as crash-… in the folder.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules


def main() -> None:
    import atheris

    reader, count = sys.argv[1], int(float((sys.argv[2:] or ["100000"])[0]))
    for package in ("livens.kernels", "livens.step"):  # before: numba cannot compile instrumented code
        for file in iter_modules(import_module(package).__path__):
            import_module(f"{package}.{file.name}")
    with atheris.instrument_imports(include=["livens"]):
        module = import_module(f"benchmarks.fuzz.{reader}")
        harness = import_module("benchmarks.fuzz.harness")
    seeds = module.seeds()
    names = sorted({seed.name for seed in seeds})
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        corpus, home = Path(folder, "corpus"), Path(folder, "here")
        corpus.mkdir()
        home.mkdir()
        for k, seed in enumerate(seeds):
            (corpus / str(k)).write_bytes(bytes([names.index(seed.name)]) + seed.data)

        def attempt(data: bytes) -> None:
            if data:
                one = type(seeds[0])(names[data[0] % len(names)], data[1:])
                _, fault, _ = harness.tried(module.attempt, one, home)
                if fault:
                    raise RuntimeError(fault)

        limits = [f"-runs={count}", f"-timeout={harness.SECONDS:g}", "-rss_limit_mb=4096", "-max_len=20000"]
        atheris.Setup([sys.argv[0], *limits, str(corpus)], attempt)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
