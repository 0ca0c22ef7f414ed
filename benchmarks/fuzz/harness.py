"""Inputs are tried in a process that may die: it is watched, timed and bounded in memory, and begun anew behind the
input it died on.

What the package itself does in a process of its own (livens.storage.sandbox), the harness does in the watched one, or a
hundred thousand files would take days. `elsewhere` marks that part: dying, or taking too long, in there is a refusal.
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

SECONDS = 30.0  # for one input, on a busy machine
BRIEF = 3.0  # of computing, for the part of it that the package leaves to a process of its own
MEMORY = 2 * 2**30  # bytes of address space above those of a process that has read all seeds
TELL = 2_000  # inputs after which it says how far it is
STARTING = 600.0  # seconds until a process is ready: kernels may have to be compiled
APART = "died apart"
_inside: Any = None  # a byte that the watching process sees
_starting = False  # the seeds are being read
_first = False  # it is the first of them


@dataclass
class Outcome:
    """What came of inputs: how many, what of how many, failures in words, the slowest [s], memory at most [MB]."""

    tried: int = 0
    found: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    seconds: float = 0.0
    slowest: float = 0.0
    memory: float = 0.0

    def __str__(self) -> str:
        found = ", ".join(f"{count:,} {word}" for word, count in self.found.most_common())
        times = f"{self.seconds:.0f} s, slowest {self.slowest:.2f} s, {self.memory:.0f} MB at most"
        return f"{self.tried:,} inputs, {len(self.failed)} failures: {found}; {times}"


def module_of(reader: str) -> Any:
    """The module of a reader: one of READERS, or another by its whole name."""
    return import_module(f"benchmarks.fuzz.{reader}" if reader in READERS else reader)


def missing(reader: str) -> str:
    """The package that a reader lacks here, empty if none."""
    needs = module_of(reader).NEEDS
    return needs if needs and find_spec(needs) is None else ""


def fuzz(reader: str, count: int, seed: int = 1, first: int = 0, report: Callable[[str], None] = print) -> Outcome:
    """Try the inputs number `first` to `count` of a seed."""
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
    """Let a process try inputs until it ends, one way or the other; the number of the next input."""
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


# ── the process that tries ──


def _work(
    reader: str, seeds: list[Input], seed: int, numbers: range, folder: str, pipe: Connection, inside: Any
) -> None:
    global _inside, _starting, _first
    _inside, _starting, _first = inside, True, True
    module = module_of(reader)
    words = open(Path(folder, "last words"), "wb")  # noqa: SIM115
    for stream in (1, 2):  # kernels may chat
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
    """The largest memory that the process had so far [MB]; getrusage would count that of the process that began it."""
    found = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def tried(attempt: Callable[[Path], str], one: Input, folder: Path) -> tuple[str, str, float]:
    """What came of an input in a word, what was wrong with that, and the seconds it took."""
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
    """What the command line makes of these words: its exit code, in a word; it must not say more than it should."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(word) for word in words])
    said = [line for line in err.getvalue().splitlines() if not line.startswith("livens: note: ")]
    if code not in (0, 1, 2) or len(said) != (code > 0) or not all(line.startswith("livens: ") for line in said):
        raise AssertionError(f"exit code {code}: {err.getvalue()[:1000]}")
    return f"exit code {code}"


def seldom(file: Path, part: int = 20) -> bool:
    """True for one file in `part`, the same ones each time, and for the first seed: kernels are loaded then."""
    return _first or zlib.crc32(file.read_bytes()) % part == 0


class DiedApart(LivensError):
    """The process that a part was left to has died, or was stopped by its clock."""


class elsewhere:
    """What the package leaves to a process of its own: `with elsewhere(): …`."""

    def __enter__(self) -> None:
        if _inside is not None and not _starting:
            _inside.value = 1
            signal.setitimer(signal.ITIMER_PROF, BRIEF)  # whose signal ends the process, also in a library that hangs

    def __exit__(self, *_: object) -> None:
        if _inside is not None and not _starting:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            _inside.value = 0


def apart_here(answer: Callable[[dict[str, Any]], bytes]) -> Callable[[str, dict[str, Any]], bytes]:
    """A stand-in for livens.storage.sandbox.apart."""

    def apart(module: str, request: dict[str, Any]) -> bytes:
        with elsewhere(), redirect_stderr(io.StringIO()):
            try:
                return answer(request)
            except (MemoryError, RecursionError) as error:
                raise LivensError(f"{type(error).__name__} apart") from None

    return apart


def apart_forked(answer: Callable[[dict[str, Any]], bytes]) -> Callable[[str, dict[str, Any]], bytes]:
    """Another, for libraries that die often: a copy of the process asks them, which itself never does (threads that a
    library has begun are not copied, and it would wait for them)."""

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
    signal.setitimer(signal.ITIMER_PROF, BRIEF)  # of computing
    signal.alarm(int(SECONDS) // 2)  # and of waiting
    try:
        told = b"R" + answer(request)
    except (LivensError, MemoryError) as error:
        told = b"E" + str(error).encode()
    except BaseException:  # livens.storage.sandbox would refuse the file, but it ought not to come to that
        told = b"X" + traceback.format_exc(limit=-6).encode()
    with os.fdopen(there, "wb") as pipe:
        pipe.write(told)
    os._exit(0)
