"""Dense and banded systems A x = b, in place, row-major: LU with the largest pivot of each column, and LDLᵀ for
symmetric positive matrices."""

from __future__ import annotations

from .._jit import njit


@njit
def factor_dense(A, n, order):
    """PA = LU; `order` keeps the row exchanges. False where A is singular or not finite."""
    for k in range(n):
        best, most = k, abs(A[k * n + k])
        for i in range(k + 1, n):
            if abs(A[i * n + k]) > most:
                best, most = i, abs(A[i * n + k])
        order[k] = best
        if not 0.0 < most < 1e300:
            return False
        if best != k:
            for j in range(n):
                A[k * n + j], A[best * n + j] = A[best * n + j], A[k * n + j]
        d = 1.0 / A[k * n + k]
        for i in range(k + 1, n):
            if A[i * n + k] != 0.0:
                l = A[i * n + k] * d
                A[i * n + k] = l
                for j in range(k + 1, n):
                    A[i * n + j] -= l * A[k * n + j]
    return True


@njit
def solve_dense(A, n, order, x):
    """x ← A⁻¹x with the factors of `factor_dense`."""
    for k in range(n):
        x[k], x[order[k]] = x[order[k]], x[k]
    for k in range(n):
        for i in range(k + 1, n):
            x[i] -= A[i * n + k] * x[k]
    for k in range(n - 1, -1, -1):
        s = x[k]
        for j in range(k + 1, n):
            s -= A[k * n + j] * x[j]
        x[k] = s / A[k * n + k]


@njit
def factor_band(A, n, band, order):
    """As `factor_dense`, for a matrix with zeros more than `band` beside its diagonal; those up to twice as far are
    overwritten. The innermost loops run over slices of rows, which compile to vector instructions."""
    for k in range(n):
        best, most = k, abs(A[k * n + k])
        last, end = min(n, k + band + 1), min(n, k + 2 * band + 1)
        for i in range(k + 1, last):
            if abs(A[i * n + k]) > most:
                best, most = i, abs(A[i * n + k])
        order[k] = best
        if not 0.0 < most < 1e300:
            return False
        if best != k:
            for j in range(k, end):
                A[k * n + j], A[best * n + j] = A[best * n + j], A[k * n + j]
        d = 1.0 / A[k * n + k]
        pivot, width = A[k * n + k + 1 : k * n + end], end - k - 1
        for i in range(k + 1, last):
            if A[i * n + k] != 0.0:
                l = A[i * n + k] * d
                A[i * n + k] = l
                row = A[i * n + k + 1 : i * n + end]
                for j in range(width):
                    row[j] -= l * pivot[j]
    return True


@njit
def solve_band(A, n, band, order, x):
    """x ← A⁻¹x with the factors of `factor_band`."""
    for k in range(n):
        x[k], x[order[k]] = x[order[k]], x[k]
        for i in range(k + 1, min(n, k + band + 1)):
            x[i] -= A[i * n + k] * x[k]
    for k in range(n - 1, -1, -1):
        s, width = x[k], min(n, k + 2 * band + 1) - k - 1
        row, known = A[k * n + k + 1 : k * n + k + 1 + width], x[k + 1 : k + 1 + width]
        for j in range(width):
            s -= row[j] * known[j]
        x[k] = s / A[k * n + k]


@njit
def factor_positive_band(A, n, band):
    """A = LDLᵀ of a symmetric positive matrix with zeros more than `band` beside its diagonal: the rows of DLᵀ, in the
    upper half. False where it is not positive."""
    for k in range(n):
        d, width = A[k * n + k], min(n, k + band + 1) - k - 1
        if not 0.0 < d < 1e300:
            return False
        pivot = A[k * n + k + 1 : k * n + k + 1 + width]
        for i in range(width):
            if pivot[i] != 0.0:
                l, diagonal = pivot[i] / d, (k + 1 + i) * (n + 1)
                row, rest = A[diagonal : diagonal + width - i], pivot[i:width]
                for j in range(width - i):
                    row[j] -= l * rest[j]
    return True


@njit
def solve_positive_band(A, n, band, x):
    """x ← A⁻¹x with the factors of `factor_positive_band`."""
    for k in range(n):
        width, y = min(n, k + band + 1) - k - 1, x[k] / A[k * n + k]
        row, later = A[k * n + k + 1 : k * n + k + 1 + width], x[k + 1 : k + 1 + width]
        for j in range(width):
            later[j] -= y * row[j]
    for k in range(n - 1, -1, -1):
        s, width = x[k], min(n, k + band + 1) - k - 1
        row, known = A[k * n + k + 1 : k * n + k + 1 + width], x[k + 1 : k + 1 + width]
        for j in range(width):
            s -= row[j] * known[j]
        x[k] = s / A[k * n + k]
