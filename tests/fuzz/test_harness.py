"""The harness detects failures, continues after each, and reports the input."""

import sys
from random import Random

import pytest

from benchmarks.fuzz import harness
from benchmarks.soak import Part, soak
from tests.helpers import dying_reader

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and measures memory as Linux does")


def test_every_kind_of_failure_is_counted(monkeypatch):
    monkeypatch.setattr(harness, "SECONDS", 20.0)  # a new process, on a machine that does other things too
    count = len(dying_reader.ENDS)

    def ends(seed):
        return [dying_reader.spoilt(Random(f"{seed} {k}"), []).data.decode() for k in range(count)]

    seed = next(seed for seed in range(100_000) if set(ends(seed)) == set(dying_reader.ENDS))
    told = []
    done = harness.fuzz("tests.helpers.dying_reader", count, seed, report=told.append)
    assert done.tried == count
    assert done.found == {"read": 1, "FileError": 1, "crashed in sandbox": 4, "failure": 6}
    words = {
        "raises": "KeyError: 'no key'",
        "swells": "MemoryError",
        "dies": "the process died (code -11)",
        "hangs": "took longer than 20 s",
        "speaks": "not one sentence",
        "raises forked": "KeyError: 'missing'",
    }
    assert len(done.failed) == len(words)
    for end, word in words.items():
        [said] = [text for text in done.failed if f"input {ends(seed).index(end)}:" in text]
        assert word in said
    assert told == done.failed


def fails(count, seed, report):
    return harness.Outcome(tried=count, failed=["one"])


def holds(count, seed, report):
    return harness.Outcome(tried=count)


def breaks(count, seed, report):
    raise RuntimeError("off")


def test_the_table_counts_failures():
    sizes = {"small": 7}
    parts = (Part("good", holds, sizes), Part("bad", fails, sizes), Part("worse", breaks, sizes))
    table, failures = soak("small", parts=parts)
    assert failures == 2
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    assert rows[0][:3] == ["test", "tried", "failures"]
    assert [row[:3] for row in rows[2:]] == [["good", "7", "0"], ["bad", "7", "1"], ["worse", "0", "1"]]
