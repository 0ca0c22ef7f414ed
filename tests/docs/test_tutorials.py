"""The tutorials have figures, one view and exercises; the fastest are run, and their numbers are checked.

All of them are run when the site is built; here their cells are executed as plain Python, where warnings are errors.
"""

import ast
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "tutorials"
INDEX = (FOLDER / "index.md").read_text(encoding="utf-8")
NAMES = re.search(r"```\{toctree\}\n:hidden:\n\n(.*?)\n```", INDEX, re.DOTALL)[1].split()
EACH = pytest.mark.parametrize("name", NAMES)
FIGURE = re.compile(r"\.plot\(\"|plot_work_precision\(|plt\.subplots\(|\)\.plot\(")


def cells(name):
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    return re.findall(r"```\{code-cell\} python\n(.*?)```", text, re.DOTALL)


def test_the_index_lists_every_tutorial_once():
    assert sorted(NAMES) == sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "index")
    assert re.findall(r"^\| \[[^]]*\]\(([\w-]+)\.md\)", INDEX, re.MULTILINE) == NAMES


@EACH
def test_a_tutorial_has_figures_one_view_and_exercises_with_hints(name):
    code = cells(name)
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert text.startswith("---\nfile_format: mystnb\n")
    assert sum(len(re.findall(r"\.embed\(", cell)) for cell in code) == 1
    assert any(FIGURE.search(cell) for cell in code)
    exercises = text.split("## Exercises\n")[1]
    assert len(re.findall(r"^\d\. ", exercises, re.MULTILINE)) == len(re.findall(r"\*Hint:\*", exercises)) >= 3
    assert not [line for cell in code for line in cell.splitlines() if len(line) > 99]  # none needs scrolling


@EACH
def test_links_to_tutorials_and_files_have_targets(name):
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    near = re.findall(r"\]\(([\w.-]+)\)", text)
    assert not [target for target in near if not (FOLDER / target).is_file()]


def run(name, **smaller):
    """All names that the cells of a tutorial define, and the values of their last expressions; smaller: arguments that
    are changed so that the test is short, by name: (as in the tutorial, here)."""
    names, shown = {}, []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = "\0".join(cells(name))
        for argument, (before, here) in smaller.items():
            assert f"{argument}={before}" in text
            text = text.replace(f"{argument}={before}", f"{argument}={here}")
        for cell in text.split("\0"):
            body = ast.parse(cell).body
            last = ast.Expression(body.pop().value) if isinstance(body[-1], ast.Expr) else None
            exec(compile(ast.Module(body, []), f"{name}.md", "exec"), names)
            if last is not None:
                shown.append(eval(compile(last, f"{name}.md", "eval"), names))
    return names, shown


def view(shown):
    """The embedded page as HTML."""
    [page] = [each._repr_html_() for each in shown if type(each).__name__ == "Cell"]
    return page


@pytest.fixture(autouse=True)
def figures(monkeypatch):
    """Drawn without a screen, and closed."""
    monkeypatch.setenv("MPLBACKEND", "agg")
    yield
    if plt := sys.modules.get("matplotlib.pyplot"):
        plt.close("all")


def test_first_motion():
    pytest.importorskip("matplotlib")
    names, shown = run("first-motion")
    assert abs(names["measured"] / names["exact"] - 1.0) < (1e-3 * 2.0 * np.pi / names["exact"]) ** 2  # (h ω)²
    assert abs(names["angle"].max() - np.pi) < 1e-6  # between two states: (h ω)²/8
    assert len(view(shown)) < 1_000_000


def test_tennis_racket():
    pytest.importorskip("matplotlib")
    names, shown = run("tennis-racket")
    assert abs(np.diff(names["flips"]).mean() / names["exact"] - 1.0) < (2e-3 * 8.0) ** 4  # (h ω)⁴
    assert names["fitted"] == pytest.approx(names["linear"], rel=1e-3)
    assert names["report"].energy.relative < 4000 * np.finfo(float).eps  # of 4,000 steps
    assert len(view(shown)) < 1_000_000


def test_things_that_touch():
    pytest.importorskip("matplotlib")
    names, shown = run("touch")
    assert names["impact_error"] < 1e-11
    assert abs(names["rest"]) < 1e-12
    assert names["sticks"] < 1e-12
    assert names["slides"] == pytest.approx(names["known"], rel=1e-12)
    assert max(names["cue_error"], names["ball_error"]) < 1e-9
    assert names["creep"] < 1e-11
    assert names["weight"][2] == pytest.approx(98.1, rel=1e-9)
    assert sorted(names["apart"].moved) == ["one", "two"]
    assert len(view(shown)) < 2_000_000


def test_furuta_pendulum():
    """The program of a newcomer has at most 30 lines: the cells without the comparison with matrices by hand."""
    pytest.importorskip("matplotlib")
    names, shown = run("furuta-pendulum")
    assert names["gap"] < 1e-10
    assert names["poles"][-1] == pytest.approx(np.sqrt(names["by_hand"][1, 1]), rel=0.05)  # damping slows it slightly
    assert 1e-5 < names["rest"] < 5e-3
    assert names["torque"] < 0.5
    assert len(view(shown)) < 1_000_000
    build, _, _, gain, loop, *_ = cells("furuta-pendulum")
    assert len([line for line in (build + gain + loop).splitlines() if line.strip()]) <= 30


def test_half_car():
    pytest.importorskip("matplotlib")
    names, shown = run("half-car")
    assert names["gap"] < 1e-10
    assert names["static"] == pytest.approx(1.0, abs=1e-6)
    assert 0.01 < names["heave"].max() < 0.03
    assert names["difference"] < 1e-3
    assert len(view(shown)) < 1_000_000


def test_stewart_platform():
    pytest.importorskip("matplotlib")
    names, shown = run("stewart-platform")
    assert names["gap"] < 1e-9
    assert names["place_error"] < 1e-9
    assert names["difference"] < 1e-8
    still = names["legs"].inverse_dynamics(names["start"], np.zeros(6), np.zeros(6))
    assert np.ptp(still) < 1e-10 * still[0]  # six equal legs
    assert len(view(shown)) < 1_000_000


def test_six_axis_arm(monkeypatch):
    pytest.importorskip("matplotlib")
    pytest.importorskip("mujoco")
    monkeypatch.chdir(FOLDER)
    names, shown = run("six-axis-arm")
    assert max(names["bias_gap"], names["torque_gap"]) < 1e-10 * np.abs(names["torques"]).max()
    assert names["apart"] < 0.1 * 15.0 * 2e-3  # e₀ ω times the period of the controller
    assert names["gaps"][0] < 2e-3
    assert 3.5 < names["gaps"][0] / names["gaps"][1] < 4.5  # order 2
    assert len(view(shown)) < 1_000_000


def test_satellite_slew():
    pytest.importorskip("matplotlib")
    names, shown = run("satellite-slew")
    assert names["left"][-1] < 0.01
    assert names["momentum"] < 6000 * np.finfo(float).eps  # of 6,000 steps
    assert names["gap"] < 1e-10
    assert abs(names["fast"][-1]) < 0.1
    assert names["turned"].max() < 0.5
    assert names["balance"] < 6000 * np.finfo(float).eps
    assert len(view(shown)) < 1_000_000


def test_identification():
    pytest.importorskip("matplotlib")
    names, shown = run("identification")
    assert names["fit"].converged
    assert max(abs(x) for x in names["off"].values()) < 3.0
    assert 0.9 < names["fit"].scale < 1.1
    assert names["spread"] == pytest.approx(names["noise"], rel=0.1)
    assert "the data do not determine" in names["answer"]
    assert np.isfinite(names["slopes"]).all()
    assert names["slopes"][1] != 0.0
    assert len(view(shown)) < 1_000_000


def test_swing_up():
    pytest.importorskip("matplotlib")
    names, shown = run("swing-up", segments=(50, 25))
    assert max(names["found"].miss, names["weak"].miss) < 1e-8
    assert names["swung"].miss < 1e-5
    assert names["rest"] < 1e-3  # of the gradient of the cost: first-order optimality
    assert np.abs(names["weak"].efforts).max() <= 9.0
    assert names["at_limit"] > 0
    assert names["weak"].cost > names["found"].cost
    assert abs(names["tilt"][200]) > 1e-2
    assert abs(names["tilt"][-1]) < 1e-2
    assert len(view(shown)) < 1_000_000
