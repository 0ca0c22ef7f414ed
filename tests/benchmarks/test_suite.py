"""The benchmark suite: time to accuracy, the check for slower kernels, the report, the command."""

import json

import pytest

from benchmarks import __main__ as command
from benchmarks import check, report
from benchmarks.goal import best, cost, verdicts
from benchmarks.growth import exponent
from benchmarks.time_to_accuracy import Point, settled

NOTHING = {"whole": None, "drift": None}


def curve(program, order, price, other=False, setting="RK"):
    """A scheme of this order and cost per step; errors h**order."""
    steps = [10 * 2**k for k in range(8)]
    points = [
        {"rung": k, "steps": n, "h": 1 / n, "error": float(n) ** -order, "seconds": price * n} | NOTHING
        for k, n in enumerate(steps)
    ]
    return {"program": program, "setting": setting, "other": other, "points": points, "skipped": ""}


def test_time_to_accuracy_is_interpolated_along_the_curve():
    """Error n**-4 and time c n: an error of 1e-6 needs n = 10**1.5 steps, on the line through the logarithms."""
    found = cost(curve("livens", 4, 1e-3), 1e-6)
    assert found.seconds == pytest.approx(1e-3 * 10**1.5, rel=1e-12)
    assert found.h == pytest.approx(10**-1.5, rel=1e-12)
    assert not found.measured


def test_a_target_met_from_the_start_costs_the_cheapest_run():
    found = cost(curve("livens", 4, 1e-3), 1e-2)
    assert found.measured
    assert found.seconds == pytest.approx(0.01)


def test_an_accidentally_accurate_coarse_run_does_not_end_the_refinement():
    """Second order below h = 0.02, and an error that changes its sign at h = 0.1."""
    steps = [round(50 * 2 ** (k / 2)) for k in range(24)]
    errors = [min(0.4, (60.0 / n) ** 2) if n != 100 else 1e-2 for n in steps]
    points = [Point(k, n, 1.0 / n, e, 1e-3) for k, (n, e) in enumerate(zip(steps, errors, strict=True))]
    assert not any(settled(points[:k]) for k in range(len(points)))
    flat = [Point(k, n, 1.0 / n, max(1e-4, e), 1e-3) for k, (n, e) in enumerate(zip(steps, errors, strict=True))]
    ends = [k for k in range(len(flat)) if settled(flat[:k])]
    assert flat[ends[0] - 9].error <= 2e-4  # round-off was reached eight refinements before


def test_an_accidentally_accurate_coarse_run_does_not_count():
    lucky = curve("livens", 2, 1e-3)
    lucky["points"][1]["error"] = 1e-9
    assert cost(lucky, 1e-4).seconds == pytest.approx(cost(curve("livens", 2, 1e-3), 1e-4).seconds)
    assert cost(curve("livens", 1, 1e-3), 1e-6) is None


def test_other_models_are_not_ranked():
    curves = [curve("livens", 4, 1e-3), curve("MuJoCo", 4, 2e-3), curve("MuJoCo", 4, 1e-4, other=True)]
    (first, second) = verdicts([{"key": "x", "title": "x", "curves": curves}])
    assert first.word == second.word == "ahead"
    assert first.ratio == pytest.approx(2.0)
    assert best(curves, 1e-4, other=True)["MuJoCo"].seconds == pytest.approx(1e-4 * 10)


def test_the_report_names_slower_cases_and_the_reason(tmp_path):
    pytest.importorskip("matplotlib")
    curves = [curve("livens", 4, 1e-3, setting="order 4"), curve("MuJoCo", 4, 2e-4)]
    none = {"program": "Exudyn", "setting": "RK", "other": False, "points": [], "skipped": "no joints"}
    problem = {"key": "chain-5", "title": "five rods", "general": False, "curves": [*curves, none]}
    problem["skipped"] = {"pinocchio": "gone"}
    machine = {"cores": 2, "architecture": "x86-64", "clock": "2.5 GHz class"}
    results = {"date": "2026-01-01", "size": "tiny", "versions": "livens 0", "machine": machine, "peers": [problem]}
    report.write(results, tmp_path / "docs" / "page.md", tmp_path / "docs" / "figures")
    text = (tmp_path / "docs" / "page.md").read_text()
    assert "behind (0.2×)" in text
    assert report.REASONS["chain-5"] in text
    assert "no joints" in text
    assert "skipped: gone" in text
    assert "(figures/chain-5.svg)" in text
    assert (tmp_path / "docs" / "figures" / "chain-5.svg").stat().st_size < 100_000


def test_growth_is_fitted_apart_from_a_constant_cost():
    sizes = [1, 10, 100, 1000]
    assert exponent(sizes, [50 + n**1.5 for n in sizes]) == pytest.approx(1.5, abs=0.05)


def test_the_guard_measures_again_before_it_fails(monkeypatch, tmp_path, capsys):
    """Twice as slow in the first measurement only: no failure. Twice as slow in every measurement: a failure."""
    stored = tmp_path / "ratios.json"
    stored.write_text(json.dumps({"free body": 10.0}))
    monkeypatch.setattr(check, "STORED", stored)
    monkeypatch.setattr(check.yardstick, "nanoseconds", lambda: 2.0)
    times = iter([40.0] * 9 + [20.0] * 1000)
    monkeypatch.setitem(check.CASES, "free body", lambda: lambda: next(times))
    assert check.main(["--only", "free body", "--rounds", "5"]) == 0
    monkeypatch.setitem(check.CASES, "free body", lambda: lambda: 40.0)
    assert check.main(["--only", "free body", "--rounds", "5"]) == 1
    assert "slower than 1.3" in capsys.readouterr().out
    assert check.main(["--only", "free body", "--write"]) == 0
    assert json.loads(stored.read_text()) == {"free body": 20.0}
    assert check.main(["--only", "free body", "--rounds", "5"]) == 0
    assert check.main(["--only", "net of 100", "--rounds", "1"]) == 2


def test_every_case_of_the_guard_has_its_ratio():
    assert set(json.loads(check.STORED.read_text())) == set(check.CASES)


@pytest.mark.parametrize("part", ["peers", "growth"])
def test_the_command_measures_and_reports(part, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    arguments = [part, "--size", "tiny", "--output", str(tmp_path)] + (["--only", "chain-1"] if part == "peers" else [])
    assert command.main(arguments) == 0
    results = json.loads((tmp_path / "benchmarks.json").read_text())
    if part == "peers":
        (problem,) = results["peers"]
        assert problem["complete"]
        ours = {c["setting"] for c in problem["curves"] if c["program"] == "livens"}
        assert ours >= {"order 2", "order 4", "order 6"}
        assert problem["threads"] < 1.1
    else:
        assert results["growth"]["chain, livens"]["bodies"] == [2, 8]
    assert "livens" in (tmp_path / "benchmarks.md").read_text()
    assert "[1/1]" in capsys.readouterr().out


def test_an_interrupted_run_is_continued(monkeypatch, tmp_path):
    """A run that is complete, or whose sources have changed, starts from the beginning."""
    size, asked, stop = command.SIZES["tiny"], [], True

    def growth(_):
        asked.append("growth")
        return {}

    def starts(_):
        asked.append("starts")
        if stop:
            raise KeyboardInterrupt
        return []

    monkeypatch.setattr(command, "growth", growth)
    monkeypatch.setattr(command, "starts", starts)
    with pytest.raises(KeyboardInterrupt):
        command.measure(["growth", "starts"], size, tmp_path, [])
    stop = False
    command.measure(["growth", "starts"], size, tmp_path, [])
    assert asked == ["growth", "starts", "starts"]
    command.measure(["growth", "starts"], size, tmp_path, [])
    assert asked[3:] == ["growth", "starts"]
    stop = True
    with pytest.raises(KeyboardInterrupt):
        command.measure(["growth", "starts"], size, tmp_path, [])
    stop = False
    monkeypatch.setattr(command, "sources", lambda: "changed")
    command.measure(["growth", "starts"], size, tmp_path, [])
    assert asked[5:] == ["growth", "starts", "growth", "starts"]


def test_one_section_of_the_page_is_written_again(tmp_path):
    """The other sections stay as they are, and a second time changes nothing."""
    page = tmp_path / "benchmarks.md"
    page.write_text(
        "# Benchmarks\n\n## Speeds\n\nold\n\n## Derivatives\n\nold words\n\n| old |\n\n## Instructions\n\nlast\n"
    )
    rows = [["a chain", "1 µs", "2 µs", "–"]]
    for _ in range(2):
        report.replace_section({"derivatives": rows}, "derivatives", page)
        text = page.read_text()
        assert text.startswith("# Benchmarks\n\n## Speeds\n\nold\n\n## Derivatives\n\nHinged chains")
        assert text.endswith("|\n\n## Instructions\n\nlast\n")
        assert text.count("a chain") == 1
        assert "old words" not in text
    page.write_text("# Benchmarks\n")
    with pytest.raises(SystemExit, match="no section '## Derivatives'"):
        report.replace_section({"derivatives": rows}, "derivatives", page)
