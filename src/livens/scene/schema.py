"""The valid scenes, as pydantic models made from the catalogue: they check documents and give a JSON Schema.

One model for every class, with its constructor's arguments as fields; one type for every kind of argument (kinds.py).
The mechanics are not checked here, but by the constructors.
"""

from __future__ import annotations

import inspect
from difflib import get_close_matches
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Discriminator, Field, Tag, ValidationError, create_model
from pydantic_core import ErrorDetails

from ..describe.mass import MassProperties
from ..storage.atomic import MARK
from .catalogue import Key, body_keys, has_formula, keys, schemes, shapes, things
from .events import ACTION_KEYS
from .kinds import (
    MEANING,
    NUMBER,
    TEXT,
    Choice,
    FormulaTable,
    MeaningTable,
    Mesh,
    Number,
    PlaneTable,
    PointTable,
    Pose,
    Rotation,
    Step,
    Table,
    TrianglesTable,
    Vector,
    Whole,
    Word,
    action_table,
    checked,
    color,
    either,
    inertia,
    limits,
    number,
    numbers,
    only,
    place,
    row,
    sequence,
    several_of,
    signals,
    table,
)
from .paths import dotted, refusal


def _by_type(value: Any) -> Any:
    return value.get("type") if isinstance(value, dict) else None


def _name_or_table(value: Any) -> str:
    return "name" if isinstance(value, str) else "table"


def _triangles_or_shape(value: Any) -> str:
    return "triangles" if isinstance(value, dict) and "type" not in value else "shape"


# ── models made from the catalogue ──


@cache
def _kinds() -> dict[str, Any]:
    """Kind → type, without those that contain shapes."""
    return {
        "number": Number,
        "whole": Whole,
        "choice": Choice,
        "word": Word,
        "axes": Literal["world", "body"],
        "color": checked(color, either(TEXT, row(3))),
        "vector": Vector,
        "place": checked(place, either(row(3), only("drawn"))),
        "numbers": checked(numbers, either(NUMBER, several_of(NUMBER))),
        "sequence": checked(sequence, {"type": "array", "items": NUMBER}),
        "table": checked(table, {"type": "array", "items": {"type": "array", "items": NUMBER}}),
        "limits": checked(limits, either(row(2), several_of(row(2)))),
        "inertia": checked(inertia, either(row(3), row(3, row(3)))),
        "rotation": Rotation,
        "point": PointTable,
        "body": Word,
        "joint": Word,
        "bodies": list[Word],
        "planes": list[PlaneTable],
        "side": Annotated[
            Annotated[Word, Tag("name")] | Annotated[PlaneTable, Tag("table")], Discriminator(_name_or_table)
        ],
        "pairs": list[Annotated[list[Word], Field(min_length=2, max_length=2)]],
        "signal": Number,
        "drive": Number,
        "signals": checked(signals, either(row(3), TEXT)),
        "formula": Annotated[
            Annotated[Word, Tag("name")] | Annotated[FormulaTable, Tag("table")], Discriminator(_name_or_table)
        ],
        "pose": create_model("PoseTable", __base__=Table, __doc__="A pose.", **Pose),
    }


def _fields(known: dict[str, Key], kinds: dict[str, Any]) -> dict[str, Any]:
    fields = {}
    for name, key in known.items():
        default = ... if key.needed else list(key.default) if isinstance(key.default, tuple) else key.default
        if not isinstance(default, float | int | str | list | type(...)):
            default = None  # None, or created when it is needed
        fields[name] = (kinds[key.kind], Field(default, description=MEANING.get(name)))
    return fields


def _model(name: str, thing: type, kinds: dict[str, Any], **more: Any) -> type[BaseModel]:
    doc = inspect.cleandoc(thing.__doc__ or "").partition("\n>>>")[0].strip()
    fields = {"type": (Literal[name], ...), **_fields(keys(thing), kinds), **more}
    return create_model(name, __base__=Table, __doc__=doc, **fields)


def _union(models: dict[str, Any]) -> Any:
    tagged = tuple(Annotated[model, Tag(name)] for name, model in models.items())
    return Annotated[reduce(or_, tagged), Discriminator(_by_type)]


@cache
def scene_model() -> type[BaseModel]:
    """The whole document."""
    kinds = dict(_kinds())
    plain = {name: shape for name, shape in shapes().items() if name not in ("Compound", "Solid")}
    made: dict[str, Any] = {name: _model(name, shape, kinds) for name, shape in plain.items()}
    made |= {"Mesh": Mesh, "Step": Step}
    matter = create_model("Matter", __base__=Table, __doc__="Plain numbers.", **_fields(keys(MassProperties), kinds))
    part = create_model("Part", __base__=Table, __doc__="A shape in a compound.", shape=("Shape", ...), **Pose)
    surface = Annotated[
        Annotated[TrianglesTable, Tag("triangles")] | Annotated["Shape", Tag("shape")],
        Discriminator(_triangles_or_shape),
    ]
    kinds |= {"parts": list[part], "matter": matter, "surface": surface}
    for name in ("Compound", "Solid"):
        made[name] = _model(name, shapes()[name], kinds)
    Shape = _union(made)
    kinds["shape"] = Annotated[
        Annotated[Word, Tag("name")] | Annotated[Shape, Tag("table")], Discriminator(_name_or_table)
    ]
    for model in (part, *made.values()):
        model.model_rebuild(_types_namespace={"Shape": Shape, "Part": part})
    meaning = Annotated[
        Annotated[Number, Tag("name")] | Annotated[MeaningTable, Tag("table")],
        Discriminator(lambda value: "table" if isinstance(value, dict) else "name"),
    ]
    where = {"where": (dict[str, meaning], Field(None, description=MEANING["where"]))}
    groups = {
        kind: _union(
            {
                name: _model(name, thing, kinds, **(where if has_formula(thing) else {}))
                for name, thing in things(kind).items()
            }
        )
        for kind in ("joint", "force")
    }
    joint, force = groups["joint"], groups["force"]
    body = create_model(
        "Body", __base__=Table, __doc__="A rigid body: a shape, or mass and inertia.", **_fields(body_keys(), kinds)
    )
    scheme = _union({name: _model(name, scheme, kinds) for name, scheme in schemes().items()})
    run = create_model(
        "Run",
        __base__=Table,
        __doc__="How the scene is simulated; options of the command line override it.",
        scheme=(scheme, Field(None, description="left out: Livens of order 2")),
        h=(checked(number, either(NUMBER, only("auto"))), Field(None, description='step [s], or "auto"')),
        until=(Number, Field(None, description="end of the motion [s]")),
        every=(Whole, Field(1, description="every n-th state is stored")),
        output=(Word, Field(None, description="file for the motion, such as motion.nc, in the scene's folder")),
        tracers=(dict[str, PointTable], Field(None, description="points whose paths are drawn and written")),
    )
    action = action_table(joint, ACTION_KEYS)
    several = Discriminator(lambda value: "list" if isinstance(value, list) else "one")
    event = create_model(
        "Event",
        __base__=Table,
        __doc__="A zero crossing of a function of the motion, and what happens there.",
        name=(Word, Field("", description="in the table of events")),
        when=(Word, Field(description="formula that crosses zero, such as coordinate('hinge') - 0.7")),
        direction=(Literal[-1, 0, 1], Field(0, description="1: to positive values, -1: to negative ones, 0: both")),
        do=(Annotated[Annotated[list[action], Tag("list")] | Annotated[action, Tag("one")], several], Field(None)),
        stop=(Choice, Field(False, description="the run ends at the event")),
        **where,
    )
    return create_model(
        "Scene",
        __base__=Table,
        __doc__="A scene of livens: bodies, joints, forces, and how to simulate them. Units are SI, angles radians.",
        livens=(
            Literal[1, 2],
            Field(description="version of this format; in version 1 displacements count from the joint's first point"),
        ),
        name=(Word, Field("model", description="name of the model")),
        gravity=(Vector, Field([0.0, 0.0, 0.0], description="acceleration, world axes [m/s²]")),
        planar=(Literal["", "xy", "xz", "yz"], Field("", description="the plane to which all bodies are kept")),
        floors=(list[PlaneTable], Field(None, description="planes of the world that are drawn, without contact")),
        run=(run, Field(None)),
        parameters=(dict[str, Number], Field(None, description="numbers that expressions use by name")),
        shapes=(dict[str, Shape], Field(None, description="shapes that bodies refer to by name")),
        bodies=(dict[str, body], Field(None, description="by name, in order")),
        joints=(dict[str, joint], Field(None, description="by name, in order")),
        forces=(dict[str, force], Field(None, description="by name, in order")),
        events=(list[event], Field(None, description="in the order in which they occur if they do so at one time")),
    )


def json_schema() -> dict[str, Any]:
    """The JSON Schema of scenes."""
    schema = scene_model().model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$comment": MARK, **schema}


# ── checking ──


def check(document: Any) -> None:
    """Refuse a document that is not a scene, in one sentence with the path of the fault."""
    try:
        scene_model().model_validate(document)
    except ValidationError as error:
        raise _sentence(error.errors(include_url=False, include_context=True)[0], document) from None


def _sentence(error: ErrorDetails, document: Any) -> Exception:
    path, here = [], document
    for name in error["loc"]:  # some are tags of unions, not keys
        if (isinstance(here, dict) and name in here) or (
            isinstance(here, list) and isinstance(name, int) and name < len(here)
        ):
            path.append(name)
            here = here[name]
        elif error["type"] == "missing" and name == error["loc"][-1]:
            path.append(name)
    where = dotted(*path) if path else "the scene"
    match error["type"]:
        case "wrong":
            return refusal(where, str(error["ctx"]["sentence"]))
        case "missing":
            meaning = MEANING.get(str(path[-1]))
            return refusal(where, f"it is needed{f' ({meaning})' if meaning else ''}.")
        case "union_tag_invalid":
            tags = [tag.strip("' ") for tag in str(error["ctx"]["expected_tags"]).split(",")]
            tag = str(error["ctx"]["tag"])[:60]
            near = get_close_matches(tag, tags, 1)
            return refusal(
                f"{where}.type",
                f"there is no {tag!r}: " + (f"did you mean {near[0]!r}?" if near else f"there are {', '.join(tags)}."),
            )
        case "union_tag_not_found":
            return refusal(where, 'it must be a table with a type, such as type = "Revolute" or type = "Box".')
        case "literal_error":
            return refusal(where, f"it must be {error['ctx']['expected']}.")
    return refusal(where, f"{error['msg'][0].lower()}{error['msg'][1:]}.")
