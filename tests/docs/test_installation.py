"""The page about installation names every extra, and those that `all` leaves out."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
NOT_FOR_USERS = {"dev", "docs"}


def test_every_extra_is_named_and_all_leaves_out_what_the_page_says():
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    text = (ROOT / "docs" / "installation.md").read_text(encoding="utf-8")
    rows = [row.split("|")[1] for row in text.splitlines() if row.startswith("| `")]
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == set(extras) - NOT_FOR_USERS
    inside = set(re.search(r"\[(.*)\]", extras["all"][0])[1].split(","))
    left_out = set(extras) - NOT_FOR_USERS - inside - {"all"}
    (said,) = re.findall(r"^\| `all` \| all of these except (.*) \|$", text, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", said)) == left_out
    (also,) = re.findall(r"# adds all extras except (.*)$", text, re.MULTILINE)
    assert set(re.findall(r"\w+", also)) - {"and"} == left_out
