"""Runs with events as `lv.simulate` and `lv.resume` start them, and motions joined by `lv.join`.

A run with events has no journal: a checkpoint is its file itself, with the motion so far, which is written every
`checkpoint_every` seconds, where the run is interrupted or fails, and at the end.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise

from ..compile.compiled import Compiled
from ..compile.states import as_record, copied
from ..describe.actions import Structure, check_actions
from ..describe.event import Event, named
from ..errors import FileError, Interrupted, ModelError
from ..kernels.arrays import DISSIPATED, WORK, State
from ..record.instant import Instant
from ..record.occurrences import Occurrences
from ..record.phases import PhasedTrajectory
from ..record.trajectory import Trajectory
from ..step import Livens
from .checkpoint import Checkpoints
from .event_actions import Mechanism
from .events import EventRun
from .plan import Plan
from .progress import Progress

OFF_GRID = 1e-6  # of a step: a last state that is so far from a planned time lies between two


def refuse_auto_step(h: float | str) -> None:
    """A step that is found by repeated runs does not suit event functions, which may have memory."""
    if isinstance(h, str):
        raise ModelError(
            'h="auto" cannot be used with events, whose functions would be called in several runs: give h in seconds; '
            "lv.stiffness(model).step(2) suggests one for order 2."
        )


def values_at_start(events: Sequence[Event], compiled: Compiled) -> dict[str, float]:
    """The value of each event function at the start, by name; a ModelError if an event is not possible."""
    check_actions([action for event in events for action in event.actions], compiled.model)
    now = Instant(compiled, Livens(), 1.0, 0.0, as_record(copied(compiled.state)))
    return {event.name: event.value(now) for event in named(events)}


def simulate_events(
    events: Sequence[Event],
    how: Plan,
    compiled: Compiled,
    state: State,
    t0: float,
    progress: bool | None,
    checkpoints: Checkpoints,
) -> Trajectory:
    """The motion with events by the plan, from `state` at t0."""
    check_actions([action for event in events for action in event.actions], compiled.model)
    mechanism = Mechanism(Structure(compiled.model), compiled, state)
    run = EventRun(events, mechanism, how.scheme, how.h, t0, how.every, how.steps)
    return _finished(run, Progress(compiled.model.name, how.steps, progress), checkpoints)


def follow_events(events: Sequence[Event], how: Plan, compiled: Compiled, state: State, t0: float = 0.0) -> Trajectory:
    """The same without a file and without progress."""
    return simulate_events(events, how, compiled, state, t0, False, Checkpoints())


def resume_events(
    motion: Trajectory, events: Sequence[Event] | None, steps: int, progress: bool | None, checkpoints: Checkpoints
) -> Trajectory:
    """A motion with events continued to step `steps`."""
    if motion.sides and events is None and not motion.watched:
        raise ModelError(
            f"the motion has events ({', '.join(map(repr, motion.sides))}) with Python functions, which a file cannot "
            "contain: give them again, lv.resume(motion, until=…, events=[…])."
        )
    events = list(motion.watched) if events is None else named(events)
    last = motion.phases[-1]
    last.compiled.check_unchanged("change it back, or simulate again from motion.state.")
    structure = motion.structure or Structure(last.model)
    before = {thing.name for phase in motion.phases for thing in phase.model.things}
    check_actions([action for event in events for action in event.actions], structure.model, before)
    mechanism = Mechanism(structure, last.compiled, motion.state)
    t0 = float(motion.t[0])
    run = EventRun(events, mechanism, motion.scheme, motion.h, t0, motion.every, steps, motion.steps, motion.sides)
    run.continue_phase(motion)
    return _finished(run, Progress(motion.model.name, steps - motion.steps, progress), checkpoints)


def refuse_between_steps(motion: Trajectory) -> None:
    """Raise a ModelError if the last state is not at a planned time, because an event has ended the run."""
    reached = (float(motion.t[-1]) - float(motion.t[0])) / motion.h
    if abs(reached - round(reached)) > OFF_GRID and motion.events:
        raise ModelError(
            f"event {motion.events[-1].name!r} has ended the motion at t = {motion.t[-1]:.9g} s, between two steps: "
            "start a new one there, lv.simulate(model, start=motion.state, t0=motion.t[-1], …), and join both by "
            "lv.join."
        )


def _finished(run: EventRun, progress: Progress, checkpoints: Checkpoints) -> Trajectory:
    """Take all steps, and save the motion if there is a file for it."""
    path, checkpoints.path = checkpoints.path, None  # signals only: there is no journal

    def between_chunks(run: EventRun) -> None:
        if path is not None and time.monotonic() - checkpoints.last >= checkpoints.every:
            run.motion_now().save(path, checkpoints.force)
            checkpoints.last = time.monotonic()
        if checkpoints.received:
            motion = run.motion_now()
            text = f"interrupted at t = {motion.t[-1]:.6g} s of {run.time(run.planned):.6g} s"
            where = f": it is in {path}; continue with `livens resume {path}`." if path is not None else "."
            raise Interrupted(text + where, motion, checkpoints.received)

    with checkpoints:
        try:
            motion = run.go(progress, between_chunks)
        except BaseException as error:
            # an exception of any class, to which the run has given its motion
            so_far = getattr(error, "trajectory", None)
            if path is not None and isinstance(so_far, Trajectory):
                with suppress(FileError):  # the first error is the one to report
                    so_far.save(path, checkpoints.force)
            raise
    if path is not None:
        motion.save(path, checkpoints.force)
    return motion


def join(motions: Sequence[Trajectory]) -> Trajectory:
    """One motion of consecutive ones, each of which begins at the time [s] at which the one before ends.

    The models have the same bodies, and may differ in everything else. A time that two motions share is stored once,
    with the state of the later motion. A change of energy between them counts as work.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -10.0))
    >>> stone = m.add(lv.Body(lv.PointMass(1.0), velocity=(1, 0, 10), name="stone"))
    >>> up = lv.simulate(m, h=0.1, until=1.0)
    >>> down = lv.simulate(m, h=0.05, until=2.0, start=up.state, t0=1.0)
    >>> whole = lv.join([up, down])
    >>> len(whole), whole.position(stone)[-1].round(9).tolist()
    (31, [2.0, 0.0, 0.0])
    """
    if not isinstance(motions, Sequence) or not all(isinstance(motion, Trajectory) for motion in motions):
        raise ModelError(f"join takes a list of motions, not {motions!r}.")
    if len(motions) < 2:
        return _only(motions)
    names = [[body.name for body in motion.model.bodies] for motion in motions]
    if any(other != names[0] for other in names):
        raise ModelError("motions that are joined must have the same bodies, in the same order.")
    phases: list[Trajectory] = list(motions[0].phases)
    for one, two in pairwise(motions):
        begin, end = float(two.t[0]), float(one.t[-1])
        if abs(begin - end) > OFF_GRID * min(one.h, two.h):
            raise ModelError(
                f"motions that are joined must follow each other: one ends at t = {end:.9g} s, and the next begins at "
                f"t = {begin:.9g} s; give the next t0={end!r}."
            )
        whole = PhasedTrajectory(phases) if len(phases) > 1 else phases[0]
        work, lost = _offsets(whole, two)
        if len(phases[-1]) > 1:
            phases[-1] = phases[-1].chosen_states(slice(len(phases[-1]) - 1))
        else:
            phases.pop()
        phases += [_shifted(phase, work, lost) for phase in two.phases]
    joined = PhasedTrajectory(phases, Occurrences([entry for motion in motions for entry in motion.events]))
    joined.steps = joined.wanted = sum(motion.steps for motion in motions)
    return joined


def _only(motions: Sequence[Trajectory]) -> Trajectory:
    if not motions:
        raise ModelError("join takes at least one motion, and the list is empty.")
    return motions[0]


def _offsets(one: Trajectory, two: Trajectory) -> tuple[float, float]:
    """What is added to the work and to the dissipated energy of `two`, so that the balance of energy continues."""
    lost = float(one.dissipated[-1] - two.dissipated[0])
    balance = float((one.energy - one.work + one.dissipated)[-1])
    return float(two.energy[0] - two.work[0] + two.dissipated[0]) + lost - balance, lost


def _shifted(phase: Trajectory, work: float, lost: float) -> Trajectory:
    """The phase with other values of work and dissipated energy at its start."""
    if not work and not lost:
        return phase
    other = phase.chosen_states(slice(None))
    other.record = copied(phase.record)
    other.record.account[:, WORK] += work
    other.record.account[:, DISSIPATED] += lost
    return other
