"""livens sweep: every member is bitwise identical to the scene with its values; errors are one sentence."""

import re
from pathlib import Path

import numpy as np
import pytest

import livens as lv
from livens.cli.main import main
from livens.cli.sweep import FinalState, coordinates_of

xarray = pytest.importorskip("xarray", reason="studies are xarray Datasets")
SCENE = Path(__file__).parents[2] / "examples/scenes/double_pendulum.toml"


def sweep(capsys, *options):
    code = main(["sweep", str(SCENE), "--until", "0.05", *options])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_every_member_is_the_scene_with_its_values(capsys, tmp_path):
    file = tmp_path / "study.nc"
    code, out, _ = sweep(capsys, "--vary", "shapes.bar.mass=1:3:3", "--vary", "gravity.2=-9.81,-1.62", "-o", str(file))
    assert code == 0
    assert out.startswith("6 members (3 × shapes.bar.mass, 2 × gravity.2), 0 failed")
    scene = lv.read_scene(SCENE)
    with xarray.open_dataset(file) as data:
        assert data.tip.attrs["units"] == "m"
        assert data.shoulder_angle.attrs["units"] == "rad"
        for mass in (1.0, 2.0, 3.0):
            for g in (-9.81, -1.62):
                motion = scene.with_values({"shapes.bar.mass": mass, "gravity.2": g}).simulate(until=0.05)
                one = data.sel({"shapes.bar.mass": mass, "gravity.2": g})
                assert np.array_equal(one.tip, motion.position(motion.model["fore"].point(0.5, 0.03, 0))[-1])
                assert float(one.shoulder_angle) == motion.coordinate("shoulder")[-1]
                assert float(one.energy) == motion.energy[-1]
    before = file.read_bytes()
    code, again, _ = sweep(
        capsys, "--vary", "shapes.bar.mass=1:3:3", "--vary", "gravity.2=-9.81,-1.62", "-o", str(file)
    )
    assert (code, again, file.read_bytes()) == (0, out, before)  # nothing is run twice


def test_the_coordinates_of_every_joint_are_kept():
    """A Cylindrical joint has an angle and a displacement; a Spherical joint has a rotation vector."""
    m = lv.Model(gravity=(0, 0, -9.81))
    rod = m.add(lv.Body(lv.Box(0.1, 0.1, 1.0, mass=1.0), body_rates=(0, 0, 2.0), name="rod"))
    ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, -0.5), name="ball"))
    m.add(lv.Cylindrical(m.world.point(0, 0, 0), rod.point(0, 0, 0), axis=(0, 0, 1), name="sleeve"))
    m.add(lv.Spherical(rod.point(0, 0, -0.5), ball.point(0, 0, 0), name="socket"))
    coordinates, units = coordinates_of(m)
    assert coordinates == {
        "sleeve_angle": ("sleeve", 0),
        "sleeve_displacement": ("sleeve", 1),
        **{f"socket_turn_{part}": ("socket", k) for k, part in enumerate("xyz")},
    }
    turns = {f"socket_turn_{part}": "rad" for part in "xyz"}
    assert units == {"sleeve_angle": "rad", "sleeve_displacement": "m", **turns}
    motion = lv.simulate(m, h=1e-2, until=0.5)
    kept = FinalState({}, coordinates)(motion)
    assert [kept["sleeve_angle"], kept["sleeve_displacement"]] == motion.coordinate("sleeve")[-1].tolist()
    assert kept["sleeve_displacement"] == pytest.approx(-9.81 / 2 * 0.5**2, rel=1e-12)


def test_the_angle_is_proportional_to_gravity(capsys, tmp_path):
    """From rest and horizontal, the angle after a short time is proportional to g."""
    file = tmp_path / "study.nc"
    sweep(capsys, "--vary", "gravity.2=-1,-2", "-o", str(file))
    with xarray.open_dataset(file) as data:
        assert float(data.shoulder_angle[1] / data.shoulder_angle[0]) == pytest.approx(2.0, rel=1e-3)


def test_points_are_drawn_between_bounds_and_recorded(capsys, tmp_path):
    file = tmp_path / "study.nc"
    code, out, _ = sweep(
        capsys,
        "--vary",
        "shapes.bar.mass=1:3",
        "--vary",
        "gravity.2=-10:0",
        "--latin",
        "4",
        "--seed",
        "7",
        "-o",
        str(file),
    )
    assert code == 0
    assert out.startswith("4 members (4 samples), 0 failed")
    drawn = lv.Samples.latin_hypercube({"shapes.bar.mass": (1, 3), "gravity.2": (-10, 0)}, n=4, seed=7)
    with xarray.open_dataset(file) as data:
        assert np.array_equal(data["gravity.2"], drawn.values["gravity.2"])
        assert data.attrs["seed"] == 7


def test_a_failed_member_is_reported_and_the_others_are_finished(capsys):
    code, out, err = sweep(capsys, "--vary", "shapes.bar.mass=-1,1")
    assert code == 0
    assert out.startswith("2 members (2 × shapes.bar.mass), 1 failed")
    assert "1 of 2 members failed; the first error is: shapes.bar: Box mass must be positive, got -1 kg." in err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--vary", "shapes.bur.mass=1:3:3"], "in shapes there is no 'bur'; did you mean 'bar'?"),
        (["--vary", "shapes.bar.mass"], "--vary 'shapes.bar.mass' must be PATH=VALUES"),
        (["--vary", "shapes.bar.mass=1:x:3"], "'1:x:3' is neither lo:hi:n"),
        (["--vary", "run.h=1e-3:1e-2:3"], "run.h cannot be varied: all members of a study have the same scheme"),
        (["--vary", "gravity.2=1:2:3", "--sobol", "4"], "--sobol and --latin need two bounds"),
        (["--vary", "gravity.2=1:2", "--sobol", "4", "--latin", "4"], "choose one"),
    ],
)  # fmt: skip
def test_errors_of_wrong_options(capsys, options, sentence):
    code, _, err = sweep(capsys, *options)
    assert code == 2
    assert sentence in err
    assert err.count("\n") == 1


def test_an_automatic_step_is_that_of_the_scene(capsys):
    code, out, _ = sweep(capsys, "--vary", "gravity.2=-9,-10", "--h", "auto")
    assert code == 0
    assert "all members have the same step: h = " in out
    assert "2 members" in out
    assert "0 failed" in out


def test_a_study_without_a_result_has_failed(capsys):
    code, out, err = sweep(capsys, "--vary", "shapes.bar.mass=-1,-2")
    assert code == 2
    assert "2 failed" in out
    assert "all members failed, the first with: shapes.bar: Box mass must be positive, got -1 kg." in err


def test_the_readme_sweeps_its_own_scene(say, here):
    """The scene and the command of the README, with fewer members."""
    readme = (Path(__file__).parents[2] / "docs" / "overview.md").read_text(encoding="utf-8")
    scene = re.search(r"```toml\n(.*?)```", readme, re.S)[1].replace("until = 10.0", "until = 0.5")
    (here / "arm.toml").write_text(scene)
    command = re.search(r"`livens (sweep arm\.toml .*?)`", readme)[1].replace(":100 ", ":3 ").split()
    code, out, err = say(*command)
    assert (code, "0 failed" in out) == (0, True), err
    code, out, _ = say("check", "arm.toml")
    assert code == 0
    suggested = re.search(r"suggested h +([0-9.e+-]+) s at order 2", out)[1]
    assert 1e-3 <= float(suggested) <= 0.1  # the joint is driven at 3 rad/s
