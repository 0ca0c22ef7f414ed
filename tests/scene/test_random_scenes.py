"""Random models through the text of a scene: compiled arrays and motions are equal bit for bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import livens as lv
from livens.compile.compiled import Compiled
from livens.scene import from_dict, to_dict
from livens.scene.text import parse, text_of
from tests.helpers.random_scenes import random_scene

pytestmark = pytest.mark.filterwarnings("ignore::livens.errors.ModelWarning")


def bits(x):
    """Nested arrays as bytes; −0.0 and 0.0 differ."""
    if isinstance(x, tuple):
        return tuple(map(bits, x))
    return x.tobytes() if isinstance(x, np.ndarray) else x


@settings(derandomize=True, max_examples=8, deadline=None)
@given(st.integers(0, 10**6))
def test_a_random_model_loses_no_bit(seed):
    model = random_scene(seed)
    again = from_dict(parse(text_of(to_dict(model))))
    one, two = (Compiled.of(m) for m in (model, again))
    for name in ("system", "full", "state"):
        mine, theirs = getattr(one, name), getattr(two, name)
        different = [field for field in mine._fields if bits(getattr(mine, field)) != bits(getattr(theirs, field))]
        assert not different, name
    motions = [moved(m) for m in (model, again)]
    assert bits(tuple(motions[0].record)) == bits(tuple(motions[1].record))
    assert motions[0].record.a[-1].tobytes() != motions[0].record.a[0].tobytes()


def moved(model):
    """Twenty steps, or those before a step that fails."""
    try:
        return lv.simulate(model, lv.Livens(), h=1e-3, until=0.02)
    except lv.StepFailed as error:
        return error.trajectory


TWO_FORMULAS = """
livens = 1
[bodies.a]
mass = 1.0
inertia = [1, 1, 1]
[bodies.b]
mass = 1.0
inertia = [1, 1, 1]
at = [1, 0, 0]
[forces.push]
type = "Force"
point = { body = "a", point = [0, 0, 0] }
formula = "[near[0] - far[0], far[1], 0]"
torque = "[first[0] - far[0], 0, first[2]]"
[forces.push.where]
first = { body = "b", point = [0.1, 0.2, 0.3] }
near = { body = "a", point = [0.3, 0.2, 0.1] }
far = { body = "b", point = [0.5, 0.5, 0.5] }
"""


def test_two_formulas_keep_the_order_of_the_names_they_share():
    """The first uses `near` and `far`, the second `first` and `far`: in the file `first` comes before both."""
    model = from_dict(parse(TWO_FORMULAS))
    again = from_dict(parse(text_of(to_dict(model))))
    assert list(to_dict(model)["forces"]["push"]["where"]) == ["first", "near", "far"]
    for name in ("fn", "torque"):
        one, two = (getattr(m["push"], name) for m in (model, again))
        assert one.places.tolist() == two.places.tolist()
        assert one.handles == two.handles


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.text("abxy_", min_size=1, max_size=6), st.integers(0, 60), min_size=1, max_size=9))
def test_tables_of_any_length_keep_their_order(lengths):
    """The meanings of names, some of which do not fit a line."""
    where = {name: {"body": "b" * length, "point": [1 / 3] * 3} for name, length in lengths.items()}
    text = text_of({"forces": {"push": {"type": "Force", "where": where}}})
    assert list(parse(text)["forces"]["push"]["where"]) == list(where)
