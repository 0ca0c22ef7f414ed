"""Processes that are stopped by signals or by a file system: messages, and bitwise identical continuation."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

import livens as lv
from benchmarks.killed_runs import livens, same, survive

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of processes")

MODEL = """
import livens as lv
model = lv.Model(name="top")
model.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 2, 0.1), name="top"))
"""
RUN = ["run", "top.py", "--h", "1e-3", "--until", "40000", "--every", "800", "-o", "out.nc", "--checkpoint", "0.05"]


def wait_for(path, process):
    while not path.exists() and process.poll() is None:
        time.sleep(0.005)


@cache
def in_one_go():
    names: dict = {}
    exec(MODEL, names)
    return lv.simulate(names["model"], h=1e-3, until=40_000, every=800)


def goes_on(folder):
    """Resume as a process, and compare with an uninterrupted run."""
    process = livens(folder, "resume", "out.nc")
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    assert "saved in out.nc" in out
    assert same(lv.load(folder / "out.nc"), in_one_go())
    assert not (folder / "out.nc.journal").exists()


@posix
@pytest.mark.parametrize(("number", "word"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")])
def test_a_signal_writes_a_checkpoint_and_prints_how_to_continue(tmp_path, number, word):
    (tmp_path / "top.py").write_text(MODEL)
    process = livens(
        tmp_path, *RUN[:-1], "0.2", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler)
    )
    wait_for(tmp_path / "out.nc.journal", process)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (128 + number, "")
    assert f"livens: {word} at t = " in err
    assert err.endswith("it is in out.nc.journal; continue with `livens resume out.nc`.\n")
    assert len(err.splitlines()) == 1
    goes_on(tmp_path)


@posix
def test_a_file_size_limit_stops_the_run_and_the_last_checkpoint_is_valid(tmp_path):
    (tmp_path / "top.py").write_text(MODEL)

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, resource.RLIM_INFINITY))

    # A checkpoint after every chunk: the first is small on a computer of any speed.
    process = livens(tmp_path, *RUN[:-1], "1e-6", preexec_fn=limit)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert err.startswith("livens: out.nc.journal cannot be written: file too large. The run stopped at t = ")
    assert "s; `livens resume out.nc` continues from t = " in err
    assert len(err.splitlines()) == 1
    assert 0 < lv.load(tmp_path / "out.nc.journal").steps < 40_000_000
    goes_on(tmp_path)


@posix
def test_a_deleted_folder_stops_the_run_and_the_last_checkpoint_is_valid(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "top.py").write_text(MODEL)
    output = str(tmp_path / "here" / "out.nc")
    process = livens(tmp_path / "here", *[output if word == "out.nc" else word for word in RUN])
    wait_for(Path(f"{output}.journal"), process)
    os.rename(tmp_path / "here", tmp_path / "there")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert "out.nc.journal cannot be written: it has vanished, or its folder has. The run stopped at t = " in err
    assert len(err.splitlines()) == 1
    goes_on(tmp_path / "there")


@pytest.fixture
def small(tmp_path):
    """A file system of eight megabytes, half of what the run writes; only root may have one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = shutil.which("mount")
    made = mount and subprocess.run([mount, "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder], capture_output=True)
    if not made or made.returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


@posix
def test_a_full_disk_stops_the_run_and_the_last_checkpoint_is_valid(small, tmp_path):
    (small / "top.py").write_text(MODEL)
    process = livens(small, *RUN)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert err.startswith("livens: out.nc.journal cannot be written: no space left on device. The run stopped at t = ")
    assert len(err.splitlines()) == 1
    shutil.copy(small / "out.nc.journal", tmp_path)
    goes_on(tmp_path)


@posix
def test_a_read_only_target_is_an_error_before_the_run(small):
    (small / "top.py").write_text(MODEL)
    subprocess.run(["mount", "-o", "remount,ro", small], check=True)
    process = livens(small, *RUN)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (2, "", "livens: out.nc cannot be written: permission denied.\n")


@posix
def test_a_killed_run_can_be_resumed(tmp_path):
    """The long size of this is in `make soak`."""
    assert survive(tmp_path, 3) == (3, True)
