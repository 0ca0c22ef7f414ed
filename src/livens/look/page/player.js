// The player of a stand-alone page: times, poses between them, clock and controls.

// ── the motion: poses (x y z, w x y z) of every body at every time, and velocities where the page needs them ──
const times = new Float64Array(raw(data.times)), poses = new Float32Array(raw(data.poses)), n = data.bodies.length
const rates = data.rates && new Float32Array(raw(data.rates))
const end = times[times.length - 1], start = times[0]
const $ = id => document.getElementById(id)
function pose(body, frame, part) {            // between two stored times: as picture/interpolation.py, or linearly
  const next = Math.min(frame + 1, times.length - 1), i = 7 * (frame * n + body), j = 7 * (next * n + body)
  const p0 = poses.subarray(i, i + 7), p1 = poses.subarray(j, j + 7)
  if (!part || next == frame) return Array.from(p0)
  if (rates) {
    const k = 6 * (frame * n + body), l = 6 * (next * n + body)
    return smooth(p0, p1, rates.subarray(k, k + 6), rates.subarray(l, l + 6), times[next] - times[frame], part)
  }
  let same = 0
  for (let k = 3; k < 7; k++) same += p0[k] * p1[k]
  return Array.from(p0, (x, k) => x * (1 - part) + (k > 2 && same < 0 ? -1 : 1) * p1[k] * part)
}
function frameOf(t) {
  let a = 0, b = times.length - 1
  while (b - a > 1) { const m = (a + b) >> 1; if (times[m] <= t) a = m; else b = m }
  return [a, b > a ? Math.min(1, Math.max(0, (t - times[a]) / (times[b] - times[a]))) : 0]
}

// ── light and dark: the theme of the page, or that of the reader's system ──
const night = matchMedia("(prefers-color-scheme: dark)"), still = matchMedia("(prefers-reduced-motion: reduce)").matches
const setLook = () => { document.documentElement.dataset.look = document.documentElement.dataset.theme || (night.matches ? "dark" : "light") }
night.onchange = setLook
setLook()

// ── the scene, or a sentence where there is no WebGL ──
const canvas = $("view"), pen = drawing(canvas, data.bodies.length > 300), camera = orbit(canvas, data.camera)
$("note").hidden = !$("note").textContent
function begin() {
  const scene = pen.scene(data, times.length), mark = marks(data, scene, $, watched(canvas)), touch = contacts(data, start, end, $), chart = curves(data, $, t => { play(false); now = t })
  scene.traces.body[0].forEach((b, k) => {
    const path = new Float32Array(3 * times.length)
    for (let f = 0; f < times.length; f++) path.set(scene.mark(k, b ? matrix(pose(b - 1, f, 0)) : scene.world), 3 * f)
    scene.trace(k, path)
  })
  const exists = { springs: scene.springs.n + scene.dampers.n, rods: scene.rods.n, axes: scene.axes.n, symbols: data.symbols.names.length, arrows: data.arrows.length, traces: scene.traces.n, contacts: touch.exists, strain: data.strain !== null }
  for (const name in exists) if (exists[name]) $(name).closest("label").hidden = document.querySelector("aside").hidden = false
  if (!scene.springs.n) document.querySelector("aside small").hidden = true
  $("layers").open = innerWidth > 560 && innerHeight > 420

  // ── clock and controls ──
  const room = new Float32Array(raw(data.room))
  let playing = false, now = start, last = 0, seen = true, latest = null, pressed = null, drawn = ""
  const boxes = [...document.querySelectorAll("aside input, #follow")]
  new IntersectionObserver(([now]) => { seen = now.isIntersecting }).observe(canvas)    // the clock stops while the page is out of sight
  function render(clock) {
    requestAnimationFrame(render)
    if (!seen) { last = 0; return }
    if (playing && last) { now += (clock - last) / 1000 * $("speed").value; if (now > end) now = start }
    last = clock
    const state = [now, camera.turn, camera.lift, camera.zoom, camera.pan, canvas.clientWidth, canvas.clientHeight, innerHeight, window.devicePixelRatio,
                   document.documentElement.dataset.look, chart.chosen, mark.pointer, $("layers").open, ...boxes.map(box => box.checked)].join()
    if (state == drawn) return                  // a picture that does not change is not drawn again
    drawn = state
    const [frame, part] = frameOf(now), bodies = data.bodies.map((_, b) => matrix(pose(b, frame, part)))
    const panel = document.querySelector("aside"), head = document.querySelector("header")
    head.style.maxWidth = panel.offsetWidth ? `${panel.getBoundingClientRect().left - 28}px` : ""    // words end before the panel
    const inset = { top: head.offsetHeight + 14, bottom: document.querySelector("footer").offsetHeight + 16 + chart.inset }
    const view = fitted(room, data, canvas.clientWidth, canvas.clientHeight, inset)
    const follow = $("follow").checked, middle = follow
      ? [0, 1, 2].map(i => bodies.reduce((s, M, b) => s + data.bodies[b].share * carry(M, data.bodies[b].center)[i], 0)) : view.middle
    const far = follow ? Math.min(2.9 * data.near, view.far) : view.far
    const places = [scene.world, ...bodies], colors = THEMES[document.documentElement.dataset.look]
    const loads = $("arrows").checked ? mark.arrows(places, frame, colors) : []
    const segments = $("contacts").checked ? touch.lines(Math.min(frame + Math.round(part), times.length - 1), colors) : []
    const shown = pen.draw(scene, { places, marks: frame + 1, middle, far, camera, now, frame, part, inset, colors, arrows: loads, segments, on: name => $(name).checked })
    mark.draw(shown, places, camera, inset, colors)
    chart.draw(now, colors)
    latest = [shown, places]
    $("curves").style.bottom = innerWidth > 720 ? "" : `${document.querySelector("footer").offsetHeight + 16}px`
    $("clock").textContent = `${now.toFixed(end - start > 100 ? 1 : Math.max(3, 4 - Math.ceil(Math.log10(end - start || 1))))} s`
    if (document.activeElement != $("scrub") || playing) $("scrub").value = (now - start) / (end - start)
  }
  const play = on => { playing = on; $("play").textContent = on ? "❚❚" : "▶" }
  canvas.addEventListener("pointerdown", e => { pressed = [e.clientX, e.clientY] })
  canvas.addEventListener("pointerup", e => {                                // a click, not a drag: the curves of what is there
    if (!pressed || !latest || Math.hypot(e.clientX - pressed[0], e.clientY - pressed[1]) > 4) return
    const found = mark.named(...latest, [e.clientX, e.clientY])
    if (found) chart.choose(found.kind, found.name)
  })
  $("play").onclick = () => play(!playing)
  $("scrub").oninput = e => { play(false); now = start + e.target.value * (end - start) }
  onkeydown = e => {                            // a checkbox, list or button in focus uses the space bar itself
    const own = e.target.closest("button, select, summary, input[type=checkbox]")
    if (e.key == " " && !own) { e.preventDefault(); play(!playing) }
  }
  const asked = Number(new URLSearchParams(location.search).get("t"))
  if (asked) now = Math.min(end, Math.max(start, asked))
  play(!asked && !still)                        // readers who prefer less motion press play
  requestAnimationFrame(render)
}
if (pen) begin()
else {
  $("sorry").hidden = false
  for (const part of document.querySelectorAll("footer, aside, #marks, #help")) part.hidden = true
}
