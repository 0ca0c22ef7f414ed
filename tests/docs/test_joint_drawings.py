"""The drawings of joints in the reference: one for each class; the table counts their freedoms and equations."""

import importlib.util
import re
from pathlib import Path

import pytest

from livens.scene.catalogue import things

DOCS = Path(__file__).parents[2] / "docs"
ROW = r"\| !\[(\w+)\]\(\.\./pictures/joints/\w+\.png\) \| [^|]* \| (\S+)[^|]* \| (\d) \|"


def drawn():
    spec = importlib.util.spec_from_file_location("draw", DOCS / "pictures" / "draw.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.joint_models()


def rows():
    """Name → degrees of freedom, number of equations."""
    found = re.findall(ROW, (DOCS / "reference" / "joints.md").read_text(encoding="utf-8"))
    return {name: (free, int(equations)) for name, free, equations in found}


def test_every_joint_has_a_drawing():
    """All classes of joints but user-written constraints and those inside of beams."""
    assert set(rows()) == set(drawn()) == set(things("joint")) - {"Constraint", "BeamConstraint"}
    assert all((DOCS / "pictures" / "joints" / f"{name}.png").is_file() for name in rows())


@pytest.mark.parametrize("name", list(drawn()))
def test_the_table_counts_equations_and_freedoms(name):
    free, equations = rows()[name]
    assert len(drawn()[name].joints[-1].rows()) == equations
    if name != "Coupling":
        assert int(free) == 6 - equations
