"""Install the wheel into empty environments, run it, and time it: python -m benchmarks.installation dist [--clone]

    numpy alone     pip install numpy, and the wheel without its dependencies
    required        pip install the wheel
    all extras      pip install 'livens[all]' from the wheel

In each: the first example of the README, a mechanism with two joints, and the demonstration. With --clone also the path
of a newcomer: git clone, make demo. Times depend on the network and on what pip has cached; processor seconds do not.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLE = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
CHECK = "\nassert motion.defect_position.max() < 1e-11\n"


def timed(line: list[str], folder: Path) -> tuple[float, float]:
    """Seconds by the clock, and of the processor, of a command; it must succeed."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LIVENS"))}
    run = subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True)
    clock, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        sys.exit(f"{' '.join(line)} failed:\n{run.stdout}\n{run.stderr}")
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def row(name: str, times: list[tuple[float, float]]) -> None:
    print(f"{name:<14}" + "".join(f"{clock:9.1f} {cpu:6.1f}" for clock, cpu in times), flush=True)


def environment(name: str, wanted: list[list[str]], folder: Path) -> None:
    """One empty environment: installation, first example, demonstration."""
    home = folder / name.replace(" ", "-")
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    python = str(home / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    parts = [timed([python, "-m", "pip", "install", "--quiet", *words], home) for words in wanted]
    installed = (sum(clock for clock, _ in parts), sum(cpu for _, cpu in parts))
    assert EXAMPLE is not None
    (home / "example.py").write_text(EXAMPLE[1] + CHECK, encoding="utf-8")
    example = timed([python, "example.py"], home)
    demo = timed([python, "-m", "livens", "demo", "hammer", "--output", "out"], home)
    row(name, [installed, example, demo])


def main(arguments: list[str]) -> None:
    dist = Path(arguments[0]).resolve()
    wheel = str(max(dist.glob("livens-*.whl"), key=lambda path: path.stat().st_mtime))
    print(Path(wheel).name)
    print(f"{'':<14}{'installation':>16}{'first example':>16}{'demonstration':>16}")
    print(f"{'':<14}" + 3 * f"{'clock':>9}{'cpu':>7}" + "   seconds")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment("numpy alone", [["numpy"], ["--no-deps", wheel]], folder)
        environment("required", [[wheel]], folder)
        if "--quick" not in arguments:
            environment("all extras", [[f"{wheel}[all]"]], folder)
        if "--clone" in arguments:
            clone = timed(["git", "clone", "--quiet", str(ROOT), str(folder / "clone")], folder)
            row("clone, demo", [clone, timed(["make", "demo"], folder / "clone")])


if __name__ == "__main__":
    main(sys.argv[1:] or ["dist"])
