"""Errors that begin with the path of the faulty entry in a scene: "joints.elbow.axis: …"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import LivensError, MissingExtra, ModelError


@contextmanager
def at(path: str) -> Iterator[None]:
    """Add `path` to every error that is raised in the block."""
    try:
        yield
    except MissingExtra:
        raise
    except LivensError as error:
        raise error if error.path is not None else refusal(path, str(error), type(error)) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200].rstrip(".")
        raise refusal(path, f"it could not be built: {reason}.") from None


def refusal(path: str, sentence: str, kind: type = ModelError) -> LivensError:
    """An error whose message begins with its path."""
    error: LivensError = kind(f"{path}: {sentence}")
    error.path = path
    return error


def dotted(*names: str | int) -> str:
    """A path as TOML writes keys: joints.elbow, bodies."ball 1".at."""
    return ".".join(name if re.fullmatch(r"[\w-]+", name, re.A) else f'"{name}"' for name in map(str, names))
