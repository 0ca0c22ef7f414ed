"""Model → file → Model: the same arrays bit for bit, and the same document again."""

import json
import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import livens as lv
from livens.compile.system import compile_model, same
from livens.scene import from_dict, to_dict
from livens.scene.catalogue import keys, schemes, shapes, things
from livens.scene.text import parse, text_of
from tests.helpers import mechanisms

pytestmark = pytest.mark.filterwarnings("ignore::livens.errors.ModelWarning")
ROOT = Path(__file__).parents[2]
TILT = lv.Pose.from_axis_angle((1, 2, 3), 0.7)


def every_force():
    """Every force, shape and formula, with numbers that have all their digits."""
    m = lv.Model(gravity=(1 / 3, 0, -9.81), name='every "force" & Träger')
    matter = lv.MassProperties(1.5, TILT.B @ np.diag((1, 2, 2.5)) @ TILT.B.T, (0.1, 0.2, 0.3))
    sizes = {lv.Box: 3, lv.Ball: 1, lv.Cylinder: 2, lv.Capsule: 2, lv.Cone: 2, lv.Ellipsoid: 3, lv.ThinRod: 1,
             lv.ThinPlate: 2}  # fmt: skip
    plain = [shape(*[0.1 * (k + 1) / 3 for k in range(n)], mass=1 / 7) for shape, n in sizes.items()]
    mixed = lv.Compound([plain[0], (plain[1], TILT), (lv.Compound([plain[2]]), lv.Pose((1 / 3, 0, 0)))])
    solid = lv.Solid(matter, mixed.surface, "crank", lv.Pose((0.1, 0, 0), TILT.B))
    every = [*plain, lv.PointMass(1 / 9), matter, mixed, solid, solid, lv.Box(0.1, 0.2, 0.3, density=1000 / 3)]
    thick = {6: lv.Capsule(1 / 90, 1 / 7, mass=1.0), 7: lv.Box(1 / 9, 1 / 7, 1 / 90, mass=1.0)}  # of the rod, the plate
    place = {"rotation": TILT.B, "velocity": (0.1 / 3, -0.0, 0), "body_rates": (0, 0, 0)}
    bodies = [m.add(lv.Body(s, at=(k, k / 7, 0), collision=thick.get(k), **place)) for k, s in enumerate(every)]
    a, b, c = bodies[0], bodies[1], bodies[9]
    m.add(lv.Spring(m.world.point(0, 0, 1), a.point(0, 0.1, 0), stiffness=100 / 3))
    m.add(lv.Spring(a.point(0, 0, 0.5), b.point(0, 0, 0.1), stiffness=30.0, length=0.2, damping=0.1, name="cord 1.5"))
    m.add(lv.Damper(a.point(0, 0, 0.5), c.point(0, 0, 0.1), rate=1 / 3))
    m.add(lv.Attraction(G=0.01, bodies=[a, b]))
    m.add(lv.Load(b.point(0, 0, 0), force=(0.1, 0, 0), torque=(0, 0, 0.01), axes="body", name="jet"))
    m.add(lv.Load(b.center, force=lv.Expression("[f*sin(t), 0, t]", f=0.1), torque=lv.Expression("[0, t**2, 0]")))
    hinge = m.add(lv.Revolute(m.world.point_at(a.pose.a), a.point(0, 0, 0), axis=(1, 2, 2), limits=(-np.inf, 2.0)))
    m.add(lv.Motor(hinge, 0.3))
    m.add(lv.Motor(hinge, lv.Expression("0.1*cos(2*t)"), name="turn"))
    m.add(lv.Energy(lambda s: 40.0 * lv.norm(s[a].point(0.5, 0, 0) - s[c].point(0, 0, 1 / 3)) ** 3, bodies=[a, c]))
    m.add(lv.Energy(lambda s, t: s[b].direction(1, 0, 0)[2] * lv.sin(t) + 1 / (1 + s[b].position[0] ** 2), bodies=[b]))
    push = lambda s: -0.2 * s[b].velocity(0.4, 0, 0)  # noqa: E731
    m.add(lv.Force(b.point(0.4, 0, 0), push, torque=lambda s: -0.1 * s[b].angular_velocity))
    m.add(lv.Force(c.center, lambda s: np.where(s[c].position[0] > 0, 1.0, -1.0) * s[c].direction(1, 0, 0)))
    m.add(
        lv.Contact(m.world.plane((0, 0, -9 / 7), normal=(1, 2, 20)), a, friction=1 / 3, rolling=1 / 70, spinning=1 / 90)
    )
    m.add(lv.Contacts(planes=[m.world.plane((0, 0, -10 / 3))], exclude=[(a, c)], impacts="together"))
    m.add(lv.Stop(hinge, lower=-2 / 3, upper=2 / 3, restitution=0.1))
    m.add(lv.JointFriction(hinge, dynamic=1 / 30, static=1 / 20, stribeck=1 / 7, name="bearing"))
    m.add(lv.BeamElasticity([a, b], (1 / 3, 2, 3, 4, 5, 6 / 7), [(1 / 3, 0, 0, 1, 0, 1 / 7, 0)], extensible=False))
    m.add(lv.BeamConstraint([a, c], extensible=False))
    m.add(lv.CableElasticity([b, c], axial=1 / 3, lengths=[7 / 3]))
    m.add(lv.Rope(b.point(0, 0, 0.1), c.point(1 / 3, 0, 0), length=100 / 3, restitution=1 / 9))
    x0 = float(bodies[10].pose.a[0])
    m.add(lv.Constraint(lambda s: [s[bodies[10]].position[0] - x0, s[bodies[10]].position[1] - x0 / 7],
                        bodies=[bodies[10]]))  # fmt: skip
    return m


MODELS = {"every joint": mechanisms.every_joint, "every force": every_force, "driven": lambda: driven()}


def driven():
    return mechanisms.slider_crank(lv.Expression("w*t", w=6.0))


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_a_model_survives_a_file(make, tmp_path):
    model = make()
    lv.write_scene(model, tmp_path / "scene.toml", scheme=lv.Livens(order=4), h=1e-3, until=1 / 3)
    scene = lv.read_scene(tmp_path / "scene.toml")
    again = scene.model()
    assert same(compile_model(again)[:2], compile_model(model)[:2])
    assert to_dict(again) == to_dict(model)
    for mine, theirs in zip(again.bodies, model.bodies, strict=True):
        assert np.array_equal(mine.shape.surface.vertices, theirs.shape.surface.vertices)
        for one, two in ((mine.velocity, theirs.velocity), (mine.pose.B, theirs.pose.B)):
            assert one.tobytes() == two.tobytes()  # −0.0 too
    for kind in ("joints", "forces"):
        pairs = list(zip(getattr(again, kind), getattr(model, kind), strict=True))
        assert all(type(x) is type(y) and x.name == y.name for x, y in pairs)
    assert scene.run == {"scheme": lv.Livens(order=4), "h": 1e-3, "until": 1 / 3}


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_saved_motions_hold_the_same_document(make):
    document = to_dict(make())
    assert to_dict(from_dict(json.loads(json.dumps(document, allow_nan=False)))) == document
    assert parse(text_of(document)) == document


def test_signals_survive(tmp_path):
    model = every_force()
    lv.write_scene(model, tmp_path / "scene.toml")
    again = lv.read_scene(tmp_path / "scene.toml").model()
    load = next(force.name for force in model.forces if isinstance(force, lv.Load) and callable(force.force))
    for t in (0.0, 0.3, 7.7):
        assert again[load].force(t) == model[load].force(t) == (0.1 * np.sin(t), 0.0, t)
        assert again["turn"].effort(t) == 0.1 * np.cos(2 * t)


def test_every_class_is_in_these_models():
    """So that a new joint, force or shape is tried here."""
    models = [make() for make in MODELS.values()]
    assert {type(joint).__name__ for m in models for joint in m.joints} == set(things("joint"))
    assert {type(force).__name__ for m in models for force in m.forces} == set(things("force"))
    assert {type(body.shape).__name__ for m in models for body in m.bodies} == set(shapes())
    public = {name for name in dir(lv) if isinstance(getattr(lv, name), type)}
    assert {*things("joint"), *things("force"), *shapes(), *schemes()} <= public
    for thing in [*things("joint").values(), *things("force").values(), *shapes().values(), *schemes().values()]:
        assert all(key.kind != "anything" for key in keys(thing).values())


def test_formulas_are_text_where_text_says_the_same():
    forces = to_dict(every_force())["forces"]
    assert forces["energy1"]["formula"].endswith("\n40.0*(sqrt(v1)*v1)")
    assert isinstance(forces["force2"]["formula"], dict)  # an `if` of CasADi's has no words
    assert forces["force2"]["formula"]["results"] == 3


def test_written_text_is_for_reading():
    lines = text_of(to_dict(mechanisms.every_joint())).splitlines()
    assert max(map(len, lines)) <= 140
    assert "[joints.hinge]" in lines
    assert 'type = "Revolute"' in lines


# ── TOML ──

WORDS = st.text(st.characters(codec="utf-8"), max_size=12)
LEAVES = st.one_of(st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), WORDS)
VALUES = st.recursive(LEAVES, lambda x: st.lists(x, max_size=4) | st.dictionaries(WORDS, x, max_size=4), max_leaves=20)


@settings(max_examples=150)
@example({"events": "0"})
@example({"events": False})
@example({"events": []})
@example({"events": [{"at": 1}, 2]})
@example({"events": [{"at": 1, "do": {"release": "x"}}, {}], "run": {"h": 0.1}})
@given(st.dictionaries(WORDS, VALUES, max_size=5))
def test_what_is_written_is_read(document):
    text = text_of(document)
    assert repr(tomllib.loads(text)) == repr(sort(document, text))


def sort(document, text):
    """The document in the order of its text: values before tables."""
    there = tomllib.loads(text)

    def like(mine, theirs):
        if isinstance(mine, dict):
            assert set(mine) == set(theirs)
            return {key: like(mine[key], theirs[key]) for key in theirs}
        return [like(x, y) for x, y in zip(mine, theirs, strict=True)] if isinstance(mine, list) else mine

    return like(document, there)


# ── the published description ──


def test_the_schema_is_current():
    """`livens schema -o docs/reference/scene.schema.json` writes it anew."""
    from livens.cli.scene import schema_text

    assert (ROOT / "docs/reference/scene.schema.json").read_text(encoding="utf-8") == schema_text()


def scenes():
    whole = re.search(r"```toml\n(.*?)```", (ROOT / "docs/reference/scenes.md").read_text(encoding="utf-8"), re.S)
    files = [*(ROOT / "examples/scenes").glob("*.toml"), ROOT / "src/livens/scene/starter.toml"]
    return {"reference": whole[1], **{file.stem: file.read_text(encoding="utf-8") for file in files}}


@pytest.mark.parametrize("text", scenes().values(), ids=scenes())
def test_another_validator_agrees_with_the_schema(text):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "docs/reference/scene.schema.json").read_text(encoding="utf-8"))
    document = tomllib.loads(text)
    jsonschema.validate(document, schema)
    del document["livens"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)


def test_the_reference_has_every_table(tmp_path):
    document = parse(scenes()["reference"])
    scene = lv.Scene(document, folder=tmp_path)
    motion = scene.simulate()
    assert motion.t[-1] == 0.2
    assert motion.report().energy.relative < 1e-4
    kinds = {table["type"] for kind in ("joints", "forces") for table in document[kind].values()}
    text = (ROOT / "docs/reference/scenes.md").read_text(encoding="utf-8")
    for name in [*things("joint"), *things("force"), *shapes(), *schemes()]:
        assert name in kinds or f"`{name}`" in text or f'type = "{name}"' in text, name


def test_pydantic_waits_until_a_scene_is_read():
    import subprocess

    code = "import sys, livens as lv; m = lv.Model(); lv.simulate; lv.load; assert 'pydantic' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_shared_shapes_of_like_names_stay_apart():
    """Two solids are called "a", and another as the second of them might be."""
    m = lv.Model()
    for k, name in enumerate(("a", "a 2", "a 3", "a", "shape2")):
        solid = lv.Solid(lv.MassProperties(1.0 + k, (1, 1, 1)), lv.Ball(0.1, mass=1.0).surface, name)
        for side in (0, 1):
            m.add(lv.Body(solid, at=(k, side, 0), name=f"{k} {side}"))
    masses = [body.mass_properties.mass for body in from_dict(to_dict(m)).bodies[1:]]
    assert masses == [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 5.0, 5.0]


COMMENTED = """\
# a swing
livens = 1
gravity = [0, 0, -9.81]  # down

[bodies.bob]  # the only one
mass = 2.0          # kilograms
inertia = [0.1, 0.1, 0.1]
at = [0.3,
      0, 0]

[run]
h = 1e-3  # seconds
until = 1.0
"""


def test_a_saved_scene_keeps_its_comments(tmp_path):
    (tmp_path / "swing.toml").write_text(COMMENTED)
    scene = lv.read_scene(tmp_path / "swing.toml")
    scene.save(tmp_path / "same.toml")
    assert (tmp_path / "same.toml").read_text() == COMMENTED
    heavy = scene.with_values({"bodies.bob.mass": 3.5, "run.h": 2e-3})
    heavy.save(tmp_path / "heavy.toml")
    assert (tmp_path / "heavy.toml").read_text() == COMMENTED.replace("2.0  ", "3.5  ").replace("1e-3", "0.002")
    assert lv.read_scene(tmp_path / "heavy.toml").document == heavy.document


def test_a_saved_scene_holds_what_was_added_and_not_what_was_removed(tmp_path):
    (tmp_path / "swing.toml").write_text(COMMENTED)
    scene = lv.read_scene(tmp_path / "swing.toml")
    del scene.document["run"]["h"]
    scene.document["bodies"]["ball"] = {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "velocity": [1 / 3, 0, -0.0]}
    scene.save(tmp_path / "other.toml")
    again = lv.read_scene(tmp_path / "other.toml")
    assert again.document == scene.document
    assert "# kilograms" in (tmp_path / "other.toml").read_text()


def test_comments_of_a_huge_scene_are_left_out_with_a_warning(tmp_path, monkeypatch):
    (tmp_path / "swing.toml").write_text(COMMENTED)
    scene = lv.read_scene(tmp_path / "swing.toml")
    monkeypatch.setattr("livens.scene.text.MAX_COMMENTED", 10)
    with pytest.warns(lv.ModelWarning, match="comments of the scene are not written"):
        scene.save(tmp_path / "swing.toml", force=True)
    assert lv.read_scene(tmp_path / "swing.toml").document == scene.document
