"""A planar linkage: the leg of Theo Jansen's walking beasts, driven by a crank.

Seven points and ten rods with Jansen's lengths. Checked from outside: the foot is where intersections of circles put
it, at every angle of the crank. `planar="xz"` keeps all points in the plane, so that no constraint is redundant.
"""

import numpy as np

import livens as lv

# rods between the points: O crank's bearing, A fixed, C crank's tip, and five that move (Jansen's numbers, in cm)
A, CRANK = np.array([-0.38, -0.078]), 0.15
RODS = {"CU": 0.50, "AU": 0.415, "CL": 0.619, "AL": 0.393, "UV": 0.558, "AV": 0.401, "VW": 0.394, "LW": 0.367,
        "WF": 0.657, "LF": 0.49}  # fmt: skip
RATE = np.pi  # of the crank [rad/s]


def meet(p, r, q, s):
    """The intersection of circles about p and q with radii r and s that is to the left of the way from p to q."""
    d = q - p
    a = (d @ d + r**2 - s**2) / (2 * d @ d)
    return p + a * d + np.sqrt(r**2 / (d @ d) - a**2) * np.array([-d[1], d[0]])


def points(angle):
    """Positions of all points in the plane."""
    at = {"A": A, "C": CRANK * np.array([np.cos(angle), np.sin(angle)])}
    at["U"] = meet(A, RODS["AU"], at["C"], RODS["CU"])
    at["L"] = meet(at["C"], RODS["CL"], A, RODS["AL"])
    at["V"] = meet(A, RODS["AV"], at["U"], RODS["UV"])
    at["W"] = meet(at["L"], RODS["LW"], at["V"], RODS["VW"])
    at["F"] = meet(at["L"], RODS["LF"], at["W"], RODS["WF"])
    return at


def main(h=5e-3, until=2.0):
    m = lv.Model(gravity=(0, 0, -9.81), name="Jansen leg", planar="xz")
    at = points(0.0)
    crank = m.add(lv.Body(lv.Box(CRANK, 0.02, 0.02, mass=0.2), at=(CRANK / 2, 0, 0), name="crank"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), crank.point_at(0, 0, 0), axis=(0, -1, 0), drive=lambda t: RATE * t))
    joint = {"A": m.world.point(A[0], 0, A[1]), "C": crank.point_at(CRANK, 0, 0)}
    for name in "ULVWF":
        body = m.add(lv.Body(lv.PointMass(0.1), at=(at[name][0], 0, at[name][1]), name=name))
        joint[name] = body.center
    for name, length in RODS.items():
        m.add(lv.Rod(joint[name[0]], joint[name[1]], length=length, name=name))
    return lv.simulate(m, lv.Livens(order=4), h=h, until=until)


def check():
    motion = main()
    foot = np.array([points(RATE * t)["F"] for t in motion.t])
    assert np.abs(motion.position("F")[:, [0, 2]] - foot).max() < 1e-11
    assert motion.freedom == 0
    assert not motion.redundant


if __name__ == "__main__":
    main().to_html("jansen_leg.html", traces=["F"], camera="front")
