"""MJCF: MuJoCo compiles it in a separate process; the result is read here."""

from __future__ import annotations

from pathlib import Path
from random import Random

from livens import read_mjcf
from livens.formats import mjcf_process

from . import Input
from .harness import apart_here, command, seldom
from .spoil import of_bytes, of_markup
from .urdf import OBJ, ROOT

NEEDS = "mujoco"
SMALL = """<mujoco model="small"><compiler angle="radian" meshdir="."/><option gravity="0 0 -9.81"/>
<asset><mesh name="bar" file="bar.obj"/><texture name="t" type="2d" builtin="checker" width="4" height="4"/></asset>
<default><geom density="500"/><default class="thin"><geom size="0.02"/></default></default>
<worldbody><body name="a" pos="0 0 1"><joint name="pin" axis="0 1 0" range="-1 1"/><geom type="mesh" mesh="bar"/>
<site name="s"/>
<body name="b" pos="1 0 0"><geom type="capsule" fromto="0 0 0 0 0 1" size="0.1"/></body></body>
<body name="c"><joint name="slide" type="slide"/><geom type="ellipsoid" size="1 2 3"/>
<body name="d" mocap="false"><joint name="ball" type="ball"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body>
<body name="m" mocap="true"><geom size="0.1"/></body></worldbody>
<equality><joint joint1="pin" joint2="slide" polycoef="0 2 0 0 0"/>
<connect body1="a" body2="c" anchor="0 0 0"/></equality>
<tendon><fixed name="f"><joint joint="pin" coef="1"/></fixed></tendon>
<actuator><motor joint="pin"/></actuator><keyframe><key name="k"/></keyframe></mujoco>"""
NAMES = [
    "a", "b", "c", "pin", "slide", "ball", "bar", "bar.obj", "robot.xml", "../bar.obj", "/etc/passwd", "free", "hinge",
    "slide", "mesh", "sphere", "box", "plane", "hfield", "sdf", "thin", "main", "true", "false", "degree", "implicit",
]  # fmt: skip
TAGS = [
    '<include file="robot.xml"/>', '<include file="other.xml"/>', '<include file="../x.xml"/>', "<freejoint/>",
    '<replicate count="100"><body><geom size="1"/></body></replicate>', '<replicate count="2000000000"/>', "<body/>",
    '<size memory="1000G"/>', '<size memory="-1"/>', '<size nkey="100000000"/>', '<size nuserdata="2000000000"/>',
    '<texture type="2d" builtin="flat" width="40000" height="40000"/>', '<joint type="ball" range="0 1"/>',
    '<mesh name="x" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>', '<mesh name="y" file="bar.obj" scale="1e308 1 1"/>',
    '<hfield name="h" nrow="50000" ncol="50000" size="1 1 1 1"/>', '<geom type="mesh" mesh="bar"/>', "<geom/>",
    '<geom size="1e-8"/>', '<geom size="1e154"/>', '<geom mass="1e300" size="1"/>', '<joint armature="1e308"/>',
    '<joint damping="1e308" stiffness="-1" springref="nan"/>', '<joint axis="0 0 0"/>', '<joint armature="-1"/>',
    '<option density="1.2" viscosity="1e300"/>', '<option gravity="1e308 0 0" wind="1 0 0"/>',
    '<flag gravity="disable"/>',
    '<weld body1="a" body2="b"/>', '<connect body1="a" anchor="1e308 0 0"/>', '<joint joint1="pin" joint2="pin"/>',
    '<composite type="cable" count="10000 1 1"/>', '<flexcomp name="f" type="grid" count="100 100 100"/>',
    '<inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/>', '<inertial pos="0 0 0" mass="0" diaginertia="0 0 0"/>',
    '<compiler boundmass="0.001" boundinertia="1e-9"/>', '<compiler balanceinertia="true" coordinate="global"/>',
    '<frame euler="1e308 0 0"><geom size="1"/></frame>', '<attach model="x" body="a" prefix="p"/>', "<contact/>",
    '<plugin plugin="mujoco.elasticity.cable"/>', '<extension><plugin plugin="mujoco.pid"/></extension>',
    '<model name="x" file="robot.xml"/>', '<key qpos="nan nan nan" qvel="1e308"/>', '<default class="thin"/>',
]  # fmt: skip


def seeds() -> list[Input]:
    folder = ROOT / "tests" / "formats"
    files = [(folder / name).read_bytes() for name in ("every_joint.xml", "without_armature.xml")]
    return [Input("robot.xml", data) for data in (*files, SMALL.encode())]


def spoilt(random: Random, seeds: list[Input]) -> Input:
    same = [seed.data for seed in seeds]
    data = random.choices(same, weights=(1, 1, 10))[0]  # the other files take ten times as long
    if random.random() < 0.15:
        return Input("robot.xml", of_bytes(random, data, same))
    text = of_markup(random, data.decode(), [other.decode() for other in same], NAMES, TAGS)
    return Input("robot.xml", text.encode("utf-8", "replace"))


def attempt(file: Path) -> str:
    mjcf_process.run_sandboxed = apart_here(mjcf_process.answer)
    if not (mesh := file.with_name("bar.obj")).exists():
        mesh.write_text(OBJ)
        file.with_name("other.xml").write_text("<mujoco><include file='robot.xml'/></mujoco>")
    if seldom(file):
        command("check", file)
    read_mjcf(file)
    return "model"
