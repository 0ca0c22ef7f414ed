"""The server of a page: access, number of messages, and the end of its threads."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

import livens as lv
from livens.look.browser import server as pages
from livens.look.picture.instants import between
from tests.helpers.mechanisms import chain, pendulum

viser = pytest.importorskip("viser", reason="the pages need viser: pip install 'livens[view]'")


@pytest.fixture(scope="module")
def motion():
    return lv.simulate(pendulum(), h=1e-2, until=1.0)


def quiet(show, *arguments, **options):
    return show(*arguments, block=False, open_browser=False, **options)


def test_only_this_machine_can_see_the_page(motion, capsys):
    with quiet(lv.view, motion) as viewer:
        port = viewer.server.get_port()
        assert viewer.url == f"http://127.0.0.1:{port}"
        assert viewer.server.get_host() == "127.0.0.1"
        with socket.socket() as other:  # another address of this machine, without a server
            other.settimeout(1.0)
            assert other.connect_ex(("127.0.0.2", port)) != 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"livens: {viewer.url}\n"


def test_serving_other_machines_prints_a_notice(motion, capsys):
    with quiet(lv.view, motion, host="0.0.0.0"):
        pass
    assert "everyone who reaches this machine (0.0.0.0)" in capsys.readouterr().err


def test_a_free_port_is_found_and_a_used_one_is_an_error(motion):
    with quiet(lv.view, motion) as one, quiet(lv.view, motion) as two:
        ports = [viewer.server.get_port() for viewer in (one, two)]
        assert ports[0] != ports[1]
        with pytest.raises(lv.LivensError, match=f"port {ports[0]}.*choose another"):
            quiet(lv.view, motion, port=ports[0])


def test_closing_leaves_no_thread(motion):
    before = set(threading.enumerate())
    viewers = [quiet(lv.view, motion), quiet(lv.live, pendulum(), h=1e-3)]
    for viewer in viewers:
        viewer.close()
        viewer.close()
        assert "closed" in repr(viewer)
    deadline = time.perf_counter() + 5.0
    while set(threading.enumerate()) - before and time.perf_counter() < deadline:
        time.sleep(0.05)
    assert not set(threading.enumerate()) - before


def test_errors_of_view_and_live(motion):
    with pytest.raises(lv.ModelError, match="a model, or a motion"):
        lv.view(3.0)
    with pytest.raises(lv.ModelError, match=r"lv\.view"):
        lv.live(motion, h=1e-3)
    with pytest.raises(lv.ModelError, match="no bodies"):
        lv.live(lv.Model(), h=1e-3)
    before = set(threading.enumerate())
    with pytest.raises(lv.ModelError, match="cannot be traced"):
        quiet(lv.view, motion, traces=[lv.Body(lv.PointMass(1.0), name="stranger")])
    assert not set(threading.enumerate()) - before  # and no server is left


def test_without_viser_the_error_names_the_package(motion, monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(lv.MissingExtra, match=r"pip install 'livens\[view\]'"):
        lv.view(motion)
    monkeypatch.setattr("livens.look.browser.notebook.installed", lambda: False)
    assert "srcdoc" in motion.show()._repr_html_()  # the stand-alone page replaces it


def test_a_notebook_cell_shows_the_page_and_closes_the_earlier_one(motion):
    first, second = motion.show(), motion.show(height=300)
    assert first.closed
    assert f'<iframe src="{second.url}" width="100%" height="300"' in second._repr_html_()
    second.close()
    assert "is closed" in second._repr_html_()


def test_a_model_is_a_table_in_a_notebook():
    text = pendulum()._repr_html_()
    assert text.startswith("<table><caption>Model(")
    assert "<td>Rod</td><td>rod</td><td>world, bob</td>" in text
    assert "and 40 more" in chain(50)._repr_html_()
    m = lv.Model(name="<b>")
    assert "<b>" not in m._repr_html_()
    m.add(lv.Body(lv.PointMass(1.0), at=(0.1 + 0.2 - 0.3, 1.0, -0.0), name="bob"))
    assert "1 body, 0 joints, 0 forces" in m._repr_html_()
    assert "at (0, 1, 0) m" in m._repr_html_()  # round-off is not shown


def stop_drawing(viewer):
    """End the thread of a page that draws and writes the time, so that only the test sends messages."""
    viewer.stops.pop(0)()


def messages(server, draw):
    """The messages that `draw` sends."""
    sent = []
    interface = server._websock_server
    original = interface.queue_message
    interface.queue_message = lambda message: (sent.append(message), original(message))[1]
    try:
        draw()
    finally:
        interface.queue_message = original
    return sent


def counted(server, draw):
    return len(messages(server, draw))


def numbers(message):
    """The bytes of the arrays in a message."""
    return sum(np.asarray(value).nbytes for value in message.updates.values() if isinstance(value, np.ndarray))


def boxes(count):
    m = lv.Model(name=f"{count} boxes")
    shape, rng = lv.Box(0.3, 0.2, 0.1, density=500), np.random.default_rng(0)
    for k in range(count):
        m.add(lv.Body(shape, at=(k % 10, k // 10 % 10, k // 100), velocity=(0, 0, 1), body_rates=rng.normal(size=3)))
    return lv.simulate(m, h=1e-2, until=0.5)


@pytest.mark.parametrize(("count", "fine"), [(3, True), (200, True), (201, False)])
def test_many_bodies_begin_in_plain_light(count, fine):
    with quiet(lv.view, boxes(count)) as viewer:
        stage = viewer.inside.stage
        for now in (fine, not fine, fine):
            if stage.fine != now:
                sent = messages(viewer.server, lambda now=now: stage.light(now))
                [surroundings] = [one for one in sent if type(one).__name__ == "EnvironmentMapMessage"]
                assert (surroundings.hdri_data is not None) == now
            assert (stage.fine, stage.grounds[0].visible, stage.lines[0].visible) == (now, now, not now)
            assert stage.sun.cast_shadow == now


def test_a_thousand_bodies_of_one_shape_need_as_many_messages_as_ten_and_seven_numbers_each():
    sent = {}
    for count in (10, 1000):
        with quiet(lv.view, boxes(count)) as viewer:
            stop_drawing(viewer)
            player = viewer.inside
            player.server.get_clients = lambda: {0: "someone looks"}
            player.clock.seek(0.0, 0.0)
            player.clock.play(True, 0.0)
            player.frame(0.1)
            player.slow = 0.2  # no update of sliders, text and charts, which comes eight times a second
            sent[count] = messages(viewer.server, lambda player=player: player.frame(0.21))
            assert player.clock.t == pytest.approx(0.21)
            begin = time.thread_time()
            for k in range(30):
                player.drawing.draw(at(player.motion, 0.01 * k))
            assert time.thread_time() - begin < 0.3  # of this thread: a third of the time for thirty pictures
    assert len(sent[1000]) == len(sent[10]) <= 3
    assert sum(map(numbers, sent[1000])) - sum(map(numbers, sent[10])) == 990 * 7 * 4


def at(motion, t):
    return between(motion.system, motion.record, motion.t, t)


def test_layers_are_drawn_only_while_they_are_shown(motion):
    with quiet(lv.view, motion) as viewer:
        stop_drawing(viewer)
        drawing = viewer.inside.drawing
        drawing.draw(at(motion, 0.3))
        few = counted(viewer.server, lambda: drawing.draw(at(motion, 0.31)))
        for label in drawing.layers:
            drawing.show(label, True)
        many = counted(viewer.server, lambda: drawing.draw(at(motion, 0.32)))
        assert few < many <= 20
        assert drawing.layers["bodies"].nodes[0].opacity == 0.35  # the inside is visible
        drawing.follow(1)
        drawing.draw(at(motion, 0.4))
        center = drawing.sizes(at(motion, 0.4).c[1])
        assert np.allclose(drawing.root.position, -center)


def test_small_bodies_are_visible_dots():
    m = lv.Model(name="orbit")
    sun = m.add(lv.Body(lv.Ball(7e8, mass=2e30), name="sun"))
    earth = m.add(lv.Body(lv.Ball(6.4e6, mass=6e24), at=(1.5e11, 0, 0), velocity=(0, 3e4, 0), name="earth"))
    m.add(lv.Attraction(G=6.6743e-11))
    motion = lv.simulate(m, h=86400.0, until=86400.0 * 365)
    with quiet(lv.view, motion, traces=[earth, sun.center]) as viewer:
        assert viewer.inside.clock.speed == pytest.approx(3.15e6, rel=0.05)  # a year in ten seconds
        nodes = viewer.inside.drawing.layers["bodies"].nodes
        assert len(nodes[-1].batched_positions) == 2  # both are dots
        assert np.abs(viewer.inside.drawing.sizes(motion.position(earth))).max() < 3.0


def test_the_command_line_serves_until_ctrl_c(tmp_path, motion):
    motion.save(tmp_path / "m.nc")
    for command in (["view", "m.nc"], ["live", "m.nc", "--speed", "0.5"]):
        run = subprocess.Popen(
            [sys.executable, "-m", "livens", *command, "--no-browser"],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell ignores it in the background
        )  # fmt: skip
        assert run.stderr is not None
        line = run.stderr.readline()
        assert line.startswith("livens: http://127.0.0.1:"), line
        assert line.endswith("Ctrl-C ends\n")
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=20)
        assert (run.returncode, out, err) == (0, "", "")


def test_the_pull_control_holds_moves_and_releases_a_body():
    m = lv.Model(name="free")
    m.add(lv.Body(lv.Ball(0.2, mass=2.0), name="ball"))
    with quiet(lv.live, m, h=1e-3, run=False) as viewer:
        page = viewer.inside
        pull, loop = page.pull, page.loop

        def soon(condition):
            deadline = time.perf_counter() + 10.0
            while not condition() and time.perf_counter() < deadline:
                time.sleep(0.01)
            assert condition()

        pull.body.value = "ball"
        pull.hold("ball")
        soon(lambda: loop.stepper.wanted.pull is not None)
        assert pull.target.visible
        pull.move((0.5, 0.0, 0.0))
        soon(lambda: loop.stepper.wanted.pull.target == (0.5, 0.0, 0.0))
        assert np.allclose(page.sizes.back(pull.target.position), (0.5, 0, 0), atol=1e-6)
        loop.run(True)
        soon(lambda: loop.latest.state.a[1, 0] > 0.1)
        pull.hold("none")
        soon(lambda: loop.stepper.wanted.pull is None)
        assert not pull.target.visible


def test_a_motion_of_one_state_is_shown_too():
    with quiet(lv.view, lv.dynamics(pendulum())) as viewer:
        viewer.inside.drawing.draw(at(viewer.inside.motion, 0.0))


def test_the_playground_shows_that_poses_do_not_commute():
    with lv.pose_playground(block=False, open_browser=False) as viewer:
        play = viewer.inside
        assert not np.allclose(play.poses["P Q"].a, play.poses["Q P"].a)
        for slider in play.sliders["Q"]:
            slider.value = 0.0
        play.update()  # the identity commutes with everything
        assert np.allclose(play.poses["P Q"].matrix, play.poses["Q P"].matrix)
        assert "0.0° and 0.00 m" in play.text.content


def test_scripts_wait_and_prompts_do_not_and_notebooks_are_quiet(motion, monkeypatch, capsys):
    monkeypatch.delattr(sys, "ps1", raising=False)
    shell = SimpleNamespace(get_ipython=lambda: None)
    monkeypatch.setitem(sys.modules, "IPython", shell)  # imported by another library, but not running
    monkeypatch.setitem(sys.modules, "ipykernel", SimpleNamespace())
    assert not pages.interactive()
    monkeypatch.setattr(shell, "get_ipython", lambda: "a shell")
    assert pages.interactive()
    assert not pages.in_notebook()
    with quiet(lv.view, motion) as viewer:
        assert capsys.readouterr().err == f"livens: {viewer.url}\n"
    monkeypatch.setattr(shell, "get_ipython", lambda: SimpleNamespace(kernel="a kernel"))
    with quiet(lv.view, motion):
        assert capsys.readouterr().err == ""  # the cell shows the page
    monkeypatch.setattr(shell, "get_ipython", lambda: None)
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    assert pages.interactive()
