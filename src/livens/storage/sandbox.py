"""Files that nobody vouches for, read in a process of its own: what hangs, crashes or swells does so there.

CAD kernels and MuJoCo are large programs, which a file may lead anywhere. They get a clock and a bound on memory, run
in an empty folder, and what they found comes back as bytes: a result, or an error to be raised here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..errors import FileError, LivensError, MissingExtra, ModelError

SECONDS = 120.0  # for one file
MEMORY = 4 * 2**30  # bytes of address space
RESULT, ERROR = b"R", b"E"
KINDS: dict[str, type[LivensError]] = {kind.__name__: kind for kind in (ModelError, FileError, MissingExtra)}


def apart(module: str, request: dict[str, Any]) -> bytes:
    """What `module`, run as a program that calls `serve`, answers to a request about the file request["path"]."""
    package = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])])
    path = request["path"]
    with TemporaryDirectory() as elsewhere:  # MuJoCo writes a log where it runs
        try:
            done = subprocess.run(
                [sys.executable, "-m", module],
                input=json.dumps({**request, "memory": MEMORY}).encode(),
                capture_output=True,
                timeout=SECONDS,
                cwd=elsewhere,
                env={**os.environ, "PYTHONPATH": package},
            )
        except subprocess.TimeoutExpired:
            raise FileError(f"{path} could not be read within {SECONDS:g} s.") from None
    if done.returncode or not done.stdout:
        raise FileError(f"{path} could not be read: the reader failed on it (code {done.returncode}).")
    if done.stdout.startswith(ERROR):
        told = json.loads(done.stdout[1:])
        raise KINDS.get(told["kind"], FileError)(told["error"])
    return done.stdout[1:]


def serve(work: Callable[[dict[str, Any]], bytes]) -> None:
    """The other process: a request comes in as JSON, what `work` makes of it goes out."""
    request = json.load(sys.stdin)
    out = os.dup(1)
    os.dup2(2, 1)  # kernels may chat
    if os.name == "posix":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (request["memory"], request["memory"]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        data = RESULT + work(request)
    except LivensError as error:
        data = _error(type(error).__name__, str(error))
    except MemoryError:
        data = _error("FileError", f"{request['path']} needs more memory than {request['memory'] / 2**30:g} GiB.")
    with os.fdopen(out, "wb") as stream:
        stream.write(data)


def _error(kind: str, text: str) -> bytes:
    return ERROR + json.dumps({"kind": kind, "error": text}).encode()
