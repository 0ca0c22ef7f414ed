"""A robot arm from a URDF file follows a path by computed torque: τ = M(q) a + b(q, v), with feedback.

The torques of the two joints are compared with the textbook equations of a planar arm (Spong, Hutchinson & Vidyasagar,
Robot Modeling and Control), and the arm with the path that it should follow.
"""

import tempfile
from pathlib import Path

import numpy as np

import livens as lv

L, MASS, INERTIA, G = 1.0, (3.0, 2.0), 0.2, 9.81  # length of a link [m], kg, about the centre [kg m²], m/s²
LINK = """<link name="link{0}"><inertial><origin xyz="0.5 0 0"/><mass value="{1}"/>
<inertia ixx="0.01" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></visual></link>
<joint name="joint{0}" type="continuous"><parent link="{2}"/><child link="link{0}"/><origin xyz="{3} 0 0"/>
<axis xyz="0 -1 0"/></joint>"""
URDF = f"""<robot name="arm"><link name="base"/>{LINK.format(1, MASS[0], "base", 0)}
{LINK.format(2, MASS[1], "link1", L)}</robot>"""


def goal(t):
    """Angles [rad], rates and accelerations of the path."""
    w, size = np.array([1.0, 2.0]), np.array([0.8, 0.6])
    return size * np.sin(w * t), size * w * np.cos(w * t), -size * w**2 * np.sin(w * t)


def main(until=6.0):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "arm.urdf").write_text(URDF)
        m = lv.read_urdf(
            Path(folder) / "arm.urdf", velocities=dict(zip(("joint1", "joint2"), goal(0.0)[1], strict=True))
        )
    arm = lv.JointSpace(m)

    def torques(t, now):
        (q, v, a), M, b = goal(t), *arm.equations(now.state)
        return M @ (a + 100.0 * (q - now.q) + 20.0 * (v - now.v)) + b

    m.add(lv.Controller(torques, inputs=[m["joint1"], m["joint2"]], rate=500.0))
    return lv.simulate(m, h=1e-3, until=until, every=4)


def textbook(q, v, a):
    """Torques of both joints [N m]; q₂ relative to the first link."""
    (m1, m2), c, s, r = MASS, np.cos(q[1]), np.sin(q[1]), L / 2
    M12 = m2 * (r**2 + L * r * c) + INERTIA
    M = [[m1 * r**2 + m2 * (L**2 + r**2 + 2 * L * r * c) + 2 * INERTIA, M12], [M12, m2 * r**2 + INERTIA]]
    bias = m2 * L * r * s * np.array([-2 * v[0] * v[1] - v[1] ** 2, v[0] ** 2])
    low = m2 * r * G * np.cos(q[0] + q[1])
    return M @ a + bias + [(m1 * r + m2 * L) * G * np.cos(q[0]) + low, low]


def check():
    motion = main()
    for t in (0.3, 1.7, 4.0):
        np.testing.assert_allclose(lv.inverse_dynamics(motion.model, *goal(t)), textbook(*goal(t)), rtol=1e-10)
    assert np.abs(motion.q - np.array([goal(t)[0] for t in motion.t])).max() < 2e-3
