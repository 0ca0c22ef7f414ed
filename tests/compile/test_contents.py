"""Models that were changed after they were described: each error is a sentence that names the thing."""

import numpy as np
import pytest

import livens as lv


def arm():
    m = lv.Model(gravity=(0, 0, -9.81))
    one = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="one"))
    two = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(1.5, 0, 0), name="two"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), one.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    m.add(lv.Spherical(one.point(0.5, 0, 0), two.point(-0.5, 0, 0), name="ball"))
    m.add(lv.Spring(one.center, two.center, stiffness=10.0, name="spring"))
    m.add(lv.Motor(hinge, 1.0, name="motor"))
    return m


def run(m):
    return lv.simulate(m, h=1e-2, until=0.05)


LISTS = [
    (lambda m: m.bodies.remove(m["two"]), r"'ball' acts on Body\('two'\), which is not in the model any more"),
    (lambda m: m.joints.remove(m["hinge"]), r"'motor' acts on Revolute\('hinge'\), which is not in the model"),
    (lambda m: m.bodies.pop(0), "must begin with the world"),
    (lambda m: m.bodies.clear(), "must begin with the world"),
    (lambda m: m.bodies.append(None), "m.bodies holds None"),
    (lambda m: m.joints.append("hinge"), "m.joints holds 'hinge'"),
    (lambda m: m.forces.append(m["one"]), r"m.forces holds Body\('one'\)"),
    (lambda m: m.joints.append(arm()["ball"]), "the name 'ball' is used twice"),
    (lambda m: setattr(m["one"], "name", "two"), "the name 'two' is used twice"),
    (lambda m: setattr(m["one"], "name", None), "the name of a Body must be a word, not None"),
    (lambda m: setattr(m["ball"], "name", "a\ud800"), r"the name 'a\\ud800' of a Spherical cannot be encoded in UTF-8"),
    (lambda m: setattr(m, "name", 3), "the name of a Model must be a word, not 3"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "sentence"), LISTS)
def test_lists_and_names_that_were_changed(change, sentence):
    m = arm()
    change(m)
    with pytest.raises(lv.ModelError, match=sentence):
        run(m)


ATTRIBUTES = [
    ("hinge", "axis", None, "axis of Revolute 'hinge' must be 3 numbers"),
    ("hinge", "axis", (0, 0, 0), "axis of Revolute 'hinge' has length zero"),
    ("hinge", "limits", 3, "limits of Revolute 'hinge' must be"),
    ("hinge", "damping", "much", "damping of Revolute 'hinge' must be a number"),
    ("hinge", "drive", "fast", "drive of 'hinge' must be a number, not 'fast'"),
    ("hinge", "a", 3, "Revolute 'hinge' joins points"),
    ("spring", "stiffness", None, "stiffness of spring 'spring'"),
    ("spring", "length", None, "model 'model' cannot be compiled: an attribute of a body, joint"),
    ("one", "pose", None, "pose of 'one' must be a Pose, not None"),
    ("one", "velocity", (1, 2), "velocity of 'one' must be 3 numbers"),
    ("one", "body_rates", "x", "body_rates of 'one' must be 3 numbers"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "attribute", "value", "sentence"), ATTRIBUTES)
def test_attributes_that_were_set_to_nonsense(name, attribute, value, sentence):
    m = arm()
    setattr(m[name], attribute, value)
    with pytest.raises(lv.ModelError, match=sentence):
        run(m)


def test_things_that_were_removed_together():
    """A body without the joints and forces that acted on it."""
    m = arm()
    m.bodies.remove(m["two"])
    m.joints.remove(m["ball"])
    m.forces.remove(m["spring"])
    assert run(m).freedom == 1


def test_a_name_that_no_file_can_contain():
    with pytest.raises(lv.ModelError, match=r"the name 'a\\ud800' of a Body cannot be encoded in UTF-8"):
        lv.Model().add(lv.Body(lv.PointMass(1.0), name="a\ud800"))


@pytest.mark.parametrize("name", [[1], None, 3.0, "nobody"])
def test_what_a_model_does_not_have(name):
    with pytest.raises(lv.ModelError, match="the model has nothing named"):
        arm()[name]


@pytest.mark.parametrize("path", [3, 3.0, np.nan, [1], b"x", object(), "", "a\0b"])
def test_names_of_files_that_are_none(path):
    m = arm()
    motion = run(m)
    calls = [motion.save, motion.to_html, motion.to_gltf, lv.load, lv.read_mjcf, lv.read_urdf, lv.read_scene,
             lambda path: lv.write_scene(m, path), lambda path: lv.write_mjcf(m, path),
             lambda path: lv.simulate(m, h=1e-2, until=0.05, checkpoint=path)]  # fmt: skip
    for call in calls:
        with pytest.raises(lv.LivensError):
            call(path)
