"""The small size of `make soak`: damaged files are read or give an error."""

import sys
from importlib import import_module

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks import soak
from benchmarks.fuzz import READERS
from benchmarks.fuzz.harness import missing, tried
from livens import LivensError
from livens.describe.shapes import cad, mesh
from livens.formats import mjcf_process
from livens.formula.expression import evaluate
from livens.formula.grammar import names_in, parsed
from livens.scene.text import parse
from livens.storage import untrusted_hdf5

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and measures memory as Linux does")

WORDS = [
    "t", "x", "1", "2.5", "1e9", "+", "-", "*", "/", "**", "(", ")", "[", "]", ",", "<", "==", "sin", "(", "dot",
    "(", "norm", "(", "where", "(", "=", ";", "\n", "a", "[", "0", "]",
]  # fmt: skip


@pytest.fixture(autouse=True)
def sandbox_of_other_tests(monkeypatch):
    """The endurance tests read files in this process, or in copies of it; other tests need the sandbox."""
    for module in (mesh, cad, mjcf_process, untrusted_hdf5):
        monkeypatch.setattr(module, "run_sandboxed", module.run_sandboxed)


@pytest.mark.parametrize("part", [part for part in soak.PARTS if "fuzzed" in part.name], ids=lambda part: part.name)
def test_a_small_endurance_test_has_no_failures(part):
    done = part.soak(part.sizes["small"], 1, print)
    if not done.tried:
        pytest.skip(done.remark)
    assert done.tried == part.sizes["small"]
    assert done.failed == []


@pytest.mark.parametrize("reader", ["scenes", "urdf", "meshes"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(random=st.randoms(use_true_random=False))
@pytest.mark.filterwarnings("ignore")
def test_damaged_files_are_read_or_give_an_error(reader, random, tmp_path):
    if missing(reader):
        pytest.skip(f"{missing(reader)} is not installed")
    module = import_module(f"benchmarks.fuzz.{reader}")
    word, fault, _ = tried(module.attempt, module.spoilt(random, module.seeds()), tmp_path)
    assert fault == ""
    assert word in ("model", "solid", "ModelError", "FileError")


def test_most_inputs_reach_the_content_checks():
    """A file that is changed as an XML tree stays XML: many robots are read, or rejected because of their content."""
    from random import Random

    module = import_module("benchmarks.fuzz.urdf")
    seeds = module.seeds()
    kept = sum(b"</robot>" in module.spoilt(Random(k), seeds).data for k in range(200))
    assert 120 < kept < 200
    assert set(READERS) >= {"scenes", "trajectories", "meshes", "urdf", "mjcf"}


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
