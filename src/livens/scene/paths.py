"""Errors with the path of the fault in a document: "joints.elbow.axis: …"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import LivensError, MissingExtra, ModelError


@contextmanager
def at(path: str) -> Iterator[None]:
    """Begin the message of every error inside with the path."""
    try:
        yield
    except MissingExtra:
        raise
    except LivensError as error:
        raise error if hasattr(error, "path") else refusal(path, str(error), type(error)) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise refusal(path, f"it could not be built: {reason}.") from None


def refusal(path: str, sentence: str, kind: type = ModelError) -> LivensError:
    """An error that names its path once."""
    error: LivensError = kind(f"{path}: {sentence}")
    error.path = path  # type: ignore[attr-defined]
    return error


def dotted(*names: str | int) -> str:
    """A path as TOML writes keys: joints.elbow, bodies."ball 1".at."""
    return ".".join(name if re.fullmatch(r"[\w-]+", name, re.A) else f'"{name}"' for name in map(str, names))
