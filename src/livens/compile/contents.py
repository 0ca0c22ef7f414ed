"""The contents of a model before it is compiled: its lists can be changed, and the attributes of its things.

`Model.add` and the constructors check what they are given. A list that was changed afterwards is checked here. An
attribute that was set afterwards is checked if the model cannot be compiled: the constructor of its thing takes all
attributes once more, and its message names the wrong one.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..checks import check_name, vector
from ..describe.body import Body
from ..describe.model import Model
from ..describe.pose import Pose
from ..describe.thing import Thing
from ..errors import LivensError, ModelError


def check_contents(model: Model) -> None:
    """Raise a ModelError if a list of the model holds something else than it should, if a thing acts on a body or joint
    that was removed, or if two have one name."""
    check_name(model.name, "Model")
    known: dict[str, Body | Thing] = {}
    lists: list[tuple[str, type[Body] | type[Thing], Any]] = [
        ("bodies", Body, model.bodies), ("joints", Thing, model.joints), ("forces", Thing, model.forces)
    ]  # fmt: skip
    for what, kind, held in lists:
        if not isinstance(held, list):
            raise ModelError(f"m.{what} must be a list, not {held!r}: m.add puts things in their places.")
        for one in held:
            if not isinstance(one, kind):
                raise ModelError(f"m.{what} holds {one!r}, which is none of them: m.add puts things in their places.")
            check_name(one.name, type(one).__name__)
            if known.setdefault(one.name, one) is not one:
                raise ModelError(f"the name {one.name!r} is used twice in model {model.name!r}: rename one of both.")
    if not model.bodies or model.bodies[0] is not model.world:
        raise ModelError(f"m.bodies of model {model.name!r} must begin with the world.")
    with naming_wrong_attributes(model):
        acted_on = []
        for thing in model.things:
            parts: list[Body | Thing] = [*(point.body for point in thing.points), *(thing.bodies or ()), *thing.joints]
            acted_on += [(thing, part, part.name) for part in parts]
    for thing, part, name in acted_on:
        if known.get(name) is not part and not _same(known.get(name), part):
            raise ModelError(
                f"{thing.label} acts on {part!r}, which is not in the model any more: remove {thing.name!r} too, "
                f"or add {part.name!r} again."
            )


def _same(held: Body | Thing | None, part: Body | Thing) -> bool:
    """True for the part itself, and for a copy of a joint with the same coordinates (compile/start_rates.py)."""
    if isinstance(held, Thing) and isinstance(part, Thing):
        return held is part or (len(part.coordinates) > 0 and held.coordinates is part.coordinates)
    return held is part


@contextmanager
def naming_wrong_attributes(model: Model) -> Iterator[None]:
    """An exception within becomes a ModelError that names the attribute: of the user's objects, any may come."""
    try:
        yield
    except LivensError:
        raise
    except Exception as error:
        refuse_wrong_attributes(model)
        raise ModelError(
            f"model {model.name!r} cannot be compiled: an attribute of a body, joint or force has a wrong value: "
            f"{error}."
        ) from error


def refuse_wrong_attributes(model: Model) -> None:
    """Raise the ModelError of a constructor that does not take the present attributes of its thing."""
    for body in model.bodies:
        if not isinstance(body.pose, Pose):
            raise ModelError(f"pose of {body.name!r} must be a Pose, not {body.pose!r}.")
        vector(body.velocity, f"velocity of {body.name!r}")
        vector(body.body_rates, f"body_rates of {body.name!r}")
    for thing in model.things:
        made = type(thing)
        names = [name for name in inspect.signature(made).parameters if name in vars(thing)]
        try:
            made(**{name: vars(thing)[name] for name in names})
        except LivensError:
            raise
        except Exception as error:
            raise ModelError(f"an attribute of {thing.label} has a wrong value: {error}.") from error
