"""Fixtures that folders of tests share."""

import pytest

from livens.cli.main import main


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in."""
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
