"""Scenes: TOML files and the models they describe."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from random import Random

from livens import read_scene
from livens.scene.text import text_of

from . import Input
from .harness import command, seldom

NEEDS = "pydantic"
ROOT = Path(__file__).parents[2]
ODD = [
    "0", "-0.0", "1e308", "-1e308", "1e-320", "inf", "-inf", "nan", "1e999", "9223372036854775808",
    "0xffffffffffffffffffffff", "true", "false", '""', '"x"', "[]", "{}", "[[]]", "[[0]]", '"t"', '"pi"', '"inf"',
    '"0/0"', '"1e308*10"', '"world"', '"center"', '"drawn"', '"auto"', "'''", "'''", '"\\u0000"', "1979-05-27",
    "07:32:00", '"__import__(\'os\')"', '"x0[0]"', '"[1,2,3]"', '"((((1))))"', '"-----1"', '"../../etc/passwd"',
    '"Box"', '"Revolute"', '"Energy"', "3.14",
]  # fmt: skip

STRANGE = [
    0.0, -1.0, 1e308, 1e-308, float("nan"), float("inf"), 10**400, 10**9, 2**31, 3, True, "t", "x1", "[1, 2, 3]", "1/0",
    "arm", "world", [], [0.0, 0.0, 0.0], {}, {"body": "world"},
]  # fmt: skip


def texts() -> list[str]:
    """Valid scenes: the examples, the starter, and the scene with every table."""
    files = [*sorted((ROOT / "examples" / "scenes").glob("*.toml")), ROOT / "src/livens/scene/starter.toml"]
    whole = re.search(r"```toml\n(.*?)```", (ROOT / "docs/reference/scenes.md").read_text(encoding="utf-8"), re.S)
    assert whole
    return [*(file.read_text(encoding="utf-8") for file in files), whole[1]]


def seeds() -> list[Input]:
    return [Input("scene.toml", text.encode()) for text in texts()]


def spoilt(random: Random, seeds: list[Input]) -> Input:
    text = mutated(random, [seed.data.decode() for seed in seeds])
    return Input("scene.toml", text.encode("utf-8", "surrogatepass"))


def attempt(file: Path) -> str:
    if seldom(file):
        command("check", file)
    scene = read_scene(file)
    _ = scene.run, scene.output
    scene.tracers(scene.model())
    return "model"


def mutated(random: Random, texts: list[str]) -> str:
    """One of `texts`, with random damage."""
    text = random.choice(texts)
    if random.random() < 0.4:
        text = text_of(altered(random, tomllib.loads(text)))
    for _ in range(random.choice((0, 1, 1, 1, 2, 3, 8))):
        text = random.choice((cut, put, swap, splice, nest, renumber, bits))(random, text, texts)
    return text


def cut(random: Random, text: str, texts: list[str]) -> str:
    i = random.randrange(len(text) + 1)
    return text[:i] + text[i + random.choice((1, 3, 20, 200)) :]


def put(random: Random, text: str, texts: list[str]) -> str:
    i = random.randrange(len(text) + 1)
    return text[:i] + random.choice([*ODD, "\n", "]", "[", "{", "}", "=", '"', ".", "#"]) + text[i:]


def swap(random: Random, text: str, texts: list[str]) -> str:
    lines = text.split("\n")
    i, j = random.randrange(len(lines)), random.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return "\n".join(lines)


def splice(random: Random, text: str, texts: list[str]) -> str:
    other = random.choice(texts).split("\n")
    i, j = random.randrange(len(other)), random.randrange(len(other))
    lines = text.split("\n")
    k = random.randrange(len(lines))
    return "\n".join([*lines[:k], *other[min(i, j) : max(i, j)], *lines[k:]])


def nest(random: Random, text: str, texts: list[str]) -> str:
    deep = random.choice((3, 30, 300, 3000))
    piece = random.choice(("[" * deep + "]" * deep, "a." * deep + "a", '"' + "(" * deep + '"', '"' + "-" * deep + '1"'))
    return put(
        random, re.sub(r"\d+", lambda found: piece, text, count=1) if random.random() < 0.5 else text + piece, texts
    )


def renumber(random: Random, text: str, texts: list[str]) -> str:
    places = list(re.finditer(r"-?\d[\d.e-]*", text))
    if not places:
        return text
    place = random.choice(places)
    return text[: place.start()] + random.choice(ODD) + text[place.end() :]


def bits(random: Random, text: str, texts: list[str]) -> str:
    i = random.randrange(len(text) + 1)
    return text[:i] + chr(random.choice((0, 9, 13, 34, 92, 127, 233, 8364, 0x1F600))) + text[i + 1 :]


def altered(random: Random, document: dict) -> dict:
    """A document with some values replaced, deleted or copied to another position."""
    places = []

    def walk(here) -> None:
        for key in list(here) if isinstance(here, dict) else range(len(here)):
            places.append((here, key))
            if isinstance(here[key], dict | list):
                walk(here[key])

    walk(document)
    for _ in range(random.choice((1, 1, 2, 5))):
        here, key = random.choice(places)
        there, other = random.choice(places)
        if (isinstance(here, dict) and key not in here) or (isinstance(there, dict) and other not in there):
            continue
        choice = random.random()
        if choice < 0.2 and isinstance(here, dict):
            del here[key]
        elif choice < 0.5:
            here[key] = plain(there[other])
        else:
            here[key] = plain(random.choice(STRANGE))
    return document


def plain(value):
    """A copy, so that no table contains itself."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return [plain(entry) for entry in value] if isinstance(value, list) else value
