"""Pictures to files: PNG and animated PNG are written here, GIF by Pillow, films by ffmpeg: that of the system, or that
of the package imageio-ffmpeg (extra `film`).

A PNG is a signature and chunks: length, four letters, data, CRC-32 of letters and data. Rows are filtered (here: each
byte less the one of the pixel to the left) and packed by zlib. An animated one adds acTL, and for every frame fcTL and,
from the second on, fdAT. Source: W3C, Portable Network Graphics, third edition.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import FileError, MissingExtra, require
from ...storage.atomic import MARK

Picture = NDArray[np.uint8]  # (height, width, 3)
SIGNATURE = b"\x89PNG\r\n\x1a\n"
SHORTEST = 20  # [ms]: browsers show a GIF picture with a shorter time for 100 ms
PALETTE_PICTURES = 8  # of a GIF file, from which its colours are chosen
FILMS = (".mp4", ".webm", ".mov", ".mkv", ".avi")


def png(picture: Picture) -> bytes:
    """The bytes of a PNG file.

    >>> png(np.zeros((2, 3, 3), dtype=np.uint8))[:8] == SIGNATURE
    True
    """
    return SIGNATURE + _header(picture) + _chunk(b"IDAT", _packed(picture)) + _chunk(b"IEND", b"")


def write_film(pictures: Iterable[Picture], count: int, rate: float, name: Path, target: Path) -> None:
    """Write `count` pictures shown `rate` times a second to `target`, in the format of the ending of `name`.

    mp4, webm, mov, mkv, avi need ffmpeg, or the extra `film`; gif needs Pillow; apng and png need nothing. Times in gif
    files are multiples of 10 ms: each picture begins at the nearest one, and of more than 50 a second some are left
    out.
    """
    match name.suffix.lower():
        case ".apng" | ".png":
            with open(target, "wb") as file:
                for piece in _apng(pictures, count, rate):
                    file.write(piece)
        case ".gif":
            _gif(pictures, rate, target)
        case ending if ending in FILMS:
            _film(pictures, rate, name, target)
        case ending:
            known = ", ".join(kind.lstrip(".") for kind in FILMS)
            raise FileError(f"{name} cannot be written: the ending must be one of {known}, gif, apng, not {ending!r}.")


def _header(picture: Picture) -> bytes:
    height, width, _ = picture.shape
    software = _chunk(b"tEXt", f"Software\0{MARK}".encode())
    return _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + software


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _packed(picture: Picture, effort: int = 9) -> bytes:
    """Filtered rows, each after its filter's number: to the left (1), packed."""
    rows = picture.astype(np.int16)
    rows[:, 1:] -= picture[:, :-1]
    filtered = (rows & 255).astype(np.uint8).reshape(len(picture), -1)
    return zlib.compress(np.pad(filtered, ((0, 0), (1, 0)), constant_values=1).tobytes(), effort)


def _apng(pictures: Iterable[Picture], count: int, rate: float) -> Iterator[bytes]:
    number = 0
    for k, picture in enumerate(pictures):
        if k == 0:
            yield SIGNATURE + _header(picture) + _chunk(b"acTL", struct.pack(">II", count, 0))
        height, width, _ = picture.shape
        delay = round(1e4 / rate)
        yield _chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, width, height, 0, 0, delay, 10_000, 0, 0))
        data = _packed(picture, effort=6)
        number += 1 + bool(k)
        yield _chunk(b"fdAT", struct.pack(">I", number - 1) + data) if k else _chunk(b"IDAT", data)
    yield _chunk(b"IEND", b"")


def _gif(pictures: Iterable[Picture], rate: float, target: Path) -> None:
    Image = require("PIL.Image", "GIF files need Pillow, .apng files do not", "pillow")
    packed: list[bytes] = []  # all pictures, since one palette serves them all: parts that do not move are stored once
    begins: list[int] = []  # [ms]
    count, shape = 0, (0, 0, 3)
    for picture in pictures:
        begin = _centiseconds(count / rate)
        count += 1
        if begins and begin - begins[-1] < SHORTEST:
            continue
        begins.append(begin)
        packed.append(zlib.compress(picture.tobytes(), 1))
        shape = picture.shape
    end = max(_centiseconds(count / rate), begins[-1] + SHORTEST)
    durations = [after - before for before, after in pairwise([*begins, end])]

    def unpacked(k: int) -> Picture:
        return np.frombuffer(zlib.decompress(packed[k]), dtype=np.uint8).reshape(shape)

    some = np.unique(np.linspace(0, len(packed) - 1, PALETTE_PICTURES).round().astype(int)).tolist()
    sample = Image.fromarray(np.concatenate([unpacked(k) for k in some]))
    # by coverage, not by count: colours that few pixels have, such as those of thin lines, are kept
    palette = sample.quantize(256, method=Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE)
    first, *rest = (
        Image.fromarray(unpacked(k)).quantize(palette=palette, dither=Image.Dither.NONE) for k in range(len(packed))
    )
    first.save(target, format="GIF", save_all=True, append_images=rest, duration=durations, loop=0, comment=MARK)


def _centiseconds(seconds: float) -> int:
    """A time of a GIF file [ms], which counts hundredths of a second."""
    return 10 * round(100.0 * seconds)


def ffmpeg() -> str | None:
    """The program ffmpeg: on the PATH, or in the package imageio-ffmpeg; None if there is neither."""
    if (tool := shutil.which("ffmpeg")) is not None:
        return tool
    try:
        return str(import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except (ImportError, RuntimeError):  # not installed, or without a program for this platform
        return None


def _film(pictures: Iterable[Picture], rate: float, name: Path, target: Path) -> None:
    tool = ffmpeg()
    if tool is None:
        raise MissingExtra(
            f"{name} needs ffmpeg, which is not on the PATH: pip install 'livens[film]', or write {name.stem}.gif or "
            f"{name.stem}.apng."
        )
    frames = iter(pictures)
    first = next(frames)
    height, width, _ = first.shape
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{rate:g}", "-i", "-"]
    even = ["-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2", "-pix_fmt", "yuv420p"]
    line = [tool, "-y", "-loglevel", "error", *source, *even, "-crf", "18", "-metadata", f"comment={MARK}", str(target)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stderr is not None  # noqa: PT018
        with suppress(BrokenPipeError):  # the reason is on stderr
            process.stdin.write(first.tobytes())
            for picture in frames:
                process.stdin.write(picture.tobytes())
        with suppress(BrokenPipeError):
            process.stdin.close()
        message = process.stderr.read().decode(errors="replace").strip()
    if process.returncode:
        reason = (message.splitlines() or ["it gives no reason"])[-1]
        raise FileError(f"{name} cannot be written: ffmpeg failed: {reason}.")
