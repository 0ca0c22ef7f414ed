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
from tests.helpers import problems, schemes

compiled_only = pytest.mark.skipif(not _jit.COMPILED, reason="the kernels run as plain Python already")
STEPS = 10


def ends():
    """The last state of a few steps of every problem with every scheme, as one array."""
    parts = []
    for problem in problems.PROBLEMS:
        for scheme in schemes.SCHEMES:
            motion = lv.simulate(problem.build(), scheme, h=4e-3, until=4e-3 * STEPS)
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
        "assert not module._jit.COMPILED\n"
        f"np.save({str(tmp_path / 'plain.npy')!r}, module.ends())\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    plain, compiled = np.load(tmp_path / "plain.npy"), ends()
    assert plain.shape == compiled.shape
    assert np.array_equal(plain, compiled), np.abs(plain - compiled).max()


@compiled_only
def test_a_kernel_that_allocates_does_not_compile():
    """So no kernel allocates, in the loop or outside it."""
    import numba

    @_jit.njit
    def greedy(n):
        return np.zeros(n).sum()

    with pytest.raises(numba.core.errors.NumbaError):
        greedy(3)


def test_every_kernel_is_compiled_by_the_one_njit():
    """Only _jit knows numba: whatever it promises holds for every kernel."""
    source = Path(lv.__file__).parent
    for path in [path for folder in _jit.COMPILED_CODE for path in source.glob(f"{folder}/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] == "numba" for name in names), f"{path.name} imports numba itself"


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
    """An edit of any of them must start a new cache folder."""
    source = Path(lv.__file__).parent
    hashed = {path for folder in _jit.COMPILED_CODE for path in source.glob(f"{folder}/**/*.py")}
    compiled = set()
    for path in source.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[-1] == "_jit":
                compiled |= {path for alias in node.names if alias.name in ("njit", "inline")}
    assert len(compiled) > 20
    assert compiled <= hashed
