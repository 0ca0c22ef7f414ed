"""Random models with everything that a scene can hold: the mechanisms of benchmarks/random_models, with bodies of every
shape, signals, motors, prescribed motions, and formulas whose points have all their digits."""

import numpy as np

import livens as lv
from benchmarks.random_models import describe
from benchmarks.random_models.description import build


def random_scene(seed):
    """A model without Python functions of time, so that a file can hold it."""
    model, rng = build(describe(seed)), np.random.default_rng((seed, 7))
    with_actuators(model, rng)
    with_shapes(model, rng)
    for _ in range(1 + rng.integers(3)):
        with_formulas(model, rng)
    return model


def with_actuators(model, rng):
    """Motors on some joints, and a load."""
    turned = [joint for joint in model.joints if joint.coordinates and not isinstance(joint, lv.Spherical)]
    for joint in [joint for joint in turned if rng.random() < 0.3]:  # a ball may carry a thin rod
        size = float(rng.normal())
        model.add(lv.Motor(joint, size if rng.random() < 0.5 else lv.Expression("k*sin(w*t)", k=size, w=rng.random())))
    body = some_body(model, rng)
    if body.mass_properties.principal()[0].min() > 0.0:
        moving = lv.Expression("[f*t, exp(-t), f]", f=float(rng.normal()))
        model.add(lv.Load(body.point(rng.normal(size=3)), force=moving, torque=rng.normal(size=3), axes="body"))


def with_shapes(model, rng):
    """Bodies of every shape on driven and sprung joints to the world."""
    sizes = {lv.Box: 3, lv.Ball: 1, lv.Cylinder: 2, lv.Capsule: 2, lv.Cone: 2, lv.Ellipsoid: 3, lv.ThinPlate: 2}
    plain = [shape(*rng.uniform(0.1, 0.5, n), mass=rng.uniform(0.5, 2.0)) for shape, n in sizes.items()]
    compound = lv.Compound([plain[0], (plain[1], random_pose(rng))])
    solid = lv.Solid(compound.mass_properties, compound.surface, "part", random_pose(rng))
    options = (
        {"drive": lv.Expression("a*(1 - cos(w*t))", a=rng.random(), w=2.0 * rng.random())},
        {"limits": (-np.inf, rng.random()), "limit_stiffness": 1e3 * rng.random()},
        {"start_rate": float(rng.normal())},
        {"stiffness": rng.random(), "rest": rng.random(), "damping": rng.random()},
    )
    for k, shape in enumerate([*plain, compound, solid, solid]):
        pose = random_pose(rng)
        name = f"part {k} of a machine"  # long enough that the longest of its points do not fit a line of a scene
        body = model.add(lv.Body(shape, at=pose.a, rotation=pose.B, body_rates=0.1 * rng.normal(size=3), name=name))
        at = pose.a + 0.2 * rng.normal(size=3)
        made = lv.Revolute if rng.random() < 0.7 else lv.Cylindrical
        given = options[rng.integers(len(options))]
        model.add(
            made(model.world.point_at(at), body.point_at(at), axis=rng.normal(size=3), **given, name=f"hinge {k}")
        )


def with_formulas(model, rng):
    """An energy, a force with a torque, and a bead on a curve; points with short and long numbers in any order."""
    bodies = [some_body(model, rng, solid=True) for _ in range(3)]
    bodies = list(dict.fromkeys(bodies))
    points = [(body, place(rng)) for body in bodies for _ in range(1 + rng.integers(3))]
    rng.shuffle(points)
    weights = rng.normal(size=len(points))

    def energy(s, t):
        x = [s[body].point(r) for body, r in points]
        return sum(w * lv.dot(y, y) * (1.0 + 0.1 * lv.sin(t)) for w, y in zip(weights, x, strict=True))

    def push(s):
        return -0.1 * s[bodies[-1]].velocity(place_of_push) + 0.01 * s[bodies[0]].rotation[:, 1]

    place_of_push = place(rng)
    model.add(lv.Energy(energy, bodies=bodies[::-1]))
    model.add(lv.Force(bodies[0].point(place(rng)), push, torque=lambda s: -0.1 * s[bodies[0]].angular_velocity,
                       bodies=bodies))  # fmt: skip
    bead = model.add(lv.Body(lv.PointMass(rng.uniform(0.5, 2.0)), at=rng.normal(size=3)))
    start, u = bead.pose.a, rng.normal(size=3)
    level = float(u @ start + start @ start)

    def bowl(s):
        x = s[bead].position
        return lv.dot(x, x) + u[2] * x[2] + u[0] * x[0] + u[1] * x[1] - level

    model.add(lv.Constraint(bowl, bodies=[bead]))


def some_body(model, rng, solid=False):
    bodies = [body for body in model.bodies[1:] if not solid or body.mass_properties.principal()[0].min() > 0.0]
    return bodies[rng.integers(len(bodies))]


def place(rng):
    """Coordinates with one digit or with seventeen."""
    r = rng.normal(size=3)
    return r if rng.random() < 0.5 else r.round(1)


def random_pose(rng):
    return lv.Pose(rng.normal(size=3), lv.Pose.from_quaternion(rng.normal(size=4)).B)
