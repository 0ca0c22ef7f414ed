"""Controls of a running simulation: run, step, reset, speed; scheme and step; gravity, stiffness, damping."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...step import COMPARED, SCHEMES
from .loop import Loop, Moment
from .panel import add_keys, digits, fine, on_user_change

ALL = "all (factor)"


def add_run(server: Any, loop: Loop, forget: Callable[[], None]) -> Any:
    """Add run, step, reset and speed; return the run button, whose label changes."""
    gui, stepper = server.gui, loop.stepper
    button = gui.add_button("run", color="blue", hint="key P")
    buttons = gui.add_button_group("", ("step", "reset"), hint="one step of length h; back to the saved state")
    speed = gui.add_number(
        "speed",
        loop.pace.speed,
        min=0.0,
        step=fine(loop.pace.speed),
        hint="seconds of the motion per second of watching",
    )

    def act(name: str) -> None:
        if name == "step":
            loop.run(False)
            loop.submit(stepper.step)
        else:
            loop.submit(stepper.reset)
            forget()

    def set_speed(value: float) -> None:
        def change() -> None:
            loop.pace.speed = max(float(value), 0.0)
            loop.pace.rest()

        loop.submit(change)

    on_user_change(button, lambda _: loop.run(not loop.latest.running))
    add_keys(
        server,
        {
            "P": ("run or pause", lambda _: loop.run(not loop.latest.running)),
            "S": ("one step", lambda _: act("step")),
            "R": ("reset", lambda _: act("reset")),
        },
    )
    on_user_change(buttons, act)
    on_user_change(speed, set_speed)
    return button


def add_parameters(server: Any, loop: Loop) -> Callable[[Moment], None]:
    """Add fields for the parameters; return a function that restores them after a refused change."""
    gui, stepper = server.gui, loop.stepper
    schemes = {repr(scheme): scheme for scheme in (stepper.scheme, *SCHEMES, *COMPARED)}
    with gui.add_folder("change"):
        scheme = gui.add_dropdown("scheme", tuple(schemes), initial_value=repr(stepper.scheme))
        h = gui.add_number("h [s]", stepper.h, min=0.0, step=fine(stepper.h), hint="length of a step")
        gravity = gui.add_vector3("gravity [m/s²]", stepper.wanted.gravity, step=0.1, hint="in world axes")
        springs = _Springs(gui, loop) if stepper.wanted.damping else None

    on_user_change(scheme, lambda name: loop.submit(lambda: stepper.change(scheme=schemes[name])))
    on_user_change(h, lambda value: loop.submit(lambda: stepper.change(h=float(value))))
    on_user_change(gravity, lambda value: loop.submit(lambda: stepper.change(gravity=value)))

    def follow(moment: Moment) -> None:
        if moment.message:  # a refused change: show the values in use
            scheme.value, h.value = repr(moment.scheme), moment.h
            gravity.value = stepper.wanted.gravity
            if springs is not None:
                springs.read()

    return follow


def units_of(thing: Any) -> tuple[str, str]:
    """The units of stiffness and damping of a spring, a damper or a joint.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000)))
    >>> units_of(lv.Revolute(m.world.point(0, 0, 0), arm.point(0, 0, 0), axis=(0, 0, 1)))
    ('N m/rad', 'N m s/rad')
    """
    turns = any(q.kind != "DISPLACEMENT" for q in thing.coordinates)
    return ("N m/rad", "N m s/rad") if turns else ("N/m", "N s/m")


class _Springs:
    """Stiffness and damping of one spring, damper or joint, or factors for all of them."""

    def __init__(self, gui: Any, loop: Loop):
        self.loop = loop
        first = loop.stepper.wanted
        self.first = first
        names = sorted({*first.stiffness, *first.damping})
        options = (*names, ALL) if len(names) > 1 else tuple(names)
        self.which = gui.add_dropdown("spring, damper or joint", options)
        self.stiffness = gui.add_number("stiffness", 1.0, min=0.0)
        self.damping = gui.add_number("damping", 1.0, min=0.0)
        self.read()
        on_user_change(self.which, lambda _: self.read())
        on_user_change(self.stiffness, lambda value: self._changed("stiffness", self.first.stiffness, float(value)))
        on_user_change(self.damping, lambda value: self._changed("damping", self.first.damping, float(value)))

    def read(self) -> None:
        """Show the values of the chosen one."""
        name, wanted = self.which.value, self.loop.stepper.wanted
        units = ("×", "×") if name == ALL else units_of(self.loop.stepper.model[name])
        self.stiffness.label, self.damping.label = f"stiffness [{units[0]}]", f"damping [{units[1]}]"
        for field, values in ((self.stiffness, wanted.stiffness), (self.damping, wanted.damping)):
            field.disabled = name != ALL and name not in values
            value = 1.0 if name == ALL else float(values.get(name, 0.0))
            field.step = fine(value)
            field.precision = digits(field.step)
            field.value = value

    def _changed(self, what: str, first: Mapping[str, float], value: float) -> None:
        name = self.which.value
        values = {key: value * first[key] for key in first} if name == ALL else {name: value}
        changes: dict[str, Any] = {what: values}
        self.loop.submit(lambda: self.loop.stepper.change(**changes))
