"""The sandbox: untrusted files are read in a separate process, with limits on time and memory.

CAD kernels and MuJoCo are large programs that may hang, crash or run out of memory on a malicious or damaged file. The
separate process runs in an empty folder. It returns bytes: a result, or an error that this process raises.
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

SECONDS = 120.0  # time limit for one file
MEMORY = 4 * 2**30  # bytes of address space
RESULT, ERROR = b"R", b"E"
ERROR_CLASSES: dict[str, type[LivensError]] = {kind.__name__: kind for kind in (ModelError, FileError, MissingExtra)}


def run_sandboxed(module: str, request: dict[str, Any]) -> bytes:
    """The result of `module`, run as a program that calls `serve`, for a request about the file request["path"]."""
    package = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])])
    path = request["path"]
    with TemporaryDirectory() as folder:  # MuJoCo writes a log file into its folder
        try:
            done = subprocess.run(
                [sys.executable, "-m", module],
                input=json.dumps({**request, "memory": MEMORY}).encode(),
                capture_output=True,
                timeout=SECONDS,
                cwd=folder,
                env={**os.environ, "PYTHONPATH": package},
            )
        except subprocess.TimeoutExpired:
            raise FileError(f"{path} could not be read within {SECONDS:g} s.") from None
    if done.returncode or not done.stdout:
        raise FileError(f"{path} could not be read: the reader process failed (exit code {done.returncode}).")
    if done.stdout.startswith(ERROR):
        answer = json.loads(done.stdout[1:])
        raise ERROR_CLASSES.get(answer["kind"], FileError)(answer["error"])
    return done.stdout[1:]


def serve(work: Callable[[dict[str, Any]], bytes]) -> None:
    """The main function of the separate process: read a request as JSON, write the result of `work`."""
    request = json.load(sys.stdin)
    out = os.dup(1)
    os.dup2(2, 1)  # libraries may print
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
