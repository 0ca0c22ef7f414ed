"""Runs that are stopped and resumed are bitwise identical to uninterrupted runs."""

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from inspect import getsource

import numpy as np
import pytest

import livens as lv
from benchmarks.killed_runs import same
from livens.cli.main import main
from livens.kernels.arrays import State
from livens.record.journal import RunJournal
from livens.record.netcdf import describe
from livens.run.checkpoint import Checkpoints
from livens.step import COMPARED, SCHEMES

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of processes")


@pytest.fixture(autouse=True)
def short_chunks(monkeypatch):
    """Signals and checkpoints are handled between chunks: use several chunks in small runs."""
    monkeypatch.setattr("livens.run.loop.FIRST_CHUNK", 0)


def crane():
    """A controlled arm on a spring with a load that depends on time; a freely rotating ball."""
    m = lv.Model(gravity=(0, 0, -9.81), name="crane")
    arm = m.add(lv.Body(lv.Box(1.0, 0.1, 0.1, density=100), at=(0.5, 0, 0), name="arm"))
    ball = m.add(lv.Body(lv.Box(0.3, 0.2, 0.1, density=100), at=(1, 0, -1), body_rates=(0.1, 3, 0.1), name="ball"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    m.add(lv.Spring(arm.point(0.5, 0, 0), ball.point(0, 0, 0), stiffness=100.0, length=0.8, name="rope"))
    m.add(lv.Load(ball.center, force=push, name="wind"))
    m.add(lv.Motor(hinge, servo, rate=10.0, name="servo"))
    return m


def push(t):
    return (np.sin(3 * t), 0.1 * t, 0.0)


def servo(t, now):
    return 20.0 * (0.3 - now.coordinate("hinge")[0]) - now.rate("hinge")[0]


def stop_at_look(monkeypatch, number, heard=signal.SIGINT):
    """Send a signal at a given check for signals, numbered from 0."""
    looks, look = [0], Checkpoints.after_chunk

    def watched(self, *arguments):
        if looks[0] == number:
            self.received = heard
        looks[0] += 1
        look(self, *arguments)

    monkeypatch.setattr(Checkpoints, "after_chunk", watched)


@pytest.mark.parametrize("scheme", [*SCHEMES, lv.Livens(compensated=True), *COMPARED], ids=repr)
def test_every_scheme_resumes_from_its_journal_bitwise_identically(tmp_path, monkeypatch, scheme):
    run = {"h": 5e-3, "until": 1.0, "every": 7}
    whole = lv.simulate(crane(), scheme, **run)
    with monkeypatch.context() as patch:
        stop_at_look(patch, 4)
        with pytest.raises(lv.Interrupted, match=r"livens resume .*out\.nc --model FILE\.py`"):
            lv.simulate(crane(), scheme, **run, checkpoint=tmp_path / "out.nc", checkpoint_every=1e-9)
    assert os.listdir(tmp_path) == ["out.nc.journal"]
    half = lv.load(tmp_path / "out.nc.journal")
    assert 0 < half.steps < half.wanted == whole.steps
    assert half.end == 1.0
    half.model["wind"].force, half.model["servo"].effort = push, servo
    again = lv.resume(half, checkpoint=tmp_path / "out.nc", checkpoint_every=1e-9)
    assert same(again, whole)
    assert again.tally == whole.tally
    assert os.listdir(tmp_path) == ["out.nc"]
    assert same(lv.load(tmp_path / "out.nc"), whole)


def top():
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), velocity=(1, 0, 0), body_rates=(0.1, 2, 0.1), name="top"))
    return m


def test_an_interrupt_holds_the_motion_so_far_and_its_file_stores_the_planned_end(tmp_path, monkeypatch):
    whole = lv.simulate(top(), h=1e-2, until=3.0, every=10)
    with monkeypatch.context() as patch:
        stop_at_look(patch, 1)
        with pytest.raises(KeyboardInterrupt, match=r"at t = .* of 3 s") as error:
            lv.simulate(top(), h=1e-2, until=3.0, every=10)
    so_far = error.value.trajectory
    kept = so_far.steps // 10 + 1
    assert 0 < so_far.steps < 300
    assert np.array_equal(so_far.record.L[:kept], whole.record.L[:kept])
    so_far.save(tmp_path / "half.nc")
    assert same(lv.resume(lv.load(tmp_path / "half.nc")), whole)
    with pytest.raises(lv.ModelError, match="t = 3 s is not a later step"):
        lv.resume(whole)


@posix
def test_signals_are_handled_by_runs_only_and_a_second_interrupt_stops_immediately(request):
    inherited = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background ignores it
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, inherited))
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with Checkpoints() as watch:
        signal.raise_signal(signal.SIGINT)
        assert watch.received == signal.SIGINT
        assert signal.getsignal(signal.SIGTERM) is before[1]  # no file: nothing to write
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        watch.received = None
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
    with pytest.raises(KeyboardInterrupt), Checkpoints():  # nothing ran any more
        signal.raise_signal(signal.SIGINT)
    done = []
    thread = threading.Thread(target=lambda: done.append(lv.simulate(top(), h=1e-2, until=0.1)))
    thread.start()
    thread.join()
    assert len(done) == 1


# ── the journal ──


def stopped(folder, monkeypatch, looks=6, **run):
    with monkeypatch.context() as patch:
        stop_at_look(patch, looks)
        patch.setattr("livens.run.loop.CHUNK_SECONDS", 1e-9)  # chunks of a step or two
        with pytest.raises(lv.Interrupted):
            lv.simulate(top(), **run, checkpoint=folder / "out.nc", checkpoint_every=1e-9)
    return folder / "out.nc.journal"


def test_a_truncated_journal_holds_an_earlier_checkpoint_or_is_an_error(tmp_path, monkeypatch):
    run = {"h": 1e-2, "until": 3.0, "every": 10}
    whole = lv.simulate(top(), **run)
    journal = stopped(tmp_path, monkeypatch, looks=3, **run)
    data, steps, refused = journal.read_bytes(), [], []
    for cut in range(0, len(data), 41):
        journal.write_bytes(data[:cut])
        try:
            part = lv.load(journal)
        except lv.FileError:
            refused.append(len(steps))
            continue
        steps.append(part.steps)
        kept = part.steps // 10 + 1
        assert np.array_equal(part.record.L[:kept], whole.record.L[:kept])
    assert set(refused) == {0}  # before the first checkpoint is whole, never after
    assert steps == sorted(steps)
    assert len(set(steps)) >= 2
    assert same(lv.resume(part, checkpoint=tmp_path / "out.nc"), whole)  # what was cut off behind it is gone
    assert os.listdir(tmp_path) == ["out.nc"]


def test_a_journal_with_a_changed_byte_holds_an_earlier_checkpoint_or_is_an_error(tmp_path, monkeypatch):
    journal = stopped(tmp_path, monkeypatch, looks=2, h=1e-2, until=3.0)
    data, whole = bytearray(journal.read_bytes()), lv.load(journal)
    for place in range(0, len(data), 97):
        data[place] ^= 0x10
        journal.write_bytes(data)
        with suppress(lv.FileError):
            assert lv.load(journal).steps < whole.steps
        data[place] ^= 0x10


def test_the_cost_of_a_checkpoint_does_not_grow(tmp_path, monkeypatch):
    sizes, write = [], Checkpoints.write

    def measured(self, motion, state):
        write(self, motion, state)
        sizes.append((motion.steps, os.path.getsize(tmp_path / "out.nc.journal")))

    monkeypatch.setattr(Checkpoints, "write", measured)
    motion = lv.simulate(top(), h=1e-3, until=30.0, checkpoint=tmp_path / "out.nc", checkpoint_every=1e-9)
    state = sum(x.nbytes for x in motion.state)
    steps, size = np.diff(sizes, axis=0).T
    assert len(steps) >= 3
    assert np.all(np.abs(size - state * (steps + 1)) <= 100)  # the new states, the state now, and their frames


def test_existing_files_are_not_overwritten(tmp_path, monkeypatch):
    journal = stopped(tmp_path, monkeypatch, h=1e-2, until=30.0)
    data = journal.read_bytes()
    with pytest.raises(lv.FileError, match=r"holds a run that was stopped: continue it with `livens resume"):
        lv.simulate(top(), h=1e-2, until=3.0, checkpoint=tmp_path / "out.nc")
    other = lv.simulate(top(), h=1e-3, until=0.1)
    with pytest.raises(lv.FileError, match="belongs to another run"):
        lv.resume(other, until=1.0, checkpoint=tmp_path / "out.nc")
    with pytest.raises(lv.FileError, match=r"is unfinished: .*out\.nc\.journal holds the motion so far"):
        lv.load(tmp_path / "out.nc")
    other = RunJournal(journal, 1, len(data))  # as another process would
    with pytest.raises(lv.FileError, match="is in use: another process runs it"):
        lv.resume(lv.load(journal), checkpoint=tmp_path / "out.nc")
    other.close()
    assert journal.read_bytes() == data


def test_a_journal_in_other_principal_axes_is_written_again(tmp_path, monkeypatch):
    """Another machine may find axes that are rotated by π: the same motion with other numbers."""
    run = {"h": 1e-2, "until": 1.0}
    whole, half = lv.simulate(top(), **run), lv.load(stopped(tmp_path, monkeypatch, **run))
    flip, facts = np.diag([-1.0, -1.0, 1.0]), describe(half)
    facts["axes"][1] = (np.array(facts["axes"][1]) @ flip).tolist()
    record = half.record._replace(B=half.record.B.copy(), L=half.record.L.copy())
    record.B[:, 1], record.L[:, 1] = record.B[:, 1] @ flip, record.L[:, 1] @ flip
    now = (half.steps, half.wanted, half.seconds, *half.tally)
    path, last = tmp_path / "elsewhere.nc.journal", State(*(x[-1] for x in record))
    RunJournal.begin(path, facts, record, len(half), now, last).close()
    with monkeypatch.context() as patch:
        stop_at_look(patch, 0)
        with pytest.raises(lv.Interrupted):
            lv.resume(lv.load(path), checkpoint=tmp_path / "elsewhere.nc")
    assert same(lv.resume(lv.load(path), checkpoint=tmp_path / "elsewhere.nc"), whole)


# ── the command line ──


def test_functions_are_read_from_the_file_that_defines_them(tmp_path, monkeypatch, capsys):
    source = "\n".join(["import numpy as np", "import livens as lv", *map(getsource, (push, servo, crane))])
    (tmp_path / "crane.py").write_text(f"{source}\nmodel = crane\n")
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        stop_at_look(patch, 3, signal.SIGTERM)
        assert main(["run", "crane.py", "--h", "5e-3", "--until", "1", "--every", "7", "-o", "out.nc"]) == 143
    assert "livens resume out.nc --model FILE.py" in capsys.readouterr().err
    assert main(["resume", "out.nc"]) == 2
    assert "has Python functions, which a file cannot store" in capsys.readouterr().err
    (tmp_path / "other.py").write_text(f"{source.replace('-9.81', '-1.62')}\nmodel = crane\n")
    assert main(["resume", "out.nc", "--model", "other.py"]) == 2
    assert "other.py does not describe the model in out.nc" in capsys.readouterr().err
    assert main(["info", "out.nc.journal"]) == 0
    assert "% of the steps to t = 1 s" in capsys.readouterr().out
    assert main(["resume", "out.nc", "--model", "crane.py"]) == 0
    assert same(lv.load("out.nc"), lv.simulate(crane(), h=5e-3, until=1.0, every=7))
    assert main(["resume", "out.nc", "--model", "crane.py"]) == 2
    assert "out.nc is complete: it ends at t = 1 s, as requested." in capsys.readouterr().err


@pytest.mark.parametrize("by", ["command", "function"])
def test_a_run_stopped_during_the_final_write_is_completed(tmp_path, monkeypatch, capsys, by):
    def full(motion, path, force):
        raise lv.FileError(f"{path} cannot be written: no space left on device.")

    whole = lv.simulate(top(), h=1e-2, until=3.0)
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("livens.record.netcdf.save", full)
        with pytest.raises(lv.FileError, match=r"no space left .* `livens resume out\.nc` continues") as error:
            lv.simulate(top(), h=1e-2, until=3.0, checkpoint="out.nc", checkpoint_every=1e-9)
    assert same(error.value.trajectory, whole)
    assert os.listdir() == ["out.nc.journal"]
    if by == "command":
        assert main(["resume", "out.nc"]) == 0
        assert "saved in out.nc" in capsys.readouterr().out
    else:
        assert same(lv.resume(lv.load("out.nc.journal"), checkpoint="out.nc"), whole)
    assert os.listdir() == ["out.nc"]
    assert same(lv.load("out.nc"), whole)


# ── the motion so far is on disk and in the exception ──


def pushed(force):
    m = lv.Model()
    ship = m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 2, 0.1), name="ship"))
    m.add(lv.Load(ship.point(0, 0, 0), force=force, name="thruster"))
    return m


def raising(t):
    if t > 0.5:
        raise KeyError("fuel")
    return (1.0, 0.0, 0.0)


def not_a_number(t):
    return (np.nan if t > 0.5 else 1.0, 0.0, 0.0)


def raising_controller(t, now):
    return 1.0 / (0.5 - t) if t < 0.5 else {}["gain"]


def hinged(effort):
    m = lv.Model(gravity=(0, 0, -9.81))
    arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    m.add(lv.Motor(hinge, effort, rate=100.0, name="servo"))
    return m


ENDS = {
    "an exception of a load": (lambda: pushed(raising), KeyError),
    "NaN of a load": (lambda: pushed(not_a_number), lv.ModelError),
    "an exception of a controller": (lambda: hinged(raising_controller), KeyError),
}


@pytest.mark.parametrize(("build", "kind"), ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("every", [1, 7])
def test_an_exception_carries_the_motion_and_leaves_a_checkpoint(build, kind, every, tmp_path):
    with pytest.raises(kind) as error:
        lv.simulate(build(), h=1e-3, until=1.0, every=every, checkpoint=tmp_path / "out.nc")
    motion = error.value.trajectory
    assert 0.3 < motion.t[-1] <= 0.5
    kept = lv.load(tmp_path / "out.nc.journal")
    assert np.array_equal(kept.record.L, motion.record.L)
    assert kept.end == 1.0
    with pytest.raises(kind) as error:  # without a file too
        lv.simulate(build(), h=1e-3, until=1.0, every=every)
    assert np.array_equal(error.value.trajectory.record.a, motion.record.a)


@pytest.mark.parametrize("checkpoint_every", [1e-9, 60.0])
def test_a_failed_step_leaves_the_motion_in_its_file(tmp_path, checkpoint_every):
    """The step would fail again, so the motion is saved and the journal is deleted."""
    m = top()
    m.add(lv.Load(m["top"].center, torque=(0, 50.0, 0), name="winch"))
    with pytest.raises(lv.StepFailed) as error:
        lv.simulate(m, h=1e-2, until=100.0, checkpoint=tmp_path / "out.nc", checkpoint_every=checkpoint_every)
    assert os.listdir(tmp_path) == ["out.nc"]
    kept = lv.load(tmp_path / "out.nc")
    assert len(kept) > 10
    assert np.array_equal(kept.record.a, error.value.trajectory.record.a)
    assert kept.end == 100.0


def test_chunks_count_the_time_of_slow_functions(tmp_path):
    """A load that takes 2 ms per call: checkpoints are written every 0.3 s, not after thousands of steps."""
    written, begin = [], time.monotonic()

    def slow(t):
        time.sleep(2e-3)
        written.append((time.monotonic() - begin, (tmp_path / "out.nc.journal").exists()))
        if time.monotonic() - begin > 3.0:
            raise TimeoutError
        return (0.0, 0.0, 0.0)

    with pytest.raises(TimeoutError):
        lv.simulate(pushed(slow), h=1e-3, until=1e3, checkpoint=tmp_path / "out.nc", checkpoint_every=0.3)
    assert any(there for _, there in written)
    assert min(when for when, there in written if there) < 2.0
