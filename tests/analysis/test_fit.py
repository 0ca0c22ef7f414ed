"""Identification from noisy synthetic data."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.spatial.transform import Rotation

import livens as lv
from livens.analysis import fit as module
from livens.analysis.consistent_inertias import ConsistentInertias

TRUE = {"bodies.rod.center.2": -0.31, "joints.pivot.damping": 0.15, "joints.pivot.start_rate": 1.2}


def pendulum(center=-0.25, damping=0.1, rate=1.0):
    m = lv.Model(gravity=(0, 0, -9.81), name="pendulum")
    rod = m.add(lv.Body(lv.MassProperties(1.5, (0.05, 0.05, 0.01), center=(0, 0, center)), name="rod"))
    m.add(
        lv.Revolute(m.world.point(0, 0, 0), rod.point(0, 0, 0), axis=(0, 1, 0), damping=damping, start_rate=rate,
                    name="pivot")
    )  # fmt: skip
    return m


def measured(rng, sigma, h=0.02, until=1.2):
    motion = lv.simulate(pendulum(-0.31, 0.15, 1.2), h=h, until=until, every=2)
    return {"t": motion.t, "pivot": motion.coordinate("pivot") + sigma * rng.normal(size=len(motion))}


def test_pendulum_without_noise():
    found = lv.fit(pendulum(), measured(np.random.default_rng(0), 0.0), vary=list(TRUE), h=0.02)
    assert found.converged
    for name, value in TRUE.items():
        assert found.values[name] == pytest.approx(value, rel=1e-9)


def test_estimates_are_within_their_deviations():
    """Of 3 estimates in each of 10 seeded trials, 95 % are within 3σ (99.7 % expected), about two thirds within 1σ."""
    inside = near = 0
    for seed in range(10):
        data = measured(np.random.default_rng(seed), 2e-3)
        found = lv.fit(pendulum(), data, vary=list(TRUE), h=0.02, sigma=2e-3)
        errors = [abs(found.values[name] - value) / found.errors[name] for name, value in TRUE.items()]
        inside += sum(e <= 3.0 for e in errors)
        near += sum(e <= 1.0 for e in errors)
        assert 0.5 < found.scale < 1.6
    assert inside >= 29
    assert 12 <= near <= 27


def test_double_pendulum_with_bounds():
    """Masses, a spring and an initial rate from the position of the tip and one angle."""

    def model(mass, stiffness, rate):
        m = lv.Model(gravity=(0, 0, -9.81), name="double")
        one = m.add(lv.Body(lv.MassProperties(1.0, (0.02, 0.02, 0.01)), at=(0, 0, -0.5), name="one"))
        two = m.add(lv.Body(lv.MassProperties(mass, (0.02, 0.02, 0.01)), at=(0, 0, -1.2), name="two"))
        a, b = m.world.point(0, 0, 0), one.point(0, 0, 0.5)
        m.add(lv.Revolute(a, b, axis=(0, 1, 0), start_rate=rate, name="upper"))
        elbow = one.point(0, 0, -0.4), two.point(0, 0, 0.3)
        m.add(lv.Revolute(*elbow, axis=(0, 1, 0), stiffness=stiffness, rest=0.3, name="lower"))
        return m

    rng, truth = np.random.default_rng(7), (0.7, 2.0, 1.5)
    motion = lv.simulate(model(*truth), h=0.01, until=1.0, every=5)
    data = {
        "t": motion.t,
        "upper": motion.coordinate("upper") + 1e-3 * rng.normal(size=len(motion)),
        "two": motion.position("two") + 5e-4 * rng.normal(size=(len(motion), 3)),
    }
    data["upper"][3] = np.nan  # not measured
    vary = {
        "bodies.two.mass": (1.0, 0.1, 5.0),
        "joints.lower.stiffness": (1.0, 0.0, 10.0),
        "joints.upper.start_rate": 1.0,
    }
    found = lv.fit(model(1.0, 1.0, 1.0), data, vary=vary, h=0.01, sigma={"upper": 1e-3, "two": 5e-4})
    for name, value in zip(vary, truth, strict=True):
        low, high = found.interval(0.999)[name]
        assert low < value < high
        assert found.errors[name] < 0.05 * value
    assert "95 %" in found.report()
    assert "bodies.two.mass" in found.report()
    assert found.correlation == pytest.approx(found.correlation.T)
    assert np.diag(found.correlation) == pytest.approx(np.ones(3))


def test_the_start_is_unknown():
    """Angle and rate at the start among the unknowns, from noise-free angles."""
    truth = {"bodies.rod.center.2": -0.31, "q.pivot": 0.4, "v.pivot": -0.7}
    m = pendulum()
    run = lv.prepare(m, h=0.02)
    other = run.compiled_for({"bodies.rod.center.2": -0.31})
    start = other.fitted(lv.JointSpace(other).state([0.4], [-0.7]))
    motion = run(0.8, every=2, start=start, parameters={"bodies.rod.center.2": -0.31})
    found = lv.fit(m, {"t": motion.t, "pivot": motion.coordinate("pivot")}, vary=list(truth), h=0.02)
    for name, value in truth.items():
        assert found.values[name] == pytest.approx(value, rel=1e-8)


def test_the_jacobian_is_that_of_the_residuals():
    data = measured(np.random.default_rng(1), 1e-3)
    model = pendulum()
    problem = module._Problem(
        model, module.readings_of(model, data, 1e-3, None), data["t"], 0.02, None, module.unknowns_of(model, list(TRUE))
    )
    x = np.array([one.guess for one in problem.unknowns])
    rough = approx_fprime(x, problem.residual, 1e-6)
    J = problem.jacobian(x)
    assert np.abs(J - rough).max() < 1e-4 * np.abs(J).max()


def test_wrong_data_are_refused():
    m, t = pendulum(), np.array([0.0, 0.02, 0.04])
    with pytest.raises(lv.ModelError, match="dictionary with the times"):
        lv.fit(m, {"pivot": t}, vary=["gravity.2"], h=0.02)
    with pytest.raises(lv.ModelError, match="whole number of steps"):
        lv.fit(m, {"t": [0.0, 0.03], "pivot": [0, 0]}, vary=["gravity.2"], h=0.02)
    with pytest.raises(lv.ModelError, match="values for 3 times"):
        lv.fit(m, {"t": t, "pivot": [0, 0]}, vary=["gravity.2"], h=0.02)
    with pytest.raises(lv.ModelError, match="mass"):
        lv.fit(m, {"t": t, "pivot": t}, vary=["bodies.rod.mas"], h=0.02)
    with pytest.raises(lv.ModelError, match="between the bounds"):
        lv.fit(m, {"t": t, "pivot": t}, vary={"gravity.2": (1.0, 2.0, 3.0)}, h=0.02)
    with pytest.raises(lv.ModelError, match="do not determine"):
        lv.fit(m, {"t": t, "pivot": t}, vary=["gravity.0", "gravity.1", "gravity.2", "bodies.rod.mass"], h=0.02)
    with pytest.raises(lv.ModelError, match="do not determine"):
        lv.fit(m, measured(np.random.default_rng(1), 1e-3), vary=["gravity.1"], h=0.02)
    with pytest.raises(lv.ModelError, match="nothing named 'nothing', which was measured; it has"):
        lv.fit(m, {"t": t, "nothing": t}, vary=["gravity.2"], h=0.02)
    for wrong in (np.full(len(t), np.inf), ["much"] * len(t)):
        with pytest.raises(lv.ModelError, match="measured values of 'pivot' must be numbers, or NaN"):
            lv.fit(m, {"t": t, "pivot": wrong}, vary=["gravity.2"], h=0.02)


# ── inertias and figures ──


def tumbling(moments):
    """A body that tumbles freely about the origin, seen by two marks on it."""
    m = lv.Model()
    body = m.add(lv.Body(lv.MassProperties(1.0, tuple(moments)), body_rates=(1.0, 3.0, 0.5), name="body"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), body.point(0, 0, 0), name="ball"))
    return m, [body.point(1, 0, 0), body.point(0, 1, 0)]


def test_principal_moments_are_those_of_a_possible_body():
    """A plate: J_z is almost J_x + J_y. Every trial of the search is a possible body, although single steps without
    (1) of consistent_inertias.py would leave them; only ratios of moments are seen, so one more mass is known."""
    true = np.array([1.0, 2.0, 2.97])
    real, marks = tumbling(true)
    motion = lv.simulate(real, h=1e-2, until=3.0)
    rng = np.random.default_rng(3)
    guess, mine = tumbling((1.5, 1.6, 1.7))
    spin = lambda motion: motion.kinetic  # noqa: E731  (its scale makes the moments unique)
    data = {"t": motion.t[::5], mine[0]: motion.position(marks[0])[::5] + 1e-4 * rng.normal(size=(61, 3)),
            "of": spin(motion)[::5] + 1e-4 * rng.normal(size=61)}  # fmt: skip
    found = lv.fit(guess, data, vary={"bodies.body.inertia": None}, h=1e-2, of=spin, sigma=1e-4)
    assert found.names == ("bodies.body.inertia.0", "bodies.body.inertia.1", "bodies.body.inertia.2")
    moments = np.array(list(found.values.values()))
    assert np.abs(moments - true).max() < 4.0 * max(found.errors.values())
    assert max(found.errors.values()) < 1e-2
    assert 2.0 * moments.max() < moments.sum()
    assert 0.8 < found.scale < 1.2


def test_consistent_inertias():
    moments = ConsistentInertias([(1, 2, 3)])
    x = np.array([7.0, 1.0, 2.0, 2.97])
    z = moments.unknowns(x)
    assert moments.numbers(z) == pytest.approx(x, rel=1e-14)
    e = 1e-6
    slopes = [(moments.numbers(z + e * row) - moments.numbers(z - e * row)) / (2 * e) for row in np.eye(4)]
    assert moments.slopes(z) == pytest.approx(np.array(slopes).T, abs=1e-8)
    far = moments.numbers(np.array([0.0, -30.0, 5.0, 20.0]))[1:]
    assert 2.0 * far.max() <= far.sum() * (1.0 + 1e-15)
    with pytest.raises(lv.ModelError, match="no body has the principal moments 1, 2, 4 kg m²"):
        moments.unknowns(np.array([7.0, 1.0, 2.0, 4.0]))


@pytest.mark.parametrize("seed", range(2))
def test_all_six_numbers_of_an_inertia(seed):
    """The whole tensor and the mass of a tumbling body on a spring, in random orientation and units, from noisy places
    of two points and the kinetic energy; every trial of the search is a possible body. One guess is a cube."""
    rng = np.random.default_rng(seed)
    R = Rotation.random(random_state=seed).as_matrix()
    l, mass, t = 10.0 ** rng.uniform(-2, 2, size=3)
    true = R @ np.diag([1.0, 2.0, 2.9]) @ R.T * mass * l**2  # nearly a plate

    def tumbling(mass, inertia):
        m = lv.Model()
        matter = lv.MassProperties(mass, inertia)
        body = m.add(lv.Body(matter, at=(0, 0, -l), body_rates=np.array([1.0, 2.0, 0.5]) / t, name="body"))
        k = 3.0 * units[1] / t**2
        m.add(lv.Spring(m.world.point(0, 0, 0), body.point(0.3 * l, 0.2 * l, 0), stiffness=k, name="cord"))
        return m, [body.point(l, 0, 0), body.point(0, l, 0)]

    units = l, mass, t
    real, marks = tumbling(1.5 * mass, true)
    motion = lv.simulate(real, h=2e-2 * t, until=4.0 * t, every=5)
    guess, mine = tumbling(1.2 * mass, np.diag([1.5 - 0.1 * seed, 1.5, 1.5 + 0.1 * seed]) * mass * l**2)
    noise, T = 1e-4, mass * l**2 / t**2
    shape = (len(motion), 3)
    data = {"t": motion.t, "of": motion.kinetic + noise * T * rng.normal(size=len(motion))}
    data |= {a: motion.position(b) + noise * l * rng.normal(size=shape) for a, b in zip(mine, marks, strict=True)}
    vary = {"bodies.body.inertia": guess["body"].mass_properties.inertia, "bodies.body.mass": (None, mass, 2 * mass)}
    sigma = {"of": noise * T, mine[0]: noise * l, mine[1]: noise * l}
    found = lv.fit(guess, data, vary, h=2e-2 * t, of=lambda motion: motion.kinetic, sigma=sigma)
    assert found.names[:3] == tuple(f"bodies.body.inertia.0.{k}" for k in range(3))
    assert len(found.names) == 7
    six = np.array(list(found.values.values()))[:6]
    errors = np.array(list(found.errors.values()))
    assert np.abs(six - true[np.triu_indices(3)]).max() <= 4.0 * errors[:6].max()
    assert errors[:6].max() <= 1e-3 * mass * l**2
    assert abs(found.values["bodies.body.mass"] - 1.5 * mass) <= 4.0 * found.errors["bodies.body.mass"]
    assert 0.8 < found.scale < 1.2


def test_wrong_inertias_are_refused():
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(1.0, (1.0, 2.0, 2.5)), name="body"))
    m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(3, 0, 0), name="stone"))
    data = {"t": [0.0, 0.1], "body": np.zeros((2, 3))}
    for name, guess, words in (
        ("bodies.bdy.inertia", None, "did you mean 'body'"),
        ("bodies.stone.inertia", None, "body 'stone' has a shape"),
        ("bodies.body.inertia", np.eye(2), r"the symmetric tensor \(3, 3\)"),
        ("bodies.body.inertia", [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]], r"the symmetric tensor \(3, 3\)"),
        ("bodies.body.inertia", np.diag([1.0, 2.0, 4.0]), "no distribution of mass has it"),
    ):
        with pytest.raises(lv.ModelError, match=words):
            lv.fit(m, data, {name: guess}, h=0.1)


def test_products_of_inertia_have_names():
    """A product and its mirror image are one number, also of a body that is described by three moments."""
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(1.0, (1.0, 2.0, 2.5)), body_rates=(1, 2, 3), name="body"))
    names = ["bodies.body.inertia.0.1", "bodies.body.inertia.1.0", "bodies.body.inertia.1.1", "bodies.body.inertia.1"]
    for scheme in (lv.Livens(), lv.RungeKutta(4)):
        run = lv.prepare(m, scheme, h=1e-2)
        rates = lambda motion: motion.angular_velocity("body")[-1]  # noqa: E731
        found, e = lv.sensitivity(run(0.1), rates, names), 1e-4
        tensors = [np.diag([1.0, 2.0, 2.5]) + c * e * np.eye(3)[[1, 0, 2]] * [[1], [1], [0]] for c in (-1, 1)]
        ends = [rates(run(0.1, parameters={"bodies.body.inertia": J.tolist()})) for J in tensors]
        assert found[:, 0] == pytest.approx((ends[1] - ends[0]) / (2 * e), abs=1e-7)
        assert found[:, 0] == pytest.approx(found[:, 1], abs=1e-11)
        assert found[:, 2] == pytest.approx(found[:, 3], abs=1e-11)


def test_consistent_tensors():
    """Six numbers ↔ unknowns, their slopes by differences, and any unknowns give a possible body."""
    rng = np.random.default_rng(0)
    inertias = ConsistentInertias([range(1, 7)])
    R = Rotation.random(random_state=1).as_matrix()
    x = np.append(7.0, (R @ np.diag([1.0, 2.0, 2.9]) @ R.T)[np.triu_indices(3)])
    z = inertias.unknowns(x)
    assert inertias.numbers(z) == pytest.approx(x, rel=1e-14)
    e = 1e-6
    slopes = [(inertias.numbers(z + e * row) - inertias.numbers(z - e * row)) / (2 * e) for row in np.eye(7)]
    assert inertias.slopes(z) == pytest.approx(np.array(slopes).T, abs=1e-8)
    for _ in range(20):
        J = np.zeros((3, 3))
        J[np.triu_indices(3)] = inertias.numbers(rng.normal(size=7) * 3.0)[1:]
        lv.MassProperties(1.0, J + np.triu(J, 1).T)  # it refuses an inertia that no body has
    with pytest.raises(lv.ModelError, match="no body has the principal moments 1, 2, 4 kg m²"):
        inertias.unknowns(np.array([7.0, 1, 0, 0, 2, 0, 4]))


def test_an_estimate_at_a_bound():
    """The report names it; a bound that does not hold is not named."""
    m = lv.Model(gravity=(0, 0, -9.81))
    m.add(lv.Body(lv.Ball(0.1, mass=1.0), velocity=(1, 0, 3), name="stone"))
    t = np.arange(0, 1.01, 0.1)
    z = np.array([1.0 * t, 0.0 * t, 3.0 * t - 4.905 * t**2]).T
    for bounds, held in (((-9.0, -9.5, -1.0), True), ((-11.0, -20.0, -10.0), True), ((-9.0, -20.0, -1.0), False)):
        found = lv.fit(m, {"t": t, "stone": z}, vary={"gravity.2": bounds}, h=0.01, sigma=1e-3)
        assert found.at_bounds == (("gravity.2",) if held else ())
        assert ("at a bound, without a standard deviation: gravity.2" in found.report()) == held


def test_residuals_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    m = lv.Model(gravity=(0, 0, -9.81))
    m.add(lv.Body(lv.Ball(0.1, mass=1.0), velocity=(1, 0, 3), name="stone"))
    t = np.arange(0, 1.01, 0.1)
    z = np.array([1.0 * t, 0.0 * t, 3.0 * t - 4.9 * t**2]).T + 1e-3 * np.random.default_rng(1).normal(size=(11, 3))
    found = lv.fit(m, {"t": t, "stone": z}, vary=["gravity.2"], h=0.01)
    figure = found.plot(tmp_path / "residuals.png")
    assert figure.axes[0].get_ylabel() == "residual of stone"
    assert len(figure.axes[0].lines) == 3
    assert (tmp_path / "residuals.png").exists()
    assert found.deviation("stone") == pytest.approx(np.std(found.residuals["stone"]))
