"""What a study is, so that it is not mixed with another when it goes on: facts that are stored with it and compared.

The values of the parameters and the model of the first member are too long to say: they stand as digests. What the
functions of a study do cannot be known; that they make the same first model is a good sign.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..describe.model import Model
from ..errors import FileError, LivensError
from ..run.plan import Plan
from ..scene import to_dict
from .designs import Design


def facts_of(members: Design, how: Plan, first: Model | None) -> dict[str, Any]:
    """What can be known of a study, by name."""
    digests = {f"the values of {name!r}": _digest([x.dtype.kind, *x.tolist()]) for name, x in members.values.items()}
    return {
        "scheme": repr(how.scheme),
        "h": how.h,
        "steps": how.steps,
        "every": how.every,
        "axes": members.axes,
        **digests,
        "the model of its first member": _digest_of_model(first),
    }


def compare(stored: dict[str, Any], now: dict[str, Any], path: Path) -> None:
    """Refuse to mix two studies."""
    for what, value in now.items():
        before = stored.get(what)
        if before == value or (what.startswith("the model") and not (before and value)):
            continue
        how = f"it differs in {what}" if what.startswith("the ") else f"{what} = {before} there, {value} here"
        raise FileError(f"{path} holds another study: {how}. Choose another name, or delete it.")


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def _digest_of_model(model: Model | None) -> str:
    """What tells a model from another, or nothing where it cannot be told; the last digits do not count, which another
    machine may round differently."""

    def rounded(value: Any) -> Any:
        if isinstance(value, float):
            return f"{value:.9g}"
        if isinstance(value, list):
            return [rounded(x) for x in value]
        return {key: rounded(x) for key, x in value.items()} if isinstance(value, dict) else value

    with suppress(LivensError):
        return _digest(rounded(to_dict(model))) if model is not None else ""
    return ""
