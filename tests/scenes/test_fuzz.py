"""The small size of `python -m benchmarks.fuzz scenes N`: spoilt scenes are read or refused, nothing else happens."""

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from livens import LivensError
from livens.expressions import evaluate
from livens.grammar import names_in, parsed
from livens.scene.text import parse

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="measures memory as POSIX does")

WORDS = [
    "t", "x", "1", "2.5", "1e9", "+", "-", "*", "/", "**", "(", ")", "[", "]", ",", "<", "==", "sin", "(", "dot",
    "(", "norm", "(", "where", "(", "=", ";", "\n", "a", "[", "0", "]",
]  # fmt: skip


@pytest.fixture(scope="module")
def fuzz():
    path = Path(__file__).parents[2] / "benchmarks" / "fuzz.py"
    spec = importlib.util.spec_from_file_location("benchmarks.fuzz", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.randoms(use_true_random=False))
@pytest.mark.filterwarnings("ignore")
def test_spoilt_scenes(fuzz, tmp_path, random):
    assert fuzz.try_scene(fuzz.mutated(random, fuzz.seeds()), tmp_path / "scene.toml") in (
        "model",
        "ModelError",
        "FileError",
    )


def test_the_seeds_are_valid(fuzz, tmp_path):
    assert {fuzz.try_scene(text, tmp_path / "scene.toml") for text in fuzz.seeds()} == {"model"}


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("[]{}\"'=.#\n \t,abx019-_\\u"), max_size=60))
def test_random_toml(text):
    refused = ""
    try:
        parse(text)
    except LivensError as error:
        refused = str(error)
    assert "\n" not in refused


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(WORDS)))
def test_random_formulas(words):
    text, refused = " ".join(words), ""
    try:
        steps = parsed(text)
        evaluate(steps, dict.fromkeys(names_in(steps), 1.5), text)
    except LivensError as error:
        refused = str(error)
    assert len(refused) < 400
