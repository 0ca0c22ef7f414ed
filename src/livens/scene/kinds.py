"""The kinds of values in a scene, each with a function that checks it and a JSON Schema."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    WithJsonSchema,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

MEANING = {  # descriptions of keys in the schema, with units
    "G": "gravitational constant [N m²/kg²]",
    "a": "point on the first body",
    "across": "direction perpendicular to the blade, world axes at the start",
    "angular_velocity": "rad/s, world axes; or give body_rates",
    "at": 'position of the body frame [m], or "drawn": as in the file',
    "axes": "axes in which a load is given",
    "axis": "direction, world axes at the start",
    "b": "point on the second body",
    "bodies": "names of bodies; left out: those in `where`",
    "body_rates": "angular velocity in body axes [rad/s]",
    "center": "centre of mass, body axes [m]",
    "color": "a name such as red, a code such as #d55e00, or red, green and blue from 0 to 1; left out: by the number",
    "coordinate": "which coordinate of the joint, if it has several: angle, displacement, x, y, angle_a, turn_x, …",
    "collision": "shape for contact, body axes; left out: the shape of the body",
    "exclude": "pairs of bodies that do not touch",
    "friction": "Coulomb's coefficient",
    "impacts": "touching impacts in 'sequence', the fastest first, or 'together'",
    "lower": "stop [rad] or [m]",
    "planes": "planes that all bodies touch",
    "restitution": "speed of separation per speed of approach, 0 to 1",
    "upper": "stop [rad] or [m]",
    "damping": "N s/m, or N m s/rad on an angle",
    "density": "kg/m³ (kg/m² of a plate, kg/m of a rod); or give mass",
    "drive": "prescribed coordinate as an expression of t [rad] or [m]",
    "effort": "torque [N m] or force [N], a number or an expression of t",
    "force": "three numbers, or expressions of t [N]",
    "formula": "expression, see scenes.md: an energy [J], a force [N], or equations whose value is zero",
    "inertia": "about the centre of mass, body axes [kg m²]: three moments, or a 3 x 3 tensor",
    "length": "m",
    "limit_stiffness": "stiffness of the stops [N/m] or [N m/rad]",
    "limits": "lower and upper stop [rad] or [m]; inf on a side without a stop; or a pair for each coordinate",
    "mass": "kg",
    "normal": "direction, world axes at the start",
    "opacity": "0 (invisible) to 1",
    "pitch": "m per turn",
    "radius": "m",
    "rate": "damping coefficient of a damper [N s/m]; sampling rate of a controller [Hz]",
    "ratio": "second coordinate per first",
    "reference": "length [m], strains and curvatures [1/m] at rest: seven numbers for each pair of neighbours",
    "rest": "rest position of the spring in the joint [rad] or [m]",
    "rotation": "body to world",
    "shape": "a shape, or the name of one under [shapes]",
    "start": "the joint's coordinate at the start [rad] or [m], or one number for each; left out: 0",
    "start_rate": "rate of the joint's coordinate at the start [rad/s] or [m/s]",
    "axial": "EA [N]",
    "bending": "EI [N m²]",
    "extensible": "false: a constraint stands for the stiffness",
    "lengths": "of the links at rest [m]",
    "shearable": "false: a constraint stands for the stiffness",
    "stiffnesses": "k1 GA, k2 GA, EA [N], EI1, EI2, GJ [N m²]",
    "stiffness": "N/m, or N m/rad on an angle",
    "torque": "three numbers, or expressions [N m]",
    "type": "class of livens",
    "velocity": "velocity of the body frame's origin [m/s]",
    "where": "meaning of the names in formulas: numbers, or points, directions and velocities of bodies",
}
NUMBER = {"anyOf": [{"type": "number"}, {"type": "string", "description": "an expression of the parameters"}]}


def wrong(sentence: str) -> PydanticCustomError:
    return PydanticCustomError("wrong", "{sentence}", {"sentence": sentence})


def number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, float | int | str):
        raise wrong("it must be a number, or an expression in quotes.")
    return value


def several(count: int) -> Any:
    def check(value: Any) -> Any:
        if not isinstance(value, list) or len(value) != count:
            raise wrong(f"it must be {count} numbers such as {[0.0] * count}.")
        return [number(x) for x in value]

    return check


def numbers(value: Any) -> Any:
    """A number, or a list with one for each coordinate of a joint."""
    if not isinstance(value, list):
        return number(value)
    if not 2 <= len(value) <= 3:
        raise wrong("it must be a number, or one number for each coordinate of the joint.")
    return [number(x) for x in value]


def sequence(value: Any) -> Any:
    """A list of numbers."""
    if not isinstance(value, list):
        raise wrong("it must be a list of numbers.")
    return [number(x) for x in value]


def table(value: Any) -> Any:
    """A list of lists of numbers."""
    if not isinstance(value, list):
        raise wrong("it must be a list of lists of numbers.")
    return [sequence(row) for row in value]


def limits(value: Any) -> Any:
    """A pair, or a list with a pair for each coordinate of a joint."""
    if isinstance(value, list) and value and all(isinstance(pair, list) for pair in value):
        return [several(2)(pair) for pair in value]
    return several(2)(value)


def square(value: Any) -> Any:
    if not isinstance(value, list) or len(value) != 3:
        raise wrong("it must be three rows of three numbers.")
    return [several(3)(row) for row in value]


def inertia(value: Any) -> Any:
    return square(value) if isinstance(value, list) and value and isinstance(value[0], list) else several(3)(value)


def rotation(value: Any) -> Any:
    if isinstance(value, list):
        return square(value)
    allowed = {"axis": 3, "quaternion": 4, "euler": 3, "angle": 0, "order": 0}
    if not isinstance(value, dict) or set(value) - set(allowed):
        raise wrong("it must be a 3 x 3 matrix, { axis, angle }, { quaternion } or { euler, order }.")
    for name, part in value.items():
        if name == "order":
            if not isinstance(part, str):
                raise wrong("the order of Euler angles is a word such as 'zyx'.")
        elif allowed[name]:
            several(allowed[name])(part)
        else:
            number(part)
    return value


def place(value: Any) -> Any:
    return value if value == "drawn" else several(3)(value)


def local(value: Any) -> Any:
    return value if value == "center" else several(3)(value)


def signals(value: Any) -> Any:
    return value if isinstance(value, str) else several(3)(value)


def color(value: Any) -> Any:
    return value if isinstance(value, str) else several(3)(value)


def word(value: Any) -> Any:
    if not isinstance(value, str):
        raise wrong("it must be a word in quotes.")
    return value


def choice(value: Any) -> Any:
    if not isinstance(value, bool):
        raise wrong("it must be true or false.")
    return value


def whole(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > 10**15:
        raise wrong("it must be a whole number.")
    return value


def row(count: int, item: dict[str, Any] = NUMBER) -> dict[str, Any]:
    return {"type": "array", "items": item, "minItems": count, "maxItems": count}


def several_of(item: dict[str, Any]) -> dict[str, Any]:
    """One for each coordinate of a joint with two or three."""
    return {"type": "array", "items": item, "minItems": 2, "maxItems": 3}


def either(*schemas: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": list(schemas)}


def only(word: str) -> dict[str, Any]:
    return {"const": word, "type": "string"}


def checked(check: Any, schema: dict[str, Any]) -> Any:
    return Annotated[Any, PlainValidator(check), WithJsonSchema(schema)]


ROTATION = either(
    row(3, row(3)),
    {"type": "object", "properties": {"axis": row(3), "angle": NUMBER}, "required": ["axis", "angle"]},
    {"type": "object", "properties": {"quaternion": row(4)}, "required": ["quaternion"]},
    {"type": "object", "properties": {"euler": row(3), "order": {"type": "string"}}, "required": ["euler"]},
)
TEXT = {"type": "string"}
Number, Word, Whole = checked(number, NUMBER), checked(word, TEXT), checked(whole, {"type": "integer"})
Choice = checked(choice, {"type": "boolean"})
Vector, Rotation = checked(several(3), row(3)), checked(rotation, ROTATION)
Local = checked(local, either(row(3), only("center")))
Pose = {"at": (Vector, None), "rotation": (Rotation, None)}


class Table(BaseModel):
    """A table: an unknown key is refused, with the nearest known key."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _known(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            raise wrong("it must be a table, { … }.")
        for key in data:
            if not isinstance(key, str):
                raise wrong(f"its keys are words, not {key!r}.")
            if key not in cls.model_fields:
                near = get_close_matches(key, cls.model_fields, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(cls.model_fields)}."
                raise wrong(f"there is no key {key[:60]!r} here: {hint}")
        return data


class PointTable(Table):
    """A point of a body: in body axes, or by its world position at the start."""

    body: Word
    point: Local = Field(None, description='body axes [m], or "center": the centre of mass')
    point_at: Vector = Field(None, description="world axes, at the start [m]")


class PlaneTable(Table):
    """A plane of a body, for contact: the body is on the side against the normal."""

    body: Word
    point: Vector = Field(None, description="a point of the plane, body axes [m]")
    normal: Vector = Field(None, description="body axes; left out: z")


class MeaningTable(Table):
    """The meaning of a name in a formula, in world axes: a point, direction, velocity or angular_velocity."""

    body: Word
    point: Local = Field(None, description="world position of this point of the body; body axes [m]")
    direction: Vector = Field(None, description="this direction of the body in world axes; body axes")
    velocity: Local = Field(None, description="velocity of this point of the body [m/s]")
    angular_velocity: Literal[True] = Field(None, description="angular velocity of the body [rad/s]")


class FormulaTable(Table):
    """A formula as instructions, if text does not give the same ones; see livens.formula.formula.Formula."""

    handles: list[int]
    kinds: list[str]
    places: list[list[float]]
    operations: list[str]
    registers: list[list[int]]
    constants: list[float]
    results: int


def action_table(joint: Any, keys: dict[str, tuple[str, ...]]) -> Any:
    """The table of an action of an event: one of `keys`, and the keys that belong to it."""

    def one(value: Any) -> Any:
        given = [key for key in keys if key in value]
        if len(given) != 1:
            raise wrong(f"it must be a table with one of {', '.join(keys)}.")
        if extra := [key for key in value if key != given[0] and key not in keys[given[0]]]:
            raise wrong(f"{extra[0]!r} does not belong to {given[0]}.")
        if "value" in keys[given[0]] and "value" not in value:
            raise wrong(f"{given[0]} needs a value.")
        return value

    def names(value: Any) -> Any:
        several = value if isinstance(value, list) else [value]
        if not several or not all(isinstance(x, str) for x in several):
            raise wrong("it must be a name in quotes, or a list of names.")
        return value

    made = create_model(
        "Action",
        __base__=Table,
        __doc__="What happens at an event.",
        release=(checked(names, either(TEXT, {"type": "array", "items": TEXT})), Field(None, description="is removed")),
        attach=(
            Annotated[Annotated[Word, Tag("name")] | Annotated[joint, Tag("table")], Discriminator(_name_or_joint)],
            Field(None, description="a joint that is added, or the name of one that was released"),
        ),
        name=(Word, Field(None, description="of the joint that is added")),
        switch=(Word, Field(None, description="a motor, a joint with a drive, or a force")),
        change=(Word, Field(None, description="path of a value, such as bodies.arm.mass")),
        value=(Any, Field(None, description="true, false, a number, or a text")),
        strike=(PointTable, Field(None, description="the point on which an impulse acts")),
        impulse=(Vector, Field(None, description="world axes [N s]")),
        angular_impulse=(Vector, Field(None, description="world axes [N m s]")),
    )
    return Annotated[made, BeforeValidator(lambda value: one(value) if isinstance(value, dict) else value)]


def _name_or_joint(value: Any) -> str:
    return "name" if isinstance(value, str) else "table"


class TrianglesTable(Table):
    """A surface."""

    vertices: list[Annotated[list[float], Field(min_length=3, max_length=3)]]
    triangles: list[Annotated[list[int], Field(min_length=3, max_length=3)]]


class Mesh(Table):
    """The matter inside a closed mesh."""

    type: Literal["Mesh"]
    file: Word = Field(description="STL, OBJ or GLB, in the scene's folder")
    density: Number = Field(description="kg/m³")
    unit: Number = Field(1.0, description='length of 1.0 in the file: a number of metres, or "m", "cm", "mm", "in"')


class Step(Table):
    """A solid of a STEP file; its frame is at its centre of mass."""

    type: Literal["Step"]
    file: Word = Field(description="STEP, in the scene's folder")
    density: Number = Field(description="kg/m³")
    unit: Number = Field(description='length of 1.0 in the file: "m", "cm", "mm", "in", or a number of metres')
    solid: Word = Field(None, description="its name, if the file has several")
