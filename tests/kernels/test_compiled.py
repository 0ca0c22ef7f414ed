"""Compiled or plain, the kernels do the same; and compiled they allocate nothing."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import livens as lv
from livens import _jit
from livens.backend import numba_jit
from livens.backend.sources import COMPILER, PACKAGE, compiled_files
from tests.helpers import problems, schemes

compiled_only = pytest.mark.skipif(_jit.BACKEND == "python", reason="the kernels run as plain Python already")
STEPS = 10
H = 4e-3  # s


def arm():
    """Two bodies on a hinge and a ball joint, in a skew direction."""
    m = lv.Model(gravity=(1.0, -2.0, -9.0))
    one = m.add(lv.Body(problems.lopsided(1), rotation=problems.turned(2), name="one"))
    two = m.add(lv.Body(problems.lopsided(3), at=(0.7, 0.2, 0.1), rotation=problems.turned(4), name="two"))
    m.add(lv.Revolute(m.world.point(-0.3, 0.1, 0), one.point_at(-0.3, 0.1, 0), axis=(1, 2, -1), stiffness=3.0))
    m.add(lv.Spherical(one.point_at(0.4, 0, 0), two.point_at(0.4, 0, 0)))
    return m


def ends():
    """The last state of a few steps of every problem with every scheme, as one array."""
    parts = []
    for build in (*(problem.build for problem in problems.PROBLEMS), arm):
        for scheme in schemes.SCHEMES:
            motion = lv.simulate(build(), scheme, h=H, until=H * STEPS)
            parts += [x.ravel() for x in (motion.state.a, motion.state.B, motion.state.p, motion.state.L)]
            parts += [motion.kinetic, motion.potential]
    return np.concatenate(parts)


@compiled_only
def test_compiled_and_plain_give_the_same_bits(tmp_path):
    """No fast math: every sum is made in the order it is written."""
    script = f"import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})\n" + (
        "import importlib.util, numpy as np\n"
        f"spec = importlib.util.spec_from_file_location('plain', {__file__!r})\n"
        "module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module)\n"
        "assert module._jit.BACKEND == 'python'\n"
        f"np.save({str(tmp_path / 'plain.npy')!r}, module.ends())\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], env=os.environ | {"LIVENS_BACKEND": "python"}, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    plain, compiled = np.load(tmp_path / "plain.npy"), ends()
    assert plain.shape == compiled.shape
    assert np.array_equal(plain, compiled), np.abs(plain - compiled).max()


def test_a_kernel_that_allocates_does_not_compile():
    """So no kernel allocates, in the loop or outside it: numba compiles the library, too."""
    errors = pytest.importorskip("numba").core.errors

    def greedy(n):
        return np.zeros(n).sum()

    with pytest.raises(errors.NumbaError):
        numba_jit.dispatcher(greedy, inline=False)(3)


def test_every_kernel_is_compiled_by_the_one_njit():
    """Only backend/ knows numba: whatever it promises holds for every kernel."""
    for path in set(compiled_files()) - {PACKAGE / COMPILER}:
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] == "numba" for name in names), f"{path.name} imports numba itself"


def test_no_kernel_raises_to_a_broken_power():
    """x ** 0.5 is compiled as a root, and is a power in plain Python, which may differ in the last bit: math.sqrt."""
    for path in compiled_files():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant):
                assert float(node.right.value).is_integer(), f"{path.name}, line {node.lineno}"


@pytest.mark.parametrize("scheme", schemes.SCHEMES, ids=schemes.name)
def test_how_a_run_is_cut_changes_no_bit(scheme):
    """Ten steps at once, or three and seven: kernels keep nothing between calls but the state."""
    model = problems.network()
    whole = lv.simulate(model, scheme, h=4e-3, until=4e-2)
    part = lv.simulate(model, scheme, h=4e-3, until=1.2e-2)
    rest = lv.resume(part, until=4e-2)
    for one, two in zip(whole.record, rest.record, strict=True):
        assert np.array_equal(one, two)


def test_every_file_with_compiled_code_is_part_of_the_hash():
    """After an edit of any of them the library is not used, and numba starts a new cache folder."""
    hashed, compiled = set(compiled_files()), set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[-1] == "_jit":
                compiled |= {path for alias in node.names if alias.name in ("njit", "inline")}
    assert len(compiled) > 20
    assert compiled <= hashed
