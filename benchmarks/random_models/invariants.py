"""Conserved quantities of a motion of a random model, with n steps of order 2 and h · rate = 1/STEPS.

The bounds are those of the method. A position is accepted if its violations are below PRECISION of the size of the
joints; its error is then below PRECISION/grip. Rates are solved to 1e-11 of the change in a step. Everything else is
round-off, a few units in the last place for each step. The energy error is C h², without odd powers: halving the step
divides it by four, with and without dissipation. A group of bodies without other connections conserves its linear
momentum except for its weight, and its angular momentum about its centre of mass.
"""

from __future__ import annotations

import numpy as np

import livens as lv
from livens.compile.rows import PRECISION

from .trial import EPS, REACH, STEPS, Check, Trial


def checks(trial: Trial) -> list[Check]:
    return [*joints(trial), *energy(trial), *momenta(trial), *reversal(trial)]


def joints(trial: Trial) -> list[Check]:
    """Violations of all constraint equations, including dropped ones, and of the rotation matrices."""
    motion, grip = trial.motion(), trial.grip.least
    rates = 1e-11 / STEPS + 64 * EPS
    return [
        Check("joints in position", motion.defect_position.max() / trial.size, 10 * PRECISION / grip),
        Check("joints in velocity", motion.defect_velocity.max() / (trial.size * trial.rate), rates / grip),
        Check("rotation matrices", motion.defect_orthogonality.max(), 8 * STEPS * EPS),
    ]


def energy(trial: Trial) -> list[Check]:
    """Size and order of the error of T + V + dissipated."""
    errors = []
    for steps in (STEPS, 2 * STEPS):
        motion = trial.motion(steps=steps)
        account = (motion.energy + motion.dissipated)[:: steps // STEPS]
        scale = max(motion.kinetic.max(), np.ptp(motion.potential), forced(trial))
        errors.append(np.abs(account - account[0]).max())
    noise = 1e3 * STEPS * EPS * (scale + np.abs(motion.potential).max())
    found = [Check("energy", errors[0], (REACH / STEPS) ** 2 * scale + noise)]  # a fixed system has only round-off
    if errors[1] > noise:
        found.append(Check("order of energy", abs(np.log2(errors[0] / errors[1]) - 2.0), 0.1))
    return found


def forced(trial: Trial) -> float:
    """The largest m |v̇|² + J |ω̇|² over the rate squared; the error is at least h² · rate²/8 of it [J]."""
    motion, most = trial.motion(), 0.0
    for part in trial.told.parts:
        body = motion.model[part.name]
        dv, domega = motion.acceleration(body.center), motion.angular_acceleration(body)
        most = most + part.mass * (dv**2).sum(axis=1) + np.linalg.norm(part.inertia, 2) * (domega**2).sum(axis=1)
    return float(np.max(most)) / trial.rate**2


def momenta(trial: Trial) -> list[Check]:
    """Momenta of every group of bodies without other connections."""
    motion, found = trial.motion(), []
    mass, t = motion.system.bodies.mass, motion.t[:, None]
    for group in trial.components:
        a, p, B, L = (x[:, group] for x in (motion.record.a, motion.record.p, motion.record.B, motion.record.L))
        M = mass[group].sum()
        center, P = (mass[group][:, None] * a).sum(axis=1) / M, p.sum(axis=1)
        spin = (np.cross(a - center[:, None], p) + np.einsum("tnij,tnj->tni", B, L)).sum(axis=1)
        far = trial.size + np.abs(a).max()  # rounding of positions depends on the distance from the origin
        push = M * trial.size * trial.rate  # momentum exchanged by forces
        weight = M * np.outer(t, trial.told.gravity)
        bound = 16 * STEPS * EPS
        found.append(Check("linear momentum", np.abs(P - P[0] - weight).max() / push, bound))
        found.append(Check("angular momentum", np.abs(spin - spin[0]).max() / (push * far), bound))
    return found


def reversal(trial: Trial) -> list[Check]:
    """Forward and back, if the model moves without dissipation and its assembly is fast."""
    if trial.told.damped or trial.grip.repeated or not trial.grip.freedom:
        return []
    steps = STEPS // 2
    missed = lv.reversibility(trial.begin()[0], lv.Livens(), trial.until / STEPS, steps)
    return [Check("reversal", missed, trial.exact(2 * steps))]
