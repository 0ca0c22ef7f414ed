"""Solids from the geometry kernel against closed forms, and STEP files against what was drawn.

The kernel integrates numerically: a cylinder's inertia is good to 4e-8, an ellipsoid's mass to 2e-7.
"""

import pickle
import re
import sys
from math import pi

import numpy as np
import pytest

from livens.describe.pose import Pose
from livens.describe.shapes import cad
from livens.describe.shapes.ball import Ball
from livens.describe.shapes.box import Box
from livens.describe.shapes.compound import Compound
from livens.describe.shapes.cone import Cone
from livens.describe.shapes.cylinder import Cylinder
from livens.describe.shapes.ellipsoid import Ellipsoid
from livens.errors import FileError, MissingExtra, ModelError

KERNEL = 4e-7
EPS = np.finfo(float).eps


@pytest.fixture(scope="module")
def occ():
    return pytest.importorskip("netgen.occ", reason="CAD needs netgen: pip install 'livens[cad]'")


def same(a, b, tolerance=KERNEL):
    size = np.sqrt(np.trace(b.inertia) / b.mass)
    assert abs(a.mass - b.mass) <= tolerance * b.mass
    np.testing.assert_allclose(a.center, b.center, rtol=0, atol=tolerance * (size + np.abs(b.center).max()))
    np.testing.assert_allclose(a.inertia, b.inertia, rtol=0, atol=tolerance * np.trace(b.inertia))


def closed(surface):
    t = surface.triangles
    edges = np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])
    forward = {tuple(e) for e in edges.tolist()}
    return len(forward) == len(edges) and forward == {(j, i) for i, j in forward}


# ── mass, centre, inertia ──


def test_hammer():
    """The numbers of the source documents, to the digits printed, and the sum of its two parts."""
    body = cad.hammer().mass_properties
    assert f"{body.mass:.5f}" == "2.06283"
    np.testing.assert_allclose(np.diag(body.inertia), (0.4915, 0.833647, 0.9915), rtol=0, atol=5e-7)
    outside = Pose.from_axis_angle((1, 0, 0), -pi / 2, at=(0, 1.5, 0))  # of the handle, 2 m stick out of the head
    same(body, Compound([Box(2, 1, 1, density=1), (Cylinder(0.1, 2.0, density=1), outside)]).mass_properties)
    assert body.inertia.tolist() == np.diag(np.diag(body.inertia)).tolist()
    assert (body.center[0], body.center[2]) == (0.0, 0.0)


def test_the_hammer_that_is_kept_is_the_one_that_is_drawn(occ):
    """hammer.json, for places without netgen, and a fresh drawing: numbers to round-off, surface to a micrometre."""
    kept, drawn = cad.hammer(), cad.draw_hammer()
    same(kept.mass_properties, drawn.mass_properties, 1e-12)
    np.testing.assert_allclose(kept.surface.vertices, drawn.surface.vertices, rtol=0, atol=1e-6)
    assert kept.surface.triangles.tolist() == drawn.surface.triangles.tolist()
    assert closed(kept.surface)


def test_hammer_scales_with_density():
    light, steel = cad.hammer().mass_properties, cad.hammer(7800.0).mass_properties
    same(steel, light.scaled(7800.0), 8 * EPS)
    assert cad.hammer().name == "hammer"


def test_kernel_agrees_with_closed_forms(occ):
    O, axes = occ.Pnt(0, 0, 0), occ.Axes((0, 0, 0), occ.Z)
    lift = Pose((0, 0, -1))
    for drawn, exact in [
        (occ.Box(occ.Pnt(-0.5, -1, -1.5), occ.Pnt(0.5, 1, 1.5)), Box(1, 2, 3, density=5)),
        (occ.Sphere(O, 0.7), Ball(0.7, density=5)),
        (occ.Cylinder(occ.Pnt(0, 0, -1), occ.Z, r=0.3, h=2), Cylinder(0.3, 2, density=5)),
        (occ.Cone(axes, 0.5, 0, 2, 2 * pi), Cone(0.5, 2, density=5)),  # radians: 360 would be silent nonsense
        (occ.Ellipsoid(axes, 1.5, 0.5, 1.0), Ellipsoid(0.5, 1.0, 1.5, density=5)),  # its first radius is along z
        (occ.Cone(axes, 0.5, 0, 2, 2 * pi).Move((0, 0, -1)), Compound([(Cone(0.5, 2, density=5), lift)])),
    ]:
        same(cad.from_occ(drawn, density=5).mass_properties, exact.mass_properties)


def test_products_of_inertia_have_the_right_sign(occ):
    """Two boxes, turned: no tensor entry is zero."""
    drawn = occ.Box(occ.Pnt(0, 0, 0), occ.Pnt(2, 1, 0.5)) + occ.Box(occ.Pnt(0, 1, 0), occ.Pnt(0.5, 2, 3))
    drawn = drawn.Rotate(occ.Axis((0, 0, 0), occ.Vec(1, 2, 3)), 40).Move((1, -2, 3))
    pose = Pose((1, -2, 3)) @ Pose.from_axis_angle((1, 2, 3), np.radians(40))
    parts = [
        (Box(2, 1, 0.5, density=3), pose @ Pose((1, 0.5, 0.25))),
        (Box(0.5, 1, 3, density=3), pose @ Pose((0.25, 1.5, 1.5))),
    ]
    exact = Compound(parts).mass_properties
    assert np.abs(exact.inertia).min() > 0.01
    same(cad.from_occ(drawn, density=3).mass_properties, exact, 1e-12)


def test_torus(occ):
    R, r = 2.0, 0.5
    ring = occ.WorkPlane(occ.Axes((R, 0, 0), occ.Y)).Circle(r).Face().Revolve(occ.Axis((0, 0, 0), occ.Z), 360)
    body = cad.from_occ(ring, density=1).mass_properties
    m = 2 * pi**2 * R * r**2
    np.testing.assert_allclose(body.mass, m, rtol=KERNEL)
    across = m * (4 * R**2 + 5 * r**2) / 8
    np.testing.assert_allclose(np.diag(body.inertia), (across, across, m * (R**2 + 3 * r**2 / 4)), rtol=KERNEL)


def test_numbers_and_triangles_are_taken_out(occ):
    solid = pickle.loads(pickle.dumps(cad.hammer()))
    assert solid.mass_properties.inertia.tolist() == cad.hammer().mass_properties.inertia.tolist()
    assert len(solid.surface.triangles) > 100


def test_name(occ):
    brick = occ.Box(occ.Pnt(0, 0, 0), occ.Pnt(1, 1, 1))
    assert cad.from_occ(brick, density=1).name is None
    brick.name = "brick"
    assert cad.from_occ(brick, density=1).name == "brick"
    assert cad.from_occ(brick, density=1, name="stone").name == "stone"
    cut = brick - occ.Sphere(occ.Pnt(0, 0, 0), 0.5)
    assert cad.from_occ(cut, density=1).name == "brick"
    assert cad.from_occ(occ.Compound([brick, brick.Move((2, 0, 0))]), density=1).name is None


# ── surfaces ──


def drawings(occ):
    O, axes = occ.Pnt(0, 0, 0), occ.Axes((0, 0, 0), occ.Z)
    cube = occ.Box(occ.Pnt(-1, -1, -1), occ.Pnt(1, 1, 1))
    pipe = occ.Cylinder(occ.Pnt(0, 0, -2), occ.Z, r=0.3, h=4)
    return {
        "sphere": occ.Sphere(O, 1.0),
        "cone": occ.Cone(axes, 1, 0, 2, 2 * pi),
        "ellipsoid": occ.Ellipsoid(axes, 1, 2, 3),
        "drilled": cube - pipe,
        "hollow": occ.Sphere(O, 1.0) - occ.Sphere(O, 0.5),
        "crossed": pipe + occ.Cylinder(occ.Pnt(-1, 0, 0), occ.X, r=0.25, h=2),
        "rounded": cube.MakeFillet(cube.edges, 0.2),
        "torus": occ.WorkPlane(occ.Axes((2, 0, 0), occ.Y)).Circle(0.5).Face().Revolve(occ.Axis((0, 0, 0), occ.Z), 360),
    }


@pytest.mark.parametrize("name", ["sphere", "cone", "ellipsoid", "drilled", "hollow", "crossed", "rounded", "torus"])
def test_surface_is_closed_outward_and_round(occ, name):
    solid = cad.from_occ(drawings(occ)[name], density=1)
    assert closed(solid.surface)
    np.testing.assert_allclose(solid.surface.volume, solid.mass_properties.mass, rtol=0.007)


def test_refined_points_lie_on_the_cylinder(occ):
    v = cad.from_occ(occ.Cylinder(occ.Pnt(0, 0, 0), occ.Z, r=1.0, h=3), density=1).surface.vertices
    rim = v[np.abs(v[:, 2]) < 1e-9]
    radius = np.linalg.norm(rim[:, :2], axis=1)
    rim = rim[radius > 0.5]
    assert len(rim) >= 48  # corners of the circle
    chord = 2 * pi / (len(rim) / 2)  # before the last halving
    assert (
        np.abs(radius[radius > 0.5] - 1).max() <= 3 * chord**4 / 128 + EPS
    )  # the cubic's midpoint misses the circle by this
    assert np.abs(v[:, 2]).min() < 1e-12
    assert v[:, 2].max() == 3.0


@pytest.mark.parametrize("size", [1e-3, 1e3])
def test_surface_does_not_depend_on_the_size(occ, size):
    big, unit = (occ.Cylinder(occ.Pnt(0, 0, 0), occ.Z, r=0.1 * s, h=2.0 * s) for s in (size, 1.0))
    a, b = cad.from_occ(big, density=1).surface, cad.from_occ(unit, density=1).surface
    assert len(a.triangles) == len(b.triangles)
    np.testing.assert_allclose(a.volume, size**3 * b.volume, rtol=1e-9)


# ── STEP ──

LENGTH = re.compile(r"\( LENGTH_UNIT\(\) NAMED_UNIT\(\*\) SI_UNIT\(\.MILLI\.,\.METRE\.\) \)")
UNITS = {  # how a STEP file says it
    "m": "(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT($,.METRE.))",
    "cm": "( LENGTH_UNIT() NAMED_UNIT(*)\n SI_UNIT( .CENTI. , .METRE. ) )",
    "mm": "( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.) )",
    "in": "(CONVERSION_BASED_UNIT('INCH',#9001)LENGTH_UNIT()NAMED_UNIT(#9002));\n"
    "#9001=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#9003);\n"
    "#9002=DIMENSIONAL_EXPONENTS(1.,0.,0.,0.,0.,0.,0.);\n"
    "#9003=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.))",
}
METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254}


@pytest.fixture
def drawing(occ, tmp_path):
    """A file with a plate and a pin, written with numbers such as 1, 2, 3; declare(unit) says what they mean."""
    plate, pin = occ.Box(occ.Pnt(0, 0, 0), occ.Pnt(1, 2, 3)), occ.Cylinder(occ.Pnt(5, 0, 0), occ.Z, r=1, h=2)
    plate.name, pin.name = "plate", "pin"
    occ.Compound([plate, pin]).WriteStep(str(tmp_path / "drawn.step"))
    text = (tmp_path / "drawn.step").read_text()

    def declare(unit, name="part.step"):
        (tmp_path / name).write_text(LENGTH.sub(lambda _: UNITS.get(unit, unit), text))
        return tmp_path / name

    return declare


@pytest.mark.parametrize("unit", UNITS)
def test_one_in_the_file_is_one_unit(drawing, unit):
    """Whatever the kernel makes of the declaration: with the unit given by name and as a number."""
    s = METRES[unit]
    for given in (unit, s):
        plate, pin = cad.read_step(drawing(unit), density=1000, unit=given)
        assert (plate.name, pin.name) == ("plate", "pin")
        same(plate.mass_properties, Box(s, 2 * s, 3 * s, density=1000).mass_properties, 1e-9)
        same(pin.mass_properties, Cylinder(s, 2 * s, density=1000).mass_properties)
        np.testing.assert_allclose(plate.place.a, (0.5 * s, s, 1.5 * s), rtol=1e-12)
        np.testing.assert_allclose(pin.place.a, (5 * s, 0, s), rtol=1e-9, atol=1e-12 * s)
        assert plate.place.B.tolist() == np.eye(3).tolist()
        assert plate.mass_properties.center.tolist() == [0, 0, 0]
        drawn = plate.surface.moved(plate.place).vertices
        np.testing.assert_allclose((drawn.min(0), drawn.max(0)), ((0, 0, 0), (s, 2 * s, 3 * s)), atol=1e-12 * s)


@pytest.mark.parametrize(("declared", "given"), [("m", "mm"), ("mm", "m"), ("in", "mm"), ("cm", "in")])
def test_a_unit_that_the_file_contradicts_is_refused(drawing, declared, given):
    message = (
        rf"part.step declares its lengths in '{declared}', but unit='{given}' was given: .* or unit={METRES[given]}"
    )
    with pytest.raises(ModelError, match=message):
        cad.read_step(drawing(declared), density=1, unit=given)


@pytest.mark.parametrize("declared", UNITS)
def test_a_number_overrules_the_declaration(drawing, declared):
    plate, _ = cad.read_step(drawing(declared), density=1, unit=0.3048)
    same(plate.mass_properties, Box(0.3048, 0.6096, 0.9144, density=1).mass_properties, 1e-9)


def test_drawn_in_metres_and_written_by_netgen(occ, tmp_path):
    file = tmp_path / "hammer.step"
    head = occ.Box(occ.Pnt(-1, -0.5, -0.5), occ.Pnt(1, 0.5, 0.5))
    (head + occ.Cylinder(occ.Pnt(0, 0, 0), occ.Y, r=0.1, h=2.5)).WriteStep(str(file))
    [read] = cad.read_step(file, density=1, unit=1.0)
    drawn = cad.hammer()
    assert read.name == "hammer"  # after the file, for want of a better one
    same(read.mass_properties.moved(read.place), drawn.mass_properties)
    assert len(read.surface.triangles) == len(drawn.surface.triangles)


def test_an_undeclared_unit_is_the_one_given(drawing):
    file = drawing("mm")
    file.write_text(
        re.sub(r"GLOBAL_UNIT_ASSIGNED_CONTEXT\s*\(\(#\d+,", "GLOBAL_UNIT_ASSIGNED_CONTEXT((", file.read_text())
    )
    plate, _ = cad.read_step(file, density=1, unit="cm")
    same(plate.mass_properties, Box(0.01, 0.02, 0.03, density=1).mass_properties, 1e-9)


def test_several_units_are_refused(drawing):
    file = drawing("mm")
    context = "(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNIT_ASSIGNED_CONTEXT((#9101))REPRESENTATION_CONTEXT('',''))"
    other = f"DATA;\n#9100={context};\n#9101={UNITS['m']};\n"
    file.write_text(file.read_text().replace("DATA;\n", other, 1))
    with pytest.raises(ModelError, match=r"declares several length units \('mm', 'm'\): save it with one"):
        cad.read_step(file, density=1, unit="mm")


@pytest.mark.parametrize(
    "unit",
    [
        "(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.FEMTO.,.METRE.))",
        "(CONVERSION_BASED_UNIT('ELL',#9001)LENGTH_UNIT()NAMED_UNIT(*))",
        "(CONVERSION_BASED_UNIT('SNAKE',#9001)LENGTH_UNIT()NAMED_UNIT(*));\n"
        "#9001=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(2.),#9002);\n"
        "#9002=(CONVERSION_BASED_UNIT('SNAKE',#9001)LENGTH_UNIT()NAMED_UNIT(*))",
    ],
)
def test_an_unknown_unit_is_refused(drawing, unit):
    with pytest.raises(FileError, match="declares a length unit that cannot be understood"):
        cad.read_step(drawing(unit), density=1, unit="mm")


def test_file_names_in_capitals_and_foreign_letters(drawing):
    for name in ("PART.STEP", "part.stp", "Träger ø.StP"):
        assert len(cad.read_step(drawing("mm", name), density=1, unit="mm")) == 2


def assembled(text, uses):
    """The one product of a STEP file twice in an assembly; `uses` are (name, origin, x-axis) with z upwards."""
    number = max(int(n) for n in re.findall(r"#(\d+)\s*=", text))
    part = re.search(r"#3 = SHAPE_DEFINITION_REPRESENTATION\(#4,#(\d+)\)", text)[1]
    context = re.search(r"#(\d+) = \( GEOMETRIC_REPRESENTATION_CONTEXT", text)[1]
    origin = re.search(r"SHAPE_REPRESENTATION\('',\(#(\d+)", text)[1]
    lines = []

    def add(entity):
        lines.append(f"#{number + len(lines) + 1} = {entity};")
        return f"#{number + len(lines)}"

    product = add("PRODUCT('frame','frame','',(#8))")
    formation = add(f"PRODUCT_DEFINITION_FORMATION('','',{product})")
    design = add(f"PRODUCT_DEFINITION('design','',{formation},#9)")
    shape = add(f"PRODUCT_DEFINITION_SHAPE('','',{design})")
    frames = []
    for _, at, x in uses:
        point = add("CARTESIAN_POINT('',({:.1f},{:.1f},{:.1f}))".format(*at))
        z, x = add("DIRECTION('',(0.,0.,1.))"), add("DIRECTION('',({:.1f},{:.1f},{:.1f}))".format(*x))
        frames.append(add(f"AXIS2_PLACEMENT_3D('',{point},{z},{x})"))
    whole = add(f"SHAPE_REPRESENTATION('',({','.join(frames)}),#{context})")
    add(f"SHAPE_DEFINITION_REPRESENTATION({shape},{whole})")
    for (name, *_), frame in zip(uses, frames, strict=True):
        use = add(f"NEXT_ASSEMBLY_USAGE_OCCURRENCE('{name}','{name}','',{design},#5,$)")
        place = add(f"ITEM_DEFINED_TRANSFORMATION('','',#{origin},{frame})")
        relation = add(
            f"( REPRESENTATION_RELATIONSHIP('','',#{part},{whole}) "
            f"REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION({place}) SHAPE_REPRESENTATION_RELATIONSHIP() )"
        )
        used = add(f"PRODUCT_DEFINITION_SHAPE('','',{use})")
        add(f"CONTEXT_DEPENDENT_SHAPE_REPRESENTATION({relation},{used})")
    end = text.rindex("ENDSEC;")
    return text[:end] + "\n".join(lines) + "\n" + text[end:]


def test_an_assembly_gives_each_part_its_place_and_its_own_name(occ, tmp_path):
    file = tmp_path / "frame.step"
    occ.Box(occ.Pnt(0, 0, 0), occ.Pnt(1, 2, 3)).WriteStep(str(file))
    uses = [("strut", (0, 0, 0), (1, 0, 0)), ("strut", (10, 20, 30), (0, 1, 0)), ("brace", (0, 0, -5), (1, 0, 0))]
    file.write_text(assembled(file.read_text(), uses))
    solids = cad.read_step(file, density=1e9, unit="mm")
    assert [s.name for s in solids] == ["strut", "strut-2", "brace"]
    places = [(0.5, 1, 1.5), (9, 20.5, 31.5), (0.5, 1, -3.5)]
    np.testing.assert_allclose([s.place.a * 1000 for s in solids], places, atol=1e-9)
    straight, turned = solids[0].mass_properties.inertia, solids[1].mass_properties.inertia
    np.testing.assert_allclose(np.diag(turned), np.diag(straight)[[1, 0, 2]], rtol=1e-9)
    whole = Compound(solids).mass_properties  # all of it as one body, each solid where it was drawn
    np.testing.assert_allclose(whole.center * 1000, np.mean(places, axis=0), atol=1e-9)


# ── refusals ──


def test_empty_solids_are_refused(occ):
    nothing = occ.Sphere(occ.Pnt(0, 0, 0), 1) * occ.Sphere(occ.Pnt(9, 0, 0), 1)
    with pytest.raises(ModelError, match="solid 'gap' is empty: its volume is zero"):
        cad.from_occ(nothing, density=1, name="gap")
    with pytest.raises(ModelError, match="the solid is empty"):
        cad.from_occ(occ.Sphere(occ.Pnt(0, 0, 0), 1).faces[0], density=1)


def test_a_shape_that_is_none_is_refused(occ):
    with pytest.raises(ModelError, match=r"from_occ takes a netgen\.occ shape, not 'hammer'"):
        cad.from_occ("hammer", density=1)


@pytest.mark.parametrize(
    ("density", "message"), [(0, "must be positive, got 0 kg/m³"), (float("nan"), "is not finite")]
)
def test_density_is_checked(drawing, density, message):
    with pytest.raises(ModelError, match=f"density {message}"):
        cad.hammer(density)
    with pytest.raises(ModelError, match=f"density {message}"):
        cad.read_step(drawing("mm"), density=density, unit="mm")


@pytest.mark.parametrize(
    ("unit", "message"),
    [
        ("furlong", "unit must be one of 'm', 'cm', 'mm', 'in' or metres per unit, got 'furlong'"),
        (0.0, "unit must be positive, got 0 m"),
        (float("inf"), "unit is not finite"),
    ],
)
def test_unit_is_checked(drawing, unit, message):
    with pytest.raises(ModelError, match=message):
        cad.read_step(drawing("mm"), density=1, unit=unit)


def test_the_unit_must_be_said(drawing):
    with pytest.raises(TypeError, match="unit"):
        cad.read_step(drawing("mm"), density=1)


def test_files_that_cannot_be_read(occ, drawing, tmp_path):
    def refused(file, message, **options):
        with pytest.raises(FileError, match=message) as caught:
            cad.read_step(file, density=1, unit="mm", **options)
        assert "\n" not in str(caught.value)

    refused(tmp_path / "no.step", r"no\.step does not exist")
    refused(tmp_path, r"is not a file")
    file = drawing("mm")
    refused(file, r"part\.step has \d+ bytes; raise max_bytes = 1000 if you trust it", max_bytes=1000)
    text = file.read_text()
    for bad in ("", "solid\n", text[: len(text) // 2]):
        file.write_text(bad)
        refused(file, r"part\.step is not a complete STEP file")
    file.write_text(text.replace("DATA;", "DATA"))
    refused(file, r"part\.step cannot be read as STEP")


def test_a_file_without_a_solid_is_refused(occ, tmp_path):
    file = tmp_path / "face.step"
    occ.Sphere(occ.Pnt(0, 0, 0), 1).faces[0].WriteStep(str(file))
    with pytest.raises(ModelError, match=r"face\.step contains no solid"):
        cad.read_step(file, density=1, unit="mm")


@pytest.mark.parametrize("points", [[], [0.0, 0.0, np.nan, 1.0]])
def test_faces_that_cannot_be_drawn_are_refused(points):
    """As the kernel answers for some damaged files: a volume, and no triangles."""

    class Damaged:
        def _webgui_data(self):
            return {"Bezier_trig_points": [points] * 3 + [points[:3]] * 3}

    with pytest.raises(ModelError, match="solid 'part' has a volume but faces that cannot be drawn"):
        cad._surface(Damaged(), "solid 'part'")


def test_without_netgen_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "netgen.occ", None)
    for call in (
        cad.draw_hammer,
        lambda: cad.from_occ(None, density=1),
        lambda: cad.read_step("x.step", density=1, unit="mm"),
    ):
        with pytest.raises(MissingExtra, match=r"CAD solids need netgen .* pip install 'livens\[cad\]'"):
            call()
