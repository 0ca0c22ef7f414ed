"""Derivatives beside MuJoCo and Pinocchio, in one run: python -m benchmarks.derivatives.

    step        one step and its full Jacobian with respect to all coordinates and rates: the exact tangents of
                `lv.Livens` and `lv.RungeKutta` in their compiled loops; MuJoCo's `mj_step` and `mjd_transitionFD`
                (one-sided differences, about seven digits); Pinocchio's `computeABADerivatives` (exact, of the
                accelerations alone, without a step)
    equations   mass matrix and bias of a six-axis arm, called from Python: `JointSpace.equations`; `mj_forward`;
                `crba` and `nonLinearEffects`
    inverse     inverse dynamics, called from Python: `JointSpace.inverse_dynamics`; `mj_inverse`; `rnea`

All programs read the same URDF text and use one thread. Times are processor times [µs], the best of several rounds that
alternate between the programs. A program that is not installed is left out.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import livens as lv
from livens.analysis.segment import Segment

from .table import markdown

ARM = Path(__file__).parents[1] / "docs" / "tutorials" / "six-axis-arm.urdf"
PROGRAMS = ("livens", "MuJoCo", "Pinocchio")
LIMIT = '<limit effort="1" velocity="1" lower="-9" upper="9"/>'
ROUNDS = 5
H = 1e-3


def chain(links: int) -> str:
    """A chain of rods of 0.5 m that hang from hinges about alternating axes, as URDF."""
    text = ['<robot name="chain"><link name="base"/>']
    for k in range(links):
        parent, place = ("base", 0.0) if k == 0 else (f"rod{k - 1}", -0.5)
        text.append(
            f'<link name="rod{k}"><inertial><origin xyz="0 0 -0.25"/><mass value="1"/><inertia ixx="0.02" iyy="0.021" '
            f'izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="hinge{k}" type="revolute"><parent '
            f'link="{parent}"/><child link="rod{k}"/><origin xyz="0 0 {place}"/><axis xyz="{k % 2} {1 - k % 2} 0"/>'
            f"{LIMIT}</joint>"
        )
    return "".join(text) + "</robot>"


def seconds(work: Callable[[int], Any], count: int) -> float:
    """Processor time of one of `count` repetitions [s]."""
    begin = time.process_time()
    work(count)
    return (time.process_time() - begin) / count


def repeated(call: Callable[[], Any]) -> Callable[[int], None]:
    def work(count: int) -> None:
        for _ in range(count):
            call()

    return work


class Livens:
    """livens on a URDF text."""

    def __init__(self, text: str, folder: Path):
        file = folder / "robot.urdf"
        file.write_text(text.replace(LIMIT, "").replace('"revolute"', '"continuous"'))
        self.space = lv.JointSpace(lv.read_urdf(file), driven=True)

    def step(self, q: np.ndarray, v: np.ndarray, scheme: Any = None) -> Callable[[int], Any]:
        made: dict[int, Segment] = {}
        state = self.space.damped_state(q, v)

        def work(count: int) -> Any:
            if count not in made:
                made[count] = Segment(self.space, scheme or lv.Livens(), H, count)
            return made[count](state)

        work(10)
        work(200)
        return work

    def explicit_step(self, q: np.ndarray, v: np.ndarray) -> Callable[[int], Any]:
        return self.step(q, v, lv.RungeKutta(4))

    def equations(self, q: np.ndarray, v: np.ndarray) -> Callable[[int], Any]:
        state = self.space.state(q, v)  # as in a controller: now.state
        return repeated(lambda: self.space.equations(state))

    def inverse(self, q: np.ndarray, v: np.ndarray) -> Callable[[int], Any]:
        return repeated(lambda: self.space.inverse_dynamics(q, v, v))


class MuJoCo:
    """MuJoCo on the same text."""

    def __init__(self, text: str, folder: Path):
        import mujoco

        self.call, spec = mujoco, mujoco.MjSpec.from_string(text)
        spec.option.gravity, spec.option.timestep = (0, 0, -9.81), H
        self.m = spec.compile()
        self.d = mujoco.MjData(self.m)

    def _set(self, q: np.ndarray, v: np.ndarray) -> None:
        self.d.qpos[:], self.d.qvel[:], self.d.qacc[:] = q, v, v
        self.call.mj_forward(self.m, self.d)

    def step(self, q: np.ndarray, v: np.ndarray) -> Callable[[int], Any]:
        self._set(q, v)
        n = 2 * self.m.nv
        A = np.zeros((n, n))

        def one() -> None:
            self.call.mjd_transitionFD(self.m, self.d, 1e-6, 0, A, None, None, None)
            self.call.mj_step(self.m, self.d)

        return repeated(one)

    def equations(self, q: np.ndarray, v: np.ndarray) -> Callable[[int], Any]:
        return repeated(lambda: self._set(q, v))

    def inverse(self, q: np.ndarray, v: np.ndarray) -> Callable[[int], Any]:
        def one() -> None:
            self.d.qpos[:], self.d.qvel[:], self.d.qacc[:] = q, v, v
            self.call.mj_inverse(self.m, self.d)

        return repeated(one)


class Pinocchio:
    """Pinocchio on the same text."""

    def __init__(self, text: str, folder: Path):
        import pinocchio

        self.call = pinocchio
        self.m = pinocchio.buildModelFromXML(text)
        self.d = self.m.createData()

    def step(self, q: np.ndarray, v: np.ndarray) -> Callable[[int], Any]:
        tau = 0.0 * v
        return repeated(lambda: self.call.computeABADerivatives(self.m, self.d, q, v, tau))

    def equations(self, q: np.ndarray, v: np.ndarray) -> Callable[[int], Any]:
        return repeated(lambda: (self.call.crba(self.m, self.d, q), self.call.nonLinearEffects(self.m, self.d, q, v)))

    def inverse(self, q: np.ndarray, v: np.ndarray) -> Callable[[int], Any]:
        return repeated(lambda: self.call.rnea(self.m, self.d, q, v, v))


def microseconds(t: float) -> str:
    """A time [s] to three digits."""
    return f"{1e6 * t:,.0f} µs" if t >= 1e-4 else f"{1e6 * t:.3g} µs"


def programs(text: str, folder: Path) -> dict[str, Any]:
    """The programs that are installed, with the robot."""
    found: dict[str, Any] = {"livens": Livens(text, folder)}
    for name, program in (("MuJoCo", MuJoCo), ("Pinocchio", Pinocchio)):
        if importlib.util.find_spec(name.lower()):
            found[name] = program(text, folder)
    return found


def derivatives(small: bool = False) -> list[list[Any]]:
    """Rows: problem, and the time of each program [µs], or –."""
    import tempfile

    arm = ARM.read_text().replace('"continuous"', '"revolute"').replace("</joint>", f"{LIMIT}</joint>")
    problems = [("a chain of 5: step and Jacobian", chain(5), "step", 2000)]
    if not small:
        problems += [
            ("a chain of 32: step and Jacobian", chain(32), "step", 200),
            ("a chain of 5: the same of Runge–Kutta, order 4", chain(5), "explicit_step", 500),
            ("a chain of 32: the same of Runge–Kutta, order 4", chain(32), "explicit_step", 100),
        ]
    problems += [
        ("a six-axis arm: mass matrix and bias", arm, "equations", 2000),
        ("a six-axis arm: inverse dynamics", arm, "inverse", 2000),
    ]
    rows, rng = [], np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        for name, text, what, count in problems:
            count = 20 if small else count
            some = programs(text, Path(folder))
            n = len(some["livens"].space.names)
            q, v = 0.3 * rng.normal(size=n), 0.1 * rng.normal(size=n)
            works = {key: getattr(one, what)(q, v) for key, one in some.items() if hasattr(one, what)}
            best = dict.fromkeys(works, np.inf)
            for work in works.values():
                work(count)
            for _ in range(1 if small else ROUNDS):
                for key, work in works.items():
                    best[key] = min(best[key], seconds(work, count))
            rows.append([name, *(microseconds(best[key]) if key in best else "–" for key in PROGRAMS)])
    return rows


if __name__ == "__main__":
    print(markdown(["problem", *PROGRAMS], derivatives()))
