"""The curves of the charts: energies, momenta and constraint violations of some states of a motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ...errors import ModelError
from ...record.trajectory import Trajectory
from ..picture.readings import Curves, readings_of_model

FLOOR = 1e-17  # replaces zeros in logarithms


def at_states(motion: Trajectory, k: NDArray[np.int64]) -> Trajectory:
    """A motion of the stored states number k only."""
    return motion.chosen_states(k)


def curves(motion: Trajectory) -> list[Curves]:
    """The charts of all states of `motion`; thin it first.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> stone = m.add(lv.Body(lv.Ball(0.1, density=2500), name="stone"))
    >>> [f"{c.what} [{c.unit}]" for c in curves(lv.simulate(m, h=0.1, until=1.0))]
    ['energy [J]', 'momentum [kg m/s]', 'angular momentum [kg m²/s]']
    """
    found = readings_of_model(motion)
    if motion.model.joints:
        try:
            defects = _columns(motion.defect_position, motion.defect_velocity)
        except ModelError:  # a file cannot hold a prescribed motion: the violation is unknown
            return found
        names = ("position [m, rad]", "velocity [m/s, rad/s]")
        found.append(Curves("joint violations, log₁₀", "", names, np.log10(np.maximum(defects, FLOOR))))
    return found


def thousands(values: Array) -> int:
    """The exponent of the largest of `values` as a multiple of three; 0 between 10⁻² and 10⁴.

    >>> import numpy as np
    >>> thousands(np.array([2.7e33])), thousands(np.array([4e-13])), thousands(np.array([0.0, 300.0]))
    (33, -15, 0)
    """
    most = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    return 0 if most == 0.0 or 1e-2 <= most < 1e4 else 3 * int(np.floor(np.log10(most) / 3.0))


def with_power(unit: str, exponent: int) -> str:
    """A unit with a power of ten before it.

    >>> with_power("J", -12), with_power("s", 0)
    ('10⁻¹² J', 's')
    """
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised} {unit}" if exponent else unit


def room(values: Array) -> tuple[float, float]:
    """Lowest and highest value of an axis that shows all of `values`, never of width zero.

    >>> import numpy as np
    >>> room(np.array([0.0, 10.0])), room(np.array([3.0]))
    ((-0.5, 10.5), (2.0, 4.0))
    """
    good = values[np.isfinite(values)]
    low, high = (float(good.min()), float(good.max())) if len(good) else (0.0, 0.0)
    size = max(abs(low), abs(high))
    pad = 0.05 * (high - low) if high - low > 1e-9 * size else size / 3 if size > 0.0 else 1.0
    return low - pad, high + pad


def _columns(*each: Array) -> Array:
    return np.stack(each, axis=1)
