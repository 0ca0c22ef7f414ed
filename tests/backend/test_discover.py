"""The builder finds the kernels by itself, and the library contains all that Python calls."""

import ast
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest

from library import discover, facts, signature, trace
from livens.backend import library
from livens.backend.library import Unusable
from livens.backend.sources import PACKAGE
from livens.kernels.arrays import Pairs

ROOT = Path(__file__).parents[2]
FOR_USERS = {  # kernels for users' own schemes
    "kernels.forces.free_forces",
    "kernels.potential.gravity_force",
    "kernels.record.store_state",
    "kernels.spin.drift",
    "kernels.spin.kick",
    "step.start_forces.start_forces",
}


def write(folder, **files):
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_every_kernel_that_python_calls_is_in_the_library():
    try:
        found = library.load()
    except Unusable as reason:
        pytest.skip(str(reason))
    called = set(discover.called_by_python(PACKAGE))
    assert len(called) > 40
    assert set(found.entries) - called == FOR_USERS
    assert called <= set(found.entries)


def test_kernels_are_decorated_functions_at_the_top_of_a_module():
    """The builder finds no others: `f = njit(g)`, or a kernel inside a function."""
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        named = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[-1] == "_jit"
            for alias in node.names
        }
        assert named <= set(discover.DECORATORS), f"{path} renames them"
        tops = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        decorators = {id(decorator) for node in tops for decorator in node.decorator_list}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in named:
                assert id(node) in decorators, f"line {node.lineno} of {path}"


def test_kernels_multiply_instead_of_raising_to_a_power():
    """x ** 2 is a product in compiled code and pow of the C library in plain Python: once in a thousand they differ."""
    kernels = 0
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = {d.id for d in getattr(node, "decorator_list", []) if isinstance(d, ast.Name)}
            if names & set(discover.DECORATORS):
                kernels += 1
                powers = [n for n in ast.walk(node) if isinstance(getattr(n, "op", None), ast.Pow)]
                assert not powers, f"line {powers[0].lineno} of {path}: kernels/powers.py has square and cube"
    assert kernels > 600


def test_kernels_are_found_under_all_names(tmp_path):
    write(
        tmp_path,
        kernels__a="from .._jit import njit\n@njit\ndef f(x):\n    return g(x)\n@njit\ndef g(x):\n    return x\n",
        kernels__b="from .._jit import inline\n@inline\ndef h(x):\n    return x\ndef plain(x):\n    return x\n",
        user__direct="from ..kernels.a import f\ndef run(x):\n    return f(x)\n",
        user__renamed="from ..kernels.a import f as other\ntable = {'one': other}\n",
        user__module="from ..kernels import a\ndef run(x):\n    return a.f(x)\n",
        user__inner="def run(x):\n    from ..kernels.b import h\n    return h(x)\n",
        user__unused="from ..kernels.a import g\n",
        user__kernel="from .._jit import njit\nfrom ..kernels.a import g\n@njit\ndef k(x):\n    return g(x)\n",
    )
    assert {k.path: k.decorator for k in discover.kernels(tmp_path).values()} == {
        "kernels.a.f": "njit",
        "kernels.a.g": "njit",
        "kernels.b.h": "inline",
        "user.kernel.k": "njit",
    }
    assert discover.called_by_python(tmp_path) == {
        "kernels.a.f": {"user.direct", "user.renamed", "user.module"},
        "kernels.b.h": {"user.inner"},
    }


def test_types_are_read_from_calls():
    def inner(x, n):
        return x

    def outer(pairs, x, n, yes):
        return inner(x, n)

    def exercise():
        pairs = Pairs(np.zeros((2, 2), dtype=np.int64), np.zeros(2))
        outer(pairs, np.zeros((2, 3)), 1, True)
        outer(pairs, np.zeros((2, 3)), 1.5, True)
        outer(pairs, np.zeros((3, 2)).T, 1, np.bool_(False))

    kernels = {"m.inner": inner, "m.outer": outer}
    seen = trace.traced(kernels, kernels, [exercise])
    assert [signature.text(part) for part in seen["m.outer"]] == ["((Ci82Cf81)Cf82fb)", "((Ci82Cf81)Af82ib)"]
    assert signature.text(seen["m.inner"][0]) == "(Cf82i)"  # no call from Python: that of the other kernel
    [named, *_] = seen["m.outer"][0][1]
    assert signature.cls(named[0]) is Pairs


def test_the_length_of_the_list():
    part = signature.of((np.zeros((2, 3)), np.zeros((2, 3, 1)).T, 1, 2.0, (True, 3.0)))
    assert signature.words(part) == (5 + 2 + 2) + (5 + 3 + 3) + 1 + 1 + 2


def test_call_c_writes_as_many_words_as_kernels_read():
    pytest.importorskip("numba")
    from numba.core.datamodel.registry import default_manager

    from library.by_address import words
    from library.entries import numba_type

    pairs = Pairs(np.zeros((2, 2), dtype=np.int64), np.zeros(2))
    for value in (1, 2.0, True, np.zeros(3), np.zeros((2, 3)).T, pairs, (pairs, (1, np.zeros((1, 2, 3))), False)):
        part = signature.of(value)
        assert signature.words(part) == words(default_manager[numba_type(part)].get_data_type()), part


@pytest.mark.parametrize("value", ["text", None, 1j, [1.0]])
def test_a_type_that_no_kernel_takes(value):
    with pytest.raises(TypeError, match="a kernel cannot take"):
        signature.of((value,))


def test_the_build_names_a_kernel_that_no_exercise_calls(tmp_path):
    """So a new kernel cannot be forgotten; it is left out."""
    pytest.importorskip("numba")
    code = (
        "import os; os.environ['LIVENS_BACKEND'] = 'python'\n"
        "import library.build as build\n"
        "build.EXERCISES[:] = []\n"
        "print(build.compiled_entries(print))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "PATH": "/usr/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert (
        "left out: step.rattle.rollout (called in step.livens, step.members), because no exercise calls it"
        in run.stdout
    )
    assert "library/exercises.py" in run.stdout
    assert run.stdout.splitlines()[-1] == "[]"


@pytest.mark.skipif(not sysconfig.get_platform().startswith("linux"), reason="the versions of the GNU C library")
def test_the_tag_of_a_wheel_names_the_oldest_system_it_suits():
    platform = sysconfig.get_platform().removeprefix("linux-")
    assert facts.wheel_tag(b"GLIBC_2.2.5 GLIBC_2.14") == f"cp311-abi3-manylinux_2_17_{platform}"
    assert facts.wheel_tag(b"GLIBC_2.2.5 GLIBC_2.38") == f"cp311-abi3-manylinux_2_38_{platform}"
    assert facts.wheel_tag(b"no version") == f"cp311-abi3-linux_{platform}"
