"""Studies on disk: finished members are not run again, and studies are not mixed."""

import _thread
import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import livens as lv
from livens.study.journal import Journal
from livens.study.members import Outcome
from tests.helpers.studies import Noted, double_pendulum, oscillator, place, tip

GRID = {"stiffness": [1.0, 2.0, 4.0], "mass": [1.0, 0.5]}
SOME = {"h": 0.1, "until": 1.0, "keep": place, "units": {"x": "m"}}


@pytest.mark.parametrize("name", ["study.nc", "study.nc.journal"])
def test_a_study_is_not_stored_in_a_pipe(name, tmp_path):
    os.mkfifo(tmp_path / name)
    with pytest.raises(lv.FileError, match="it is no regular file"):
        lv.ensemble(oscillator, GRID, **SOME, store=tmp_path / "study.nc")
    assert os.listdir(tmp_path) == [name]


def test_a_finished_study_is_read_and_not_run(tmp_path):
    first = lv.ensemble(oscillator, GRID, **SOME, store=tmp_path / "study.nc")
    again = lv.ensemble(oscillator, GRID, **{**SOME, "keep": lambda motion: 1 / 0}, store=tmp_path / "study.nc")
    assert again.identical(first)
    assert again.identical(lv.ensemble(oscillator, GRID, **SOME))
    assert os.listdir(tmp_path) == ["study.nc"]
    (tmp_path / "study.nc.journal").touch()  # killed between writing the one and deleting the other
    assert lv.ensemble(oscillator, GRID, **SOME, store=tmp_path / "study.nc").identical(first)
    assert os.listdir(tmp_path) == ["study.nc"]


class Dotted:
    """Sets values by dotted paths, as `livens sweep` does."""

    def __call__(self, **values):
        return oscillator(values["springs.spring1.stiffness"], values["bodies.ball.mass"])


def test_parameters_may_have_dotted_names(tmp_path):
    values = {"springs.spring1.stiffness": [1.0, 2.0], "bodies.ball.mass": [1.0, 3.0]}
    runs = lv.ensemble(Dotted(), values, **SOME, store=tmp_path / "study.nc")
    assert lv.ensemble(Dotted(), values, **SOME, store=tmp_path / "study.nc").identical(runs)
    plain = lv.ensemble(oscillator, {"stiffness": [1.0, 2.0], "mass": [1.0, 3.0]}, **SOME)
    assert np.array_equal(runs.x, plain.x)
    assert runs.x.dims == tuple(values)


def test_failed_members_are_stored_too(tmp_path):
    values = {"stiffness": [1.0, -1.0], "mass": [1.0]}
    with pytest.warns(lv.ModelWarning, match="1 of 2 members failed"):
        first = lv.ensemble(oscillator, values, **SOME, store=tmp_path / "study.nc")
    again = lv.ensemble(oscillator, values, **SOME, store=tmp_path / "study.nc")
    assert again.identical(first)
    assert "must not be negative" in again.error.values[1, 0]


def interrupt_after(monkeypatch, batches):
    """Ctrl-C after a number of batches in the journal."""
    add, count = Journal.add, itertools.count(1)

    def adds(self, outcomes):
        add(self, outcomes)
        if next(count) == batches:
            raise KeyboardInterrupt

    monkeypatch.setattr(Journal, "add", adds)


@pytest.fixture
def python_handles_interrupts():
    """Other handlers, which a test before may have left, do not raise KeyboardInterrupt."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("python_handles_interrupts")
@pytest.mark.parametrize("waiting", [False, True])
def test_after_an_interrupt_only_unfinished_members_are_run(tmp_path, waiting, monkeypatch):
    """Ctrl-C while the main thread waits for members, or while it writes their results."""
    rates, log, store = {"rate": np.linspace(0.5, 2.0, 100)}, tmp_path / "log", tmp_path / "study.nc"
    calls = itertools.count(1)  # two threads never get the same number

    def interrupts(motion):
        if next(calls) == 10 and waiting:
            _thread.interrupt_main()
        return tip(motion)

    if not waiting:
        interrupt_after(monkeypatch, 5)
    arguments = {"h": 1e-3, "until": 3.0, "store": store}
    with pytest.raises(KeyboardInterrupt):
        lv.ensemble(double_pendulum, rates, **arguments, keep=interrupts)
    finished = recorded(store)
    assert not store.exists()
    assert 1 <= len(finished) < 100
    monkeypatch.undo()
    runs = lv.ensemble(double_pendulum, rates, **arguments, keep=Noted(log))
    assert sorted(map(float, log.read_text().split())) == sorted(np.delete(rates["rate"], finished))
    assert runs.identical(lv.ensemble(double_pendulum, rates, h=1e-3, until=3.0, keep=tip))


def recorded(store):
    """The members in the journal of a study, each once."""
    journal = Journal(Path(f"{store}.journal"), {})
    members = [outcome.member for outcome in journal.outcomes(100)]
    journal.close()
    assert len(members) == len(set(members))
    return members


SCRIPT = """
import sys, numpy as np, livens as lv
from tests.helpers.studies import Noted, double_pendulum
lv.ensemble(double_pendulum, {"rate": np.linspace(0.5, 2.0, 150)}, h=1e-3, until=0.2,
            keep=Noted(sys.argv[2]), store=sys.argv[1])
"""


def test_a_killed_process_loses_only_running_members(tmp_path):
    """The long version, with ten kills, is in benchmarks/ensembles.py."""
    store, log, rates = tmp_path / "study.nc", tmp_path / "log", np.linspace(0.5, 2.0, 150)
    path = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, store, log], env={**os.environ, "PYTHONPATH": path})
    while not log.exists() or len(log.read_text().split()) < 40:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    finished = recorded(store)
    assert len(finished) >= 1
    before = list(map(float, log.read_text().split()))
    log.unlink()
    runs = lv.ensemble(double_pendulum, {"rate": rates}, h=1e-3, until=0.2, keep=Noted(log), store=store)
    after = list(map(float, log.read_text().split()))
    assert sorted(after) == sorted(np.delete(rates, finished))
    assert set(before) | set(after) == set(rates)
    assert runs.identical(lv.ensemble(double_pendulum, {"rate": rates}, h=1e-3, until=0.2, keep=tip))


# ── the journal itself ──

SHAPE = (("x", ()), ("y", (2,)))
OUTCOMES = [
    Outcome(3, SHAPE, np.arange(3.0).tobytes()),
    Outcome(0, None, "it failed: λ → ∞".encode()),
    Outcome(2, (("x", ()),), np.ones(1).tobytes()),
    Outcome(1, SHAPE, np.full(3, np.nan).tobytes()),
]


def written(path, outcomes):
    journal = Journal(path, {"h": 0.1})
    found = list(journal.outcomes(4))
    journal.add(outcomes)
    journal.close()
    return journal.facts, found


def test_a_truncated_journal_holds_the_members_before_and_is_continued(tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    ends = []
    for outcome in OUTCOMES:
        written(whole, [outcome])
        ends.append(whole.stat().st_size)
    data = whole.read_bytes()
    for size in range(len(data)):
        cut.write_bytes(data[:size])
        left = sum(end <= size for end in ends)
        facts, found = written(cut, OUTCOMES[left:])
        assert facts == {"h": 0.1}
        assert found == OUTCOMES[:left]
        assert written(cut, []) == ({"h": 0.1}, OUTCOMES)


def test_a_journal_with_zeros_at_its_end_is_valid_up_to_there(tmp_path):
    """As left by file systems after a power failure."""
    path = tmp_path / "journal"
    written(path, OUTCOMES[:2])
    path.write_bytes(path.read_bytes() + bytes(4096))
    assert written(path, OUTCOMES[2:])[1] == OUTCOMES[:2]
    assert written(path, [])[1] == OUTCOMES


def test_a_journal_is_locked_by_one_process(tmp_path):
    pytest.importorskip("fcntl")
    journal = Journal(tmp_path / "journal", {})
    with pytest.raises(lv.FileError, match="is in use: another process runs this study"):
        Journal(tmp_path / "journal", {})
    journal.close()
    Journal(tmp_path / "journal", {}).close()


# ── errors ──


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"h": 0.2}, "h = 0.1 there, 0.2 here"),
        ({"until": 2.0}, "steps = 10 there, 20 here"),
        ({"every": 2}, "every = 1 there, 2 here"),
        ({"scheme": lv.Livens(4)}, r"scheme = Livens\(order=2\) there, Livens\(order=4\) here"),
        ({"parameters": {**GRID, "mass": [1.0, 0.6]}}, "it differs in the values of 'mass'"),
        ({"parameters": {**GRID, "mass": [1.0]}}, "axes = "),
        ({"make_model": lambda stiffness, mass: oscillator(stiffness, 2 * mass)}, "the model of its first member"),
    ],
)
@pytest.mark.parametrize("complete", [True, False])
def test_a_store_of_another_study_is_an_error(tmp_path, change, sentence, complete):
    study = {"make_model": oscillator, "parameters": GRID, **SOME, "store": tmp_path / "study.nc"}
    if complete:
        lv.ensemble(**study)
    else:
        unfinished(study)
    with pytest.raises(lv.FileError, match=f"holds another study: .*{sentence}.* Choose another name, or delete it"):
        lv.ensemble(**{**study, **change})


def unfinished(study):
    """Start a study and interrupt it after its first members."""
    with pytest.MonkeyPatch.context() as patch:
        interrupt_after(patch, 1)
        with pytest.raises(KeyboardInterrupt):
            lv.ensemble(**study)


def test_other_kept_values_are_an_error_in_an_unfinished_study(tmp_path):
    study = {"make_model": oscillator, "parameters": GRID, **SOME, "store": tmp_path / "study.nc"}
    unfinished(study)
    with pytest.raises(lv.FileError, match="holds a study of x, but keep returns y"):
        lv.ensemble(**{**study, "keep": lambda motion: {"y": 1.0}})


def test_other_files_are_errors_and_not_changed(tmp_path):
    (tmp_path / "notes.nc").write_text("mine")
    (tmp_path / "study.nc.journal").write_text("mine, too")
    with pytest.raises(lv.FileError, match="is not a study written by livens"):
        lv.ensemble(oscillator, GRID, **SOME, store=tmp_path / "notes.nc")
    with pytest.raises(lv.FileError, match="is not the journal of a study: choose another name"):
        lv.ensemble(oscillator, GRID, **SOME, store=tmp_path / "study.nc")
    with pytest.raises(lv.FileError, match=r"stored as netCDF: name it study.nc, not 'study.zarr'"):
        lv.ensemble(oscillator, GRID, **SOME, store=tmp_path / "study.zarr")
    with pytest.raises(lv.FileError, match="does not exist"):
        lv.ensemble(oscillator, GRID, **SOME, store=tmp_path / "nowhere" / "study.nc")
    assert (tmp_path / "notes.nc").read_text() == "mine"
    assert (tmp_path / "study.nc.journal").read_text() == "mine, too"


def test_a_damaged_study_is_an_error(tmp_path):
    store = tmp_path / "study.nc"
    lv.ensemble(oscillator, GRID, **SOME, store=store)
    data = bytearray(store.read_bytes())
    data[len(data) // 2] ^= 1
    store.write_bytes(data)
    with pytest.raises(lv.FileError, match="is damaged"):
        lv.ensemble(oscillator, GRID, **SOME, store=store)


def test_other_kept_values_are_an_error_in_a_finished_study(tmp_path):
    lv.ensemble(oscillator, GRID, **SOME, store=tmp_path / "study.nc")
    with pytest.raises(lv.FileError, match="holds a study of x, but keep returns y"):
        lv.ensemble(oscillator, GRID, **{**SOME, "keep": lambda motion: {"y": 1.0}}, store=tmp_path / "study.nc")


def test_a_folder_as_store_is_an_error(tmp_path):
    (tmp_path / "study.nc").mkdir()
    with pytest.raises(lv.FileError, match="it is a folder"):
        lv.ensemble(oscillator, GRID, **SOME, store=tmp_path / "study.nc")
