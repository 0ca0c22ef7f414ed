"""The command line: livens new, convert, check, run, resume, sweep, view, live, report, info, demo, schema.

Exit codes: 0 all went well; 1 a simulation failed (what was computed is saved); 2 the input or the command was wrong;
130 interrupted, 143 terminated. Errors are one sentence on stderr.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import warnings
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from .. import __version__, _jit
from ..errors import FileError, Interrupted, LivensError, ModelError, ModelWarning, StepFailed
from .run import FILE, MOTIONS, add_run_commands, simulate_source
from .scene import add_run_options, add_scene_commands
from .sweep import add_sweep_command

OK, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130

EXAMPLES = """\
examples:
  livens demo                                      list the demonstrations
  livens demo hammer                               throw a hammer: a report, a figure, a page that opens in the browser
  livens new swing.toml                            write a scene to begin with: a text file with comments
  livens check swing.toml                          can it move, how stiff is it, which step suits it
  livens run swing.toml -o swing.nc                simulate it as its [run] says, keep the motion
  livens run top.py --h 1e-3 --until 10 -o top.nc  simulate the model that top.py defines
  livens convert robot.urdf robot.toml             a robot (URDF or MJCF) as a scene; run, check, live take it as it is
  livens run top.nc --until 20 -o top.nc           carry a saved motion on, bit for bit as if it had never stopped
  livens resume top.nc                             go on with a run that was stopped, killed or out of disk
  livens sweep swing.toml --vary bodies.rod.mass=1:9:50   many motions, one for each value; -o study.nc keeps them
  livens view top.nc                               play it in the browser: scrub, follow, see forces and energies
  livens live top.py --h 1e-3                      simulate while you watch, and pull at it
  livens report top.nc                             what the motion conserved, and how well
  livens info top.nc                               what is inside a file

exit codes: 0 well, 1 a simulation failed, 2 wrong input or usage, 130 interrupted, 143 terminated
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with `arguments` (those of the process if None) and return its exit code.

    >>> main(["demo"])
    single-body     a handle in orbit, spun about its middle axis, turns over again and again
    hammer          a hammer from CAD, thrown spinning about the axis it cannot keep
    ...
    0
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without ² or − gets a ?
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
        _say("livens: the memory of this machine does not suffice: keep fewer states with a larger --every.")
        return WRONG
    except BrokenPipeError:  # the reader of our output has left, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
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
        description="Simulate rigid bodies with integrators that keep what nature keeps.",
        epilog=EXAMPLES,
        formatter_class=style,
    )
    parser.add_argument("--version", action="version", version=f"livens {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    add_run_commands(commands)

    view = commands.add_parser("view", help="play a saved motion, or that of a scene, in the browser")
    view.add_argument("file", metavar="FILE", help="FILE.nc, or FILE.toml, .urdf or .xml to simulate and show")
    view.set_defaults(command=_view)

    live = commands.add_parser("live", help="simulate while you watch in the browser, and pull at it")
    live.add_argument("file", metavar="FILE", help=FILE)
    live.set_defaults(command=_live)
    for command in (view, live):
        add_run_options(command, end=command is not live)
    for page in (view, live):
        page.add_argument("--speed", type=float, metavar="S", help="seconds of the motion per second of watching")
        page.add_argument("--port", type=int, metavar="P", help="port of the page (a free one)")
        page.add_argument(
            "--expose",
            action="store_true",
            help="let everyone in who can reach this machine by the network, to see the page and, in a live run, to "
            "push and change it (without: this machine only)",
        )
        page.add_argument("--no-browser", action="store_true", help="print the address and open nothing")

    report = commands.add_parser("report", help="what a saved motion conserved, and how well")
    report.add_argument("file", metavar="FILE.nc")
    report.set_defaults(command=_report)

    info = commands.add_parser("info", help="this installation, or what is inside a file")
    info.add_argument("file", metavar="FILE.nc", nargs="?")
    info.set_defaults(command=_info)

    add_scene_commands(commands)
    add_sweep_command(commands, add_run_options)

    demo = commands.add_parser("demo", help="simulate, report, draw and show an example")
    demo.add_argument("name", metavar="NAME", nargs="?", help="which one; without a name they are listed")
    demo.add_argument("--output", metavar="DIR", default="demo-output", help="folder for its files (demo-output)")
    demo.add_argument("--no-browser", action="store_true", help="write its files and open nothing")
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
    view(simulate_source(source), trace=source.trace, block=True, **_page(options))


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
    live(source.model, chosen, h=h, trace=source.trace, block=True, **_page(options))


def _page(options: argparse.Namespace) -> dict[str, Any]:
    """What the commands that serve a page have in common."""
    return {
        "speed": options.speed,
        "port": options.port,
        "host": "0.0.0.0" if options.expose else "127.0.0.1",
        "open_browser": False if options.no_browser else None,
    }


def _report(options: argparse.Namespace) -> None:
    from ..record.netcdf import load

    motion = load(options.file)
    if _jit.cold("livens.rollout"):
        _say("livens: compiling its kernels for this machine, once …")
    print(motion.report())


def _info(options: argparse.Namespace) -> None:
    facts = _about_here() if options.file is None else _about(Path(options.file))
    width = max(map(len, facts))
    for key, value in facts.items():
        print(f"{key:<{width}}  {value}")


def _demo(options: argparse.Namespace) -> None:
    from ..demos import DEMOS
    from ..look.page.page import write_page
    from ..storage.atomic import replacing

    if options.list or options.name is None:
        width = max(map(len, DEMOS))
        for name, demo in DEMOS.items():
            print(f"{name:<{width}} {demo.line}")
        return
    if options.name not in DEMOS:
        raise ModelError(f"there is no demo {options.name!r}; there is {', '.join(DEMOS)}.")
    folder, demo = Path(options.output), DEMOS[options.name]
    _make(folder)
    print(f"{options.name}: {demo.line}")
    motion = demo.run()
    print(demo.words(motion))
    saved, drawn, page = (folder / f"{options.name}{ending}" for ending in (".nc", ".png", ".html"))
    motion.save(saved)
    with replacing(drawn) as temporary:
        demo.figure(motion).savefig(temporary, dpi=200)
    write_page(motion, page)
    print(f"{saved}   the motion with its model: livens info, livens report, livens.load")
    print(f"{drawn}  {demo.drawn}")
    print(f"{page} the motion in 3-D: open it in a browser")
    if not options.no_browser and sys.stdout.isatty():  # someone is there to look
        _look(demo, page)


def _look(demo: Any, page: Path) -> None:
    """Open a demonstration: the page that it serves itself, or else the one that was written."""
    import webbrowser

    from ..look.browser.server import has_screen, installed

    if demo.page is not None and installed():
        demo.page()
    elif has_screen():
        webbrowser.open(page.resolve().as_uri())


# ── parts ──


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"the folder {folder} cannot be made: {(error.strerror or 'it is in the way').lower()}."
        ) from None


def _about_here() -> dict[str, str]:
    def version(name: str) -> str:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            return "not installed"

    warm = "nothing compiled yet" if _jit.cold("livens.rollout") else "kernels compiled"
    facts = {
        "livens": __version__,
        "python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
    }
    facts |= {name: version(name) for name in ("numpy", "scipy", "numba", "h5netcdf", "matplotlib", "xarray")}
    facts["netgen"] = version("netgen-mesher")
    facts["kernels"] = "compiled by numba" if _jit.COMPILED else "plain Python (numba is absent or switched off)"
    facts["cache"] = f"{_jit.FOLDER} ({warm})" if _jit.FOLDER else "none"
    facts["threads"] = str(os.cpu_count())
    return facts


def _about(file: Path) -> dict[str, str]:
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
        facts["end"] = f"{motion.end:.6g} s was asked for: stopped at {motion.steps / motion.wanted:.1%} of its steps"
    bodies = {f"body {body.name!r}": f"{body.mass_properties.mass:.6g} kg" for body in model.bodies[1:]}
    things = {
        f"{type(t).__name__.lower()} {t.name!r}": ", ".join(map(repr, t.points)) for t in model.joints + model.forces
    }
    inside = bodies | things
    facts |= dict(list(inside.items())[:40])
    return facts | ({"…": f"and {len(inside) - 40} more"} if len(inside) > 40 else {})


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
