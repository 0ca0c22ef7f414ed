"""Every example scene runs and is bitwise identical to the model in Python and in the demos."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import livens as lv
from livens.compile.system import compile_model, same
from livens.demos import double_pendulum, four_bar, heavy_top, springs
from livens.scene.text import parse

pytestmark = pytest.mark.filterwarnings("ignore::livens.errors.ModelWarning")
FOLDER = Path(__file__).parents[2] / "examples" / "scenes"


def hammer():
    m = lv.Model(gravity=(0, 0, -9.81), name="hammer")
    J = (0.49149998976383746, 0.8336474925986923, 0.9914999897788429)
    matter = lv.MassProperties(2.062831853071796, J, (0.0, 0.04568854192713176, 0.0))
    body = m.add(lv.Body(matter, velocity=(0, 2, 12), body_rates=(0.1, 10, -0.1), name="hammer"))
    m.add(lv.Load(body.center, force=lambda t: (0.2 * np.sin(np.pi * t / 2.4) ** 2, 0, 0), name="wind"))
    return m


def slider_crank():
    m = lv.Model(gravity=(0, 0, -9.81), name="driven slider-crank")
    five, speed = np.sqrt(5.0), 6.0
    R = [[2 / 3, 0, five / 3], [-1 / 3, 2 / five, 2 / (3 * five)], [-2 / 3, -1 / five, 4 / (3 * five)]]
    crank = m.add(
        lv.Body(lv.MassProperties(0.12, (1e-4, 1e-4, 1e-5)), at=(0, 0.1, 0.16), velocity=(0, -0.04 * speed, 0),
                angular_velocity=(speed, 0, 0), name="crank")
    )  # fmt: skip
    rod = m.add(
        lv.Body(lv.MassProperties(0.5, (4e-4, 4e-3, 4e-3)), at=(0.1, 0.05, 0.1), rotation=R,
                velocity=(0.02 * speed, -0.04 * speed, 0),
                angular_velocity=(0.32 * speed, -0.16 * speed, 0.08 * speed), name="rod")
    )  # fmt: skip
    slider = m.add(
        lv.Body(
            lv.MassProperties(2.0, (1e-4, 1e-4, 1e-4)), at=(0.2, 0, 0), velocity=(0.04 * speed, 0, 0), name="slider"
        )
    )
    X, A, B, C = (1, 0, 0), (0, 0.1, 0.12), (0, 0.1, 0.2), (0.2, 0, 0)
    angle = lv.Expression("speed*t + 0.4*(1 - cos(3*t))", speed=speed)  # a function would be differentiated numerically
    m.add(lv.Revolute(m.world.point(A), crank.point_at(A), axis=X, drive=angle, name="hinge"))
    m.add(lv.Spherical(crank.point_at(B), rod.point_at(B), name="ball"))
    m.add(lv.Universal(slider.point(0, 0, 0), rod.point_at(C), axis_a=X, axis_b=(0, 2, -1), name="cross"))
    m.add(lv.Prismatic(m.world.point(C), slider.point(0, 0, 0), axis=X, name="guide"))
    return m


MADE = {
    "double_pendulum": double_pendulum.two_bars,
    "four_bar": lambda: four_bar.turn_four_bar().model,
    "hammer": hammer,
    "heavy_top": lambda: heavy_top.spin_top().model,
    "plank_on_springs": lambda: springs.hang_plank().model,
    "slider_crank": slider_crank,
}


def test_every_example_is_tested():
    assert sorted(MADE) == sorted(file.stem for file in FOLDER.glob("*.toml"))


@pytest.mark.parametrize("name", MADE)
def test_a_scene_is_the_model_that_python_builds(name):
    scene, python = lv.read_scene(FOLDER / f"{name}.toml"), MADE[name]()
    model = scene.model()
    assert same(compile_model(model)[:2], compile_model(python)[:2])
    assert model.name == python.name
    for kind in ("bodies", "joints", "forces"):
        pairs = list(zip(getattr(model, kind), getattr(python, kind), strict=True))
        assert all(type(x) is type(y) and x.name == y.name for x, y in pairs)
    for mine, theirs in zip(model.bodies, python.bodies, strict=True):
        assert np.array_equal(mine.shape.surface.vertices, theirs.shape.surface.vertices)
    run = scene.run
    until = min(run["until"], 200 * run["h"])
    one, two = (lv.simulate(m, run.get("scheme"), h=run["h"], until=until) for m in (model, python))
    assert all(np.array_equal(x, y) for x, y in zip(one.record, two.record, strict=True))


@pytest.mark.parametrize("name", MADE)
def test_a_scene_runs_to_its_end(name):
    motion = lv.read_scene(FOLDER / f"{name}.toml").simulate()
    kept = motion.report()
    assert kept.energy.relative < 1e-5
    assert all(row.worst < 1e-9 for row in kept.defects)


def test_a_scene_accepts_the_options_of_a_run(tmp_path):
    scene = lv.read_scene(FOLDER / "hammer.toml")
    motion = scene.simulate(until=0.1, checkpoint=tmp_path / "out.nc")
    kept = lv.load(tmp_path / "out.nc")
    assert kept.t.tobytes() == motion.t.tobytes()
    again = scene.simulate(until=0.1, start=motion.state)
    assert again.position("hammer")[0].tobytes() == motion.position("hammer")[-1].tobytes()


def test_the_scene_of_the_readme():
    readme = (Path(__file__).parents[2] / "docs" / "overview.md").read_text(encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error", lv.ModelWarning)
        motion = lv.Scene(parse(re.search(r"```toml\n(.*?)```", readme, re.S)[1])).simulate()
    assert motion.coordinate("shoulder")[-1] == pytest.approx(0.5 * (1 - np.cos(30.0)), abs=1e-12)
    assert "was chosen" in motion.chosen


def test_the_hammer_is_that_of_cad():
    pytest.importorskip("netgen")
    drawn = lv.hammer().mass_properties
    numbers = lv.read_scene(FOLDER / "hammer.toml").model()["hammer"].mass_properties
    assert numbers.mass == pytest.approx(drawn.mass, rel=1e-9)
    assert np.allclose(numbers.inertia, drawn.inertia, rtol=1e-9, atol=0)
    assert np.allclose(numbers.center, drawn.center, rtol=1e-9, atol=1e-12)
