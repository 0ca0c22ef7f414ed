"""Inputs are read in a monitored process with limits on time and memory. After a crash a new process continues with the
next input.

The package reads some files in a separate process (livens.storage.sandbox). The harness does this part in the monitored
process, because a hundred thousand processes would take days. `elsewhere` marks this part: a crash or a timeout inside
it counts as a refusal.
"""

from __future__ import annotations

import faulthandler
import io
import multiprocessing
import os
import re
import resource
import signal
import tempfile
import time
import traceback
import warnings
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

from livens import FileError, LivensError
from livens.cli.main import main

from . import READERS, Input

SECONDS = 30.0  # time limit of one input, on a busy machine
BRIEF = 3.0  # processor time limit of the part that the package runs in a separate process
MEMORY = 2 * 2**30  # limit of the address space, in addition to that of a process that has read all seeds [bytes]
TELL = 2_000  # inputs between two lines of progress
STARTING = 600.0  # seconds until a process is ready; may include compilation of kernels
APART = "crashed in sandbox"
_inside: Any = None  # a byte for the monitoring process
_starting = False  # the seeds are being read
_first = False  # the first seed


@dataclass
class Outcome:
    """Results: number of inputs, counts by result, descriptions of failures, the slowest [s], peak memory [MB]."""

    tried: int = 0
    found: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    seconds: float = 0.0
    slowest: float = 0.0
    memory: float = 0.0

    def __str__(self) -> str:
        found = ", ".join(f"{count:,} {word}" for word, count in self.found.most_common())
        times = f"{self.seconds:.0f} s, slowest {self.slowest:.2f} s, at most {self.memory:.0f} MB"
        return f"{self.tried:,} inputs, {len(self.failed)} failures: {found}; {times}"


def module_of(reader: str) -> Any:
    """The module of a reader: one of READERS, or another by its whole name."""
    return import_module(f"benchmarks.fuzz.{reader}" if reader in READERS else reader)


def missing(reader: str) -> str:
    """The missing package of a reader, or an empty string."""
    needs = module_of(reader).NEEDS
    return needs if needs and find_spec(needs) is None else ""


def fuzz(reader: str, count: int, seed: int = 1, first: int = 0, report: Callable[[str], None] = print) -> Outcome:
    """Read the inputs with numbers `first` to `count` of a seed."""
    seeds = module_of(reader).seeds()
    done, begin = Outcome(), time.perf_counter()
    k = first
    while k < count:
        k = _watch(reader, seeds, seed, k, count, done, report)
    done.seconds = time.perf_counter() - begin
    return done


def _watch(
    reader: str, seeds: list[Input], seed: int, first: int, count: int, done: Outcome, report: Callable[[str], None]
) -> int:
    """Let a process read inputs until it ends or crashes; return the number of the next input."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    inside = context.Value("b", 0, lock=False)
    k, patience = first, STARTING
    with tempfile.TemporaryDirectory() as folder:
        work = (reader, seeds, seed, range(first, count), folder, there, inside)
        process = context.Process(target=_work, args=work, daemon=True)
        process.start()
        there.close()
        try:
            while k < count:
                ready = patience == SECONDS
                if not here.poll(patience):
                    process.kill()
                    process.join()
                    if not ready:
                        raise RuntimeError(f"the reader of {reader} did not begin within {patience:g} s")
                    fault = f"took longer than {patience:g} s"
                    break
                word, fault, slow, memory = here.recv()
                done.memory = max(done.memory, memory)
                if not ready:
                    if fault:
                        raise RuntimeError(fault)
                    patience = SECONDS
                    continue
                done.tried, done.slowest = done.tried + 1, max(done.slowest, slow)
                done.found[word] += 1
                if fault:
                    _fail(done, report, f"{reader}, seed {seed}, input {k}: {fault}")
                k += 1
                if k % TELL == 0:
                    report(f"{reader}: {done}")
            else:
                process.join()
                return k
        except EOFError:
            process.join()
            if patience != SECONDS:
                raise RuntimeError(f"the reader of {reader} did not begin (code {process.exitcode})") from None
            told = Path(folder, "last words").read_text(errors="replace")[:1500]
            fault = f"the process died (code {process.exitcode}): {told}"
    done.tried += 1
    if inside.value:
        done.found[APART] += 1
    else:
        done.found["failure"] += 1
        _fail(done, report, f"{reader}, seed {seed}, input {k}: {fault}")
    return k + 1


def _fail(done: Outcome, report: Callable[[str], None], text: str) -> None:
    done.failed.append(text)
    report(text)


# ── the monitored process ──


def _work(
    reader: str, seeds: list[Input], seed: int, numbers: range, folder: str, pipe: Connection, inside: Any
) -> None:
    global _inside, _starting, _first
    _inside, _starting, _first = inside, True, True
    module = module_of(reader)
    words = open(Path(folder, "last words"), "wb")  # noqa: SIM115
    for stream in (1, 2):  # libraries may print
        os.dup2(words.fileno(), stream)
    os.chdir(folder)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    home = Path(folder, "here")
    home.mkdir()
    for valid in seeds:  # libraries are loaded
        word, fault, _ = tried(module.attempt, valid, home)
        _first = False
        if fault or word.endswith("Error"):
            pipe.send((word, f"a seed of {reader} is not valid: {valid.name}, {word} {fault}", 0.0, 0.0))
            return
    limit = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    _starting = False
    faulthandler.enable(words)
    pipe.send(("ready", "", 0.0, 0.0))
    for k in numbers:
        os.ftruncate(words.fileno(), 0)
        os.lseek(words.fileno(), 0, os.SEEK_SET)
        one = module.spoilt(Random(f"{seed} {k}"), seeds)
        pipe.send((*tried(module.attempt, one, home), _most()))


def _most() -> float:
    """The peak memory of the process [MB]; getrusage would include that of its parent."""
    found = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def tried(attempt: Callable[[Path], str], one: Input, folder: Path) -> tuple[str, str, float]:
    """The result of an input in one word, a description of the failure if any, and the duration [s]."""
    file = folder / one.name
    file.write_bytes(one.data)
    begin = time.perf_counter()
    word, fault = "failure", ""
    try:
        word = attempt(file)
    except LivensError as error:
        sentence = str(error)
        word = APART if isinstance(error, DiedApart) else type(error).__name__
        if "\n" in sentence.strip() or len(sentence) > 2000:
            word, fault = "failure", f"not one sentence: {sentence[:300]!r}"
    except BaseException:
        fault = traceback.format_exc(limit=-6)
    return word, fault, time.perf_counter() - begin


def command(*words: object) -> str:
    """Run the command line with these arguments: its exit code as a word; its output must be one sentence."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(word) for word in words])
    said = [line for line in err.getvalue().splitlines() if not line.startswith("livens: note: ")]
    if code not in (0, 1, 2) or len(said) != (code > 0) or not all(line.startswith("livens: ") for line in said):
        raise AssertionError(f"exit code {code}: {err.getvalue()[:1000]}")
    return f"exit code {code}"


def seldom(file: Path, part: int = 20) -> bool:
    """True for one file in `part` (always the same ones) and for the first seed, so that kernels are loaded."""
    return _first or zlib.crc32(file.read_bytes()) % part == 0


class DiedApart(LivensError):
    """The separate process has crashed, or was stopped by its time limit."""


class elsewhere:
    """Context for the part that the package runs in a separate process: `with elsewhere(): …`."""

    def __enter__(self) -> None:
        if _inside is not None and not _starting:
            _inside.value = 1
            signal.setitimer(signal.ITIMER_PROF, BRIEF)  # its signal ends the process, even if a library hangs

    def __exit__(self, *_: object) -> None:
        if _inside is not None and not _starting:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            _inside.value = 0


def apart_here(answer: Callable[[dict[str, Any]], bytes]) -> Callable[[str, dict[str, Any]], bytes]:
    """A replacement of the function in livens.storage.sandbox that starts a separate process."""

    def apart(module: str, request: dict[str, Any]) -> bytes:
        with elsewhere(), redirect_stderr(io.StringIO()):
            try:
                return answer(request)
            except (MemoryError, RecursionError) as error:
                raise LivensError(f"{type(error).__name__} apart") from None

    return apart


def apart_forked(answer: Callable[[dict[str, Any]], bytes]) -> Callable[[str, dict[str, Any]], bytes]:
    """A replacement for libraries that crash often: a forked copy of the process calls them. The process itself never
    calls them, because threads of a library are not copied by a fork, and the copy would wait for them."""

    def apart(module: str, request: dict[str, Any]) -> bytes:
        here, there = os.pipe()
        child = os.fork()
        if not child:
            _answer(there, answer, request)
        os.close(there)
        with os.fdopen(here, "rb") as pipe:
            told = pipe.read()
        _, status = os.waitpid(child, 0)
        if status:
            raise DiedApart(f"the process ended by {status}")
        if told[:1] == b"X":
            raise RuntimeError(told[1:].decode())
        if told[:1] == b"E":
            raise FileError(told[1:].decode())
        return told[1:]

    return apart


def _answer(there: int, answer: Callable[[dict[str, Any]], bytes], request: dict[str, Any]) -> None:
    signal.setitimer(signal.ITIMER_PROF, BRIEF)  # processor time
    signal.alarm(int(SECONDS) // 2)  # wall time
    try:
        told = b"R" + answer(request)
    except (LivensError, MemoryError) as error:
        told = b"E" + str(error).encode()
    except BaseException:  # livens.storage.sandbox would refuse the file, but this should not happen
        told = b"X" + traceback.format_exc(limit=-6).encode()
    with os.fdopen(there, "wb") as pipe:
        pipe.write(told)
    os._exit(0)
