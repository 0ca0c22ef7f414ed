"""The server of a page: for this machine only by default, on a free port, until it is closed."""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import os
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from ...errors import LivensError, require
from ..picture.colors import hexadecimal
from ..picture.themes import Theme

HERE = "127.0.0.1"
FIRST_PORT = 8080  # ports are tried from here
FRAME_RATE = 30.0  # pictures per second, at most


class Viewer:
    """A page that is being served. `url` is its address; `close()` ends it, and so does leaving a `with` block.

    A notebook shows it in the cell.
    """

    def __init__(self, server: Any, url: str):
        self.server, self.url = server, url
        self.stops: list[Callable[[], None]] = []  # functions that end its threads
        self.inside: Any = None  # the object that draws the page, for tests
        self.height = 560
        self.closed = False
        atexit.register(self.close)

    def close(self) -> None:
        """Stop the threads and the server; the page in the browser stays as it is. Closing twice does nothing."""
        if not self.closed:
            self.closed = True
            atexit.unregister(self.close)
            for stop in self.stops:
                stop()
            with _silence():
                self.server.stop()

    def wait(self) -> None:
        """Serve until Ctrl-C, then close."""
        try:
            while not self.closed:
                time.sleep(0.2)
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Viewer({self.url!r}{', closed' if self.closed else ''})"

    def _repr_html_(self) -> str:
        if self.closed:
            return f"<p>This page at {escape(self.url)} is closed.</p>"
        size = f'width="100%" height="{self.height}" style="border:1px solid #ddd"'
        return f'<iframe src="{escape(self.url)}" {size}></iframe>'


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Suppress the messages of viser, which has no quiet mode."""
    import rich

    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before


def installed() -> bool:
    """True if viser is there."""
    return importlib.util.find_spec("viser") is not None


@contextlib.contextmanager
def serve(title: str, port: int | None, host: str, theme: Theme) -> Iterator[Viewer]:
    """A server with an empty page, to be filled in the `with` block; an error there closes it. port: None finds a free
    one; a port that is in use is an error."""
    viser = require("viser", "the page in the browser needs viser", "livens[view]")
    if port is not None:
        _refuse_taken(host, port)
    with _silence():  # `begin` prints the address
        server = viser.ViserServer(host=host, port=FIRST_PORT if port is None else port, label=title, verbose=False)
    server.request_share_url = lambda verbose=True: None  # never open a tunnel
    server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium", dark_mode=theme.dark)
    server.gui.add_html(style_of_controls(theme))
    server.gui.main_panel.dock_right()
    viewer = Viewer(server, f"http://{HERE if host == '0.0.0.0' else host}:{server.get_port()}")
    try:
        yield viewer
    except BaseException:
        viewer.close()
        raise


def style_of_controls(theme: Theme) -> str:
    """The colours of the table of themes for the labels, buttons and tabs of viser, whose greys and blues have a
    contrast of 3.1 to 4."""
    accent, on, soft, card = (hexadecimal(color) for color in (theme.accent, theme.on, theme.soft, theme.card))
    filled = "".join(f"--mantine-{name}-filled:{accent}!important;" for name in ("color-blue", "primary-color"))
    hover = "".join(f"--mantine-{name}-filled-hover:{accent}!important;" for name in ("color-blue", "primary-color"))
    grey = "".join(f"--mantine-color-gray-filled{which}:{soft}!important;" for which in ("", "-hover"))
    return (
        f"<style>:root{{--mantine-color-dimmed:{soft}!important;{filled}{hover}{grey}"
        f"--mantine-color-blue-outline:{accent}!important}}"
        f".mantine-Slider-markLabel,.mantine-Notification-description{{color:{soft}!important}}"
        f'.mantine-Button-root[style*="blue-filled"]{{--button-color:{on}!important}}'
        f'.mantine-Button-root[style*="gray-filled"]{{--button-color:{card}!important}}</style>'
    )


def begin(viewer: Viewer, host: str, block: bool | None, open_browser: bool | None) -> Viewer:
    """Print the address of the page, open it, and wait if `block`: None means yes in a script, no at a prompt.

    In a notebook nothing is printed: the cell shows the page.
    """
    who = "" if host in (HERE, "localhost") else f" and everyone who reaches this machine ({host})"
    typing = interactive()
    block = not typing if block is None else block
    try:
        if block or who or not in_notebook():
            sys.stderr.write(f"livens: {viewer.url}{who}{', Ctrl-C ends' if block else ''}\n")
            sys.stderr.flush()
        if (not typing and has_screen()) if open_browser is None else open_browser:
            webbrowser.open(viewer.url)
        if block:
            viewer.wait()
    except KeyboardInterrupt:  # before the page was open
        viewer.close()
    return viewer


def _shell() -> Any:
    """The IPython that runs this, or None."""
    ipython = sys.modules.get("IPython")  # imported does not mean that it runs
    return ipython.get_ipython() if ipython else None


def in_notebook() -> bool:
    """True in a notebook, which shows the value of an expression as HTML."""
    # only a shell of Jupyter has a kernel
    return hasattr(_shell(), "kernel")


def interactive() -> bool:
    """True in a notebook or at a prompt, where a call must not block."""
    # Python sets sys.ps1 at a prompt only
    return bool(hasattr(sys, "ps1") or sys.flags.interactive or _shell())


def has_screen() -> bool:
    """True if a browser could open a window."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(x) for x in ("DISPLAY", "WAYLAND_DISPLAY"))


def repeat(action: Callable[[float], None], rate: float = FRAME_RATE) -> Callable[[], None]:
    """Call `action` with the wall time, `rate` times a second, in a thread; return the function that ends it."""
    stop = threading.Event()

    def work() -> None:
        due = time.perf_counter()
        while not stop.is_set():
            action(time.perf_counter())
            due = max(due + 1.0 / rate, time.perf_counter())  # late calls are skipped
            stop.wait(max(1e-3, due - time.perf_counter()))

    thread = threading.Thread(target=work, name="livens page", daemon=True)
    thread.start()

    def end() -> None:
        stop.set()
        if threading.current_thread() is not thread:
            thread.join(timeout=5.0)

    return end


def _refuse_taken(host: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise LivensError(
                f"port {port} of {host} cannot be used ({(error.strerror or str(error)).lower()}): "
                "choose another port, or leave it out to get a free one."
            ) from None
