"""The command line: livens new, convert, check, run, resume, sweep, view, live, report, info, doctor, demo, schema.

Exit codes: 0 success; 1 a simulation failed (the computed part is saved); 2 wrong input or usage; 130 interrupted,
143 terminated. Errors are one sentence on stderr.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from .. import __version__, _jit
from ..errors import FileError, Interrupted, LivensError, MissingExtra, ModelError, ModelWarning, StepFailed
from .doctor import add_doctor_command, installation, print_facts
from .run import FILE, MOTIONS, add_run_commands, simulate_source
from .scene import add_run_options, add_scene_commands
from .sweep import add_sweep_command

OK, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130

EXAMPLES = """\
examples:
  livens demo                                      list the demonstrations
  livens demo hammer                               run the hammer example: a report, a figure, a page in the browser
  livens new swing.toml                            write an example scene: a text file with comments
  livens check swing.toml                          degrees of freedom, stiffness, suggested step
  livens run swing.toml -o swing.nc                simulate a scene with its [run] settings and save the motion
  livens run top.py --h 1e-3 --until 10 -o top.nc  simulate the model that top.py defines
  livens convert robot.urdf robot.toml             write a robot (URDF or MJCF) as a scene; run, check, live read both
  livens run top.nc --until 20 -o top.nc           continue a saved motion, bitwise identical to one long run
  livens resume top.nc                             continue a run that was stopped, killed or ran out of disk space
  livens sweep swing.toml --vary bodies.rod.mass=1:9:50   many simulations, one for each value; -o study.nc saves them
  livens view top.nc                               play a motion in the browser, with forces and energies
  livens live top.py --h 1e-3                      interactive simulation in the browser
  livens report top.nc                             conserved quantities and their errors
  livens info top.nc                               contents of a file
  livens doctor                                    about this installation: which back end runs the kernels, and why

exit codes: 0 success, 1 a simulation failed, 2 wrong input or usage, 130 interrupted, 143 terminated
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with `arguments` (those of the process if None) and return its exit code.

    >>> main(["demo"])
    single-body     a handle in orbit, spun about its intermediate principal axis, turns over periodically
    hammer          a hammer from CAD, thrown spinning about its unstable intermediate axis
    ...
    0
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ² or − shows ?
    options = _parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", ModelWarning)
            warnings.showwarning = lambda message, *_: _say(f"livens: note: {message}")
            options.command(options)
        sys.stdout.flush()
        return OK
    except StepFailed as error:
        _say(f"livens: {error}")
        return FAILED
    except LivensError as error:
        _say(f"livens: {error}")
        return WRONG
    except MemoryError:
        _say("livens: out of memory: keep fewer states with a larger --every.")
        return WRONG
    except BrokenPipeError:  # the reader of the output has closed it, as `head` does
        _drop_output()
        return OK
    except OSError as error:
        what = "the output cannot be written" if error.filename is None else f"{error.filename} cannot be used"
        _drop_output()
        _say(f"livens: {what}: {(error.strerror or 'unknown reason').lower()}.")
        return WRONG
    except Interrupted as error:
        _say(f"livens: {error}")
        return 128 + error.signal
    except KeyboardInterrupt:
        _say("livens: interrupted.")
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="livens",
        description="Simulate rigid multibody systems with structure-preserving (variational) integrators.",
        epilog=EXAMPLES,
        formatter_class=style,
    )
    parser.add_argument("--version", action="version", version=f"livens {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    add_run_commands(commands)

    view = commands.add_parser("view", help="play a saved motion, or simulate a scene and play it, in the browser")
    view.add_argument("file", metavar="FILE", help="FILE.nc; or FILE.toml, .urdf or .xml to simulate first")
    view.set_defaults(command=_view)

    live = commands.add_parser("live", help="interactive simulation in the browser: bodies can be dragged")
    live.add_argument("file", metavar="FILE", help=FILE)
    live.set_defaults(command=_live)
    for command in (view, live):
        add_run_options(command, end=command is not live)
    for page in (view, live):
        page.add_argument("--speed", type=float, metavar="S", help="simulated seconds per second of wall time")
        page.add_argument("--theme", choices=("light", "dark"), help="colours of the page (default: light)")
        page.add_argument("--port", type=int, metavar="P", help="port of the page (default: a free port)")
        page.add_argument(
            "--expose",
            action="store_true",
            help="give everyone who can reach this machine over the network access to the page, including control of a "
            "live simulation (default: this machine only)",
        )
        page.add_argument("--no-browser", action="store_true", help="print the address and do not open a browser")

    report = commands.add_parser("report", help="conserved quantities of a saved motion and their errors")
    report.add_argument("file", metavar="FILE.nc")
    report.set_defaults(command=_report)

    info = commands.add_parser("info", help="about this installation, or the contents of a file")
    info.add_argument("file", metavar="FILE.nc", nargs="?")
    info.set_defaults(command=_info)
    add_doctor_command(commands)

    add_scene_commands(commands)
    add_sweep_command(commands, add_run_options)

    demo = commands.add_parser("demo", help="run an example: simulation, report, figure, page")
    demo.add_argument("name", metavar="NAME", nargs="?", help="name of the example (default: list them)")
    demo.add_argument(
        "--output", metavar="DIR", default="demo-output", help="folder for the files (default: demo-output)"
    )
    demo.add_argument("--no-browser", action="store_true", help="write the files and do not open a browser")
    demo.add_argument(
        "--theme", choices=("light", "dark"), help="colours of the page (default: those of the reader's system)"
    )
    demo.add_argument("--list", action="store_true", help="list the demonstrations")
    demo.set_defaults(command=_demo)
    return parser


# ── the commands ──


def _view(options: argparse.Namespace) -> None:
    from ..look.browser.playback import view
    from ..record.netcdf import load
    from .source import Source

    if Path(options.file).suffix in MOTIONS:
        view(load(options.file), block=True, **_page(options))
        return
    source = Source(options)
    view(simulate_source(source), traces=source.trace, block=True, **_page(options))


def _live(options: argparse.Namespace) -> None:
    from ..look.browser.live import live
    from .source import Source, scheme_of

    if Path(options.file).suffix in MOTIONS:
        from ..record.netcdf import load

        motion = load(options.file)
        scheme, h = scheme_of(options) or motion.scheme, motion.h if options.h is None else options.h
        live(motion.model, scheme, h=h, start=motion.state, t0=float(motion.t[-1]), block=True, **_page(options))
        return
    source = Source(options)
    run = source.needed("h")
    chosen, h = run.get("scheme"), run["h"]
    if h == "auto":
        from ..run.stiffness import stiffness

        h = stiffness(source.model).step(2 if chosen is None else chosen.order, until=1.0)
    live(source.model, chosen, h=h, traces=source.trace, block=True, **_page(options))


def _page(options: argparse.Namespace) -> dict[str, Any]:
    """The options that all commands with a page share."""
    return {
        "speed": options.speed,
        "theme": options.theme,
        "port": options.port,
        "host": "0.0.0.0" if options.expose else "127.0.0.1",
        "open_browser": False if options.no_browser else None,
    }


def _report(options: argparse.Namespace) -> None:
    from ..record.netcdf import load

    motion = load(options.file)
    if _jit.cold("livens.rollout"):
        _say("livens: compiling for this machine, once …")
    print(motion.report())


def _info(options: argparse.Namespace) -> None:
    print_facts(installation() if options.file is None else _file_contents(Path(options.file)))


def _demo(options: argparse.Namespace) -> None:
    from ..demos import DEMOS
    from ..look.page.page import write_page
    from ..storage.atomic import MARK, replacing

    if options.list or options.name is None:
        width = max(map(len, DEMOS))
        for name, demo in DEMOS.items():
            print(f"{name:<{width}} {demo.line}")
        return
    if options.name not in DEMOS:
        raise ModelError(f"there is no demo {options.name!r}; choose from {', '.join(DEMOS)}.")
    folder, demo = Path(options.output), DEMOS[options.name]
    _make_folder(folder)
    print(f"{options.name}: {demo.line}")
    motion = demo.run()
    print(demo.words(motion))
    saved, drawn, page = (folder / f"{options.name}{ending}" for ending in (".nc", ".png", ".html"))

    def draw(path: Path) -> None:
        figure = demo.figure(motion)
        with replacing(path, "picture") as temporary:
            figure.savefig(temporary, dpi=200, metadata={"Software": MARK})

    words = "the motion and its model: read it with livens info, livens report or livens.load"
    for path, write, says in (
        (saved, motion.save, f"  {words}"),
        (drawn, draw, f" {demo.drawn}"),
        (page, lambda path: write_page(motion, path, theme=options.theme), "the motion in 3-D: open it in a browser"),
    ):
        try:
            write(path)
            print(f"{path} {says}")
        except MissingExtra as error:  # with numpy alone there is a report and a page
            print(f"{path} is not written: {error}")
    if not options.no_browser and sys.stdout.isatty():  # a user reads the output
        _open_page(demo, page)


def _open_page(demo: Any, page: Path) -> None:
    """Open the page that the demonstration serves, or the page that was written."""
    import webbrowser

    from ..look.browser.server import has_screen, installed

    if demo.page is not None and installed():
        demo.page()
    elif has_screen():
        webbrowser.open(page.resolve().as_uri())


# ── helpers ──


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"the folder {folder} cannot be created: {(error.strerror or 'unknown reason').lower()}."
        ) from None


def _file_contents(file: Path) -> dict[str, str]:
    from ..record.netcdf import load

    motion = load(file)
    model = motion.model
    facts = {
        "file": f"{file}, {file.stat().st_size / 1e6:.3g} MB",
        "model": repr(model),
        "gravity": f"{model.gravity.tolist()} m/s²",
        "scheme": f"{motion.scheme!r}, h = {motion.h:.6g} s",
        "time": f"{motion.t[0]:.6g} to {motion.t[-1]:.6g} s, {motion.steps:,} steps, {len(motion):,} states kept",
    }
    if motion.wanted > motion.steps:
        facts["end"] = f"stopped after {motion.steps / motion.wanted:.1%} of the steps to t = {motion.end:.6g} s"
    if motion.events:
        some = ", ".join(f"{event.name!r} at {event.t:.6g} s" for event in motion.events[:6])
        more = f", and {len(motion.events) - 6} more" if len(motion.events) > 6 else ""
        facts["events"] = f"{some}{more}; {len(motion.phases)} phase{'s' * (len(motion.phases) > 1)}"
    bodies = {f"body {body.name!r}": f"{body.mass_properties.mass:.6g} kg" for body in model.bodies[1:]}
    things = {
        f"{type(t).__name__.lower()} {t.name!r}": ", ".join(map(repr, t.points)) for t in model.joints + model.forces
    }
    inside = bodies | things
    facts |= dict(list(inside.items())[:40])
    return facts | ({"…": f"and {len(inside) - 40} more"} if len(inside) > 40 else {})


def _say(text: str) -> None:
    with suppress(OSError):  # stderr may be full too
        print(text, file=sys.stderr, flush=True)


def _drop_output() -> None:
    """Nothing more is written to stdout, so that the end of the process does not fail."""
    with suppress(OSError, ValueError):  # stdout may be no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
