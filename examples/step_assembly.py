"""CAD: a drawing with two parts is written as a STEP file, read as bodies, and put into motion.

A plate with a hole hangs on a pin. The mass and the moments of the plate are known by formula, and so is the frequency
of small swings, √(m g d/J) about the pin. The drawing is in millimetres; netgen (extra `cad`) writes and reads it.
"""

import tempfile
from pathlib import Path

import numpy as np

import livens as lv

LONG, WIDE, THICK, HOLE, AT, G, STEEL = 0.4, 0.1, 0.02, 0.02, 0.15, 9.81, 7800.0  # m; m/s²; kg/m³


def drawing(path):
    """The plate along z, a hole of radius HOLE at the height AT above its middle, and a pin in it, in mm."""
    from netgen import occ

    a, b, c, r, d = 1e3 * np.array([LONG, WIDE, THICK, HOLE, AT])
    axis = occ.Dir(0, 1, 0)
    plate = occ.Box(occ.Pnt(-b / 2, -c / 2, -a / 2), occ.Pnt(b / 2, c / 2, a / 2))
    plate = plate - occ.Cylinder(occ.Pnt(0, -c, d), axis, r=r, h=2 * c)
    pin = occ.Cylinder(occ.Pnt(0, -2 * c, d), axis, r=0.9 * r, h=4 * c)
    for part, name in ((plate, "plate"), (pin, "pin")):
        part.solids[0].name = name
    occ.Compound([plate, pin]).WriteStep(str(path))


def main(until=3.0, h=2e-3):
    m = lv.Model(gravity=(0, 0, -G), name="STEP assembly")
    with tempfile.TemporaryDirectory() as folder:
        drawing(Path(folder) / "assembly.step")
        parts = {part.name: part for part in lv.read_step(Path(folder) / "assembly.step", density=STEEL, unit="mm")}
    place = {name: parts[name].place for name in ("plate", "pin")}  # in the drawing
    plate, pin = (m.add(lv.Body(parts[k], at=place[k].a, rotation=place[k].B, name=k)) for k in place)
    m.add(lv.Rigid(m.world.point(0, 0, AT), pin.point_at(0, 0, AT), name="support"))
    m.add(lv.Revolute(pin.point_at(0, 0, AT), plate.point_at(0, 0, AT), axis=(0, 1, 0), start_rate=4.0, name="hinge"))
    return lv.simulate(m, h=h, until=until)


def frequency():
    """Mass [kg], and frequency of small swings [rad/s]."""
    full, cut = STEEL * LONG * WIDE * THICK, STEEL * np.pi * HOLE**2 * THICK
    about = full * ((LONG**2 + WIDE**2) / 12 + AT**2) - 0.5 * cut * HOLE**2  # the hole is centred on the pin
    return full - cut, np.sqrt(full * G * AT / about)


def check():
    motion = main(until=0.1)
    mass, omega = frequency()
    assert abs(motion.model["plate"].mass_properties.mass / mass - 1.0) < 1e-9
    assert abs(lv.linearize(motion.model, at=[0.0]).modes().omega[0] / omega - 1.0) < 1e-8


if __name__ == "__main__":
    print("mass {:.4f} kg, frequency {:.4f} rad/s".format(*frequency()))
    main().to_html("step_assembly.html")
