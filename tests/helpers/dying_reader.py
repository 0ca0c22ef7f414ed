"""A reader that does all that readers must not do."""

import os
import signal
import time

from benchmarks.fuzz import Input
from benchmarks.fuzz.harness import apart_forked, elsewhere
from livens import FileError

NEEDS = ""
ENDS = (
    "good", "refused", "raises", "swells", "dies", "hangs", "speaks", "dies apart", "hangs apart", "dies forked",
    "hangs forked", "raises forked",
)  # fmt: skip


def seeds():
    return [Input("note.txt", b"good")]


def spoilt(random, seeds):
    return Input("note.txt", random.choice(ENDS).encode())


def attempt(file):
    end = file.read_text()
    if end == "refused":
        raise FileError("it is refused.")
    if end == "raises":
        raise KeyError("no key")
    if end == "swells":
        bytearray(3 * 2**30)
    if end == "dies":
        os.kill(os.getpid(), signal.SIGSEGV)
    if end == "hangs":
        time.sleep(60)
    if end == "speaks":
        raise FileError("two\nlines")
    if end == "dies apart":
        with elsewhere():
            os.abort()
    if end == "hangs apart":
        with elsewhere():
            spin()
    if end == "dies forked":
        apart_forked(lambda request: os.abort())("", {})
    if end == "hangs forked":
        apart_forked(lambda request: spin())("", {})
    if end == "raises forked":
        apart_forked(lambda request: request["missing"])("", {})
    return "read"


def spin():
    while True:
        pass
