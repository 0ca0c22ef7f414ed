"""What the parts of the soak give (soak.py)."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Count:
    """What was tried: how many, what failed, and a remark."""

    tried: int = 0
    failed: list[str] = field(default_factory=list)
    remark: str = ""
