"""Discrete mechanics for any Lagrangian: variational integrators, Newmark, the incremental potential."""

from ..symbolic import (
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    cross,
    dot,
    exp,
    log,
    norm,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)
from .compare import Problem, compare
from .comparison import Comparison
from .lagrangian import Lagrangian, Mechanical
from .newmark import GeneralizedAlpha, Newmark
from .quadrature import Galerkin, Midpoint, Quadrature, Rectangle, Trapezoidal
from .run import Run
from .simulation import simulate
from .symplectic import symplectic_defect
from .terms import Elements, springs

__all__ = [
    "Comparison",
    "Elements",
    "Galerkin",
    "GeneralizedAlpha",
    "Lagrangian",
    "Mechanical",
    "Midpoint",
    "Newmark",
    "Problem",
    "Quadrature",
    "Rectangle",
    "Run",
    "Trapezoidal",
    "acos",
    "asin",
    "atan",
    "atan2",
    "compare",
    "cos",
    "cosh",
    "cross",
    "dot",
    "exp",
    "log",
    "norm",
    "simulate",
    "sin",
    "sinh",
    "springs",
    "sqrt",
    "symplectic_defect",
    "tan",
    "tanh",
]
