// The page: tabs, fields and buttons, messages to the worker in which livens runs, and a picture of the latest frame
// whenever it has changed.
"use strict"
const $ = id => document.getElementById(id)
const POINTS = 4000                                                          // of a trace
const canvas = $("view"), pen = drawing(canvas), camera = orbit(canvas), pointer = watched(canvas), curves = chart($("curves"), $("chartname"))
let demos = {}, opened = null, scene = null, mark = null, frame = null, fresh = false, paths = [], passed = 0, inputs = {}, worker = null
let playing = false, drawnAt = [], seen = "", kept = 1, pending = {}, written = 0, begun = 0
let sharp = 1                                                                // pixels of the canvas per pixel of the screen: fewer if drawing is slow

// ── light and dark: as in the documentation, or as in the system of the reader ──
const system = matchMedia("(prefers-color-scheme: dark)")
let mode = ["light", "dark"].includes(localStorage.getItem("mode")) ? localStorage.getItem("mode") : null
function setLook() { document.documentElement.dataset.look = mode || (system.matches ? "dark" : "light"); seen = "" }
system.onchange = setLook
$("theme").onclick = () => { mode = document.documentElement.dataset.look == "dark" ? "light" : "dark"; setLook() }
setLook()

// ── loading and its errors ──
function broken(text) {
  $("loading").classList.remove("done"); $("loading").classList.add("broken")
  $("what").textContent = text
  document.body.dataset.state = "broken"
}
function boot() {
  if (location.protocol == "file:") return broken("The browser runs Python only in pages from a server: run “make serve” in the repository, and open the printed address.")
  if (typeof WebAssembly != "object") return broken("This page needs WebAssembly, which this browser does not support or has disabled.")
  if (!pen) return broken("This page needs WebGL 2, which this browser does not support or has disabled.")
  document.body.dataset.state = "loading"
  worker = new Worker("worker.js")
  worker.onmessage = ({ data }) => take[data.is](data)
  worker.onerror = e => broken(`The page could not start Python: ${e.message || "worker.js is not served"}.`)
}
const take = {
  loading({ what, part }) {
    $("what").textContent = part < 1 ? `loading ${what} … ${Math.round(100 * part)} %` : `starting ${what} …`
    $("bar").value = part
  },
  ready(message) {
    demos = message.demos
    $("version").textContent = `${message.version}, started in ${(performance.now() / 1000).toFixed(1)} s.`
    document.body.dataset.boot = (performance.now() / 1000).toFixed(2)
    $("loading").classList.add("done")
    for (const id of ["play", "step", "reset"]) $(id).disabled = false
    showTabs()
    choose(location.hash.slice(1) in demos ? location.hash.slice(1) : Object.keys(demos)[0])
    document.body.dataset.state = "ready"
  },
  scene({ data, restart }) {
    const follow = scene && scene.demo == opened ? $("follow").checked : data.follow
    scene = pen.scene(data, POINTS)
    mark = marks(data, scene, $, pointer)
    scene.demo = opened
    $("follow").checked = follow || data.follow
    paths = scene.traces.body[0].map(() => new Float32Array(3 * POINTS))
    if (restart) { passed = 0; curves.begin(demos[opened].chart) }
    showLabels(data.labels || [])
  },
  frame(message) {
    frame = message; fresh = true; kept = .9 * kept + .1 * message.kept
    setPlaying(message.playing)
    remember(placesOf(frame))
    if (frame.curve.length) curves.add(frame.rows.find(row => row[0] == "time")[2], frame.curve)
  },
  refused({ text, values }) {                                                // fields show the numbers in use again
    $("refused").textContent = values ? `${text} The motion continues with the numbers before.` : text
    $("refused").hidden = false
    for (const name in values || {}) if (inputs[name]) inputs[name](values[name])
  },
  broken({ text }) { broken(`The page could not start Python: ${text.split("\n").pop()}. It needs the folder pyodide beside it, which “make live” writes.`) },
}
const tell = message => worker && worker.postMessage(message)

// ── demos, fields, buttons ──
function showTabs() {
  $("tabs").replaceChildren(...Object.entries(demos).map(([name, demo], k) => {
    const tab = document.createElement("button")
    Object.assign(tab, { textContent: demo.title, id: `tab-${name}`, title: `${demo.title} (${k + 1})` })
    tab.setAttribute("role", "tab"); tab.onclick = () => choose(name)
    return tab
  }))
}
function choose(name) {
  opened = name; pending = {}; drawnAt = []; kept = 1
  const demo = demos[name]
  for (const tab of $("tabs").children) tab.setAttribute("aria-selected", tab.id == `tab-${name}`)
  history.replaceState(null, "", `#${name}`)
  $("title").textContent = demo.title; $("text").textContent = demo.text; $("refused").hidden = true
  $("chart").hidden = !demo.chart
  $("arrows").parentElement.hidden = demo.chart != "rates"; $("follow").parentElement.hidden = name == "poses"
  $("preset").replaceChildren(...Object.keys(demo.presets).map(text => new Option(text, text)))
  inputs = showFields($("fields"), demo.fields, change)
  camera.first({ turn: demo.flat ? -1.25 : demo.chart == "rates" ? .8 : -.9, lift: demo.flat ? .12 : .32 })
  tell({ do: "open", demo: name })
  if (!still.matches) tell({ do: "play" })
}
$("preset").onchange = () => {
  const values = demos[opened].presets[$("preset").value]
  for (const name in values) { inputs[name](values[name]); change(name, values[name]) }
  flush(); tell({ do: "reset" })
  if (!still.matches) tell({ do: "play" })
}
const still = matchMedia("(prefers-reduced-motion: reduce)")
function change(name, value) { $("refused").hidden = true; pending[name] = value }
function flush() { for (const name in pending) tell({ do: "change", name, value: pending[name] }); pending = {} }
setInterval(flush, 80)                                                       // a slider sends more values than can be seen
function setPlaying(on) {
  if (on && !playing) begun = performance.now()
  playing = on
  $("play").textContent = on ? "pause" : "play"
  document.body.dataset.playing = on
}
$("play").onclick = () => tell({ do: playing ? "pause" : "play" })
$("step").onclick = () => { flush(); tell({ do: "step", steps: Number($("count").value) }) }
$("reset").onclick = () => { flush(); tell({ do: "reset" }) }
$("home").onclick = () => camera.home()
$("speed").onchange = () => tell({ do: "speed", value: Number($("speed").value) })
onkeydown = e => {
  if (e.ctrlKey || e.altKey || e.metaKey || !opened) return
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName), name = Object.keys(demos)[Number(e.key) - 1]
  if (typing || (e.key == " " && e.target.tagName == "BUTTON")) return
  if (e.key == " ") { e.preventDefault(); $("play").click() }
  else if (e.key == "s") $("step").click()
  else if (e.key == "r") $("reset").click()
  else if (name) choose(name)
}

// ── the picture ──
function showLabels(names) {
  $("labels").replaceChildren(...names.map(name => Object.assign(document.createElement("span"), { textContent: name })))
}
function placesOf({ poses }) {                                               // matrices of the world and of all bodies
  return [scene.world, ...scene.data.bodies.map((_, b) => matrix(Array.from(poses.subarray(7 * b, 7 * b + 7))))]
}
function remember(places) {                                                  // positions of the traced points
  if (passed == POINTS) { passed = POINTS / 2; for (const path of paths) path.copyWithin(0, 3 * passed) }
  paths.forEach((path, k) => { path.set(scene.mark(k, places[scene.traces.body[0][k]]), 3 * passed); scene.trace(k, path) })
  passed++
}
function arrowsOf(numbers, colors) {
  const at = k => Array.from(numbers.subarray(3 * k, 3 * k + 3))
  return numbers.length ? [{ name: "L", from: at(0), to: at(1), color: colors.ink }, { name: "ω", from: at(2), to: at(3), color: colors.force }] : []
}
function free() {                                                            // what text and buttons cover of the picture
  const high = canvas.clientHeight, bar = document.querySelector(".transport").getBoundingClientRect(), top = canvas.getBoundingClientRect().top
  return { top: .6 * $("figures").offsetHeight, bottom: high - (bar.top - top) }
}
function render() {
  requestAnimationFrame(render)
  const now = [camera.turn, camera.lift, camera.zoom, camera.pan, canvas.clientWidth, canvas.clientHeight, $("traces").checked, $("arrows").checked, $("follow").checked, pointer.at].join()
  if (!scene || !frame || frame.poses.length != 7 * scene.data.bodies.length || !(fresh || now != seen)) return
  const places = placesOf(frame)
  const colors = THEMES[document.documentElement.dataset.look], first = scene.data.bodies[0]
  const middle = $("follow").checked ? carry(places[1], first.center) : scene.data.middle
  const on = name => name != "traces" || $("traces").checked
  const arrows = $("arrows").checked ? arrowsOf(frame.arrows, colors) : []
  const far = 2.7 * ($("follow").checked ? Math.min(scene.data.size, scene.data.near) : scene.data.size)
  const inset = free(), shown = pen.draw(scene, { places, marks: passed, middle, far, camera, colors, on, arrows, sharp, inset }), { place } = shown
  mark.draw(shown, places, camera, inset, colors)
  ;[...$("labels").children].forEach((label, k) => { const [x, y] = place(carry(places[k + 1], [0, 0, .1])); label.style.left = `${x}px`; label.style.top = `${y}px` })
  for (const label of $("names").children) {                                 // of the arrows
    const arrow = arrows.find(one => one.name == label.textContent)
    label.hidden = !arrow
    if (arrow) { const [x, y] = place(arrow.to); label.style.left = `${x}px`; label.style.top = `${y}px` }
  }
  seen = now
  if (!fresh) return
  fresh = false
  const clock = performance.now(), t = frame.rows.find(row => row[0] == "time")
  drawnAt = [...drawnAt.filter(then => clock - then < 1000), clock]
  tell({ do: "drawn" })
  if (playing && clock - written < 120) return                               // limits the update rate of text and chart
  written = clock
  showReadouts($("readouts").tBodies[0], [...frame.rows, ["fps", "frames per second", playing ? drawnAt.length : 0, ""]])
  $("clock").textContent = `${t[2].toFixed(3)} ${t[3]}`
  const error = frame.rows.find(row => row[0] == "energy")
  $("error").textContent = error ? `energy error ${error[2].toExponential(1).replaceAll("-", "−")}` : ""
  $("pace").textContent = playing && kept < .95 ? `shown at ${Math.round(100 * kept)} % of the selected speed` : ""
  if (frame.curve.length) curves.draw()
  if (playing && clock - begun > 1500) sharp = drawnAt.length < 25 ? Math.max(.6, sharp - .05) : drawnAt.length > 45 ? Math.min(1, sharp + .05) : sharp
}
boot()
requestAnimationFrame(render)
