"""Fixtures that all folders of tests share, and the table of times by folder."""

from collections import Counter

import pytest
from hypothesis import settings

from livens.cli.main import main

# Every run of the suite tries the same inputs; `pytest --hypothesis-profile=search` tries new ones.
settings.register_profile("search", deadline=None, max_examples=1000)
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")

seconds = Counter()  # of tests and their fixtures, by folder


def pytest_runtest_logreport(report):
    """Add the time of a test, its set-up and its tear-down. With xdist only the controller adds them."""
    folder = report.nodeid.partition("::")[0].rpartition("/")[0]
    seconds[folder] += report.duration


def pytest_terminal_summary(terminalreporter, config):
    """Print the seconds by folder, the longest first."""
    if not hasattr(config, "workerinput") and sum(seconds.values()) >= 1.0:
        terminalreporter.section("seconds by folder")
        for folder, total in seconds.most_common():
            terminalreporter.write_line(f"{total:9.1f}  {folder or '.'}")
        terminalreporter.write_line(f"{sum(seconds.values()):9.1f}  in total")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def say(here, capsys):
    """Call the command line in an empty folder: (exit code, stdout, stderr)."""

    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return call
