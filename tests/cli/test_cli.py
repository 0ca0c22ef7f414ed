"""The command line: output, files, exit codes, and errors of one sentence."""

import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import livens as lv
from livens import demos
from livens.cli.main import main

TOP = """
import livens as lv

model = lv.Model(name="top")
model.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 2, 0.1), name="top"))
"""
FAST = TOP.replace("(0.1, 2, 0.1)", "(0.1, 2000, 0.1)")


@pytest.fixture(scope="module", autouse=True)
def warm():
    """Compile the kernels before a process is timed or interrupted, or its output is compared."""
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 2, 0.1)))
    lv.simulate(m, h=1e-2, until=0.1).report()


@pytest.fixture(autouse=True)
def model_here(here):
    """A model in the folder."""
    (here / "top.py").write_text(TOP)


def command(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "livens", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        **options,
    )


# ── as a process ──


def test_the_command_as_a_process(here):
    run = command("run", "top.py", "--h", "1e-2", "--until", "1", "-o", "top.nc")
    assert (run.returncode, run.stderr) == (0, "")
    assert "angular momentum about the" in run.stdout
    bad = command("report", "nowhere.nc")
    assert (bad.returncode, bad.stdout, bad.stderr) == (2, "", "livens: nowhere.nc does not exist.\n")


def test_output_to_a_terminal_without_unicode(here):
    run = command("run", "top.py", "--h", "1e-2", "--until", "1", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert run.returncode == 0
    assert "kg m?/s" in run.stdout


def test_a_closed_pipe_is_no_error(here):
    lv.simulate(lv.Model(), h=1.0, until=1.0).save("empty.nc")
    line = f"{sys.executable} -m livens report empty.nc | true"
    run = subprocess.run(line, shell=True, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a process")
def test_ctrl_c_gives_exit_code_130(here):
    run = [sys.executable, "-m", "livens", "run", "top.py", "--h", "1e-6", "--until", "1e5", "--every", "1000000000"]
    process = subprocess.Popen(
        run,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL
        ),  # a shell may have it ignored in the background
    )
    try:
        for _ in range(100):
            time.sleep(0.1)
            if process.poll() is not None or _computed(process.pid) > 1.5:
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()  # in case it ignored the signal: no test leaves a process
    assert (process.returncode, out) == (130, "")
    assert re.fullmatch(r"livens: interrupted at t = \S+ s of 100000 s\.\n", err)


def _computed(pid):
    """Processor time of a process [s]; 0 if the system does not provide it."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return sum(map(int, file.read().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0.0


# ── help and usage ──


def test_version_and_help(capsys):
    for arguments, words in (
        (["--version"], f"livens {lv.__version__}"),
        (["--help"], "livens run top.py --h 1e-3 --until 10 -o top.nc"),
        (["run", "--help"], "FILE.py is a Python file that defines `model`"),
    ):
        with pytest.raises(SystemExit) as end:
            main(arguments)
        assert end.value.code == 0
        assert words in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["fly"],
        ["run"],
        ["run", "a.py", "--scheme", "Euler"],
        ["run", "a.py", "--until", "x"],
        ["run", "a.py", "--order", "3"],
    ],
)
def test_wrong_usage(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("usage: livens")


def test_info_about_the_installation(say):
    code, out, _ = say("info")
    assert code == 0
    for word in ("livens", lv.__version__, "numba", "back end", "threads"):
        assert word in out


# ── run, report, info ──


def test_run_report_info(say):
    code, out, _ = say("run", "top.py", "--h", 1e-2, "--until", 1, "--order", 4, "--every", 10, "-o", "top.nc")
    assert code == 0
    assert out.endswith("saved in top.nc\n")
    motion = lv.load("top.nc")
    assert (motion.scheme, motion.every, motion.steps) == (lv.Livens(order=4), 10, 100)
    code, report, _ = say("report", "top.nc")
    assert code == 0
    assert report.strip() == str(motion.report())
    code, out, _ = say("info", "top.nc")
    assert code == 0
    for words in ("Livens(order=4), h = 0.01 s", "0 to 1 s, 100 steps, 11 states kept", "body 'top'  1 kg"):
        assert words in out


def test_a_run_without_output_says_that_the_motion_is_not_saved(say, here):
    code, out, _ = say("run", "top.py", "--h", 1e-2, "--until", 1)
    assert code == 0
    assert out.endswith("The motion is not saved; use -o FILE.nc to save it.\n")
    assert [path.name for path in here.iterdir() if path.is_file()] == ["top.py"]


def test_a_saved_motion_is_continued(say):
    say("run", "top.py", "--h", 1e-2, "--until", 1, "-o", "top.nc")
    assert say("run", "top.nc", "--until", 2, "-o", "top.nc")[0] == 0
    say("run", "top.py", "--h", 1e-2, "--until", 2, "-o", "whole.nc")
    for one, other in zip(lv.load("top.nc").record, lv.load("whole.nc").record, strict=True):
        assert np.array_equal(one, other)


def test_a_function_may_make_the_model(say, here):
    (here / "parts.py").write_text("NAME = 'made'\n")
    (here / "made.py").write_text(
        "import livens as lv\nfrom parts import NAME\ndef model():\n    return lv.Model(name=NAME)\n"
    )
    code, out, _ = say("run", "made.py", "--h", 1, "--until", 2)
    assert code == 0
    assert out.startswith("made: ")


def test_a_failed_simulation_saves_the_motion_so_far(say, here):
    (here / "top.py").write_text(FAST)
    code, out, err = say("run", "top.py", "--h", 1e-2, "--until", 1, "-o", "top.nc")
    assert (code, out) == (1, "")
    saved, reason = err.splitlines()
    assert saved == "livens: the motion up to t = 0 s is in top.nc."
    assert reason.startswith("livens: the rotation of body 'top' cannot be solved at t = 0 s (step 1)")
    assert "error.trajectory" not in err
    assert lv.load("top.nc").steps == 0


# ── errors of one sentence, exit code 2 ──


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x = 1", "bad.py does not define `model`."),
        ("model = 3", "`model` in bad.py must be a livens Model or a function that returns one, not 3."),
        ("\n\nmodel = nothing", "bad.py, line 3: NameError: name 'nothing' is not defined"),
        ("model = (", "bad.py, line 1: SyntaxError: '(' was never closed (bad.py, line 1)"),
        ("import livens as lv\nlv.Box(1, 1, -1, mass=1)", "bad.py, line 2: Box z must be positive, got -1 m."),
        ("def model():\n    return {}['key']", "bad.py, line 2: KeyError: 'key'"),
        ("raise SystemExit", "bad.py, line 1: SystemExit: "),
    ],
)
def test_errors_of_model_files(text, sentence, say, here):
    (here / "bad.py").write_text(text)
    assert say("run", "bad.py", "--h", 0.1, "--until", 1) == (2, "", f"livens: {sentence}\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "gone.py", "--h", "1", "--until", "1"], "gone.py does not exist."),
        (["run", "top.txt", "--h", "1", "--until", "1"], "top.txt must be a scene (.toml), a Python file (.py)"),
        (["run", "top.py", "--until", "1"], "to simulate top.py, give a step, such as --h 1e-3 or --h auto."),
        (["run", "top.py", "--h", "1"], "to simulate top.py, give an end, such as --until 10."),
        (["run", "top.nc"], "to continue top.nc, give a later end, such as --until 20."),
        (["run", "top.py", "--h", "-1", "--until", "1"], "h must be positive, got -1 s."),
        (["run", "top.py", "--h", "1", "--until", "nan"], "until is not finite"),
        (["run", "top.py", "--h", "1", "--until", "1", "--every", "0"], "every must be a whole number of steps"),
        (["run", "top.py", "--h", "1", "--until", "1", "-o", "no/top.nc"], "no/top.nc cannot be written: the folder"),
        (["run", "top.nc", "--until", "2", "--h", "1"], "its own scheme, step and interval: leave out --h."),
        (["run", "top.nc", "--until", "1"], "t = 1 s is not a later step."),
        (["report", "top.py"], "top.py is not a motion saved by livens"),
        (["info", "top.txt"], "top.txt is not a motion saved by livens"),
        (["demo", "anvil"], "there is no demo 'anvil'; choose from single-body, hammer"),
        (["demo", "hammer", "--output", "top.py"], "the folder top.py cannot be created: file exists."),
    ],
)
def test_errors_of_wrong_input(arguments, words, say, here):
    (here / "top.txt").write_text("not a model")
    main(["run", "top.py", "--h", "1e-2", "--until", "1", "-o", "top.nc"])
    say("info")  # forget what that printed
    code, out, err = say(*arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert err.startswith("livens: ")
    assert err.count("\n") == 1


# ── the demonstration ──


def test_demo(say, here):
    code, out, err = say("demo", "hammer", "--output", "shown")
    assert (code, err) == (0, "")
    assert "angular momentum about the" in out
    assert "steps/s" in out
    assert sorted(path.name for path in (here / "shown").iterdir()) == ["hammer.html", "hammer.nc", "hammer.png"]
    motion = lv.load("shown/hammer.nc")
    assert motion.model["hammer"].mass_properties.mass == pytest.approx(2.06283, abs=1e-5)
    assert motion.report().energy.relative < 1e-11


@pytest.mark.parametrize("arguments", [["demo"], ["demo", "--list"]])
def test_demos_are_listed(arguments, say, here):
    code, out, _ = say(*arguments)
    assert code == 0
    assert len(out.splitlines()) == len(demos.DEMOS) >= 13
    for line, (name, demo) in zip(out.splitlines(), demos.DEMOS.items(), strict=True):
        assert line.split(maxsplit=1) == [name, demo.line]
    assert not (here / "demo-output").exists()


@pytest.mark.parametrize("name", ["four-bar", "schemes", "pose-playground"])
def test_demos_with_warnings_tables_and_poses(name, say, here):
    """A loop with a warning, a comparison with a table, and poses at rest write the same three files."""
    code, out, err = say("demo", name, "--output", "shown")
    assert code == 0
    assert ("constraint equations are redundant" in err) == (name == "four-bar")
    words = {"four-bar": "1 degree of freedom", "schemes": "GeneralizedAlpha", "pose-playground": "the products are"}
    assert words[name] in out
    assert sorted(path.suffix for path in (here / "shown").iterdir()) == [".html", ".nc", ".png"]


@pytest.mark.parametrize(("name", "shown"), [("four-bar", "four-bar.html"), ("pose-playground", "sliders")])
def test_a_demo_opens_a_page_only_at_a_terminal(name, shown, say, here, monkeypatch):
    opened = []
    demo = demos.DEMOS[name]
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url.rpartition("/")[2]))
    monkeypatch.setattr("livens.look.browser.server.has_screen", lambda: True)
    monkeypatch.setitem(demos.DEMOS, name, demo._replace(page=demo.page and (lambda: opened.append("sliders"))))
    assert say("demo", name)[0] == 0
    assert opened == []  # the output goes to a file
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert say("demo", name, "--no-browser")[0] == 0
    assert opened == []
    assert say("demo", name)[0] == 0
    assert opened == [shown]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device that is always full exists on Linux only")
@pytest.mark.parametrize(
    "command", ["report m.nc", "info m.nc", "info", "check s.toml", "demo", "schema", "new t.toml"]
)
def test_an_output_that_is_full_is_an_error_in_one_sentence(command, here):
    m = lv.Model()
    m.add(lv.Body(lv.Ball(0.1, density=1000), name="ball"))
    lv.simulate(m, h=0.1, until=1.0).save("m.nc")
    lv.write_scene(m, "s.toml")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "livens", *command.split()], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (done.returncode, done.stderr) == (2, "livens: the output cannot be written: no space left on device.\n")
