"""A joint, a force or a kind of row is one file and one export line: each case adds one to a copy of the package.

In the copy it is then simulated, reported, written as a scene and read again, drawn on a page, saved and loaded. No
other file of the copy is changed. A new case is one more Case below.
"""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "livens"


class Case(NamedTuple):
    """A new class: its file, its text, its line in `__init__.pyi`, and a script with `model`, `h`, `until`, `check`."""

    path: str
    text: str
    export: str
    script: str


CASES = {
    "a joint made of rows": Case(
        "describe/joints/trolley.py",
        '''
        """Trolley: 2 DOT2 + 3 DOT1, the rows of a Prismatic joint; its axis is given by the inclination."""

        import numpy as np

        from ..body import Point
        from ..row import Row, across, on_plane, oriented
        from .axial import Axial


        class Trolley(Axial):
            """The second body moves along an axis in the xz-plane that is `slope` [rad] below the x-axis."""

            coordinate_kinds = ("DISPLACEMENT",)

            def __init__(self, a: Point, b: Point, slope: float, stiffness: float = 0.0, name: str = ""):
                super().__init__(a, b, (np.cos(slope), 0.0, -np.sin(slope)), stiffness=stiffness, name=name)
                self.slope = slope

            def constraints(self) -> list[Row]:
                return [on_plane(self.a, self.b, e) for e in across(self.axis)] + oriented(self.a, self.b)
        ''',
        "from .describe.joints.trolley import Trolley as Trolley",
        """
        h, until = 0.01, 0.2
        scheme = lv.Livens()

        def model():
            m = lv.Model(gravity=(0, 0, -9.81))
            cart = m.add(lv.Body(lv.Box(0.2, 0.1, 0.1, mass=2.0), name="cart"))
            m.add(lv.Trolley(m.world.point(0, 0, 0), cart.point(0, 0, 0), slope=0.3, name="new"))
            return m

        def check(motion):
            wanted = 0.5 * 9.81 * np.sin(0.3) * motion.t**2  # the scheme is exact for a constant force
            assert abs(motion.coordinate("new") - wanted).max() <= 1e-12
            assert abs(motion.reaction("new")[:, 2] - 2.0 * 9.81 * np.cos(0.3) ** 2).max() <= 1e-9
            assert motion.report().energy_conserved
        """,
    ),
    "a joint with a row of its own": Case(
        "describe/joints/elliptic_track.py",
        '''
        """Elliptic track: 1 DOT2 + 1 TAPE, x²/long² + z²/short² = 1 in the axes of the first body."""

        from ..body import Point
        from ..formula_rows import FormulaRows
        from ..row import Row, local, on_plane
        from .joint import Joint


        class EllipticTrack(Joint):
            """The second point stays on an ellipse about the first, with semi-axes `long` along x, `short` along z."""

            def __init__(self, a: Point, b: Point, long: float, short: float, name: str = ""):
                super().__init__(a, b, name)
                self.long, self.short = long, short

                def ellipse(sees):
                    d = sees[b.body].point(b.r) - sees[a.body].point(a.r)
                    x, z = (sum(d[k] * sees[a.body].direction(e)[k] for k in range(3)) for e in ((1, 0, 0), (0, 0, 1)))
                    return (x / long) ** 2 + (z / short) ** 2 - 1.0

                self.equations = FormulaRows(ellipse, (a.body, b.body), self.label)

            def rows(self) -> list[Row]:
                return [on_plane(self.a, self.b, self.a.body.pose.B[:, 1]), *self.equations.rows()]
        ''',
        "from .describe.joints.elliptic_track import EllipticTrack as EllipticTrack",
        """
        h, until = 0.01, 0.2
        scheme = lv.Livens()

        def model():
            m = lv.Model(gravity=(0, 0, -9.81))
            bead = m.add(lv.Body(lv.PointMass(0.5), at=(2, 0, 0), name="bead"))
            m.add(lv.EllipticTrack(m.world.point(0, 0, 0), bead.point(0, 0, 0), long=2.0, short=1.0, name="new"))
            return m

        def check(motion):
            x, y, z = motion.position("bead").T
            assert abs((x / 2.0) ** 2 + z**2 - 1.0).max() <= 1e-12
            assert abs(y).max() <= 1e-12
            assert z[-1] < -0.1  # it falls
            speed = np.linalg.norm(motion.velocity("bead"), axis=1)
            assert abs(0.5 * speed**2 + 9.81 * z).max() <= 20 * h**2  # energy per mass
            assert motion.report().energy_conserved
        """,
    ),
    "a shape": Case(
        "describe/shapes/tube.py",
        '''
        """Tube along z: V = π (R² − r²) l, e = ((R² + r²)/4, (R² + r²)/4, l²/12)."""

        from dataclasses import dataclass
        from math import pi

        from ..surface import Surface
        from ..tessellate import cylinder
        from .uniform import Facts, Uniform


        @dataclass(frozen=True, repr=False)
        class Tube(Uniform):
            """A tube with the radii `outer` and `inner` and the given length [m], centred, along z."""

            outer: float
            inner: float
            length: float

            def _facts(self) -> Facts:
                squares = (self.outer**2 + self.inner**2) / 4
                measure = pi * (self.outer**2 - self.inner**2) * self.length
                return Facts(measure, (squares, squares, self.length**2 / 12))

            @property
            def surface(self) -> Surface:
                return cylinder(self.outer, self.length)
        ''',
        "from .describe.shapes.tube import Tube as Tube",
        """
        h, until = 0.01, 0.2
        scheme = lv.Livens()

        def model():
            m = lv.Model(gravity=(0, 0, -9.81))
            m.add(lv.Body(lv.Tube(0.2, 0.1, 0.5, density=1000), body_rates=(0.0, 0.0, 3.0), name="new"))
            return m

        def check(motion):
            mass = 1000 * np.pi * 0.03 * 0.5
            assert abs(motion.model["new"].mass_properties.mass - mass) <= 1e-12 * mass
            assert abs(motion.kinetic[0] - 0.5 * mass * 0.05 / 2 * 9.0) <= 1e-12 * mass
            assert abs(motion.position("new")[:, 2] + 0.5 * 9.81 * motion.t**2).max() <= 1e-12
            assert motion.report().energy_conserved
        """,
    ),
    "a force made of terms": Case(
        "describe/forces/bungee.py",
        '''
        """Bungee: V = ½ k d² + T d for the distance d of two points, a spring and a formula."""

        from ...formula.functions import norm
        from ..body import Point
        from ..glyph import Glyph
        from ..term import PointSpring, Term
        from ..thing import Thing
        from .energy import written_energy


        class Bungee(Thing):
            """Two points attract each other with the `tension` T [N] and `stiffness` k [N/m] times their distance."""

            kind = "force"

            def __init__(self, a: Point, b: Point, stiffness: float, tension: float, name: str = ""):
                self.name, self.a, self.b, self.stiffness, self.tension = name, a, b, stiffness, tension

            @property
            def points(self) -> tuple[Point, ...]:
                return self.a, self.b

            def terms(self) -> list[Term]:
                def energy(sees):
                    return self.tension * norm(sees[self.b.body].point(self.b.r) - sees[self.a.body].point(self.a.r))

                bodies = (self.a.body, self.b.body)
                return [PointSpring(self.a, self.b, self.stiffness, 0.0), written_energy(energy, bodies, self.label)]

            def glyphs(self) -> list[Glyph]:
                return [Glyph("spring", (self.a, self.b))]
        ''',
        "from .describe.forces.bungee import Bungee as Bungee",
        """
        h, until = 0.01, 0.2
        scheme = lv.Livens()

        def model():
            m = lv.Model()
            ball = m.add(lv.Body(lv.PointMass(2.0), at=(2, 0, 0), name="ball"))
            m.add(lv.Bungee(m.world.point(0, 0, 0), ball.point(0, 0, 0), stiffness=4.0, tension=3.0, name="new"))
            return m

        def check(motion):
            wanted = 2.75 * np.cos(np.sqrt(2.0) * motion.t) - 0.75  # about −T/k, with ω² = k/m
            assert 1e-12 < abs(motion.position("ball")[:, 0] - wanted).max() <= 0.2 * h**2
            assert abs(motion.potential[0] - (0.5 * 4.0 * 2.0**2 + 3.0 * 2.0)) <= 1e-12
            report = motion.report()
            assert report.energy_conserved
            assert "momentum is not conserved" in str(report) and "bungee 'new'" in str(report)
            assert len(conserved(motion.model).angular_momentum.directions) == 3  # a central force
        """,
    ),
}

EVERYWHERE = """
from pathlib import Path
import numpy as np
import livens as lv
from livens.analysis.conserved import conserved
from livens.compile.system import compile_model, same
from livens.scene import to_dict
from livens.scene.schema import json_schema

{script}

assert Path(lv.__file__).is_relative_to(Path.cwd())  # the copy

first = model()
motion = lv.simulate(first, scheme, h=h, until=until)
check(motion)
assert "energy" in str(motion.report())

lv.write_scene(first, "scene.toml", scheme=scheme, h=h, until=until)
scene = lv.read_scene("scene.toml")
assert same(compile_model(scene.model())[:2], compile_model(first)[:2]) and to_dict(scene.model()) == to_dict(first)
assert same(scene.simulate().record, motion.record)
assert {name!r} in json_schema()["$defs"]

motion.to_html("page.html")
assert "<html" in Path("page.html").read_text()[:200]

motion.save("motion.nc")
again = lv.load("motion.nc")
check(again)
assert same(again.record, motion.record) and again.scheme == scheme
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the package."""
    shutil.copytree(SOURCE, tmp_path / "livens", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "livens"


def add(copy, path, text):
    assert not (copy / path).exists()
    (copy / path).write_text(textwrap.dedent(text).lstrip())


def run(copy, code):
    """Run code with the copy, in whose folder files are written."""
    environment = {**os.environ, "PYTHONPATH": str(copy.parent), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], cwd=copy.parent, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("case", CASES)
def test_one_file_and_one_line(case, copy):
    pytest.importorskip("casadi")
    path, text, export, script = CASES[case]
    add(copy, path, text)
    stub = copy / "__init__.pyi"
    stub.write_text(f"{stub.read_text()}\n{export}\n")
    run(copy, EVERYWHERE.format(script=textwrap.dedent(script), name=export.split()[-1]))


def test_a_demo_is_one_file(copy):
    add(
        copy,
        "demos/thrown_stone.py",
        '''
        """A stone that is thrown."""

        import livens as lv

        from .demo import Demo


        def throw() -> lv.Trajectory:
            m = lv.Model(gravity=(0, 0, -9.81), name="stone")
            m.add(lv.Body(lv.Ball(0.1, density=2500), velocity=(1, 0, 5), name="stone"))
            return lv.simulate(m, h=0.01, until=0.1)


        DEMO = Demo("a stone that is thrown", throw, lambda motion: motion.plot("energy"), "its energy")
        ''',
    )
    run(
        copy,
        """
        from pathlib import Path
        from livens.cli.main import main
        from livens.demos import DEMOS

        assert "thrown-stone" in DEMOS or "thrown_stone" in DEMOS
        name = next(name for name in DEMOS if name.startswith("thrown"))
        assert main(["demo", name, "--output", "out", "--no-browser"]) == 0
        assert {path.suffix for path in Path("out").iterdir()} == {".nc", ".png", ".html"}
        """,
    )


def test_a_figure_is_one_file_and_an_entry(copy):
    add(
        copy,
        "look/plot/heights.py",
        '''
        """The height of a body against time."""


        def heights(figure, motion, body):
            axes = figure.subplots()
            axes.plot(motion.t, motion.position(body)[:, 2])
            axes.set_ylabel("height [m]")
        ''',
    )
    table = copy / "look/plot/__init__.py"
    text = table.read_text().replace(
        "from .energy import energy\n", "from .energy import energy\nfrom .heights import heights\n"
    )
    table.write_text(text.replace('    "energy": energy,\n', '    "energy": energy,\n    "heights": heights,\n'))
    run(
        copy,
        """
        import livens as lv

        m = lv.Model(gravity=(0, 0, -9.81))
        m.add(lv.Body(lv.Ball(0.1, density=2500), name="stone"))
        figure = lv.simulate(m, h=0.01, until=0.1).plot("heights", "stone", path="heights.png")
        assert figure.axes[0].get_ylabel() == "height [m]"
        """,
    )


def test_a_variational_scheme_is_a_table(copy):
    """Gauss quadrature with two points on straight lines: order 2."""
    pytest.importorskip("casadi")
    file = copy / "discrete/quadrature.py"
    file.write_text(
        file.read_text()
        + "\n\ndef TwoPoints() -> Quadrature:\n    return Quadrature('TwoPoints()', 2, (0.0, 1.0), *GAUSS[2])\n"
    )
    names = copy / "discrete/__init__.py"
    text = names.read_text().replace("Rectangle, Trapezoidal", "Rectangle, Trapezoidal, TwoPoints")
    names.write_text(text.replace('    "Trapezoidal",\n', '    "Trapezoidal",\n    "TwoPoints",\n'))
    run(
        copy,
        """
        import numpy as np
        import livens.discrete as ld

        kepler = ld.Mechanical(mass=[1.0, 1.0], potential=lambda x: -1.0 / ld.norm(x))
        ends = [ld.simulate(kepler, ld.TwoPoints(), [1.0, 0.0], [0.0, 1.0], h=h, until=1.0).q[-1] for h in (0.1, 0.05)]
        one, two = (np.abs(end - [np.cos(1.0), np.sin(1.0)]).max() for end in ends)
        assert 1.9 < np.log2(one / two) < 2.1
        """,
    )
