"""Untrusted XML: elements and attributes, with limits on size, depth and number, and without entities.

A document type (DOCTYPE) can define entities, which can expand without limit and refer to other files: it is an error.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from ..errors import FileError
from .bytes import read_limited

MAX_BYTES = 64_000_000
MAX_DEPTH = 200
MAX_ELEMENTS = 1_000_000


def read_markup(path: Path) -> Element:
    """The root element of an XML file."""
    try:
        data = read_limited(path, MAX_BYTES)
    except ValueError:
        raise FileError(f"{str(path)!r} is not the name of a file.") from None
    return parse(data, str(path))


def parse(data: bytes, what: str, text: bool = False) -> Element:
    """The root element of XML text; `what` names it in errors. text: keep the text between elements, too.

    >>> parse(b"<robot name='r'><link name='base'/></robot>", "r.urdf")[0].get("name")
    'base'
    """
    builder, parser = TreeBuilder(), expat.ParserCreate()
    depth = count = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1
        if depth > MAX_DEPTH or count > MAX_ELEMENTS:
            raise FileError(f"{what} has more than {MAX_DEPTH} levels or {MAX_ELEMENTS} elements.")
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    def doctype(*_: object) -> None:
        raise FileError(f"{what} has a document type (DOCTYPE), which is not allowed: remove that line.")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = doctype
    if text:
        parser.CharacterDataHandler, parser.buffer_text = builder.data, True
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise FileError(f"{what} is not XML: {error}.") from None
    except (LookupError, ValueError) as error:
        raise FileError(f"{what} is not XML: {str(error).rstrip('.')}.") from None
    return builder.close()
