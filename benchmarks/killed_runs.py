"""Killed and resumed runs: python -m benchmarks.killed_runs [count].

A double pendulum with a prescribed motion is run by `livens run`, killed by SIGKILL at a random time, continued by
`livens resume`, killed again, and so on. The result must be bitwise identical to that of an uninterrupted run.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import livens as lv

from .counts import Count

SCENE = """
livens = 1
gravity = [0, 0, -9.81]
run = {{ h = 1e-3, until = {until}, every = 37 }}

[bodies.arm]
shape = {{ type = "Box", x = 1.0, y = 0.1, z = 0.1, density = 1000 }}
at = [0.5, 0, 0]

[bodies.fore]
shape = {{ type = "Box", x = 0.8, y = 0.1, z = 0.1, density = 1000 }}
at = [1.4, 0, 0]

[joints.shoulder]
type = "Revolute"
a = {{ body = "world", point = [0, 0, 0] }}
b = {{ body = "arm", point = [-0.5, 0, 0] }}
axis = [0, 1, 0]
drive = "0.5*(1 - cos(3*t))"

[joints.elbow]
type = "Revolute"
a = {{ body = "arm", point = [0.5, 0, 0] }}
b = {{ body = "fore", point = [-0.4, 0, 0] }}
axis = [0, 1, 0]
"""
PATIENCE = 120.0  # seconds without a checkpoint after which the run counts as failed


def livens(folder: Path, *arguments: str, **options: Any) -> subprocess.Popen[str]:
    """The command line as a process."""
    return subprocess.Popen(
        [sys.executable, "-m", "livens", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def killed(process: subprocess.Popen[str], journal: Path, random: Random) -> bool:
    """Kill the process at a random time after its next checkpoint; False if it ended before."""
    before, patience = _size(journal), time.monotonic() + PATIENCE
    while process.poll() is None and _size(journal) == before:
        if time.monotonic() > patience:
            process.kill()
            raise RuntimeError("the run writes no checkpoints")
        time.sleep(0.002)
    time.sleep(random.uniform(0.0, 0.1))
    process.kill()
    _, said = process.communicate()
    if process.returncode > 0:
        raise RuntimeError(f"exit code {process.returncode}: {said}")
    return process.returncode < 0


def survive(folder: Path, count: int, seed: int = 1, until: float = 90.0) -> tuple[int, bool]:
    """Kill a run to t = `until` [s] up to `count` times: (kills, whether the result equals that of one run)."""
    scene, random, kills = folder / "scene.toml", Random(seed), 0
    scene.write_text(SCENE.format(until=until))
    run = ["run", "scene.toml", "-o", "out.nc", "--checkpoint", "0.02"]
    while kills < count and not (folder / "out.nc").exists():
        begun = (folder / "out.nc.journal").exists()
        process = livens(folder, *(["resume", "out.nc", "--checkpoint", "0.02"] if begun else run))
        kills += killed(process, folder / "out.nc.journal", random)
    if (folder / "out.nc.journal").exists():
        process = livens(folder, "resume", "out.nc")
        _, said = process.communicate()
        if process.returncode:
            raise RuntimeError(said)
    whole, pieces = lv.read_scene(scene).simulate(), lv.load(folder / "out.nc")
    return kills, same(whole, pieces) and whole.tally == pieces.tally


def same(one: lv.Trajectory, other: lv.Trajectory) -> bool:
    """Whether two stored motions are bitwise identical."""
    return one.t.tobytes() == other.t.tobytes() and all(
        x.tobytes() == y.tobytes() for x, y in zip(one.record, other.record, strict=True)
    )


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def soak(count: int, seed: int = 1, report: Callable[[str], None] = print) -> Count:
    """Kill runs `count` times."""
    done = Count()
    while done.tried < count:
        with tempfile.TemporaryDirectory() as folder:
            kills, good = survive(Path(folder), min(20, count - done.tried), seed)
        done.tried += kills
        if not good:
            done.failed.append(f"seed {seed}: the result differs after {kills} kills")
        report(f"{done.tried:,} kills, {len(done.failed)} runs with different results")
        seed += 1
    return done


if __name__ == "__main__":
    sys.exit(bool(soak(int(float((sys.argv[1:] or ["20"])[0]))).failed))
