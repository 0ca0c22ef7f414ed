"""A new scheme is one file and one export line: a copy of the package gets symplectic Euler, and everything that takes
a scheme takes it: simulate, report, scenes, the command line, the page, files, the energy check and h="auto"."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import livens

PACKAGE = Path(livens.__file__).parent
EXPORT = "from .step.toy import Toy as Toy\n"
SCHEME = '''
"""Symplectic Euler for free bodies: p₁ = p₀ + h f(q₀), then q₁ from q₀ and p₁. Order 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._jit import njit
from ..errors import ModelError
from ..kernels.forces import free_forces
from ..kernels.record import store_state
from ..kernels.spin import drift, kick
from ..kernels.status import OK
from .start_forces import start_forces


def prepare(system, state, work, signals, h):
    """Forces at the start."""
    start_forces(system, state, signals, work)


@njit
def rollout(system, state, work, h, table, signals, first, steps, every, record):
    """As in livens.py: (status, steps taken)."""
    varies = 1 if signals.shape[0] > 1 else 0
    for n in range(steps):
        kick(h * table[0], work.f, work.tau, state.p, state.L)
        status = drift(system.bodies, h, state.a, state.B, state.p, state.L, state.a, state.B, state.L, work.fault)
        if status != OK:
            return status, n
        row = varies * (n + 1)
        free_forces(system, state.a, state.B, state.p, state.L, signals, row, work, work.f, work.tau)
        if (first + n + 1) % every == 0:
            store_state(record, (first + n + 1) // every, state)
    return OK, steps


@dataclass(frozen=True)
class Toy:
    """Symplectic Euler; `strength` multiplies all forces."""

    strength: float = 1.0

    orders: ClassVar[tuple[int, ...]] = ()
    variational: ClassVar[bool] = True
    conserves_energy: ClassVar[bool] = True
    exact_energy: ClassVar[bool] = False
    carries: ClassVar[str] = "nothing"
    turn_limit: ClassVar[float] = 1.0
    adaptive = False
    order = 1
    stages = 1
    weights = np.array([1.0])
    longest_stage = 1.0
    phase_per_step = 0.05
    scratch = 0

    @property
    def table(self):
        return np.array([self.strength])

    def memory(self, system):
        return 0

    def kernels(self, system):
        if len(system.rows.kind):
            raise ModelError("Toy does not support joints.")
        return prepare, rollout

    def workspace(self, system, work):
        return work

    def rollout_file(self, jointed):
        return "toy"

    def compile_seconds(self, jointed):
        return 5
'''
SCRIPT = """
import numpy as np
import livens as lv
from livens.cli.main import main
from livens.step import CLASSES, SCHEMES

assert lv.Toy in CLASSES.values() and lv.Toy() in SCHEMES
m = lv.Model(name="toy")
ball = m.add(lv.Body(lv.Ball(0.1, density=1000), at=(1, 0, 0), body_rates=(0, 0, 1), name="ball"))
m.add(lv.Spring(m.world.point(0, 0, 0), ball.center, stiffness=50.0, length=0.5, name="spring"))

errors = []
exact = lv.simulate(m, lv.Livens(order=6), h=0.01, until=0.5).position(ball)[-1]
for h in (4e-3, 2e-3):
    motion = lv.simulate(m, lv.Toy(), h=h, until=0.5)
    errors.append(np.abs(motion.position(ball)[-1] - exact).max())
assert 1.8 < errors[0] / errors[1] < 2.2, errors
assert "Toy(strength=1.0)" in str(motion.report())
assert lv.symplecticity(m, lv.Toy(), h=0.01) < 1e-7
fastest = lv.stiffness(m).frequency
assert lv.simulate(m, lv.Toy(), h="auto", until=10.0).h * fastest <= 0.05
try:
    lv.simulate(m, lv.Toy(), h=2.0, until=10.0)
except lv.StepFailed as error:
    assert "and the limit is about 1 rad" in str(error), error
else:
    raise AssertionError("it turns by two radians in a step")

motion.save("toy.nc")
back = lv.load("toy.nc")
assert back.scheme == lv.Toy() and np.array_equal(back.record.a, motion.record.a)
whole = lv.simulate(m, lv.Toy(), h=2e-3, until=1.0)
assert np.array_equal(lv.resume(back, until=1.0).record.a, whole.record.a)
motion.to_html("toy.html")
assert "Toy" in open("toy.html").read()

lv.write_scene(m, "toy.toml", scheme=lv.Toy(0.5), h=2e-3, until=0.5)
assert lv.read_scene("toy.toml").run["scheme"] == lv.Toy(0.5)
assert main(["check", "toy.toml"]) == 0
assert main(["run", "toy.toml", "-o", "scene.nc"]) == 0
assert lv.load("scene.nc").scheme == lv.Toy(0.5)
assert main(["run", "toy.toml", "--scheme", "Toy", "-o", "option.nc"]) == 0
assert lv.load("option.nc").scheme == lv.Toy()
assert main(["run", "toy.toml", "--scheme", "Toy", "--order", "2"]) == 2
"""


def test_a_scheme_is_one_file_and_one_export_line(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "livens", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "livens" / "step" / "toy.py").write_text(SCHEME)
    stub = tmp_path / "livens" / "__init__.pyi"
    stub.write_text(stub.read_text().replace("__version__: str", EXPORT + "\n__version__: str"))
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
