"""The period of a pendulum over its length and amplitude: 128 motions in one call, from a Latin hypercube.

Each is compared with T = 4 √(ℓ/g) K(sin²(θ/2)). One member with an invalid length fails without affecting the others.
"""

import warnings

import numpy as np
from scipy.special import ellipk

import livens as lv

G, H = 9.81, 1e-3


def pendulum(length, amplitude):
    """A point mass on a massless rod, released at `amplitude` [rad] from the lowest position."""
    m = lv.Model(gravity=(0, 0, -G), name="pendulum")
    place = (length * np.sin(amplitude), 0, -length * np.cos(amplitude))
    bob = m.add(lv.Body(lv.PointMass(1.0), at=place, name="bob"))
    m.add(lv.Rod(m.world.point(0, 0, 0), bob.point(0, 0, 0), length=length, name="rod"))
    return m


def period(motion):
    """Four times the time until it first passes the lowest position [s]."""
    x = motion.position("bob")[:, 0]
    k = int(np.argmax(x < 0.0))
    return {"period": 4.0 * (motion.t[k - 1] + motion.h * x[k - 1] / (x[k - 1] - x[k]))}


def main():
    samples = lv.Samples.latin_hypercube({"length": (0.2, 2.0), "amplitude": (0.1, 3.0)}, n=127, seed=1)
    members = {name: np.append(column, -1.0) for name, column in samples.values.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)  # warning about the failed member
        return lv.ensemble(
            pendulum, lv.Samples(members, samples.facts), h=H, until=3.0, keep=period,
            units={"length": "m", "amplitude": "rad", "period": "s"}, store="periods.nc",
        )  # fmt: skip


def check():
    runs = main()
    good = runs.isel(member=slice(127))
    exact = 4.0 * np.sqrt(good.length / G) * ellipk(np.sin(good.amplitude / 2.0) ** 2)
    rate = np.sqrt(G / good.length)
    assert (abs(good.period - exact) < 0.5 * (H * rate) ** 2 * exact).all()
    assert "must not be negative" in runs.error.values[127]
    assert np.isnan(runs.period.values[127])
    assert main().identical(runs)  # the second call reads periods.nc


if __name__ == "__main__":
    runs = main()
    longest = runs.isel(member=int(runs.period.argmax("member")))
    print(f"longest period {longest.period:.3f} s: {longest.length:.3f} m from {longest.amplitude:.3f} rad")
    print(f"{runs.attrs['failed']} failed: {runs.error.values[-1]}")
