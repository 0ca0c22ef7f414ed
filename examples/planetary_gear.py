"""Gears: a planetary gear with sun, planet, ring and carrier obeys Willis' equation.

z_s ω_s + z_r ω_r = (z_s + z_r) ω_c. With the ring at rest and a torque T on the sun, the sun accelerates with
T / (I_s + I_c i² + m a² i² + I_p j²), i = ω_c/ω_s, j = ω_p/ω_s, for one planet of mass m on the radius a.
"""

import livens as lv

SUN, PLANET, TORQUE = 0.03, 0.02, 0.5  # radii of the pitch circles [m], N m
RING, ARM, WIDE = SUN + 2 * PLANET, SUN + PLANET, 0.02


def main(h=1e-3, until=0.5):
    m = lv.Model(name="planetary gear")
    disc = {name: lv.Cylinder(r, WIDE, density=7800) for name, r in (("sun", SUN), ("planet", PLANET))}
    carrier = m.add(lv.Body(lv.Box(2 * ARM, 0.01, 0.005, density=7800), at=(0, 0, 0.02), name="carrier"))
    sun = m.add(lv.Body(disc["sun"], name="sun"))
    planet = m.add(lv.Body(disc["planet"], at=(ARM, 0, 0), name="planet"))
    ring = lv.Solid(lv.MassProperties(1.0, (1e-3, 1e-3, 2e-3)), lv.Cylinder(RING, 0.002, mass=1.0).surface)
    wheel = m.add(lv.Body(ring, at=(0, 0, -0.015), opacity=0.4, name="ring"))
    z = (0, 0, 1)
    m.add(lv.Revolute(m.world.point(0, 0, 0), carrier.point_at(0, 0, 0), axis=z, name="carrier axle"))
    hinges = {
        "sun": m.add(lv.Revolute(carrier.point_at(0, 0, 0), sun.center, axis=z, name="sun axle")),
        "planet": m.add(lv.Revolute(carrier.point_at(ARM, 0, 0), planet.center, axis=z, name="planet axle")),
        "ring": m.add(lv.Revolute(carrier.point_at(0, 0, -0.015), wheel.center, axis=z, name="ring axle")),
    }  # angles relative to the carrier
    m.add(lv.Coupling(hinges["sun"], hinges["planet"], ratio=-SUN / PLANET))
    m.add(lv.Coupling(hinges["planet"], hinges["ring"], ratio=PLANET / RING))
    m.add(lv.Rigid(m.world.point(0, 0, -0.015), wheel.center, name="brake"))
    m.add(lv.Load(sun.center, torque=(0, 0, TORQUE), name="engine"))
    return lv.simulate(m, h=h, until=until)


def check():
    motion = main()
    rates = {name: motion.angular_velocity(name)[-1, 2] for name in ("sun", "planet", "ring", "carrier")}
    teeth = SUN * rates["sun"] + RING * rates["ring"] - (SUN + RING) * rates["carrier"]
    assert abs(teeth) < 1e-12 * RING * rates["sun"]
    about = {b.name: b.mass_properties.inertia[2, 2] for b in motion.model.bodies[1:]}
    i, j = SUN / (SUN + RING), (SUN / (SUN + RING)) * (1 - RING / PLANET)
    mass = motion.model["planet"].mass_properties.mass
    reduced = about["sun"] + (about["carrier"] + mass * ARM**2) * i**2 + about["planet"] * j**2
    assert abs(rates["sun"] / (TORQUE / reduced * motion.t[-1]) - 1.0) < 1e-9
    assert abs(rates["planet"] / rates["sun"] / j - 1.0) < 1e-9


if __name__ == "__main__":
    motion = main()
    print(
        f"ratio sun : carrier = {motion.angular_velocity('sun')[-1, 2] / motion.angular_velocity('carrier')[-1, 2]:.4f}"
    )
