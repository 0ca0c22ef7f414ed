"""Letters for pictures: five by seven squares each, so that no font is needed; g, j, p, q and y end two squares lower.

A letter is seven rows from the top, each a number of two digits in base 32 or less: bit 4 is the left square. Letters
that are not in the table are drawn as a box.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LETTER_WIDTH, LETTER_HEIGHT, LETTER_GAP = 5, 7, 1
BELOW, DESCENDING = 2, "gjpqy"  # squares below the line of writing, and the letters that use them
TABLE = """
0 0e1113151911 0e|1 040c04040404 0e|2 0e1101020408 1f|3 1f0204020111 0e|4 02060a121f02 02|5 1f101e010111 0e
6 0608101e1111 0e|7 1f0102040808 08|8 0e11110e1111 0e|9 0e11110f0102 0c|A 0e11111f1111 11|B 1e11111e1111 1e
C 0e1110101011 0e|D 1c1211111112 1c|E 1f10101e1010 1f|F 1f10101e1010 10|G 0e1110171111 0f|H 1111111f1111 11
I 0e0404040404 0e|J 070202020212 0c|K 111214181412 11|L 101010101010 1f|M 111b15151111 11|N 111119151311 11
O 0e1111111111 0e|P 1e11111e1010 10|Q 0e1111111512 0d|R 1e11111e1412 11|S 0f10100e0101 1e|T 1f0404040404 04
U 111111111111 0e|V 11111111110a 04|W 11111115151b 11|X 11110a040a11 11|Y 1111110a0404 04|Z 1f0102040810 1f
a 00000e010f11 0f|b 10101e111111 1e|c 00000e101011 0e|d 01010f111111 0f|e 00000e111f10 0e|f 0609081c0808 08
g 0f1111110f01 0e|h 101016191111 11|i 04000c040404 0e|j 020006020202 0c|k 101012141814 12|l 0c0404040404 0e
m 00001a151515 15|n 000016191111 11|o 00000e111111 0e|p 1e1111111e10 10|q 0f1111110f01 01|r 000016191010 10
s 00000e100e01 1e|t 08081c080809 06|u 000011111113 0d|v 00001111110a 04|w 000011111515 0a|x 0000110a040a 11
y 111111110f01 0e|z 00001f020408 1f|. 000000000c0c 00|, 0000000c0404 08|: 000c0c000c0c 00|- 0000001f0000 00
− 0000001f0000 00|+ 0004041f0404 00|= 00001f001f00 00|/ 000102040810 00|( 020408080804 02|) 080402020204 08
² 0c1204081e00 00|³ 1c041c041c00 00|· 000000040000 00|µ 000012121c10 10|° 0c12120c0000 00|' 040400000000 00
é 02040e111f10 0e|_ 000000000000 1f|& 0c1214081512 0d|! 040404040400 04|? 0e1101020400 04|# 0a0a1f0a1f0a 0a
ω 00001115150a 00|→ 0004021f0204 00|× 0000110a040a 11|% 181902040813 03
"""


def _letters() -> dict[str, NDArray[np.bool_]]:
    found = {}
    for entry in TABLE.replace("\n", "|").strip("|").split("|"):
        letter, rows = entry[0], entry[1:].replace(" ", "")
        numbers = [int(rows[2 * k : 2 * k + 2], 16) for k in range(LETTER_HEIGHT)]
        found[letter] = np.array([[bool(n >> (4 - i) & 1) for i in range(LETTER_WIDTH)] for n in numbers])
    return found


LETTERS = _letters()
BOX = np.ones((LETTER_HEIGHT, LETTER_WIDTH), dtype=np.bool_)
BOX[1:-1, 1:-1] = False


def mask(text: str, scale: int = 1) -> NDArray[np.bool_]:
    """The squares of a line of text, each `scale` pixels wide (height, width).

    >>> mask("ab", 2).shape, int(mask("I").sum())
    ((18, 22), 11)
    """
    width = len(text) * (LETTER_WIDTH + LETTER_GAP) - LETTER_GAP
    rows = np.zeros((LETTER_HEIGHT + BELOW, max(1, width)), dtype=np.bool_)
    for k, letter in enumerate(text):
        if letter != " ":
            top, left = BELOW * (letter in DESCENDING), k * (LETTER_WIDTH + LETTER_GAP)
            rows[top : top + LETTER_HEIGHT, left : left + LETTER_WIDTH] = LETTERS.get(letter, BOX)
    return np.repeat(np.repeat(rows, scale, axis=0), scale, axis=1)


def write(image: NDArray[Any], text: str, x: int, y: int, scale: int, color: Any) -> None:
    """Write text into an image (height, width, 3) with its upper left corner at the pixel (x, y); parts outside the
    image are left out."""
    squares = mask(text, scale)
    rows, columns = np.nonzero(squares)
    rows, columns = rows + y, columns + x
    inside = (rows >= 0) & (rows < image.shape[0]) & (columns >= 0) & (columns < image.shape[1])
    image[rows[inside], columns[inside]] = color
