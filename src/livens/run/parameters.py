"""The numbers of a model by their names in scenes, and copies of the model with other numbers.

A name is a path as in a scene and in `livens sweep --vary`: "bodies.arm.mass", "joints.elbow.a.point.0", "gravity.2".
The copy is built from the document of the model, with all its digits, and gets the functions of the original, which a
document cannot contain.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from difflib import get_close_matches
from typing import Any

import numpy as np

from ..describe.model import Model
from ..errors import ModelError
from ..scene import from_dict, to_dict
from ..scene.catalogue import Key, body_keys, keys, shapes, things
from ..scene.paths import dotted
from ..scene.reading import Forgotten
from ..scene.values import parts_of, plain, with_values

PLACES = {"joints": "joint", "forces": "force"}


class Numbers:
    """The numbers of a model."""

    def __init__(self, model: Model):
        self.model = model
        try:
            self.document = to_dict(model, forget=True)
        except ModelError as error:
            raise ModelError(f"{error} So its numbers have no names: use lv.simulate for other numbers.") from None

    def changed(self, parameters: Mapping[str, Any]) -> Model:
        """A copy of the model with other numbers; an unknown name is a ModelError with the nearest one."""
        document, values = self.document, {}
        for name, value in parameters.items():
            _check_number(name, value)
            document = self._with_default(document, parts_of(name), name)
            _refuse_words(name, parts_of(name), document)
            values[name] = np.asarray(value).tolist()
            if (mirror := _mirror(parts_of(name))) and mirror not in parameters:
                values[mirror] = values[name]
        other = from_dict(with_values(document, values))
        for new, old in zip(other.things, self.model.things, strict=True):
            for name, value in vars(new).items():
                if isinstance(value, Forgotten):
                    vars(new)[name] = vars(old)[name]
        return other

    def value(self, name: str) -> tuple[float, float]:
        """The number with this name, and the largest size of the numbers of its vector (its own, if it is alone)."""
        _check_number(name, 0.0)
        path = parts_of(name)
        here: Any = self._with_default(self.document, path, name)
        _refuse_words(name, path, here)
        whole: Any = here
        for part in path:
            whole = here
            if isinstance(here, list) and part.isdecimal() and int(part) < len(here):
                here = here[int(part)]
            elif isinstance(here, dict) and part in here:
                here = here[part]
            elif isinstance(here, dict) and len(path) == 3 and part == path[-1]:
                here = _keys(path[0], here)[part].default
            else:
                with_values(self.document, {name: 0.0})  # it names the part that does not exist
                break
        if isinstance(here, bool) or not isinstance(here, int | float):
            raise ModelError(f"{name!r} is not one number but {here!r}; name one of its parts, such as {name}.0.")
        numbers = [abs(x) for x in whole if isinstance(x, int | float)] if isinstance(whole, list) else [abs(here)]
        return float(here), float(max(numbers))

    def _with_default(self, document: dict[str, Any], path: list[str], name: str) -> dict[str, Any]:
        """The document with the default at a path that has parts, such as bodies.arm.velocity.0, if it is left out."""
        if path[0] == "gravity":
            return document
        if len(path) < 3 or path[0] not in ("bodies", "joints", "forces", "shapes"):
            places = ["gravity", *(x for x in ("bodies", "joints", "forces", "shapes") if x in document)]
            near = get_close_matches(path[0], places, 1)
            better = dotted(*near, *path[1:]) if near and near[0] != path[0] else ""
            hint = f"did you mean {better!r}?" if better else f"numbers are in {', '.join(places)}."
            raise ModelError(
                f"{name!r} is not the name of a number of model {self.model.name!r}, such as bodies.NAME.velocity.0: "
                f"{hint}"
            )
        place, thing, key, *rest = path
        table = document.get(place, {}).get(thing)
        if table is None:
            known = list(document.get(place, {}))
            hint = (
                _hint(thing, known) if known or place != "shapes" else "the numbers of shapes are in bodies.NAME.shape."
            )
            raise ModelError(f"{name!r}: {place} has no {thing!r}; {hint}")
        if isinstance(table.get(key), str) and len(rest) == 1 and rest[0] in table.get("where", {}):
            better = dotted(place, thing, "where", rest[0])
            raise ModelError(f"{name!r}: the numbers of formulas are in 'where'; did you mean {better!r}?")
        known_keys = _keys(place, table)
        if key == "where" and "where" in table:
            return document
        if key not in known_keys or (key not in table and key in ("mass", "inertia", "center") and "shape" in table):
            raise ModelError(f"{name!r}: {self._remedy(place, thing, key, table, list(known_keys))}")
        if key == "inertia" and len(rest) == 2 and np.shape(table.get(key)) == (3,):  # moments as a tensor
            document = {**document, place: {**document[place], thing: deepcopy(table)}}
            document[place][thing][key] = np.diag(table[key]).tolist()
        if key not in table and rest and isinstance(known_keys[key].default, tuple):
            document = {**document, place: {**document[place], thing: deepcopy(table)}}
            document[place][thing][key] = list(map(float, known_keys[key].default))
        return document

    def _remedy(self, place: str, thing: str, key: str, table: dict[str, Any], known: list[str]) -> str:
        if place == "bodies" and "shape" in table and key in ("mass", "inertia", "center", "density"):
            shape = table["shape"]
            where = dotted("shapes", shape) if isinstance(shape, str) else f"{dotted('bodies', thing)}.shape"
            inner = self.document["shapes"][shape] if isinstance(shape, str) else shape
            own = [name for name in inner if name != "type"]
            return f"body {thing!r} has a shape; change the numbers of {where}: {', '.join(own)}."
        return f"{thing!r} has no {key!r}; {_hint(key, known)}"


def _mirror(path: list[str]) -> str:
    """The name of the other number of a product of inertia, which is the same number of a symmetric tensor; or nothing.
    bodies.arm.inertia.0.1 has bodies.arm.inertia.1.0."""
    if len(path) == 5 and path[0] == "bodies" and path[2] == "inertia" and path[3] != path[4]:
        return dotted(*path[:3], path[4], path[3])
    return ""


def _keys(place: str, table: dict[str, Any]) -> dict[str, Key]:
    """The keys that a table may have."""
    if place == "bodies":
        return body_keys()
    return keys(shapes()[table["type"]] if place == "shapes" else things(PLACES[place])[table["type"]])


def _hint(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known[:12])}." if known else "it is empty."


def _check_number(name: str, value: Any) -> None:
    """Raise a ModelError if a value is not a number or an array of numbers."""
    try:
        array = np.asarray(plain(value), dtype=object)
        numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in array.ravel().tolist())
    except (TypeError, ValueError):
        numbers = False
    if not isinstance(name, str) or not numbers:
        raise ModelError(f"parameter {name!r} must be a number or several numbers, not {value!r}.")


def _refuse_words(name: str, path: list[str], document: Any) -> None:
    """Raise a ModelError if what a document has at a path is a word or a table."""
    here = document
    for part in path:
        if isinstance(here, list) and part.isdecimal() and int(part) < len(here):
            here = here[int(part)]
        elif isinstance(here, dict) and part in here:
            here = here[part]
        else:
            return  # a default, or a path that with_values refuses
    if isinstance(here, dict):
        raise ModelError(f"{name!r} is not a number but a table with {', '.join(here)}.")
    if isinstance(here, str) and here not in ("inf", "-inf"):
        raise ModelError(f"{name!r} is not a number but {here!r}.")
