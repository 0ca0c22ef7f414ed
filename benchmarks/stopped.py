"""Runs with checkpoints that end early: python -m benchmarks.stopped [count].

A random mechanism is run with checkpoints and ended at a random step by one of

    failed step    a body is spun faster than the step allows
    exception      a function of the user raises an error
    exit           it ends the program (SystemExit)
    NaN            it gives NaN
    kill           the process is killed by SIGKILL
    full disk      files may not grow beyond a random size (RLIMIT_FSIZE: the kernel writes a part of the bytes)

The motion so far must be in the exception and on disk, equal bit for bit to the beginning of an undisturbed run, and
the resumed run must be equal to it. A step that fails must fail again.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

import livens as lv
from livens.record.journal import journal_of

from .counts import Count
from .killed_runs import same
from .random_models.description import build
from .random_models.generate import describe

H, STEPS = 2e-3, 160
FEW = 6  # bodies of a mechanism, at most
NEVER = 2.0 * H * STEPS
HARD = 1e9  # N m, far beyond a radian in a step
FAULTS = ("failed step", "exception", "exit", "NaN", "kill", "full disk")


class Gust(Exception):
    """The error of the user's function."""


class Wind:
    """A force as a function of time that fails after a given time, in one of the ways above."""

    def __init__(self, fault: str = "", after: float = NEVER):
        self.fault, self.after = fault, after

    def __call__(self, t: float) -> tuple[float, float, float]:
        if t > self.after:
            if self.fault == "exception":
                raise Gust("a gust")
            if self.fault == "exit":
                raise SystemExit("a gust")
            if self.fault == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if self.fault == "NaN":
                return (float("nan"), 0.0, 0.0)
        return (np.sin(40.0 * t), 0.3, t)


def torque(after: float) -> Callable[[float], tuple[float, float, float]]:
    """A torque that spins a body too fast after a given time."""
    return lambda t: (HARD if t > after else 0.1, 0.0, 0.0)


def model_of(seed: int, wind: Wind, spun: Callable[[float], Any]) -> lv.Model:
    """A random mechanism, and a body on which the functions of the user act."""
    found = (told for k in range(1000) if len((told := describe(1000 * seed + k)).parts) <= FEW)
    model = build(next(found))
    kite = model.add(lv.Body(lv.Box(0.3, 0.2, 0.1, mass=2.0), at=(9, 9, 9), name="kite"))
    model.add(lv.Spring(model.world.point(9, 9, 8), kite.point(0.1, 0, 0), stiffness=40.0, length=0.5, name="line"))
    model.add(lv.Load(kite.center, force=wind, torque=spun, name="wind"))
    return model


class Trial:
    """One run that is ended, and the undisturbed run that it is compared with."""

    def __init__(self, seed: int, folder: Path):
        rng: Generator = np.random.default_rng((seed, 11))
        self.seed, self.path = seed, folder / "out.nc"
        self.fault = FAULTS[seed % len(FAULTS)]
        self.after = H * int(rng.integers(1, STEPS - 1))
        self.bytes = int(rng.integers(1, 200_000))
        self.run: dict[str, Any] = {"h": H, "until": H * STEPS, "every": int(rng.integers(1, 9)), "progress": False}
        self.resumed = False  # from a checkpoint
        self.spun = torque(self.after if self.fault == "failed step" else NEVER)

    def simulate(self, wind: Wind, **options: Any) -> lv.Trajectory:
        return lv.simulate(model_of(self.seed, wind, self.spun), lv.Livens(), **self.run, **options)

    def disturbed(self) -> lv.Trajectory | None:
        """The motion in the exception that ends the run; None if the process was killed."""
        if self.fault == "kill":
            self.in_a_child(None)
            return None
        if self.fault == "full disk":
            self.in_a_child(self.bytes)
            return None
        try:
            self.simulate(Wind(self.fault, self.after), checkpoint=self.path, checkpoint_every=1e-9)
        except (Gust, SystemExit, lv.LivensError) as error:
            return error.trajectory  # type: ignore[union-attr]
        return None

    def in_a_child(self, size: int | None) -> None:
        """Run in a child process, which is killed, or whose files are limited to `size` bytes."""
        pid = os.fork()
        if pid:
            _, status = os.waitpid(pid, 0)
            if size is not None and status:
                raise AssertionError(f"the process with a full disk ended with status {status}")
            return
        code = 1
        try:
            code = self.child(size)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    def child(self, size: int | None) -> int:
        if size is not None:
            import resource

            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        try:
            self.simulate(Wind(self.fault, self.after), checkpoint=self.path, checkpoint_every=1e-9)
        except lv.FileError as error:
            motion = error.trajectory
            return int(motion is None or bool(self.differs(motion, self.simulate(Wind()))))
        return 0  # the limit was large enough

    def differs(self, part: lv.Trajectory | None, whole: lv.Trajectory) -> str:
        """In which way `part` is not the beginning of the whole motion; "" if it is."""
        if part is None:
            return "there is no motion so far"
        kept = part.steps // part.every + 1
        for name, mine, theirs in zip(whole.record._fields, part.record, whole.record, strict=True):
            if mine[:kept].tobytes() != theirs[:kept].tobytes():
                return f"{name} differs from that of the undisturbed run"
        return ""

    def faults(self) -> list[str]:
        """What is wrong, in words."""
        if self.fault == "failed step":
            return [x for x in (self.failing(),) if x]
        whole = self.simulate(Wind())
        part = self.disturbed()
        found = [f"in the exception, {text}" for text in (self.differs(part, whole),) if text and self.alive]
        if self.path.exists():  # the run ended before the fault
            return found + ([] if same(lv.load(self.path), whole) else ["the finished file differs"])
        journal = journal_of(self.path)
        if not journal.exists():  # nothing was written before the fault
            return found + (["no checkpoint was written"] if self.alive else [])
        stored = lv.load(journal)
        self.resumed = True
        found += [f"on disk, {text}" for text in (self.differs(stored, whole),) if text]
        if self.alive and part is not None and stored.steps < part.steps:
            found.append(f"{part.steps} steps were taken and {stored.steps} are on disk")
        stored.model["wind"].force, stored.model["wind"].torque = Wind(), self.spun
        again = lv.resume(stored, checkpoint=self.path, checkpoint_every=1e-9, progress=False)
        if not (same(again, whole) and same(lv.load(self.path), whole)):
            found.append("the resumed run differs")
        return found + (["the journal is still there"] if journal.exists() else [])

    @property
    def alive(self) -> bool:
        """True if the exception reached this process."""
        return self.fault in ("exception", "exit", "NaN")

    def failing(self) -> str:
        """A failed step: the motion so far in the exception and on disk, and the same failure when it is resumed."""
        motions = []
        for options in ({}, {"checkpoint": self.path, "checkpoint_every": 1e-9}):
            try:
                self.simulate(Wind(), **options)
                return "no step failed"
            except lv.StepFailed as error:
                motions.append(error.trajectory)
        stored = lv.load(self.path)
        if not (same(*motions) and same(motions[0], stored)):
            return "the motion in the exception or on disk differs"
        stored.model["wind"].force, stored.model["wind"].torque = Wind(), self.spun
        try:
            lv.resume(stored, progress=False)
        except lv.StepFailed as error:
            return "" if same(error.trajectory, stored) else "it fails in another way when it is resumed"
        return "it does not fail again"


def soak(count: int, seed: int = 1, report: Callable[[str], object] = print) -> Count:
    """End `count` runs early."""
    done, kinds = Count(), Counter[str]()
    if os.name != "posix":
        return Count(remark="processes are forked and limited on POSIX only")
    for k in range(seed, seed + count):
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", lv.ModelWarning)
            trial = Trial(k, Path(folder))
            try:
                found = trial.faults()
            except lv.StepFailed as error:  # the mechanism itself cannot be run so
                report(f"seed {k} is left out: {error}")
                continue
            except Exception as error:
                found = [f"{type(error).__name__}: {error}"]
        done.tried += 1
        kinds[trial.fault] += 1
        kinds["resumed"] += trial.resumed
        done.failed += [f"seed {k}, {trial.fault} after {trial.after:g} s: {text}" for text in found]
        if found or done.tried % 50 == 0:
            report(f"{done.tried:,} runs ended early, {len(done.failed)} faults {done.failed[-1:]}")
    done.remark = ", ".join(f"{n:,} {kind}" for kind, n in kinds.most_common())
    return done


if __name__ == "__main__":
    sys.exit(bool(soak(int(float((sys.argv[1:] or ["20"])[0]))).failed))
