"""What the tests of ensembles study, in a module that other processes can import too."""

import os
from concurrent.futures import Executor, Future
from random import Random
from threading import Condition, Thread

import livens as lv


def oscillator(stiffness, mass):
    """A point mass on a spring without length, let go at x = 1: x(t) = cos(√(k/m) t)."""
    m = lv.Model(name="oscillator")
    ball = m.add(lv.Body(lv.PointMass(mass), at=(1, 0, 0), name="ball"))
    m.add(lv.Spring(m.world.point(0, 0, 0), ball.point(0, 0, 0), stiffness=stiffness, length=0.0))
    return m


def place(motion):
    """Where the ball ends [m]."""
    return {"x": motion.position("ball")[-1, 0]}


def double_pendulum(rate, mass=10.0):
    """Two rods on hinges, the lower one turning at `rate` [rad/s]."""
    m = lv.Model(gravity=(0, 0, -9.81), name="double pendulum")
    arm = m.add(lv.Body(lv.Box(1.0, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    fore = lv.Body(
        lv.MassProperties(mass, (0.1, 0.5, 0.5)),
        at=(1.4, 0, 0), velocity=(0, 0, -0.4 * rate), angular_velocity=(0, rate, 0), name="fore",
    )  # fmt: skip
    m.add(fore)
    m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="shoulder"))
    m.add(lv.Revolute(arm.point(0.5, 0, 0), fore.point(-0.4, 0, 0), axis=(0, 1, 0), name="elbow"))
    return m


def tip(motion):
    """Where the lower rod's end is at last [m], and how the energy drifts [1/s]."""
    end = motion.model["fore"].point(0.4, 0, 0)
    return {"tip": motion.position(end)[-1], "drift": motion.report().energy_slope}


def chain(links, angle):
    """So many rods in a row: members that differ in structure."""
    m = lv.Model(gravity=(0, 0, -9.81), name=f"chain of {links}")
    end = m.world.point(0, 0, 0)
    turn = lv.Pose.from_axis_angle((0, 1, 0), angle)
    for k in range(links):
        at = turn.point((0.5 + k, 0, 0))
        rod = m.add(lv.Body(lv.Box(1.0, 0.1, 0.1, density=1000), at=at, rotation=turn.B, name=f"rod{k}"))
        m.add(lv.Revolute(end, rod.point(-0.5, 0, 0), axis=(0, 1, 0), name=f"hinge{k}"))
        end = rod.point(0.5, 0, 0)
    return m


def last_height(motion):
    """How high the last rod ends [m]."""
    return {"z": motion.position(motion.model.bodies[-1])[-1, 2]}


class Noted:
    """A `keep` that also writes down, in a file, which member it saw: by its parameter `rate`."""

    def __init__(self, log):
        self.log = log

    def __call__(self, motion):
        rate = float(motion.model["fore"].body_rates[1])
        handle = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(handle, f"{rate!r}\n".encode())
        os.close(handle)
        return tip(motion)


class Shuffled(Executor):
    """Runs what it is given one by one, in an order of its own."""

    def __init__(self, seed):
        self.waiting, self.order, self.most, self.ready = [], Random(seed), 0, Condition()
        Thread(target=self.work, daemon=True).start()

    def submit(self, function, *arguments):
        future = Future()
        with self.ready:
            self.waiting.append((future, function, arguments))
            self.most = max(self.most, len(self.waiting))
            self.ready.notify()
        return future

    def work(self):
        while True:
            with self.ready:
                self.ready.wait_for(lambda: self.waiting)
                future, function, arguments = self.waiting.pop(self.order.randrange(len(self.waiting)))
            if future.set_running_or_notify_cancel():
                future.set_result(function(*arguments))
