"""Members on a graphics card. No test machine has one: numba-cuda's simulator runs the kernel, and NVIDIA's compilers,
which need no card, make its machine code. Bits and speed on a card are measured by benchmarks/gpu.py."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import livens as lv
from benchmarks.gpu import chain, double_pendulum, free_body
from livens import _jit
from livens.compile.compiled import Compiled
from livens.gpu import compiler
from livens.gpu.card import Card
from livens.gpu.compiler import machine_code
from livens.gpu.members import Chunks, varied_paths
from livens.gpu.source import kernel_source
from livens.run.plan import plan

ROOT = Path(__file__).parents[2]


def missing(*modules):
    return [name for name in modules if importlib.util.find_spec(name) is None]


needs_numba_cuda = pytest.mark.skipif(bool(missing("numba_cuda")), reason="numba-cuda is not installed")


def keep(motion):
    return {"end": motion.position(next(iter(motion.model.bodies)))[-1]}


@pytest.fixture(scope="module")
def simulated():
    environment = {**os.environ, "LIVENS_BACKEND": "python", "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.helpers.simulated_members"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_numba_cuda
@pytest.mark.parametrize(
    "case",
    [
        "free body",
        "free body, order 6",
        "free body, compensated",
        "double pendulum",
        "double pendulum, order 4",
        "double pendulum, Runge–Kutta",
        "double pendulum, Newmark",
        "driven four-bar",
        "two bodies, turned",
    ],
)
def test_the_simulator_gives_the_bits_of_the_cpu(simulated, case):
    assert simulated[case]["failed"] == []
    assert simulated[case]["equal"] == simulated[case]["members"] > 2


@needs_numba_cuda
def test_a_member_that_fails_has_the_message_of_a_single_run(simulated):
    with pytest.raises(lv.StepFailed) as failed:
        lv.simulate(double_pendulum(200.0), h=1e-2, until=0.11)
    assert simulated["a member fails"]["failed"] == [[1, str(failed.value)]]
    assert simulated["a member fails"]["equal"] == 1


@needs_numba_cuda
def test_little_memory_gives_small_chunks(simulated):
    assert simulated["chunks"] == {"equal": 9, "members": 9, "size": simulated["chunks"]["size"]}
    assert 1 <= simulated["chunks"]["size"] < 9


@needs_numba_cuda
def test_an_ensemble_on_the_device_equals_one_on_cores(simulated):
    assert simulated["ensemble"] is True


def source_of(model, varied=frozenset(), scheme=None):
    scheme = scheme or lv.Livens()
    compiled = Compiled.of(model, quiet=True)
    runs = Chunks(None, plan(scheme, 1e-3, 1.0, 1000), [compiled])
    return runs, kernel_source(runs.run.system, runs.state, runs.work, varied, len(scheme.weights))


@pytest.mark.skipif(
    bool(missing("numba_cuda", "nvidia")) or _jit.BACKEND == "python", reason="NVIDIA's compilers are not installed"
)
def test_machine_code_is_made_without_a_card_and_stored(tmp_path, monkeypatch):
    monkeypatch.setattr("numba.cuda.dispatcher.get_current_device", lambda: SimpleNamespace(compute_capability=(9, 0)))
    monkeypatch.setattr(compiler, "cache_folder", lambda: (tmp_path, False))
    runs, source = source_of(free_body(0.5), frozenset({"gravity", "springs.stiffness"}))
    made = machine_code(source, runs.run.prepare, runs.run.rollout, (9, 0), False)
    assert made.code[:4] == b"\x7fELF"
    assert "kernel" in made.entry

    monkeypatch.setattr(compiler, "_intermediate", lambda *arguments: pytest.fail("it is compiled again"))
    assert machine_code(source, runs.run.prepare, runs.run.rollout, (9, 0), False) == made
    for other in ((8, 0), False), ((9, 0), True):
        with pytest.raises(pytest.fail.Exception):  # another architecture, or other instructions
            machine_code(source, runs.run.prepare, runs.run.rollout, *other)
    (stored,) = tmp_path.glob("gpu-*.cubin")
    stored.write_bytes(stored.read_bytes()[:-1])
    with pytest.raises(pytest.fail.Exception):  # a damaged file is not loaded
        machine_code(source, runs.run.prepare, runs.run.rollout, (9, 0), False)


def test_the_kernel_depends_on_the_structure_and_not_on_the_numbers():
    one, same, other = (source_of(model)[1] for model in (chain(2, 0.1), chain(2, 3.0), chain(3, 0.1)))
    assert one.text == same.text
    assert all(np.array_equal(one.constants[name], same.constants[name]) for name in one.constants)
    assert one.text != other.text


def test_numbers_that_differ_are_those_of_the_thread():
    members = [Compiled.of(free_body(x), quiet=True) for x in (0.0, 1.0)]
    varied = varied_paths(members)
    assert varied >= {"springs.stiffness", "bodies.inertia"}
    assert "bodies.mass" not in varied
    _, source = source_of(free_body(0.0), varied)
    assert set(source.varied) == varied
    assert not set(source.shared) & varied
    assert "system_springs_stiffness[i0] = varied[" in source.text


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"device": "rocm"}, r'the device must be "cuda" or lv.Cuda\(…\), not \'rocm\'; leave out device='),
        ({"device": "cuda", "executor": object()}, "an ensemble runs on a device, on an executor or on a cluster"),
        ({"device": "cuda", "cluster": "tcp://127.0.0.1:1"}, "on a device, on an executor or on a cluster"),
        ({"device": "cuda", "events": lambda model, x: []}, "events are located on cores only: leave out device="),
        ({"device": "cuda", "scheme": lv.EnergyMomentum()}, r"EnergyMomentum\(\) does not run on a graphics card"),
    ],
)
def test_what_a_device_does_not_take_is_refused(options, sentence):
    with pytest.raises(lv.ModelError, match=sentence):
        lv.ensemble(free_body, {"x": [0.0]}, h=1e-2, until=0.1, keep=keep, **options)


@pytest.mark.parametrize("wrong", [{"number": -1}, {"number": True}, {"number": 0.5}, {"fma": 1}])
def test_a_card_is_described_by_a_number(wrong):
    with pytest.raises(lv.ModelError):
        lv.Cuda(**wrong)


@pytest.mark.skipif(Path("/dev/nvidia0").exists(), reason="this machine has a graphics card")
def test_without_a_card_the_remedy_is_named():
    with pytest.raises(lv.LivensError, match=r"leave out device=|pip install 'livens\[gpu\]'"):
        lv.ensemble(free_body, {"x": [0.0]}, h=1e-2, until=0.1, keep=keep, device="cuda")


def test_models_that_a_card_does_not_take():
    how = plan(lv.Livens(), 1e-3, 1.0, 1000)
    ground = lv.Model(gravity=(0, 0, -9.81))
    ground.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, 1), name="ball"))
    ground.add(lv.Contacts([ground.world.plane((0, 0, 0), normal=(0, 0, 1))]))
    with pytest.raises(lv.ModelError, match="contact cannot run on a graphics card: leave out device="):
        Chunks(None, how, [Compiled.of(ground, quiet=True)])
    steered = double_pendulum(0.0)
    hinge = next(iter(steered.joints))
    steered.add(lv.Motor(hinge, lambda t, now: 1.0, rate=100.0))
    with pytest.raises(lv.ModelError, match="controllers cannot run on a graphics card"):
        Chunks(None, how, [Compiled.of(steered, quiet=True)])
    with pytest.raises(lv.ModelError, match="300 bodies is too large for one thread"):
        Chunks(None, how, [Compiled.of(chain(300, 0.0), quiet=True)])


def test_too_little_memory_halves_the_chunk():
    """A card that has memory for three members only, whatever it says."""
    from livens.gpu import members

    class Small:
        def __init__(self):
            self.sizes = []

        def free_bytes(self):
            return 10**9

        def kernel(self, *arguments):
            return None

        def launch(self, kernel, count, *rest):
            self.sizes.append(count)
            if count > 3:
                raise members.OutOfMemory("too small")
            rest[1][1][members.TAKEN] = 10  # all steps are taken
            return 0.0

    some = [Compiled.of(free_body(x), quiet=True) for x in np.linspace(0, 1, 7)]
    card = Small()
    found = list(Chunks(card, plan(lv.Livens(), 1e-2, 0.1, 10), some).motions())
    assert [k for k, _ in found] == list(range(7))
    assert card.sizes == [7, 3, 3, 1]


def test_card_errors_are_sentences():
    card = Card.__new__(Card)
    card.driver = SimpleNamespace(CUresult=SimpleNamespace(CUDA_SUCCESS=0, CUDA_ERROR_OUT_OF_MEMORY=2))
    assert card.check((0, 5)) == 5
    assert card.check((0,)) is None
    with pytest.raises(lv.LivensError, match="memory of the graphics card"):
        card.check((2,))
    with pytest.raises(lv.LivensError, match="reports CUDA_ERROR_ILLEGAL_ADDRESS"):
        card.check((SimpleNamespace(name="CUDA_ERROR_ILLEGAL_ADDRESS"),))
