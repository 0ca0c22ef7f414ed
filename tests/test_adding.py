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


@pytest.mark.parametrize("case", CASES)
def test_one_file_and_one_line(case, tmp_path):
    pytest.importorskip("casadi")
    path, text, export, script = CASES[case]
    package = tmp_path / "livens"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
    assert not (package / path).exists()
    (package / path).write_text(textwrap.dedent(text).lstrip())
    stub = package / "__init__.pyi"
    stub.write_text(f"{stub.read_text()}\n{export}\n")
    code = EVERYWHERE.format(script=textwrap.dedent(script), name=export.split()[-1])
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
