"""Spoilt URDF: read or refused in one sentence, nothing else."""

import random
import re
import warnings
from pathlib import Path

import pytest

import livens as lv

TEXT = (Path(__file__).parent / "every_joint.urdf").read_text()
ODD = [
    "",
    "nan",
    "inf",
    "1e308",
    "-1e308",
    "1e-320",
    "0 0 0",
    "x",
    "world",
    "arm",
    "base",
    "fixed",
    "planar",
    "floating",
]


def spoilt(seed):
    """The file with some words, values or tags changed, cut or moved."""
    dice, text = random.Random(seed), TEXT
    for _ in range(dice.choice((1, 1, 2, 4))):
        values = list(re.finditer(r'"[^"]*"', text))
        tags = list(re.finditer(r"<[^>]*>", text))
        how = dice.randrange(5)
        if how <= 1 and values:
            at = dice.choice(values)
            text = f'{text[: at.start()]}"{dice.choice(ODD)}"{text[at.end() :]}'
        elif how == 2 and tags:
            at = dice.choice(tags)
            text = text[: at.start()] + text[at.end() :]
        elif how == 3 and len(tags) > 1:
            one, two = dice.sample(tags, 2)
            text = text[: two.start()] + one.group() + text[two.start() :]
        else:
            a, b = sorted(dice.choices(range(len(text) + 1), k=2))
            text = text[:a] + text[min(b, a + 30) :]
    return text


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_spoilt_robots_are_read_or_refused(tmp_path, base):
    read, reasons = 0, []
    for seed in range(300):
        (tmp_path / "r.urdf").write_text(spoilt(seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lv.ModelWarning)
            try:
                lv.read_urdf(tmp_path / "r.urdf", base=base)
                read += 1
            except lv.LivensError as error:
                reasons.append(str(error))
    assert read > 30
    assert len(reasons) > 30
    assert not [reason for reason in reasons if "\n" in reason]
