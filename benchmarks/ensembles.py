"""Large ensembles: `python -m benchmarks.ensembles [throughput] [kills] [memory] [--members N]`, `make ensembles`.

throughput: N members of a double pendulum (10 s at h = 1e-3) in one call; speed-up of two cores, and cost of a
step relative to a single run. Other work on the machine disturbs wall times. Therefore one core and two are measured
alternately, and the best counts; and again without the time that threads waited for a core, as counted by Linux. The
time that they waited for each other, for the global interpreter lock or for work is included. kills: a process that
runs a study is killed ten times. memory: the largest resident size of processes with increasing numbers of members.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import livens as lv
from livens.study.journal import Journal

from .starts import fresh
from .table import markdown

H, UNTIL = 1e-3, 10.0


def pendulum(rate: float) -> lv.Model:
    """Two rods on hinges; the lower one has the initial rate `rate` [rad/s]."""
    m = lv.Model(gravity=(0, 0, -9.81), name="double pendulum")
    arm = m.add(lv.Body(lv.Box(1.0, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    moving = {"velocity": (0, 0, -0.4 * rate), "angular_velocity": (0, rate, 0)}
    fore = m.add(lv.Body(lv.Box(0.8, 0.1, 0.1, density=1000), at=(1.4, 0, 0), **moving, name="fore"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="shoulder"))
    m.add(lv.Revolute(arm.point(0.5, 0, 0), fore.point(-0.4, 0, 0), axis=(0, 1, 0), name="elbow"))
    return m


def tip(motion: lv.Trajectory) -> dict[str, Any]:
    """Final position of the end of the lower rod [m]."""
    return {"tip": motion.position(motion.model["fore"].point(0.4, 0, 0))[-1]}


def study(rates: Any, executor: Executor | None = None, **options: Any) -> tuple[Any, float]:
    """The ensemble for some rates, and its duration in seconds."""
    begin = time.perf_counter()
    runs = lv.ensemble(pendulum, {"rate": rates}, h=H, until=UNTIL, keep=tip, executor=executor, **options)
    return runs, time.perf_counter() - begin


class Threads(ThreadPoolExecutor):
    """Threads with a measurement of the time that they waited for a core."""

    def __init__(self, workers: int):
        self.workers, self.ids = workers, list[int]()
        super().__init__(workers, initializer=lambda: self.ids.append(threading.get_native_id()))
        list(self.map(time.sleep, [0.05] * workers))  # start them all

    def queued(self) -> float:
        """Total time that the threads were ready to run and waited [s]."""
        files = [Path(f"/proc/self/task/{thread}/schedstat") for thread in self.ids]
        return sum(int(file.read_text().split()[1]) for file in files if file.exists()) * 1e-9

    def cost(self, rates: Any) -> tuple[float, float]:
        """Seconds per member, wall time and without waiting for cores, with this executor."""
        before = self.queued()
        seconds = study(rates, self)[1]
        return seconds / len(rates), (seconds - (self.queued() - before) / self.workers) / len(rates)


def throughput(members: int) -> list[list[Any]]:
    """Rows: a single run, one core, two cores, the whole study, and a bitwise comparison."""
    rates, steps, few, turns = np.linspace(0.0, 3.0, members), round(UNTIL / H), 40, 12
    study(rates[:4])
    alone = []
    costs: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
    with Threads(1) as single, Threads(2) as both:
        for turn in range(turns):
            some = np.roll(rates, -turn * few)[: 2 * few]
            for _ in range(10):
                begin = time.thread_time()
                tip(lv.simulate(pendulum(some[0]), h=H, until=UNTIL))
                alone.append((time.thread_time() - begin) / steps)
            costs[1].append(single.cost(some[:few]))
            costs[2].append(both.cost(some))
    (one, one_free), (two, two_free) = (np.min(costs[k], axis=0) for k in (1, 2))
    (_, one_median), (_, two_median) = (np.median(costs[k], axis=0) for k in (1, 2))
    used = time.process_time()
    runs, seconds = study(rates, progress=True)
    used = time.process_time() - used
    picked = np.random.default_rng(0).permutation(members)[:100]
    with ThreadPoolExecutor(1) as thread, ProcessPoolExecutor(2) as processes:
        same = all(study(rates[picked], crew)[0].tip.equals(runs.tip[picked]) for crew in (thread, processes))
    step = min(alone)
    return [
        ["a single run, best", f"{step * 1e6:.3g} µs per step"],
        ["one core, best", f"{1 / one:.3g} members/s"],
        ["two cores, best", f"{1 / two:.3g} members/s"],
        ["speed-up of two cores", f"{one / two:.3g} (goal 1.8)"],
        ["the same without queues, best turns", f"{one_free / two_free:.3g} (goal 1.8)"],
        ["the same without queues, medians", f"{one_median / two_median:.3g} (goal 1.8)"],
        ["cost of a step on two cores relative to a single run", f"{2 * two / steps / step:.3g} (goal 1.2)"],
        ["the same without queues, best turns", f"{2 * two_free / steps / step:.3g} (goal 1.2)"],
        [f"{members:,} members in one call", f"{seconds:.0f} s, {runs.attrs['failed']} failed"],
        [
            "cost of a step there relative to a single run",
            f"{used / members / steps / step:.3g} of processor time (goal 1.2)",
        ],
        ["one thread and processes, 100 members, shuffled", "bitwise identical" if same else "DIFFERENT BITS"],
    ]


KILLED = """
import sys
import numpy as np
from benchmarks.ensembles import Noted, pendulum
import livens as lv

store, log, members = sys.argv[1:]
rates = np.linspace(0.0, 3.0, int(members))
lv.ensemble(pendulum, {"rate": rates}, h=1e-3, until=1.0, keep=Noted(log), store=store)
"""


class Noted:
    """A `keep` that also records the member in a file."""

    def __init__(self, log: str):
        self.log = log

    def __call__(self, motion: lv.Trajectory) -> dict[str, Any]:
        handle = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(handle, f"{float(motion.model['fore'].body_rates[1])!r}\n".encode())
        os.close(handle)
        return tip(motion)


def kills(members: int, times: int = 10) -> list[list[Any]]:
    """Rows: how often each member was run by a study whose process was killed repeatedly."""
    rates, chance = np.linspace(0.0, 3.0, members), random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        store, log = f"{folder}/study.nc", f"{folder}/log"
        Path(log).touch()
        written: set[int] = set()
        twice = lost = killed = 0
        while not Path(store).exists():
            seen = len(Path(log).read_text().split())
            process = subprocess.Popen([sys.executable, "-c", KILLED, store, log, str(members)])
            wait = chance.uniform(0.0, 2.0 * members / (times + 5)) if killed < times else float("inf")
            while process.poll() is None and len(Path(log).read_text().split()) - seen < wait:
                time.sleep(0.001)
            killed += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait()
            ran = [int(np.argmin(np.abs(rates - float(x)))) for x in Path(log).read_text().split()[seen:]]
            twice += sum(k in written for k in ran)
            if not Path(store).exists():
                journal = Journal(Path(f"{store}.journal"), {})
                now = {outcome.member for outcome in journal.outcomes(len(rates))}
                journal.close()
                lost += len(written - now)
                written = now
        total = len(Path(log).read_text().split())
        runs = lv.ensemble(pendulum, {"rate": rates}, h=1e-3, until=1.0, keep=tip, store=store)
        whole = lv.ensemble(pendulum, {"rate": rates}, h=1e-3, until=1.0, keep=tip)
    return [
        [f"{members:,} members, killed {killed} times", f"{lost} finished members lost, {twice} run again"],
        ["unfinished members that were run again", f"{total - members} of {members:,}"],
        ["result compared with a run without kills", "identical" if runs.identical(whole) else "DIFFERENT"],
    ]


MEMORY = """
import resource
import numpy as np
import livens as lv

def top(rate):
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(1.0, (1.0, 2.0, 3.0)), body_rates=(0.1, rate, 0.1), name="top"))
    return m

rates = np.linspace(1.0, 2.0, {members})
runs = lv.ensemble(top, {{"rate": rates}}, h=1e-2, until=0.1, keep=lambda motion: {{"E": motion.energy[-1]}})
assert np.isfinite(runs.E).all()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def memory(largest: int) -> list[list[Any]]:
    """Rows: the largest resident size for a hundredth, a tenth and all members, which keep one number each."""
    rows: list[list[Any]] = []
    for members in (largest // 100, largest // 10, largest):
        run = fresh(MEMORY.format(members=members))
        rows.append(
            [f"{members:,} members that keep one number", f"{float(run.out):.0f} MiB at most, {run.seconds:.0f} s"]
        )
    return rows


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=["throughput", "kills", "memory"])
    parser.add_argument("--members", type=int, help="instead of 10,000, 1,000 and 100,000")
    options = parser.parse_args()
    jobs = {"throughput": (throughput, 10_000), "kills": (kills, 1_000), "memory": (memory, 100_000)}
    for what in options.what:
        measure, members = jobs[what]
        print(markdown([what, "measured"], measure(options.members or members)), flush=True)
        print()


if __name__ == "__main__":
    main()
