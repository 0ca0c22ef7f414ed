"""Which back end is used, and what is said about it. A library that does not fit exactly is never loaded."""

import json
import re
import shutil

import pytest

import livens as lv
from livens.backend import library
from livens.backend.library import FACTS, FILE, Unusable
from tests.helpers.packages import BACKEND, NO_NUMBA, PACKAGE, copied, python

pytest.importorskip("numba")
try:
    library.load()
except Unusable as reason:
    pytestmark = pytest.mark.skip(reason=str(reason))


@pytest.fixture
def built(tmp_path):
    """A folder with a copy of the library."""
    for name in (FILE, FACTS):
        shutil.copy(PACKAGE / "backend" / name, tmp_path / name)
    return tmp_path


def change(folder, **facts):
    path = folder / FACTS
    path.write_text(json.dumps(json.loads(path.read_text()) | facts))


def refusal(folder):
    with pytest.raises(Unusable) as caught:
        library.load(folder)
    return str(caught.value)


def test_a_library_that_fits_is_loaded(built):
    found = library.load(built)
    assert found.path == built / FILE
    assert "step.rattle.rollout" in found.entries


@pytest.mark.parametrize(
    ("fact", "value", "word"),
    [
        ("format", 0, "calling convention"),
        ("version", "0.0.1", "another version of livens"),
        ("sources", "0123456789abcdef", "edited"),
        ("platform", "plan9-mips", "another platform"),
        ("file", "0" * 64, "damaged"),
    ],
)
def test_a_foreign_library_is_not_loaded(built, fact, value, word):
    change(built, **{fact: value})
    assert word in refusal(built)


@pytest.mark.parametrize("size", [0, 1, 1000, -1, -4096])
def test_a_truncated_library_is_not_loaded(built, size):
    whole = (built / FILE).read_bytes()
    (built / FILE).write_bytes(whole[:size])
    assert "damaged" in refusal(built)


def test_a_library_with_one_other_bit_is_not_loaded(built):
    whole = bytearray((built / FILE).read_bytes())
    whole[len(whole) // 2] ^= 1
    (built / FILE).write_bytes(whole)
    assert "damaged" in refusal(built)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '"x"', "null", '{"format": 1}'])
def test_facts_that_say_nothing(built, text):
    (built / FACTS).write_text(text)
    assert "make library" in refusal(built)


def test_a_file_that_is_no_library_but_has_its_hash(built):
    """The operating system refuses it: that is said, too."""
    (built / FILE).write_bytes(b"no library")
    change(built, **library.facts_of(b"no library"))
    assert "cannot be loaded" in refusal(built)


@pytest.mark.parametrize("name", [FILE, FACTS])
def test_half_a_library(built, name):
    (built / name).unlink()
    assert "contains no compiled library" in refusal(built)


def test_an_edited_source_tree_uses_numba_and_says_so(tmp_path):
    source = copied(tmp_path) / "kernels" / "spin.py"
    source.write_text(source.read_text() + "\n# edited\n")
    out, _ = python(tmp_path, BACKEND)
    assert out.startswith("numba\n")
    assert "edited after it was built" in out


def test_the_library_needs_no_numba(tmp_path):
    copied(tmp_path)
    out, err = python(tmp_path, NO_NUMBA + BACKEND)
    assert out == "library"
    assert not err


MOVE = """
import livens as lv
m = lv.Model(gravity=(0, 0, -9.81))
bar = m.add(lv.Body(lv.ThinRod(1.0, mass=2.0), at=(0.5, 0, 0), name="bar"))
m.add(lv.Spherical(m.world.point(0, 0, 0), bar.point(-0.5, 0, 0), name="pin"))
print(lv.simulate(m, h=1e-2, until=0.05).energy[-1].hex())
"""


def test_without_library_and_numba_the_kernels_run_as_plain_python(tmp_path):
    """It is said once, with the remedy, and the numbers are the same."""
    (copied(tmp_path) / "backend" / FILE).unlink()
    out, err = python(tmp_path, NO_NUMBA + MOVE + MOVE)
    assert err.count("plain Python") == 1
    assert "pip install 'livens[jit]'" in err
    there, _ = python(PACKAGE.parent, MOVE, LIVENS_BACKEND="library")
    assert out.splitlines() == [there, there]


@pytest.mark.parametrize("backend", ["library", "numba", "python"])
def test_the_environment_demands_a_back_end(backend):
    out, _ = python(PACKAGE.parent, BACKEND, LIVENS_BACKEND=backend)
    assert out.splitlines()[0] == backend


def test_numba_switched_off_means_plain_python():
    out, _ = python(PACKAGE.parent, BACKEND, NUMBA_DISABLE_JIT="1")
    assert out.startswith("python\n")


REFUSED = "import livens\ntry:\n    from livens import _jit\nexcept livens.LivensError as error:\n    print(error)"


def test_a_back_end_that_cannot_be_had_is_an_error(tmp_path):
    """Whoever demands one gets it, or the reason why not."""
    out, _ = python(PACKAGE.parent, REFUSED, LIVENS_BACKEND="fortran")
    assert "LIVENS_BACKEND must be one of library, numba, python, not 'fortran'" in out
    (copied(tmp_path) / "backend" / FACTS).unlink()
    out, _ = python(tmp_path, REFUSED, LIVENS_BACKEND="library")
    assert "contains no compiled library" in out
    out, _ = python(tmp_path, NO_NUMBA + REFUSED, LIVENS_BACKEND="numba")
    assert "pip install 'livens[jit]'" in out


def test_doctor_names_the_back_end_and_checks_its_bits(tmp_path):
    code = "import sys; from livens.cli.main import main; sys.exit(main(['doctor']))"
    out, _ = python(PACKAGE.parent, code, LIVENS_BACKEND="library")
    assert re.search(r"back end +library", out)
    assert FILE in out
    assert "same bits as with plain Python" in out
    (copied(tmp_path) / "backend" / FILE).unlink()
    out, _ = python(tmp_path, NO_NUMBA + code)
    assert re.search(r"back end +python", out)
    assert "contains no compiled library" in out


def test_the_version_of_the_library_is_that_of_the_package():
    assert json.loads((PACKAGE / "backend" / FACTS).read_text())["version"] == lv.__version__
