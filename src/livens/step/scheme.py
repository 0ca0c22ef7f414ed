"""The Scheme protocol: the attributes and methods of a scheme for rigid bodies.

A scheme is a frozen dataclass of options with a compiled function, its rollout. Simulation, files, scenes, the command
line, the energy check, messages and pages read these attributes and methods; none of them tests the class. To add a
scheme, write one file in this folder and export its class in `livens/__init__.pyi`. The name of the class is its name
in scenes, in files and on the command line, and the fields of the dataclass are its options there.

The arguments of a rollout are those of `rollout` in livens.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol, runtime_checkable

from ..checks import Array
from ..kernels.arrays import State, System, Work

Prepare = Callable[[System, State, Work, Array, float], None]
Rollout = Callable[..., tuple[int, int]]
PHASE_PER_STEP = {4: 0.25, 6: 0.25}  # [rad], by order; 0.1 rad for other orders


def phase_per_step(order: int) -> float:
    """The usual phase angle of a vibration or rotation in one step of a scheme of this order [rad]."""
    return PHASE_PER_STEP.get(order, 0.1)


@runtime_checkable
class Scheme(Protocol):
    """A scheme for rigid bodies."""

    __dataclass_fields__: ClassVar[dict[str, Any]]
    """Its options: a scheme is a frozen dataclass."""

    orders: ClassVar[tuple[int, ...]]
    """The values of its option `order`; empty if it has no such option."""

    variational: ClassVar[bool]
    """True if the scheme follows from a discrete action: it is symplectic and conserves momenta."""

    conserves_energy: ClassVar[bool]
    """True if the energy error shows the error of the step; False for schemes that dissipate on purpose."""

    exact_energy: ClassVar[bool]
    """True if every step conserves energy to the tolerance of its equations."""

    carries: ClassVar[str]
    """The meaning of `state.memory`, the numbers that go from step to step besides positions and momenta: "nothing",
    "accelerations" (the forces f, τ of each body), "remainders" (of compensated sums), "lengths of steps" or "mean
    velocities" (of each body in the last step)."""

    turn_limit: ClassVar[float]
    """The largest rotation of a body in one stage [rad]."""

    @property
    def adaptive(self) -> bool:
        """True if it divides its steps as a tolerance demands. Then functions of time are not known in all its stages,
        and a model with such functions is refused."""
        ...

    @property
    def order(self) -> int:
        """The error of a step is O(h^(order + 1))."""
        ...

    @property
    def stages(self) -> int:
        """Evaluations of the forces per step."""
        ...

    @property
    def weights(self) -> Array:
        """Time between two rows of `signals`, as fractions of h; they sum to 1 and may be negative."""
        ...

    @property
    def longest_stage(self) -> float:
        """The longest stage as a fraction of h."""
        ...

    @property
    def phase_per_step(self) -> float:
        """The phase angle of a vibration or rotation in one step at which h="auto" begins [rad]."""
        ...

    @property
    def table(self) -> Array:
        """The coefficients that its rollout takes."""
        ...

    @property
    def scratch(self) -> int:
        """Vectors per body in `work.trial`, the scratch of its rollout."""
        ...

    def memory(self, system: System) -> int:
        """Length of `state.memory`."""
        ...

    def kernels(self, system: System) -> tuple[Prepare, Rollout]:
        """(prepare, rollout) for this system, or a ModelError if the scheme does not support the system."""
        ...

    def workspace(self, system: System, work: Work) -> Any:
        """What its rollout takes as `work`: the scratch of all schemes, or more around it."""
        ...

    def rollout_file(self, jointed: bool) -> str:
        """The module of the rollout for systems with joints or without: its compiled code has this name on disk."""
        ...

    def compile_seconds(self, jointed: bool) -> int:
        """About how long the first compilation of that rollout takes on a new machine."""
        ...


@runtime_checkable
class Engine(Protocol):
    """A scheme that follows a model as a whole, instead of steps of a compiled system: `ld.Barrier`."""

    def follow(self, model: Any, h: float, steps: int, every: int, start: State | None, t0: float) -> Any:
        """The motion of `model` from t0 over `steps` steps of length h, of which every `every`-th is kept."""
        ...


def is_scheme(thing: Any) -> bool:
    """True for an instance of a scheme, not for a class."""
    return isinstance(thing, Scheme) and not isinstance(thing, type)
