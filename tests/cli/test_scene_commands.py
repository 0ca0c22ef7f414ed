"""livens new, check, run and schema with scenes."""

import csv
import json
import os
from pathlib import Path

import numpy as np
import pytest

import livens as lv
from livens.cli.main import main

SCENES = Path(__file__).parents[2] / "examples" / "scenes"


def test_a_new_scene_runs_unchanged(say, tmp_path):
    code, out, err = say("new", "swing.toml")
    assert (code, err) == (0, "")
    assert "livens check swing.toml" in out
    before = (tmp_path / "swing.toml").read_text()
    code, out, err = say("run", "swing.toml", "-o", "swing.nc")
    assert (code, err) == (0, "")
    assert "paths of tip in swing.csv" in out
    motion = lv.load("swing.nc")
    assert (motion.t[-1], motion.steps, motion.every) == (10.0, 5000, 5)
    assert motion.report().energy.relative < 1e-6
    with open("swing.csv", newline="") as file:
        table = list(csv.reader(file))
    assert table[0] == ["t", "tip.x", "tip.y", "tip.z"]
    tip = motion.position(motion.model["fore"].point(0.4, 0, 0))
    assert np.array_equal(np.array(table[1:], dtype=float), np.column_stack([motion.t, tip]))
    code, _, err = say("new", "swing.toml")
    assert (code, err) == (2, "livens: swing.toml exists already and is not overwritten: choose another name.\n")
    assert (tmp_path / "swing.toml").read_text() == before
    assert say("new", "swing.txt")[0] == 2


def test_a_table_of_the_user_is_not_replaced_by_the_paths_of_tracers(say):
    say("new", "swing.toml")
    Path("swing.csv").write_text("mine\n")
    code, out, err = say("run", "swing.toml", "--until", "0.1", "-o", "swing.nc")
    assert (code, out) == (2, "")
    assert "swing.csv exists and was not written by livens" in err
    assert not Path("swing.nc").exists()  # refused before the run
    assert Path("swing.csv").read_text() == "mine\n"
    assert say("run", "swing.toml", "--until", "0.1", "-o", "swing.nc", "--force")[0] == 0
    assert Path("swing.csv").read_text().startswith("t,tip.x")
    assert say("run", "swing.toml", "--until", "0.2", "-o", "swing.nc")[0] == 0  # a table of the same columns


def test_options_override_the_scene(say):
    code, out, err = say(
        "run", SCENES / "plank_on_springs.toml", "--until", "1", "--h", "1e-2", "--order", "2", "-o", "a.nc"
    )
    assert (code, err) == (0, "")
    motion = lv.load("a.nc")
    assert (motion.h, motion.t[-1], motion.scheme) == (1e-2, 1.0, lv.Livens(order=2))
    code, out, err = say("run", SCENES / "plank_on_springs.toml", "--until", "1", "--scheme", "Newmark", "-o", "b.nc")
    assert (code, err) == (0, "")
    assert lv.load("b.nc").scheme == lv.Newmark()
    code, out, err = say("run", SCENES / "plank_on_springs.toml", "--until", "1", "--scheme", "Newmark", "--order", "4")
    assert (code, err) == (2, "livens: --order is an option of Livens and RungeKutta; Newmark has one order only.\n")
    plank = SCENES / "plank_on_springs.toml"
    assert say("run", plank, "--until", "1", "--scheme", "RungeKutta", "--order", "4", "-o", "c.nc")[0] == 0
    assert lv.load("c.nc").scheme == lv.RungeKutta(order=4)
    code, out, err = say("run", plank, "--until", "1", "--order", "8")
    assert (code, err) == (2, "livens: the Livens scheme has order 2, 4 or 6, not 8.\n")
    code, out, err = say("run", SCENES / "plank_on_springs.toml", "--until", "1", "--h", "auto")
    assert (code, err) == (0, "")
    assert "was chosen: the stiffest vibration has" in out


def test_a_scene_names_its_output(say, tmp_path):
    text = (SCENES / "hammer.toml").read_text().replace("[run]\n", '[run]\noutput = "there.nc"\n')
    (tmp_path / "h.toml").write_text(text)
    code, _, err = say("run", "h.toml")
    assert (code, err) == (0, "")
    assert (tmp_path / "there.nc").is_file()
    (tmp_path / "h.toml").write_text(text.replace("there.nc", "../there.nc"))
    code, _, err = say("run", "h.toml")
    assert code == 2
    assert "outside the scene's folder" in err
    assert not (tmp_path.parent / "there.nc").exists()


def test_missing_settings_are_named(say, tmp_path):
    (tmp_path / "s.toml").write_text("livens = 1\n[bodies.b]\nmass = 1\ninertia = [1, 1, 1]\n")
    assert "give a step, such as --h 1e-3" in say("run", "s.toml")[2]
    assert "give an end, such as --until 10" in say("run", "s.toml", "--h", "0.1")[2]
    assert say("run", "s.toml", "--h", "0.1", "--until", "1")[0] == 0
    (tmp_path / "s.toml").write_text("livens = 1\n[bodis.b]\n")
    code, out, err = say("check", "s.toml")
    assert (code, out) == (2, "")
    assert err == "livens: the scene: there is no key 'bodis' here: did you mean 'bodies'?\n"


def test_check(say):
    code, out, err = say("check", SCENES / "four_bar.toml")
    assert (code, err) == (0, "")
    facts = {line[:12].strip(): line[12:].strip() for line in out.splitlines()}
    assert facts["freedom"] == "1 degree of freedom"
    assert "redundant constraint equations" in facts["redundant"]
    assert facts["start"] == "positions and velocities satisfy the joints"
    assert facts["run"] == "Livens(order=4) to t = 4 s, h = 0.002 s, 2,000 steps"
    code, out, err = say("check", SCENES / "plank_on_springs.toml")
    assert "order 2 is stable below 2/ω = 0.0993 s" in out
    assert "0.002 s at order 2, 0.01 s at order 4" in out


def test_check_reports_an_adjusted_start_and_a_large_step(say, tmp_path):
    text = (SCENES / "double_pendulum.toml").read_text()
    (tmp_path / "s.toml").write_text(
        text.replace("at = [0.5, 0, 0]", "at = [0.501, 0, 0]").replace("h = 1e-3", "h = 0.5")
    )
    code, out, err = say("check", "s.toml")
    assert (code, err) == (0, "")
    assert "adjusted to satisfy the joints: moved by up to 0.001 m" in out
    assert "h = 0.5 s (too large to be stable)" in out


@pytest.mark.parametrize("h", ["0.0", "-1e-3", "1e-300"])
def test_check_refuses_a_step_that_is_none(say, tmp_path, h):
    text = (SCENES / "double_pendulum.toml").read_text()
    (tmp_path / "s.toml").write_text(text.replace("h = 1e-3", f"h = {h}"))
    code, _, err = say("check", "s.toml")
    assert code == 2
    assert "h must be positive" in err or "too small" in err


def test_check_reads_python_files(say, tmp_path):
    (tmp_path / "top.py").write_text(
        "import livens as lv\nmodel = lv.Model()\nmodel.add(lv.Body(lv.Ball(1, mass=1), body_rates=(0, 0, 20)))\n"
    )
    code, out, err = say("check", "top.py")
    assert (code, err) == (0, "")
    assert "a body rotates by 1 rad in 0.05 s" in out


def test_schema(say, tmp_path):
    code, out, err = say("schema")
    assert (code, err) == (0, "")
    assert json.loads(out)["properties"]["livens"]["enum"] == [1, 2]
    assert say("schema", "-o", "s.json") == (0, "", "")
    assert (tmp_path / "s.json").read_text(encoding="utf-8") == out


@pytest.mark.parametrize("command", ["new", "check", "run", "schema", "view", "live"])
def test_help_contains_examples(say, capsys, command):
    with pytest.raises(SystemExit) as done:
        main([command, "--help"])
    assert done.value.code == 0
    out = capsys.readouterr().out
    assert "usage: livens" in out
    if command in ("new", "check", "run"):
        assert f"livens {command} " in out.partition("options:")[2]


@pytest.mark.parametrize("command", ["view", "live"])
def test_view_and_live_read_scenes(say, monkeypatch, command):
    """The arguments of the page: the motion or model, its step and the points to trace."""
    seen = {}
    where = "livens.look.browser.playback.view" if command == "view" else "livens.look.browser.live.live"
    pytest.importorskip("viser")
    monkeypatch.setattr(where, lambda *given, **named: seen.update(given=given, named=named))
    assert (
        say(command, SCENES / "double_pendulum.toml", "--h", "auto", *(["--until", "1"] * (command == "view")))[0] == 0
    )
    assert [point.body.name for point in seen["named"]["traces"]] == ["arm", "fore"]
    if command == "live":
        assert seen["given"][1] == lv.Livens(order=4)
        assert 0 < seen["named"]["h"] < 0.1
    else:
        assert seen["given"][0].t[-1] == 1.0


def test_a_scene_in_another_folder(say, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "s.toml").write_text(
        (SCENES / "hammer.toml").read_text().replace("[run]", '[run]\noutput = "o.nc"')
    )
    assert say("run", os.path.join("sub", "s.toml"))[0] == 0
    assert (tmp_path / "sub" / "o.nc").is_file()
