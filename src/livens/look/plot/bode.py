"""Bode diagrams: gain and phase of a linear system over the angular frequency."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...analysis.linear_system import LinearSystem, split_unit
from ...checks import Array, finite
from ...errors import ModelError
from .style import STYLES, WIDTH, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 600  # frequencies, and more about each resonance


def plot_bode(
    system: LinearSystem, omega: ArrayLike | None = None, path: str | os.PathLike[str] | None = None
) -> Figure:
    """Draw the gain (in units of output per input) and the phase [°] of every output for every input.

    omega [rad/s]: the angular frequencies; None: three decades about the natural frequencies.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> cart = m.add(lv.Body(lv.Box(1, 1, 1, density=2.0), name="cart"))
    >>> rail = m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.point(0, 0, 0), axis=(1, 0, 0), stiffness=8.0))
    >>> [axes.get_ylabel() for axes in lv.linearize(m, inputs=[rail]).bode().axes]
    ['gain [m/N]', 'phase [°]']
    """
    pairs = [(i, j) for i in range(len(system.outputs)) for j in range(len(system.inputs))]
    if not 0 < len(pairs) <= len(STYLES):
        raise ModelError(
            f"a Bode diagram shows one to {len(STYLES)} pairs of input and output, not {len(pairs)}: linearize with "
            "fewer inputs or outputs."
        )
    w = frequencies(system) if omega is None else finite(omega, (np.size(omega),), "omega")
    if not w.size or w.min() <= 0.0:
        raise ModelError(f"omega of a Bode diagram lists frequencies above zero [rad/s], not {omega!r}.")
    response = system.frequency_response(w)
    return drawn(lambda figure: _draw(figure, system, pairs, w, response), path)


def frequencies(system: LinearSystem) -> Array:
    """Angular frequencies [rad/s] about the eigenvalues of a system, denser at resonances."""
    values = np.linalg.eigvals(system.A)
    values = values if system.h is None else np.log(values[np.abs(values) > 0.0].astype(complex)) / system.h
    sizes = np.abs(values)
    sizes = sizes[sizes > 1e-6 * max(float(sizes.max(initial=0.0)), 1e-300)]
    low, high = (float(sizes.min()), float(sizes.max())) if len(sizes) else (1.0, 1.0)
    w = np.logspace(np.log10(low) - 1.5, np.log10(high) + 1.5, POINTS)
    near = [s * (1.0 + np.linspace(-0.1, 0.1, 41)) for s in np.abs(values.imag) if s >= low * 1e-3]
    w = np.unique(np.concatenate([w, *near]))
    return w if system.h is None else w[w < np.pi / system.h]


def _draw(figure: Figure, system: LinearSystem, pairs: list[tuple[int, int]], w: Array, response: Any) -> None:
    figure.set_size_inches(WIDTH, 4.6)
    gain, phase = figure.subplots(2, 1, sharex=True)
    for (i, j), (style, color, _) in zip(pairs, STYLES, strict=False):
        z = response[:, i, j]
        label = f"{system.outputs[i]} / {system.inputs[j]}"
        gain.loglog(w, np.abs(z), linestyle=style, color=color, label=label)
        phase.semilogx(w, np.degrees(np.unwrap(np.angle(z))), linestyle=style, color=color)
    units = {f"{split_unit(system.outputs[i])[1]}/{split_unit(system.inputs[j])[1]}" for i, j in pairs}
    common = units.pop() if len(units) == 1 else "/"  # lines of different units are explained in the legend
    gain.set_ylabel("gain" if common[0] == "/" or common[-1] == "/" else f"gain [{common}]".replace("/N m", "/(N m)"))
    phase.set_ylabel("phase [°]")
    phase.set_xlabel("angular frequency [rad/s]")
    gain.legend()
