"""URDF: robots with every joint, mimic joints and meshes, read with a fixed and with a free base."""

from __future__ import annotations

from pathlib import Path
from random import Random

from livens import read_urdf

from . import Input
from .harness import command, seldom
from .spoil import of_bytes, of_markup

NEEDS = ""
ROOT = Path(__file__).parents[2]
SMALL = """<robot name="small">
<link name="base"><inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="bar"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.01"/></inertial>
<visual><geometry><mesh filename="bar.obj" scale="1 2 -1"/></geometry></visual>
<visual><geometry><mesh filename="package://here/bar.stl"/></geometry></visual>
<visual><geometry><mesh filename="bar.dae"/></geometry></visual>
<collision><geometry><box size="1 1 1"/></geometry></collision>
<visual><geometry><cylinder radius="0.1" length="1"/></geometry></visual>
<visual><geometry><capsule radius="0.1" length="1"/></geometry></visual>
<visual><geometry><sphere radius="0.1"/></geometry></visual></link>
<link name="tip"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="pin" type="continuous"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/></joint>
<joint name="arm" type="prismatic"><parent link="bar"/><child link="tip"/><limit lower="-1" upper="1"/>
<mimic joint="pin" multiplier="2" offset="0.1"/></joint></robot>"""
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
DAE = """<COLLADA><asset><unit meter="0.01"/></asset><library_geometries><geometry id="g"><mesh><source id="s">
<float_array id="f" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common>
<accessor source="#f" count="3" stride="3"/>
</technique_common></source><vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<polylist><input semantic="VERTEX" source="#v" offset="0"/><vcount>3</vcount><p>0 1 2</p></polylist></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="w"><node><rotate>0 0 1 90</rotate>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes></COLLADA>"""
NAMES = [
    "base", "bar", "arm", "pin", "tip", "world", "fixed", "revolute", "continuous", "prismatic", "planar", "floating",
    "bar.obj", "bar.stl", "bar.dae", "../bar.obj", "file://bar.obj",
    "package:///bar.stl", "robot.urdf", "knuckle 1", "mount",
]  # fmt: skip
TAGS = [
    "<link/>", '<link name="new"/>', '<mimic joint="arm"/>', '<mimic joint="pin" multiplier="0"/>',
    '<parent link="tip"/>', '<child link="base"/>', "<inertial/>", '<mass value="1e308"/>', '<mass value="1e-320"/>',
    '<axis xyz="0 0 0"/>',
    '<axis xyz="1e-200 0 0"/>', '<axis xyz="1e200 0 0"/>', '<limit lower="2" upper="1"/>', '<inertia ixx="1e308"/>',
    '<origin xyz="1e308 0 0" rpy="1e308 0 0"/>', '<dynamics damping="-1" friction="inf"/>',
    '<dynamics damping="1e308"/>',
    '<joint name="loop" type="fixed"><parent link="tip"/><child link="tip"/></joint>',
    '<geometry><mesh filename="../../../etc/passwd"/></geometry>', '<mesh filename="bar.obj" scale="1e308 0 nan"/>',
]  # fmt: skip


def seeds() -> list[Input]:
    every = (ROOT / "tests" / "formats" / "every_joint.urdf").read_bytes()
    return [Input("robot.urdf", every), Input("robot.urdf", SMALL.encode())]


def spoilt(random: Random, seeds: list[Input]) -> Input:
    data, same = random.choice(seeds).data, [seed.data for seed in seeds]
    if random.random() < 0.15:
        return Input("robot.urdf", of_bytes(random, data, same))
    text = of_markup(random, data.decode(), [other.decode() for other in same], NAMES, TAGS)
    return Input("robot.urdf", text.encode("utf-8", "replace"))


def attempt(file: Path) -> str:
    for name, text in (("bar.obj", OBJ), ("bar.dae", DAE)):
        if not (mesh := file.with_name(name)).exists():
            mesh.write_text(text)
    if seldom(file):
        command("check", file)
    read_urdf(file, base="free" if seldom(file, 3) else "fixed")
    return "model"
