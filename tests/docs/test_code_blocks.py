"""Code of the documentation that is not a notebook: run where it can be, and otherwise read.

Notebook cells ({code-cell}) are run by `make docs`; here are the plain blocks, and every `livens …` that a page shows.
"""

import ast
import re
import shlex
from pathlib import Path

import pytest

from livens import cli

ROOT = Path(__file__).parents[2]
PAGES = [path for path in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in path.parts] + [ROOT / "README.md"]
EXAMPLE = re.compile(r"`(livens [a-z][^`]*)`|^    (livens [a-z].*)$", re.MULTILINE)


def blocks(path, language="python"):
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def commands(path):
    """The arguments of each command that a page shows; what stands behind two blanks is a remark."""
    lines = (line or block for line, block in EXAMPLE.findall(path.read_text(encoding="utf-8")))
    return [shlex.split(re.split(r"  +|…|\n", line)[0])[1:] for line in lines]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_blocks_are_python(path):
    for block in blocks(path):
        ast.parse(block)


def test_commands_are_those_of_the_command_line(capsys):
    parser, known = cli._parser(), 0
    for path in PAGES:
        for arguments in commands(path):
            if arguments == ["--help"] or "--help" in arguments:
                continue
            try:
                parser.parse_args(arguments)
            except SystemExit:
                said = capsys.readouterr().err
                # a page may name a command without the file it takes
                assert "required" in said, f"{path.name}: livens {' '.join(arguments)}: {said}"
            known += 1
    assert known > 30


def test_scenes_as_their_page_says(tmp_path, monkeypatch, capsys):
    """The commands at its head that end by themselves, and its block of Python."""
    page = ROOT / "docs" / "reference" / "scenes.md"
    monkeypatch.chdir(tmp_path)
    shown = [arguments for arguments in commands(page) if arguments[0] in ("new", "check", "run", "schema")]
    assert [arguments[0] for arguments in shown[:3]] == ["new", "check", "run"]
    for arguments in shown[:3]:
        assert cli.main(arguments) == 0
    assert (tmp_path / "swing.nc").exists()
    [block] = blocks(page)
    names: dict[str, object] = {}
    exec(compile(block, page.name, "exec"), names)
    assert (tmp_path / "copy.toml").exists()
    capsys.readouterr()
