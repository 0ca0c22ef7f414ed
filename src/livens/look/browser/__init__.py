"""The pages in the browser, served by viser: a motion to play (`lv.view`), a simulation that runs (`lv.live`).

    look.picture ─ layers ─ drawing ─┬─ playback      a recorded motion: clock, charts, controls
    server, stage, panel, charts ────┴─ live          a running one: changed_model ─ stepper ─ loop ─ live_panel, pull

clock, curves, sizes, changed_model, stepper and loop are arithmetic and run without viser; server imports it, and the
others call the server object that they are given.
"""
