"""The colours of pages and figures have the contrast that docs/figures/check_contrast.py asks for."""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "docs" / "figures" / "check_contrast.py"


@pytest.fixture(scope="module")
def script():
    pytest.importorskip("a11y_pygments", reason="the site needs the extra docs")
    spec = importlib.util.spec_from_file_location("check_contrast", SCRIPT)
    sys.modules["check_contrast"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.modules.pop("check_contrast")


def test_text_has_4_5_and_lines_have_3(script):
    found = list(script.pairs())
    assert {pair.where for pair in found} == {"themes", "traces", "site", "code", "figures"}
    assert not [pair for pair in found if not pair.good]


def test_a_pale_colour_is_found(script):
    pale = script.Pair("page", "light", "pale", script.rgb("#cccccc"), (255, 255, 255), script.LINE)
    assert pale.found == pytest.approx(1.606, abs=1e-3)  # (1 + 0.05)/(0.604 + 0.05), by WCAG's formula
    assert not pale.good
