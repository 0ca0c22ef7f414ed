"""Damage of files: bytes, words and numbers are changed, cut, copied or nested."""

from __future__ import annotations

import re
import struct
from copy import deepcopy
from random import Random
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

NUMBERS = [0, 1, 0x7F, 0x7FFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**31 - 2, 2**24, 65536, 2**40, 2**63, 2**64 - 1]
FLOATS = [0.0, -0.0, 1e308, -1e308, 1e-320, float("inf"), float("-inf"), float("nan"), 1e38, 1e-38, 1e154, -1.0]
WORDS = [
    "", "0", "-0", "nan", "inf", "-inf", "1e308", "-1e308", "1e999", "1e-320", "99999999999999999999", "-1", "0x10",
    "1_0", "½", "x", "0 0 0", "1 2 3", "1e308 1e308 1e308", "1e154 0 0", "nan nan nan", "1 2 3 4 5 6", "\u0000",
    "../../x", "/etc/passwd", "package://x/../../y", "file:///etc/passwd", "%s%n", "&lt;", "true", "auto", "world",
    "2147483648",
]  # fmt: skip


def of_bytes(random: Random, data: bytes, others: list[bytes]) -> bytes:
    """Bytes with random damage."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        data = random.choice((cut, ended, flipped, numbered, numbered, floated, copied, spliced, filled))(
            random, data, others
        )
    return data


def place(random: Random, size: int) -> int:
    """A random position in a file, more often near its beginning, which contains its tables."""
    return int(size * random.random() ** random.choice((1, 1, 3)))


def cut(random: Random, data: bytes, others: list[bytes]) -> bytes:
    i = place(random, len(data) + 1)
    return data[:i] + data[i + random.choice((1, 3, 4, 8, 20, 200)) :]


def ended(random: Random, data: bytes, others: list[bytes]) -> bytes:
    return data[: place(random, len(data) + 1)]


def flipped(random: Random, data: bytes, others: list[bytes]) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 10)) if data else 0):
        changed[place(random, len(data))] ^= 1 << random.randrange(8)
    return bytes(changed)


def numbered(random: Random, data: bytes, others: list[bytes]) -> bytes:
    """A number of 1 to 8 bytes, like counts and offsets."""
    size = random.choice((1, 2, 4, 4, 8))
    value = random.choice([*NUMBERS, random.randrange(256), len(data), random.randrange(len(data) + 1)])
    piece = (value % 256**size).to_bytes(size, random.choice(("little", "little", "big")))
    i = place(random, len(data) + 1)
    i -= i % random.choice((1, size))
    return data[:i] + piece + data[i + size :]


def floated(random: Random, data: bytes, others: list[bytes]) -> bytes:
    kind = random.choice("fd")
    value = random.choice(FLOATS)
    if kind == "f" and abs(value) > 3e38 and value not in (float("inf"), float("-inf")):
        value = 3e38
    piece = struct.pack(f"<{kind}", value)
    i = place(random, len(data) + 1)
    i -= i % random.choice((1, 4))
    return data[:i] + piece + data[i + len(piece) :]


def copied(random: Random, data: bytes, others: list[bytes]) -> bytes:
    """Copy a piece to another position, overwriting or inserting."""
    i, j, size = place(random, len(data) + 1), place(random, len(data) + 1), random.choice((1, 4, 8, 50, 500))
    return data[:j] + data[i : i + size] + data[j + random.choice((0, size)) :]


def spliced(random: Random, data: bytes, others: list[bytes]) -> bytes:
    other = random.choice(others)
    return data[: place(random, len(data) + 1)] + other[place(random, len(other) + 1) :]


def filled(random: Random, data: bytes, others: list[bytes]) -> bytes:
    i, size = place(random, len(data) + 1), random.choice((4, 16, 100, 1000))
    return data[:i] + random.choice((b"\0", b"\xff", b" ", b"9", b"-")) * size + data[i + random.choice((0, size)) :]


# ── text ──


def of_words(random: Random, text: str, others: list[str]) -> str:
    """A text of lines and numbers, such as OBJ or STEP, with random damage."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        how = random.randrange(6)
        if how <= 1 and (found := list(re.finditer(r"-?\d[\d.eE+-]*", text))):
            at = random.choice(found)
            text = text[: at.start()] + random.choice([*WORDS, random.choice(found)[0]]) + text[at.end() :]
        elif how == 2:
            lines = text.split("\n")
            i, j = random.randrange(len(lines)), random.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
            text = "\n".join(lines)
        elif how == 3:
            lines = text.split("\n")
            lines.insert(random.randrange(len(lines)), random.choice(random.choice(others).split("\n")))
            text = "\n".join(lines)
        elif how == 4:
            i = random.randrange(len(text) + 1)
            text = text[:i] + text[i + random.choice((1, 3, 20, 200)) :]
        else:
            i = random.randrange(len(text) + 1)
            text = text[:i] + random.choice([*WORDS, "\n", "(", ")", "#", "'", ";", "=", "$", "*"]) + text[i:]
    return text


def of_markup(random: Random, text: str, others: list[str], names: list[str], tags: list[str]) -> str:
    """XML, changed mostly as a tree, so that it stays XML; `names` and `tags` are valid for its reader."""
    if random.random() < 0.85:
        text = ElementTree.tostring(of_tree(random, ElementTree.fromstring(text), names, tags), encoding="unicode")
    if random.random() < 0.25:
        text = of_text(random, text, others)
    return text


def of_tree(random: Random, root: Element, names: list[str], tags: list[str]) -> Element:
    """Values, attributes and elements changed, moved, copied or deleted."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        places = [(parent, child) for parent in root.iter() for child in parent]
        if not places:
            return root
        (parent, child), (there, other) = random.choice(places), random.choice(places)
        how = random.randrange(8)
        if how <= 3 and child.attrib:
            key = random.choice(list(child.attrib))
            known = random.choice(list(other.attrib.values()) or names)
            child.set(key, random.choice((random.choice(WORDS).replace("\0", ""), random.choice(names), known)))
        elif how == 4:
            parent.remove(child)
        elif how == 5:
            there.insert(random.randrange(len(there) + 1), deepcopy(child))
        elif how == 6:
            child.append(ElementTree.fromstring(random.choice(tags)))
        elif child.attrib and random.random() < 0.5:
            del child.attrib[random.choice(list(child.attrib))]
        else:
            child.tag, other.tag = other.tag, child.tag
    return root


def of_text(random: Random, text: str, others: list[str]) -> str:
    """Text with tags and pieces cut, copied or moved, or with an attack."""
    how, elements = random.randrange(5), list(re.finditer(r"<[^>]*>", text))
    a, b = sorted(random.choices(range(len(text) + 1), k=2))
    if how == 0 and elements:
        at = random.choice(elements)
        return text[: at.start()] + text[at.end() :]
    if how == 1:
        return text[:a] + text[min(b, a + 60) :]
    if how == 2:
        return text[:b] + text[a : min(b, a + 400)] + text[b:]
    if how == 3:
        other = random.choice(others)
        return text[:a] + other[a : min(b, a + 600)] + text[a:]
    return bomb(random, text, elements)


def bomb(random: Random, text: str, elements: list[re.Match[str]]) -> str:
    """Attacks: exponential entities, external files, deeply nested elements."""
    how = random.randrange(4)
    if how == 0:
        grows = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 9))
        return f'<!DOCTYPE x [<!ENTITY e0 "ha">{grows}]>' + re.sub(r'"[^"]*"', '"&e8;"', text, count=1)
    if how == 1:
        return '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>' + text.replace('name="', 'name="&e;', 1)
    deep = random.choice((30, 300, 3000))
    tag = re.match(r"<(\w+)", random.choice(elements)[0]) if elements else None
    name = tag[1] if tag else "a"
    at = random.choice(elements).end() if elements else 0
    return text[:at] + f"<{name}>" * deep + f"</{name}>" * (deep if how == 2 else deep - 1) + text[at:]
