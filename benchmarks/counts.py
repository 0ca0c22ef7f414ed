"""Result of a part of the endurance tests (soak.py)."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Count:
    """Number of attempts, descriptions of failures, and a remark."""

    tried: int = 0
    failed: list[str] = field(default_factory=list)
    remark: str = ""
