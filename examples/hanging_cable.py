"""A cable that stretches, hung between two points: the elastic catenary.

With H the tension at its lowest point, w its weight per length at rest and s the length from there, its places are

    x = H s/EA + H/w asinh(w s/H),      z = w s²/2EA + H/w (√(1 + (w s/H)²) − 1).
"""

import numpy as np
from scipy.optimize import brentq

import livens as lv

SPAN, LENGTH, AXIAL, MASS, G = 1.0, 1.3, 40.0, 0.5, 9.81  # m, m, N, kg/m, m/s²


def main(links=16):
    """The cable at rest, from a straight start in which it is slack."""
    m = lv.Model(gravity=(0, 0, -G), name="hanging cable")
    cable = m.add(lv.Cable([(0, 0, 0), (SPAN, 0, 0)], links, MASS, axial=AXIAL, length=LENGTH))
    m.add(lv.Spherical(m.world.point(0, 0, 0), cable.start.center, name="left"))
    m.add(lv.Spherical(m.world.point(SPAN, 0, 0), cable.end.center, name="right"))
    return lv.equilibrium(m)


def expected():
    """The sag [m], and the strain at the ends."""
    w, half = MASS * G, LENGTH / 2
    H = brentq(lambda H: H * half / AXIAL + H / w * np.arcsinh(w * half / H) - SPAN / 2, 1e-6, 1e3, xtol=1e-15)
    sag = w * half**2 / (2 * AXIAL) + H / w * (np.sqrt(1 + (w * half / H) ** 2) - 1)
    return sag, np.hypot(H, w * half) / AXIAL


def check():
    sags = [-main(links).position(f"cable.{links // 2}")[0, 2] for links in (8, 16)]
    errors = np.array(sags) - expected()[0]
    assert abs(errors[1]) < 1e-3
    assert abs(np.log2(errors[0] / errors[1]) - 2.0) < 0.1  # second order in the length of a link


if __name__ == "__main__":
    print("sag [m], strain at the ends:", np.round(expected(), 5))
    main().to_html("hanging_cable.html")
