"""Events of a scene: tables to objects, and back.

    [[events]]
    name = "let go"
    when = "coordinate('pivot') + angle"        a formula of the moment (describe/moment_formula.py)
    direction = 1
    do = [{ release = "sling" }, { switch = "motor", value = false }]
    stop = false
    where = { angle = 1.2 }                     numbers, and points of bodies, that `when` uses by name

An action is a table with one of the keys release, attach, switch, change and strike: ACTION_KEYS. The joint of attach
is a table like those of [joints] with its own name, or the name of a joint that an event has released.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..describe.actions import Action, Attach, Change, Release, Strike, Switch, attach, change, release, strike, switch
from ..describe.body import Point
from ..describe.event import Event
from ..describe.model import Model
from ..describe.moment_formula import MomentFormula
from ..errors import ModelError
from ..formula.expression import Expression
from .build import Build
from .describe import to_dict
from .paths import at, refusal

ACTION_KEYS = {  # the keys beside the first one
    "release": (),
    "attach": ("name",),
    "switch": ("value",),
    "change": ("value",),
    "strike": ("impulse", "angular_impulse"),
}


def read_events(document: dict[str, Any], build: Build, model: Model) -> list[Event]:
    """The events of a document, for its model."""
    build.read_parameters()
    build.made = model
    found = []
    for k, table in enumerate(document.get("events", [])):
        path = f"events.{k}"
        with at(path):
            found.append(_event(table, build, path))
    return found


def _event(table: dict[str, Any], build: Build, path: str) -> Event:
    meanings = build.meanings(table.get("where", {}), path)
    names = {**build.parameters, **{name: _meant(x, f"{path}.where.{name}") for name, x in meanings.items()}}
    with at(f"{path}.when"):
        formula = MomentFormula(table["when"], names)
    given = table.get("do", [])
    several = given if isinstance(given, list) else [given]
    actions = [_action(one, build, f"{path}.do.{k}") for k, one in enumerate(several)]
    options = {name: table[name] for name in ("direction", "stop", "name") if name in table}
    return Event(formula, do=actions, **options)


def _meant(meaning: Any, path: str) -> Any:
    if not isinstance(meaning, tuple):
        return meaning
    body, kind, r = meaning
    if kind != "point":
        raise refusal(path, "a name in an event is a number, or a point of a body.")
    return Point(body, r)


def _action(table: dict[str, Any], build: Build, path: str) -> Action:
    with at(path):
        match table:
            case {"release": names}:
                return release(*(names if isinstance(names, list) else [names]))
            case {"attach": str(name)}:
                return attach(name)
            case {"attach": joint}:
                if "name" not in table:
                    raise ModelError("a joint that is attached needs a name.")
                return attach(build.thing(joint, "joint", table["name"], f"{path}.attach"))
            case {"switch": name, "value": value}:
                return switch(name, _signal(value, name, build, path))
            case {"change": where, "value": value}:
                return change(where, _plain(value, build, f"{path}.value"))
            case {"strike": point}:
                pushes = {
                    key: build.vector(table[key], f"{path}.{key}") for key in ACTION_KEYS["strike"] if key in table
                }
                return strike(build.point(point, f"{path}.strike"), **pushes)
        raise ModelError("it is none of release, attach, switch (with value), change (with value) and strike.")


def _signal(value: Any, name: str, build: Build, path: str) -> Any:
    """True, False, a number or a function of time; a number drives a joint as a constant function."""
    if isinstance(value, bool):
        return value
    build.where = {}
    made = build.signal(value, f"{path}.value")
    thing = build.made.find(name)
    return Expression(repr(made)) if isinstance(made, float) and thing is not None and thing.kind == "joint" else made


def _plain(value: Any, build: Build, path: str) -> Any:
    if isinstance(value, list):
        return [_plain(x, build, f"{path}.{k}") for k, x in enumerate(value)]
    return value if isinstance(value, bool) else build.number(value, path)


# ── writing ──


def describe_events(events: Sequence[Event], model: Model) -> list[dict[str, Any]]:
    """Events as tables. A Python function cannot be written and is an error."""
    return [_event_table(event, model) for event in events]


def _event_table(event: Event, model: Model) -> dict[str, Any]:
    if not isinstance(event.when, MomentFormula) or event.function is not None:
        raise ModelError(
            f"event {event.name!r} has a Python function, which a scene cannot contain: write `when` as a formula such "
            "as \"coordinate('hinge') - 0.7\", and `do` as actions."
        )
    table: dict[str, Any] = {"name": event.name} if event.name else {}
    table["when"] = event.when.text
    if event.direction:
        table["direction"] = event.direction
    if event.actions:
        table["do"] = [_action_table(action, event, model) for action in event.actions]
    if event.stop:
        table["stop"] = True
    if names := event.when.names:
        table["where"] = {name: _point(x) if isinstance(x, Point) else float(x) for name, x in names.items()}
    return table


def _point(point: Point) -> dict[str, Any]:
    return {"body": point.body.name, "point": point.r.tolist()}


def _action_table(action: Action, event: Event, model: Model) -> dict[str, Any]:
    match action:
        case Release(names):
            return {"release": list(names) if len(names) > 1 else names[0]}
        case Attach(str(name)):
            return {"attach": name}
        case Attach():
            made = model.with_things([])
            made.add(action.copied())
            return {"attach": to_dict(made)["joints"][action.name], "name": action.name}
        case Switch(name, value):
            if isinstance(value, bool | int | float):
                return {"switch": name, "value": value}
            if isinstance(value, Expression) and not value.numbers:
                return {"switch": name, "value": value.text}
        case Change(path, value):
            return {"change": path, "value": value}
        case Strike(point, impulse, angular):
            return {"strike": _point(point), "impulse": impulse.tolist(), "angular_impulse": angular.tolist()}
    raise ModelError(f"an action of event {event.name!r} has a Python function, which a scene cannot contain.")
