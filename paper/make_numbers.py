"""The numbers of the paper: python paper/make_numbers.py (make paper) writes numbers.json and paper.md.

paper.md is template.md with the numbers in the place of {{names}}. Those of the benchmarks are read from
docs/benchmarks.md, which `make bench` writes; the others are computed here, in seconds. tests/docs/test_paper.py checks
that they are up to date.
"""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

import numpy as np

import livens as lv
from livens.demos import DEMOS
from livens.describe.joints.joint import Joint
from livens.scene.catalogue import things

HERE = Path(__file__).parent
ROOT = HERE.parent
UNTIL, STEP = 200.0, 0.005  # s
BEHIND_OR_AHEAD = re.compile(r"\| (ahead|behind) \(([\d.]+)×\)")


def power_of_ten(x: float, digits: int = 1) -> str:
    """A number in the words of TeX.

    >>> power_of_ten(3.21e-13)
    '$3.2\\\\times10^{-13}$'
    """
    mantissa, exponent = f"{x:.{digits}e}".split("e")
    return rf"${mantissa}\times10^{{{int(exponent)}}}$"


def energy() -> dict[str, str]:
    """A chaotic double pendulum for 200 s, with one evaluation of the forces every 5 ms by both schemes."""
    model, found = DEMOS["double-pendulum"].run().model, {}
    for name, scheme, h in (("livens", lv.Livens(2), STEP), ("rk", lv.RungeKutta(4), 4 * STEP)):
        motion = lv.simulate(model, scheme, h=h, until=UNTIL)
        error = np.abs(motion.energy - motion.energy[0]) / max(motion.kinetic.max(), np.ptp(motion.potential))
        found[f"energy_{name}_early"] = power_of_ten(error[motion.t <= 0.1 * UNTIL].max())
        found[f"energy_{name}_late"] = power_of_ten(error[motion.t >= 0.9 * UNTIL].max())
        if name == "livens":
            found["violation"] = power_of_ten(motion.defect_position.max())
            found["violation_rate"] = power_of_ten(motion.defect_velocity.max())
    return found


def loops() -> dict[str, str]:
    """The Bricard linkage."""
    motion = DEMOS["bricard"].run()
    rows = sum(len(joint.rows()) for joint in motion.model.joints)
    return {
        "bricard_rows": str(rows),
        "bricard_redundant": str(sum(motion.redundant.values())),
        "bricard_freedom": str(motion.freedom),
        "bricard_violation": power_of_ten(motion.defect_position.max()),
    }


def hammer() -> dict[str, str]:
    motion = DEMOS["hammer"].run()
    error = np.abs(motion.energy - motion.energy[0]).max() / motion.kinetic.max()
    return {"hammer_steps": f"{motion.steps:,}", "hammer_error": power_of_ten(error)}


def benchmarks() -> dict[str, str]:
    """Time of the best other program divided by that of livens, from the table of time to accuracy."""
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    table = text.partition("## Time to accuracy: rigid bodies")[2].partition("Problems on which")[0]
    rows = [line for line in table.splitlines() if re.match(r"\| .* \| 1e-0[46] ", line)]
    by_error = {error: [row for row in rows if f"| {error} " in row] for error in ("1e-04", "1e-06")}
    ratios = {
        error: [float(x[1]) for row in some for x in BEHIND_OR_AHEAD.findall(row)] for error, some in by_error.items()
    }
    alone = sum("no other run reaches it" in row for row in by_error["1e-06"])
    return {
        "problems": str(len(by_error["1e-06"])),
        "least_ratio": f"{min(ratios['1e-06']):g}",
        "largest_ratio": f"{max(ratios['1e-06']):g}",
        "alone": str(alone),
        "behind": str(sum(x < 1.0 for x in ratios["1e-04"])),
        "measured_on": re.search(r"Measured on (\S+)", text)[1],  # type: ignore[index]
    }


def counts() -> dict[str, str]:
    joints = sum(issubclass(kind, Joint) for kind in things("joint").values())  # user-written constraints are not
    examples = len(list((ROOT / "examples").glob("*.py")))
    return {"joints": str(joints), "examples": str(examples), "demos": str(len(DEMOS))}


def computed() -> dict[str, str]:
    """All numbers, as text."""
    with warnings.catch_warnings(action="ignore"):  # about redundant constraints
        return energy() | loops() | hammer() | benchmarks() | counts()


def written(numbers: dict[str, str]) -> str:
    """The paper with its numbers."""
    template = (HERE / "template.md").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda name: numbers[name[1]], template)


if __name__ == "__main__":
    found = computed()
    (HERE / "numbers.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (HERE / "paper.md").write_text(written(found), encoding="utf-8")
    print("\n".join(f"{name:<22} {value}" for name, value in found.items()))
