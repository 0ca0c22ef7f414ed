"""The report: tables in Markdown from the measurements, and its figures."""

from __future__ import annotations

import math
from os.path import relpath
from pathlib import Path
from typing import Any

from . import figures
from .goal import OURS, Cost, Verdict, verdicts
from .reasons import REASONS
from .sizes import SIZES
from .table import markdown

PAGES = Path(__file__).parent / "pages"  # sections that other commands measure: each file names its command
VARIATIONAL = ("order 2", "order 4", "order 6")
PROGRAMS = (OURS, "MuJoCo", "Exudyn", "Pinocchio", "SciPy", "CasADi")


def milliseconds(price: Cost | None) -> str:
    """A time with its setting; ~ if it is interpolated."""
    if price is None:
        return "–"
    ms = 1e3 * price.seconds
    return f"{'' if price.measured else '~'}{ms:.3g} ms ({price.setting})"


def goal_table(found: list[Verdict], programs: tuple[str, ...]) -> str:
    """Time to reach each target, program by program."""
    rows = []
    for v in found:
        ratio = "" if v.ratio is None else f" ({v.ratio:.2g}×)"
        rows.append([v.title, f"{v.target:.0e}", *(milliseconds(v.all.get(p)) for p in programs), v.word + ratio])
    return markdown(["problem", "error", *programs, "livens is"], rows)


def variational_table(problems: list[dict[str, Any]]) -> tuple[str, int, int]:
    """Time to reach each target by the variational schemes alone, with the best of livens and of the other programs;
    on how many targets they are ahead of the others, and of how many."""
    rows, ahead = [], 0
    found, whole = verdicts(problems, only=VARIATIONAL), verdicts(problems)
    for mine, all_of in zip(found, whole, strict=True):
        best = all_of.ours
        share = f"{mine.ours.seconds / best.seconds:.2g}" if mine.ours and best else "–"
        ratio = "" if mine.ratio is None else f" ({mine.ratio:.2g}×)"
        ahead += mine.word.startswith("ahead")
        rows.append([mine.title, f"{mine.target:.0e}", milliseconds(mine.ours), share, mine.word + ratio])
    table = markdown(["problem", "error", "variational", "over the best of livens", "beside other programs"], rows)
    return table, ahead, len(rows)


def why_not(found: list[Verdict]) -> str:
    """One sentence for every problem on which another program is faster."""
    behind = {v.key: v for v in found if v.word == "behind" or (v.ours is None and v.peer)}
    lines = [f"- {v.title}: {REASONS.get(key, 'the reason is not known.')}" for key, v in behind.items()]
    return "\n".join(lines) if lines else "There is no such problem."


def other_models(found: list[Verdict]) -> str:
    """Other programs with another model of the same motion."""
    rows = []
    for v in found:
        if v.other:
            theirs = ", ".join(f"{program}: {milliseconds(price)}" for program, price in v.other.items())
            rows.append([v.title, f"{v.target:.0e}", milliseconds(v.ours), theirs])
    return markdown(["problem", "error", "livens", "hinges instead of ball joints"], rows) if rows else ""


def curve_table(problem: dict[str, Any]) -> str:
    """For each setting the run whose error is nearest to 1e-5: step, cost, error and drift; or the reason for none."""
    rows = []
    for curve in problem["curves"]:
        name = f"{curve['program']}, {curve['setting']}"
        if not curve["points"]:
            rows.append([name, "–", "–", "–", "–", "–", curve["skipped"]])
            continue
        p = min(curve["points"], key=lambda p: abs(math.log10(max(p["error"], 1e-300)) + 5.0))
        drift = "–" if p["drift"] is None else f"{p['drift']:.0e}"
        whole = "" if p["whole"] is None else f"{1e3 * p['whole']:.3g} ms including model compilation"
        each = p["seconds"] / max(1, p["steps"])
        rows.append(
            [name, f"{p['h']:.2g} s", f"{1e6 * each:.3g} µs", f"{1e3 * p['seconds']:.3g} ms", f"{p['error']:.1e}",
             drift, whole]
        )  # fmt: skip
    for program, why in problem.get("skipped", {}).items():
        rows.append([program, "–", "–", "–", "–", "–", f"skipped: {why}"])
    return markdown(["program", "step", "time per step", "time", "error", "energy drift", "remarks"], rows)


def growth_table(curves: dict[str, Any]) -> str:
    rows = []
    for name, found in curves.items():
        if not found.get("bodies"):
            rows.append([name, "–", "–", found.get("skipped", "")])
            continue
        largest = f"{found['microseconds'][-1]:,.0f} µs with {found['bodies'][-1]:,} bodies"
        power = f"{found['exponent']:.2f}" if "exponent" in found else "–"
        rows.append([name, power, largest, found.get("skipped", "")])
    return markdown(["problem, program", "exponent", "time per step", "remarks"], rows)


def write(results: dict[str, Any], page: Path, pictures: Path) -> None:
    """The page, with its figures beside it in `pictures`."""
    link = lambda name: Path(relpath(pictures / name, page.parent)).as_posix()  # noqa: E731
    text = [HEAD.format(**results, machine_words=machine_words(results["machine"]))]
    problems = [p for p in results.get("peers", []) if p.get("curves")]
    if busy := [p["threads"] for p in problems if "threads" in p]:
        text.append(
            f"The ratio of processor time to wall time, which detects a second thread, was at most {max(busy):.2f}."
        )
    for general, head in ((False, RIGID), (True, GENERAL)):
        mine = [p for p in problems if p["general"] == general]
        if not mine:
            continue
        found = verdicts(mine)
        used = tuple(p for p in PROGRAMS if any(p in v.all for v in found) or p == OURS)
        text.append(head.format(longest=SIZES[results["size"]].effort.longest))
        text += [goal_table(found, used), "\nProblems on which another program is faster:\n", why_not(found)]
        if not general:
            table, ahead, count = variational_table(mine)
            text += [ALONE.format(ahead=ahead, count=count), table]
        if other := other_models(found):
            text += [OTHER, other]
    failed = [p for p in results.get("peers", []) if p.get("ended")]
    text += [f"\nNot finished: {p['key']} ({p['ended']})." for p in failed]
    if problems:
        text.append("\n## Work and precision, problem by problem\n" + CURVES)
    for problem in problems:
        figures.work_precision(problem, pictures / f"{problem['key']}.svg")
        text += [f"\n### {problem['title'].capitalize()}\n\n![{problem['title']}]({link(problem['key'] + '.svg')})\n"]
        text += [curve_table(problem)]
    if results.get("growth"):
        figures.growth(results["growth"], pictures / "growth.svg")
        text += [GROWTH, f"![scaling]({link('growth.svg')})\n", growth_table(results["growth"])]
    for name, (head, columns) in TABLES.items():
        if results.get(name):
            text += [head, markdown(columns, results[name])]
    text += [f"\n{path.read_text(encoding='utf-8').strip()}" for path in sorted(PAGES.glob("*.md"))]
    if results.get("instructions"):
        rows = [[k, f"{v:,.0f}" if isinstance(v, float) else v] for k, v in results["instructions"].items()]
        text += [INSTRUCTIONS, markdown(["problem", "instructions per step"], rows)]
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join(text) + "\n")


def replace_section(results: dict[str, Any], name: str, page: Path) -> None:
    """Write the section of one part in TABLES into an existing page again; the others are left as they are."""
    head, columns = TABLES[name]
    title = [line for line in head.splitlines() if line.startswith("## ")][-1]
    before, mine, after = page.read_text().partition(f"\n{title}\n")
    if not mine:
        raise SystemExit(f"{page} has no section {title!r}.")
    _, rest, others = after.partition("\n## ")
    words = head[head.index(title) + len(title) :].strip()
    table = markdown(columns, results[name])
    text = "\n\n".join(part for part in (f"{before}\n{title}", words, table) if part)
    page.write_text(f"{text}\n{rest}{others}")


def machine_words(machine: dict[str, Any]) -> str:
    return f"a machine with {machine['cores']} cores of {machine['architecture']}, {machine['clock']}"


HEAD = """# Benchmarks

Measured on {date} on {machine_words}; size {size!r}. Generated by `make bench`; do not edit.
Versions: {versions}.

Each program uses one thread, and times are processor times. The model is compiled beforehand; a time is measured from
the initial state (including setting it) to the final state, in the compiled loop of the program if it has one. It is
the best of several rounds that alternate between the programs.
Errors are distances from a reference at the end, relative to the size of the problem. The references are computed in
minimal coordinates with tight tolerances or from closed forms (`python -m benchmarks.references`), not by livens.
`lv.simulate` compiles its model on every call; the remarks give the time including this compilation."""

RIGID = """
## Time to accuracy: rigid bodies

The table gives each program with its best setting for each target. ~ marks a time interpolated between two measured
points, other times are measured points; – means that no run of up to {longest:g} s (large problems: several times that)
reached the target. The last column gives the time of the best other program divided by that of livens.
"""
ALONE = """
### Variational schemes alone

The same with `lv.Livens` only, orders 2, 4 and 6, which conserve momentum and whose energy does not drift: its time,
that time divided by the best of livens above, and the time of the best other program divided by it. It is ahead of
all other programs in {ahead} of {count} cases; "even" means within 5 %.
"""
GENERAL = "\n## Time to accuracy: Lagrangians in coordinates\n"
OTHER = """
The chains move in a plane, so hinges about one axis instead of ball joints give the same motion with a third of the
degrees of freedom. This is a different mechanism, which is not ranked. Its times are:
"""
CURVES = """
The tables show, for each setting, the measured run whose error is nearest to 1e-5. The drift is the largest energy
error relative to the largest kinetic energy. The figures show all settings of livens, and of the other programs the
settings that are their fastest at some error; lines mark the targets."""
GROWTH = """
## Scaling

Time per step over the number of bodies, and the exponent fitted to the larger half: chains, binary trees and square
grids of plates on rods (a grid has a dense core, whose factors grow faster than the number of bodies).
"""
SPEEDS = "\n## Speeds\n"
DERIVATIVES = """
## Derivatives

Hinged chains: a step of 1 ms and its Jacobian with respect to all coordinates and rates, in the compiled loop. The
derivatives of livens are exact, those of `lv.Livens()` and, with its four stages, of `lv.RungeKutta(4)`; MuJoCo's
(`mjd_transitionFD`) are one-sided differences; Pinocchio's (`computeABADerivatives`) are exact and those of the
accelerations alone, without a step. The arm has the data of a UR5; these functions are called from Python.
"""
STARTS = "\n## Start-up time and memory\n"
INSTRUCTIONS = "\n## Instructions\n\nCounted by valgrind, with kernels compiled for an older processor.\n"
TABLES = {  # of parts whose result is a table
    "speeds": (SPEEDS, ["problem", "measured", "target"]),
    "derivatives": (DERIVATIVES, ["problem", "livens", "MuJoCo", "Pinocchio"]),
    "starts": (STARTS, ["problem", "measured", "target"]),
}
