"""The page in the browser, served by viser: a motion to play (`lv.view`), a simulation that runs (`lv.live`).

    model ─ parts ─┐
    record ─ instants ─ layers ─ page          sizes, colors, meshes, curves: arrays in, arrays out
    clock ─ playback ──────────┘  │
    variant ─ stepper ─ loop ─ live

Only layers, charts, page, playback, panel, live and playground know viser; all else is arithmetic and runs without it.
"""
