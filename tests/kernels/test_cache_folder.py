"""The folder of compiled kernels: in the user's cache, or in a private temporary folder, or nowhere, and it is said."""

import os
import stat
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from livens import _jit

pytestmark = [
    pytest.mark.skipif(find_spec("numba") is None, reason="numba is not installed"),
    pytest.mark.skipif(os.name != "posix", reason="users and modes of POSIX"),
]
NOBODY = """
import pwd

def nobody(user):
    raise KeyError(f"getpwuid(): uid not found: {user}")

pwd.getpwuid = nobody
"""
ASK = """
from livens import _jit

@_jit.njit
def twice(x):
    return 2.0 * x

assert twice(3.0) == 6.0
stored = _jit.FOLDER is not None and len(list(_jit.FOLDER.glob("**/*.nbi")))
print(_jit.FOLDER, _jit.TEMPORARY, stored, _jit.how_often(), sep="|")
"""


def asked(folder, before="", **environment):
    """(folder, whether it is temporary, kernels in it, how often) of a process with this environment alone."""
    keep = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH") if name in os.environ}
    script = folder / "ask.py"  # numba stores kernels of files only
    script.write_text(before + ASK)
    source = str(Path(_jit.__file__).parents[1])
    environment = {**keep, "PYTHONPATH": source, "TMPDIR": str(folder), "LIVENS_BACKEND": "numba", **environment}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=environment)
    assert not done.returncode, done.stderr
    return done.stdout.strip().split("|")


def test_a_user_without_home_gets_a_private_temporary_folder(tmp_path):
    where, temporary, stored, often = asked(tmp_path, NOBODY)
    mine = tmp_path / f"livens-{os.getuid()}"
    assert Path(where).is_relative_to(mine)
    assert (temporary, stored) == ("True", "1")
    assert often.startswith(f"into {mine}")
    assert "set NUMBA_CACHE_DIR" in often
    assert stat.S_IMODE(mine.stat().st_mode) == 0o700
    assert asked(tmp_path, NOBODY)[2] == "1"  # the second process finds it


def test_a_cache_that_cannot_be_written_gives_a_temporary_folder(tmp_path):
    (tmp_path / "home").write_text("a file, in which no folder can be made")
    where, temporary, _, _ = asked(tmp_path, HOME=str(tmp_path / "home"))
    assert Path(where).is_relative_to(tmp_path / f"livens-{os.getuid()}")
    assert temporary == "True"


def test_given_folders_need_no_home(tmp_path):
    where, temporary, _, often = asked(tmp_path, NOBODY, XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert Path(where).is_relative_to(tmp_path / "cache" / "livens")
    assert (temporary, often) == ("False", "once")


@pytest.mark.parametrize("kind", ["open to others", "a link"])
def test_a_temporary_folder_of_others_is_not_used(tmp_path, kind):
    """Compiled kernels are executed: nobody else may write them."""
    mine = tmp_path / f"livens-{os.getuid()}"
    if kind == "a link":
        (tmp_path / "theirs").mkdir()
        mine.symlink_to(tmp_path / "theirs")
    else:
        mine.mkdir()
        mine.chmod(0o777)
    where, temporary, _, often = asked(tmp_path, NOBODY)
    assert (where, temporary) == ("None", "False")
    assert often.startswith("in every process, because no cache folder can be written")
