"""The docstring of every joint explains its arguments and has an example; other tests run the examples."""

import inspect

import pytest

import livens as lv
from livens.describe.joints.joint import Joint

POINTS = {"self", "a", "b", "name", "body_a", "body_b", "first", "second"}  # "the first point", "the second body"
JOINTS = sorted(
    (kind for kind in (getattr(lv, name) for name in dir(lv)) if inspect.isclass(kind) and issubclass(kind, Joint)),
    key=lambda kind: kind.__name__,
)


def test_all_joints_are_found():
    assert {"Revolute", "Prismatic", "Rod", "Coupling", "RollingDisc"} <= {kind.__name__ for kind in JOINTS}


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.__name__)
def test_a_docstring_explains_every_argument_with_an_example(joint):
    text = joint.__doc__
    missing = [name for name in inspect.signature(joint.__init__).parameters if name not in POINTS and name not in text]
    assert not missing
    assert ">>> " in text


@pytest.mark.parametrize("joint", [j for j in JOINTS if j.coordinate_kinds], ids=lambda joint: joint.__name__)
def test_the_coordinates_of_a_joint_have_units(joint):
    assert "Coordinate" in joint.__doc__
    assert "[rad]" in joint.__doc__ or "[m]" in joint.__doc__
    assert "at the start" in joint.__doc__
