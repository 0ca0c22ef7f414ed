// Runs livens in a worker, so that the page never waits: loads Pyodide, numpy and livens, then computes frames.
// In:  { do: "open" | "change" | "play" | "pause" | "step" | "reset" | "speed" | "drawn", … }
// Out: { is: "loading" | "ready" | "scene" | "frame" | "refused" | "broken", … }
"use strict"
const ABOUT = [["pyodide.asm.wasm", "Python"], ["python_stdlib.zip", "the standard library"], ["numpy-", "numpy"], ["livens-", "livens"]]
let sizes, loaded = 0, python, session = null, playing = false, speed = 1, last = 0, waiting = false, drawn = true

// ── loading, with a count of the bytes ──
const straight = self.fetch.bind(self)
self.fetch = async (what, options) => {
  const response = await straight(what, options), name = String(what.url || what).split("/").pop()
  if (!response.ok) throw new Error(`${name} is not served (${response.status})`)
  if (!response.body || !(name in sizes)) return response
  say((ABOUT.find(([start]) => name.startsWith(start)) || [0, name])[1])
  const count = new TransformStream({ transform(chunk, out) { loaded += chunk.byteLength; say(); out.enqueue(chunk) } })
  return new Response(response.body.pipeThrough(count), { status: response.status, headers: response.headers })
}
let words = "Python"
function say(now = words) {
  words = now
  const whole = Object.values(sizes).reduce((a, b) => a + b, 0)
  postMessage({ is: "loading", what: words, part: Math.min(1, loaded / whole) })
}
async function load() {
  sizes = await (await straight("sizes.json")).json()
  say()
  importScripts("pyodide/pyodide.js")
  const py = await loadPyodide({ indexURL: new URL("pyodide/", self.location).href })
  await py.loadPackage(["numpy", "livens"], { messageCallback: () => {} })
  say("the demos")
  for (const name of ["demos.py", "session.py"]) py.FS.writeFile(name, await (await straight(name)).text())
  python = py.runPython("import session; session")
  const version = py.runPython("import sys, numpy, livens; f'livens {livens.__version__}, Python {sys.version.split()[0]} and numpy {numpy.__version__}'")
  postMessage({ is: "ready", demos: JSON.parse(python.catalogue()), version })
}

// ── running: a frame is computed after the previous one has been drawn ──
function numbers(proxy) { const array = proxy.toJs(); proxy.destroy(); return Float32Array.from(array) }
function show(kept = 1) {
  const frame = { is: "frame", poses: numbers(session.poses()), arrows: numbers(session.arrows()), curve: numbers(session.curve()),
                  rows: JSON.parse(session.readouts()), playing, kept }
  drawn = false
  postMessage(frame, [frame.poses.buffer, frame.arrows.buffer, frame.curve.buffer])
}
function scene(restart) { postMessage({ is: "scene", data: JSON.parse(session.scene()), restart }) }
function plan() { if (playing && drawn && !waiting) { waiting = true; setTimeout(tick, 0) } }
function tick() {
  waiting = false
  if (!playing || !drawn) return
  const now = performance.now(), passed = Math.min(.1, (now - last) / 1000), before = session.steps
  last = now
  attempt(() => {
    const kept = session.tick(passed, speed)
    if (session.steps < before) scene(true)
    show(kept)
  })
}
function attempt(act, change = false) {                                      // a refused change leaves the motion as it was
  try { act() } catch (error) {
    playing = playing && change
    const lines = String(error.message || error).trim().split("\n"), known = /^livens\.errors\.\w+: /
    const line = lines.findLast(l => known.test(l)) || lines[lines.length - 1]
    postMessage({ is: "refused", text: line.replace(known, ""), values: change && session ? JSON.parse(session.numbers()) : null })
    if (session) show()
    plan()
  }
}
const act = {
  open({ demo, values }) { session?.destroy(); session = null; playing = false; session = python.open_demo(demo); scene(true); show() },
  change({ name, value }) { const goes = session.change(name, value); if (!goes) scene(true); show() },
  play() { playing = true; last = performance.now(); show(); plan() },
  pause() { playing = false; show() },
  step({ steps }) {                                                          // in short runs, so that traces and charts are smooth
    playing = false
    for (let left = steps; left > 0; left -= 20) { session.step(Math.min(20, left)); show() }
  },
  reset() { session.reset(); scene(true); show() },
  speed({ value }) { speed = value },
  drawn() { drawn = true; plan() },
}
onmessage = ({ data }) => attempt(() => act[data.do](data), data.do == "change")
load().catch(error => postMessage({ is: "broken", text: String(error.message || error) }))
