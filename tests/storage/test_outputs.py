"""A file is replaced only if livens wrote it, or by force; devices and pipes never."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import matplotlib.image
import pytest

import livens as lv
from livens.storage import atomic

THESIS = b"ten years of work\n"


@pytest.fixture(scope="module")
def motion():
    m = lv.Model(gravity=(0, 0, -9.81), name="stone")
    m.add(lv.Body(lv.Ball(0.1, density=2500), velocity=(1, 0, 0), name="stone"))
    return lv.simulate(m, h=1e-2, until=0.2)


WRITERS = {
    "motion.nc": lambda motion, path, **force: motion.save(path, **force),
    "page.html": lambda motion, path, **force: motion.to_html(path, **force),
    "picture.png": lambda motion, path, **force: motion.to_png(path, size=(64, 48), **force),
    "film.apng": lambda motion, path, **force: motion.to_video(path, rate=10, size=(64, 48), **force),
    "film.gif": lambda motion, path, **force: motion.to_video(path, rate=10, size=(64, 48), **force),
    "motion.glb": lambda motion, path, **force: motion.to_gltf(path, **force),
    "figure.png": lambda motion, path, **force: motion.plot("energy", path=path, **force),
    "figure.svg": lambda motion, path, **force: motion.plot("energy", path=path, **force),
    "figure.pdf": lambda motion, path, **force: motion.plot("energy", path=path, **force),
    "scene.toml": lambda motion, path, **force: lv.write_scene(motion.model, path, **force),
    "model.xml": lambda motion, path, **force: lv.write_mjcf(motion.model, path, **force),
    "table.csv": lambda motion, path, **force: motion.to_csv(path, **force),
}
FORMATS = (".nc", ".toml", ".html", ".glb", ".xml", ".csv")  # the others are pictures
QUOTES = (
    b"The figures of this thesis were written by livens.\n",
    b"# notes\n# written by livens\n",
    b'{"remark": "written by livens"}',
    b"<!-- written by livens -->\n<p>my page</p>",
    b"t [s],angle [rad]\n0.0,1.0\n",  # a measurement
)


@pytest.mark.parametrize("name", WRITERS)
def test_only_files_of_livens_are_replaced(name, motion, tmp_path):
    path, write = tmp_path / name, WRITERS[name]
    write(motion, path)
    first = path.read_bytes()
    write(motion, path)  # its own file is replaced
    assert path.read_bytes()[:4] == first[:4]
    path.write_bytes(THESIS)
    with pytest.raises(lv.FileError, match=r"exists and was not written by livens: choose another name"):
        write(motion, path)
    assert path.read_bytes() == THESIS
    write(motion, path, force=True)
    assert path.read_bytes()[:4] == first[:4]
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("name", WRITERS)
def test_a_text_that_quotes_the_mark_is_not_replaced(name, motion, tmp_path):
    path = tmp_path / name
    for text in QUOTES:
        path.write_bytes(text)
        with pytest.raises(lv.FileError, match="exists and was not written by livens"):
            WRITERS[name](motion, path)
        assert path.read_bytes() == text


@pytest.fixture(scope="module")
def files(motion, tmp_path_factory):
    """The bytes of a file of livens in some formats."""
    folder = tmp_path_factory.mktemp("files")
    names = ("motion.nc", "picture.png", "page.html", "scene.toml", "motion.glb", "model.xml")
    for name in names:
        WRITERS[name](motion, folder / name)
    return {name: (folder / name).read_bytes() for name in names}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("other", ["motion.nc", "picture.png", "scene.toml"])
def test_a_file_of_another_format_is_not_replaced(name, other, motion, files, tmp_path):
    kinds = [end if (end := Path(x).suffix) in FORMATS else "picture" for x in (name, other)]
    path = tmp_path / name
    path.write_bytes(files[other])
    if kinds[0] == kinds[1]:
        WRITERS[name](motion, path)
        return
    with pytest.raises(lv.FileError, match=r"that livens wrote and not a .*: choose another name"):
        WRITERS[name](motion, path)
    assert path.read_bytes() == files[other]


def test_each_format_is_named(files, tmp_path):
    found = set()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
        found |= {(name, kind) for kind in atomic.FORMATS if atomic.written_by_livens(tmp_path / name, kind)}
    kinds = {"motion.nc": "motion", "picture.png": "picture", "page.html": "page", "scene.toml": "scene"}
    assert found == {*kinds.items(), ("motion.glb", "glTF"), ("model.xml", "mechanism in MJCF")}


def test_a_run_does_not_replace_a_scene_of_livens(motion, say, here):
    lv.write_scene(motion.model, "arm.toml", h=1e-2, until=0.2)
    lv.write_scene(motion.model, "other.toml", h=1e-2, until=0.2)
    before = (here / "other.toml").read_bytes()
    for line in (("run", "arm.toml", "-o", "other.toml"), ("schema", "-o", "other.toml")):
        code, _, err = say(*line)
        assert (code, "other.toml is a scene that livens wrote" in err) == (2, True)
    with pytest.raises(lv.FileError, match="is a scene that livens wrote and not a motion"):
        lv.simulate(motion.model, h=1e-2, until=0.2, checkpoint="other.toml")
    assert (here / "other.toml").read_bytes() == before


def test_a_table_of_tracers_is_not_the_motion(motion, say, here):
    lv.write_scene(motion.model, "arm.toml", h=1e-2, until=0.2)
    text = (here / "arm.toml").read_text() + '\n[run.tracers]\ntip = { body = "stone", point = [0, 0, 0.1] }\n'
    (here / "arm.toml").write_text(text)
    for force in ((), ("--force",)):
        code, _, err = say("run", "arm.toml", "-o", "arm.csv", *force)
        assert (code, "is the name of the table of the tracers" in err) == (2, True)


@pytest.mark.parametrize("name", WRITERS)
def test_a_link_to_a_foreign_file_is_not_followed(name, motion, tmp_path):
    (tmp_path / "thesis.txt").write_bytes(THESIS)
    (tmp_path / name).symlink_to(tmp_path / "thesis.txt")
    with pytest.raises(lv.FileError, match="was not written by livens"):
        WRITERS[name](motion, tmp_path / name)
    assert (tmp_path / "thesis.txt").read_bytes() == THESIS


@pytest.mark.parametrize("name", WRITERS)
def test_a_pipe_is_never_replaced(name, motion, tmp_path):
    os.mkfifo(tmp_path / name)
    for force in ({}, {"force": True}):
        with pytest.raises(lv.FileError, match="it is a device or a pipe, not a regular file"):
            WRITERS[name](motion, tmp_path / name, **force)
    assert stat.S_ISFIFO(os.stat(tmp_path / name).st_mode)


def test_a_device_is_never_replaced(motion):
    with pytest.raises(lv.FileError, match="it is a device or a pipe"):
        motion.save("/dev/null", force=True)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_the_output_of_a_process_is_never_replaced(here):
    """Of a process in a pipe, the real path of /dev/stdout is the name of no file."""
    code = (
        "import livens as lv; m = lv.Model(); m.add(lv.Body(lv.Ball(0.1, mass=1.0)));\n"
        "try: lv.simulate(m, h=1e-2, until=0.1, checkpoint='/dev/stdout')\n"
        "except lv.FileError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "/dev/stdout cannot be written: it is a device or a pipe, not a regular file.\n"
    assert not os.path.exists("/dev/stdout.journal")


def test_an_empty_file_may_be_written(motion, tmp_path):
    (tmp_path / "motion.nc").touch()
    motion.save(tmp_path / "motion.nc")
    assert len(lv.load(tmp_path / "motion.nc")) == len(motion)


def test_a_marked_picture_is_still_a_picture(motion, tmp_path):
    motion.to_png(tmp_path / "picture.png", size=(64, 48))
    assert matplotlib.image.imread(tmp_path / "picture.png").shape[:2] == (48, 64)


def test_a_checkpoint_does_not_begin_over_a_foreign_file(motion, tmp_path):
    (tmp_path / "out.nc").write_bytes(THESIS)
    with pytest.raises(lv.FileError, match="was not written by livens"):
        lv.simulate(motion.model, h=1e-2, until=0.2, checkpoint=tmp_path / "out.nc")
    assert os.listdir(tmp_path) == ["out.nc"]
    lv.simulate(motion.model, h=1e-2, until=0.2, checkpoint=tmp_path / "out.nc", force=True)
    assert len(lv.load(tmp_path / "out.nc")) == len(motion)


def test_the_command_line_does_not_replace_its_input(motion, say, here):
    lv.write_scene(motion.model, "arm.toml", h=1e-2, until=0.2)
    before = (here / "arm.toml").read_bytes()
    for force in ((), ("--force",)):
        code, _, err = say("run", "arm.toml", "-o", "arm.toml", *force)
        assert (code, "arm.toml is the input" in err) == (2, True)
    assert (here / "arm.toml").read_bytes() == before
    (here / "thesis.txt").write_bytes(THESIS)
    code, _, err = say("run", "arm.toml", "-o", "thesis.txt")
    assert (code, "was not written by livens" in err) == (2, True)
    assert (here / "thesis.txt").read_bytes() == THESIS
    assert say("run", "arm.toml", "-o", "thesis.txt", "--force")[0] == 0
    assert say("run", "arm.toml", "-o", "out.nc")[0] == say("run", "arm.toml", "-o", "out.nc")[0] == 0
    assert say("run", "out.nc", "--until", "0.4", "-o", "out.nc")[0] == 0  # a motion is continued in its own file


@pytest.mark.parametrize("name", WRITERS)
def test_a_name_that_is_too_long_is_an_error_of_one_sentence(name, motion, tmp_path):
    with pytest.raises(lv.FileError, match="is not the name of a file: it has more than 255 bytes"):
        WRITERS[name](motion, tmp_path / ("é" * 126 + name))
