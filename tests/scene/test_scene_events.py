"""[[events]] of scenes: read, refused, written, run from the command line and swept."""

import json
import re
import tomllib

import numpy as np
import pytest

import livens as lv
from livens.cli.main import main
from livens.scene.schema import json_schema

SCENE = """\
livens = 1
name = "sling"
gravity = [0, 0, -10]

[run]
h = 0.01
until = 1.2

[parameters]
low = 0.5
speed = 8

[bodies.stone]
mass = 2.0
inertia = [0.1, 0.1, 0.1]
at = [1, 0, 0]
velocity = [0, 0, "speed"]

[joints.cord]
type = "Rod"
a = { body = "world" }
b = { body = "stone" }

[[events]]
name = "let go"
when = "position('top')[2] - low"
direction = 1
do = { release = "cord" }
where = { top = { body = "stone", point = [0, 0, 0] } }

[[events]]
name = "push"
when = "velocity('stone')[2]"
do = [
  { strike = { body = "stone" }, impulse = [2, 0, 0] },
  { change = "gravity.2", value = "-2*low" },
]

[[events]]
name = "end"
when = "norm(velocity('stone')) - 40*t"
"""


def scene(text=SCENE):
    return lv.Scene(tomllib.loads(text))


def test_a_scene_with_events_runs():
    motion = scene().simulate()
    let_go, push = motion.events.of("let go")[0], motion.events.of("push")[0]
    assert abs(let_go.before.position("stone")[0, 2] - 0.5) < 1e-15
    assert abs(push.before.velocity("stone")[0, 2]) < 1e-14
    assert push.t == pytest.approx(let_go.t + let_go.after.velocity("stone")[0, 2] / 10.0, abs=1e-13)
    change = push.after.velocity("stone") - push.before.velocity("stone")
    assert np.abs(change - [1.0, 0.0, 0.0]).max() < 1e-14
    late = motion.t > push.t
    fall = motion.position("stone")[late, 2] - push.after.position("stone")[0, 2]
    assert np.abs(fall + 0.5 * (motion.t[late] - push.t) ** 2).max() < 1e-13
    assert np.ptp(motion.energy - motion.work + motion.dissipated) < 2e-3 * motion.energy[0]
    assert [phase.model.gravity[2] for phase in motion.phases] == [-10.0, -10.0, -1.0]


def test_values_of_the_scene_reach_its_events():
    higher = scene().with_values({"parameters.low": 0.7, "events.0.direction": 0}).simulate()
    assert abs(higher.events[0].before.position("stone")[0, 2] - 0.7) < 1e-15
    assert scene().simulate(events=[]).events.names == ()


def test_events_are_written_and_read_without_loss(tmp_path):
    one = scene()
    model = one.model()
    hook = lv.Rod(model.world.point(0, 0, 1), model["stone"].center, length=7.5, name="hook")
    spin = lv.Event("coordinate('cord') - 1", do=[lv.attach(hook), lv.attach("cord"), lv.switch("cord", True)])
    events = [*one.events(model), spin]
    lv.write_scene(model, tmp_path / "sling.toml", events=events[:3], h=0.01, until=1.2)
    two = lv.read_scene(tmp_path / "sling.toml")
    a, b = one.simulate(), two.simulate()
    assert np.array_equal(a.position("stone"), b.position("stone"))
    assert [event[:5] for event in a.events] == [event[:5] for event in b.events]
    lv.write_scene(model, tmp_path / "all.toml", events=events)
    again = lv.read_scene(tmp_path / "all.toml")
    assert again.document["events"] == lv.read_scene(tmp_path / "all.toml").document["events"]
    assert again.events(again.model())[3].actions[0].thing.length == 7.5
    text = (tmp_path / "all.toml").read_text()
    assert text.count("[[events]]") == 4
    again.save(tmp_path / "copy.toml")
    assert lv.read_scene(tmp_path / "copy.toml").document == again.document
    with pytest.raises(lv.ModelError, match="event 'f' has a Python function, which a scene cannot contain"):
        lv.write_scene(model, tmp_path / "no.toml", events=[lv.Event(lambda now: 0.0, name="f")])


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("position('top')", "position('tip')", "nothing named 'tip'"),
        ("position('top')[2] - low", "position('top')[2] - lo", "events.0.when: "),
        ("position('top')[2] - low", "position(top)[2]", "events.0.when: "),
        ("direction = 1", "direction = 2", "events.0.direction: it must be -1, 0 or 1."),
        ("direction = 1", "dirction = 1", "events.0: there is no key 'dirction' here: did you mean 'direction'?"),
        ('{ release = "cord" }', '{ release = "rope" }', "release names 'rope'"),
        ('{ release = "cord" }', "{ release = 3 }", "events.0.do.release: it must be a name in quotes"),
        ('{ release = "cord" }', '{ free = "cord" }', "it must be a table with one of release, attach"),
        ('{ release = "cord" }', '{ release = "cord", value = 1 }', "'value' does not belong to release."),
        ('{ release = "cord" }', '{ switch = "cord" }', "switch needs a value."),
        ('{ release = "cord" }', '{ attach = { type = "Rods" } }', "there is no 'Rods'"),
        ('value = "-2*low"', 'value = "-2*x"', "events.1.do.1.value: "),
        ("impulse = [2, 0, 0]", "impulse = [2, 0]", "it must be 3 numbers"),
        ('when = "velocity', 'wenn = "velocity', "there is no key 'wenn'"),
    ],
)
def test_refusals(old, new, sentence):
    assert old in SCENE
    with pytest.raises(lv.LivensError, match=re.escape(sentence)):
        scene(SCENE.replace(old, new)).simulate()


def test_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sling.toml").write_text(SCENE)
    assert main(["run", "sling.toml", "-o", "sling.nc"]) == 0
    assert "occurrences of events: 'let go' 1" in capsys.readouterr().out
    assert main(["info", "sling.nc"]) == 0
    assert "'let go' at " in capsys.readouterr().out
    assert main(["run", "sling.nc", "--until", "1.5", "-o", "longer.nc"]) == 0
    longer = lv.load("longer.nc")
    whole = scene().simulate(h=0.01, until=1.5)
    assert np.array_equal(longer.position("stone"), whole.position("stone"))
    capsys.readouterr()
    assert main(["check", "sling.toml"]) == 0
    assert "'let go' (value -0.5 at the start), 'push' (value 8 at the start)" in capsys.readouterr().out
    (tmp_path / "wrong.toml").write_text(SCENE.replace('release = "cord"', 'release = "rope"'))
    assert main(["check", "wrong.toml"]) == 2
    assert "release names 'rope'" in capsys.readouterr().err
    (tmp_path / "wrong.toml").write_text(SCENE.replace("velocity('stone')[2]", "velocity('ston')[2]"))
    assert main(["check", "wrong.toml"]) == 2
    assert "event 'push' at t = 0 s: the model has nothing named 'ston'" in capsys.readouterr().err
    assert main(["report", "sling.nc"]) == 0
    assert main(["sweep", "sling.toml", "--vary", "parameters.low=0.2:0.6:3", "-o", "study.nc"]) == 0
    capsys.readouterr()
    assert main(["run", "sling.toml", "--h", "auto"]) == 2
    assert 'h="auto" cannot be used with events' in capsys.readouterr().err


def test_the_schema_describes_events():
    schema = json_schema()
    assert "events" in schema["properties"]
    assert "Event" in json.dumps(schema)
