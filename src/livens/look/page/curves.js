// Curves of a body, a joint or the whole motion beside the picture, with a cursor at the time that is shown. A click on a
// body or joint chooses it, and so does the list; a click on a chart goes to that time.

const DASHES = [[], [7, 3], [2, 3]]
const HIGH = 104, LEFT = 52, UNDER = 16, OVER = 8
function short(x) {                               // a number of an axis, in few letters
  if (!x) return "0"
  const size = Math.abs(x)
  return size >= 1e5 || size < 1e-3 ? x.toExponential(1).replace("e+", "e") : String(Number(x.toPrecision(4)))
}

function curves(data, $, seek) {
  const panel = $("curves"), list = $("thing"), given = data.curves
  const times = new Float64Array(raw(given.times)), begin = times[0], end = times[times.length - 1]
  const things = given.things.map(one => ({ ...one, charts: one.charts.map(c => ({ ...c, values: new Float32Array(raw(c.values)) })) }))
  for (const kind of ["model", "joint", "body"]) {
    const group = document.createElement("optgroup")
    group.label = { model: "whole motion", joint: "joints", body: "bodies" }[kind]
    things.forEach((one, k) => { if (one.kind == kind) group.append(new Option(one.kind == "joint" ? `${one.name} (${one.type})` : one.name, k)) })
    if (group.children.length) list.append(group)
  }
  let shown = [], chosen = null
  function choose(k) {
    chosen = k
    panel.hidden = k === null
    document.documentElement.classList.toggle("side", k !== null)
    panel.querySelectorAll("figure").forEach(one => one.remove())
    if (k === null) return
    list.value = k
    shown = things[k].charts.map(chart => {
      const figure = document.createElement("figure"), caption = document.createElement("figcaption"), canvas = document.createElement("canvas")
      const text = document.createElement("span"), values = document.createElement("span")
      text.textContent = `${chart.what} [${chart.unit}]`; values.className = "values"
      caption.append(text, values); figure.append(caption, canvas); panel.append(figure)
      canvas.onclick = e => seek(begin + Math.min(1, Math.max(0, (e.offsetX - LEFT) / (canvas.clientWidth - LEFT - 6))) * (end - begin))
      let low = Infinity, high = -Infinity
      for (const x of chart.values) if (isFinite(x)) { low = Math.min(low, x); high = Math.max(high, x) }
      if (!(high >= low)) low = high = 0
      const flat = !(high - low > 1e-6 * Math.max(Math.abs(low), Math.abs(high))), pad = flat ? Math.abs(high) / 3 || 1 : .06 * (high - low)
      return { ...chart, n: chart.names.length, canvas, values, numbers: chart.values, marks: flat ? [high] : [low, high], low: low - pad, high: high + pad }
    })
  }
  function at(chart, t) {                         // values at a time, between those that are stored
    let a = 0, b = times.length - 1
    while (b - a > 1) { const m = (a + b) >> 1; if (times[m] <= t) a = m; else b = m }
    const part = b > a ? Math.min(1, Math.max(0, (t - times[a]) / (times[b] - times[a]))) : 0
    return chart.names.map((_, i) => chart.numbers[a * chart.n + i] * (1 - part) + chart.numbers[b * chart.n + i] * part)
  }
  function draw(now, colors) {
    if (chosen === null) return
    const { text: ink, soft, curves: strokes } = colors, ratio = window.devicePixelRatio || 1
    shown.forEach((chart, place) => {
      const { canvas, low, high, n } = chart, w = canvas.clientWidth, last = place == shown.length - 1
      if (!w) return
      if (canvas.width != (w * ratio | 0)) { canvas.width = w * ratio | 0; canvas.height = HIGH * ratio }
      const pen = canvas.getContext("2d"), x = t => LEFT + (t - begin) / (end - begin || 1) * (w - LEFT - 6), y = v => OVER + (high - v) / (high - low) * (HIGH - OVER - UNDER)
      pen.setTransform(ratio, 0, 0, ratio, 0, 0); pen.clearRect(0, 0, w, HIGH)
      pen.font = "11px system-ui, sans-serif"; pen.fillStyle = soft; pen.strokeStyle = soft; pen.lineWidth = 1; pen.setLineDash([])
      pen.strokeRect(LEFT + .5, OVER + .5, w - LEFT - 7, HIGH - OVER - UNDER)
      pen.textAlign = "right"; pen.textBaseline = "middle"
      for (const v of chart.marks) pen.fillText(short(Number(v.toPrecision(3))), LEFT - 5, y(v))
      if (low < 0 && high > 0) { pen.globalAlpha = .5; pen.beginPath(); pen.moveTo(LEFT, y(0)); pen.lineTo(w - 6, y(0)); pen.stroke(); pen.globalAlpha = 1 }
      pen.textBaseline = "alphabetic"; pen.textAlign = "left"; pen.fillText(short(begin), LEFT, HIGH - 4)
      pen.textAlign = "right"; pen.fillText(`${short(end)} s`, w - 6, HIGH - 4)
      for (let i = 0; i < n; i++) {
        pen.strokeStyle = strokes[i % 3]; pen.setLineDash(DASHES[i % 3]); pen.lineWidth = 1.6; pen.beginPath()
        let up = false
        for (let k = 0; k < times.length; k++) {
          const v = chart.numbers[k * n + i]
          if (!isFinite(v)) { up = false; continue }
          if (up) pen.lineTo(x(times[k]), y(v)); else pen.moveTo(x(times[k]), y(v))
          up = true
        }
        pen.stroke()
      }
      pen.setLineDash([]); pen.strokeStyle = ink; pen.lineWidth = 1; pen.beginPath(); pen.moveTo(x(now), OVER); pen.lineTo(x(now), HIGH - UNDER); pen.stroke()
      chart.values.replaceChildren(...at(chart, now).flatMap((v, i) => {
        const item = document.createElement("b")
        item.style.color = strokes[i % 3]
        item.textContent = `${n > 1 ? chart.names[i] + " " : ""}${isFinite(v) ? short(Number(v.toPrecision(4))) : "–"}`
        return [item, " "]
      }))
    })
  }
  list.onchange = () => choose(Number(list.value))
  $("closecurves").onclick = () => choose(null)
  $("opencurves").onclick = () => choose(chosen === null ? 0 : null)
  $("opencurves").hidden = !things.length || times.length < 2
  return {
    draw,
    get chosen() { return chosen },
    choose(kind, name) {
      const k = things.findIndex(one => one.kind == kind && one.name == name)
      if (k >= 0 && times.length > 1) choose(k)
    },
    get inset() { return panel.hidden || innerWidth > 720 ? 0 : panel.offsetHeight + 6 },
  }
}
