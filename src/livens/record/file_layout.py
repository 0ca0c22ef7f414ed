"""The variables of a file of a motion: dimensions, units and meanings."""

VARIABLES = {  # dimensions, unit, meaning; a field of the state that is not listed gets dimensions of its own
    "time": (("time",), "s", "time"),
    "a": (("time", "body", "axis"), "m", "centre of mass, world axes"),
    "B": (("time", "body", "axis", "principal"), "1", "principal axes as columns, world axes"),
    "p": (("time", "body", "axis"), "kg m s-1", "linear momentum, world axes"),
    "L": (("time", "body", "principal"), "kg m2 s-1", "angular momentum about the centre of mass, principal axes"),
    "angle": (("time", "coordinate"), None, "joint coordinates, angles unwrapped [rad] or displacements [m]"),
    "lam": (
        ("time", "level", "row"),
        None,
        "multipliers of the joints, and the last differences between position and velocity level",
    ),
    "account": (
        ("time", "book"),
        None,
        "work done and energy dissipated since the start [J], condition estimate of the joints",
    ),
    "effort": (("time", "controller"), None, "efforts of controllers until their next call [N m] or [N]"),
    "half_turns": (("time", "dial"), None, "half turns of the angles of joints on which nothing acts"),
    "memory": (
        ("time", "carried"),
        None,
        "further variables of a scheme: forces [N], torques [N m], multipliers; remainders of sums",
    ),
    "axes": (("body", "axis", "principal"), "1", "principal axes as columns, body axes"),
    "impacts": (
        ("impact", "entry"),
        None,
        "step, time [s], contact, two bodies, point [m], normal, impulse [N s], approach speed [m/s] of each impact",
    ),
    "model": (("byte",), None, "the model as JSON in UTF-8"),
    "events": (("event_byte",), None, "events and phases as JSON in UTF-8, see phase_files.py"),
}
COMMENT = (
    "h: step [s]; every: steps from one stored state to the next; steps: steps taken; wanted: steps of a run that was "
    "stopped before its end; seconds: computing time [s]; "
    "tally: position iterations of the joints and exact Newton matrices; "
    "left_out: numbers of the redundant constraint equations"
)
