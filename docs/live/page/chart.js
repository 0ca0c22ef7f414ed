// A small chart of the last seconds with its time axis: curves move from right to left.
"use strict"
const CHARTS = { rates: ["angular velocity, body axes [rad/s]", ["ω₁", "ω₂", "ω₃"]], energies: ["energies [J], relative to the initial potential", ["kinetic", "potential", "sum"]] }
const DASH = [[], [7, 3], [2, 3]]
function chart(canvas, caption) {
  const most = 600
  let t = [], rows = [], names = []
  return {
    begin(kind) {
      t = []; rows = []; names = CHARTS[kind] ? CHARTS[kind][1] : []
      caption.innerHTML = CHARTS[kind] ? CHARTS[kind][0] + names.map((name, k) => `<i style="color:var(--curve-${k + 1})">${name}</i>`).join("") : ""
    },
    add(time, values) {
      if (time < t[t.length - 1]) { t = []; rows = [] }
      if (time == t[t.length - 1]) return
      t.push(time); rows.push(values)
      if (t.length > most) { t.shift(); rows.shift() }
    },
    draw() {
      const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight, pen = canvas.getContext("2d")
      if (!w) return
      if (canvas.width != Math.round(w * ratio) || canvas.height != Math.round(h * ratio)) { canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio) }
      pen.setTransform(ratio, 0, 0, ratio, 0, 0); pen.clearRect(0, 0, w, h)
      const style = getComputedStyle(document.documentElement), all = rows.map(row => Array.from(row)).flat()
      let low = Math.min(0, ...all), high = Math.max(0, ...all)
      if (high - low < 1e-9) high = low + 1
      const left = 44, x = s => left + (s - t[0]) / Math.max(1e-9, t[t.length - 1] - t[0]) * (w - left - 4), under = 15, y = v => 6 + (high - v) / (high - low) * (h - 12 - under)
      pen.font = "11px system-ui, sans-serif"; pen.fillStyle = style.getPropertyValue("--soft"); pen.strokeStyle = style.getPropertyValue("--hair")
      pen.textAlign = "right"; pen.textBaseline = "middle"; pen.lineWidth = 1
      for (const v of new Set([low, 0, high])) {
        if (v && Math.abs(y(v) - y(0)) < 12) continue
        pen.fillText(Number(v.toPrecision(3)), left - 6, y(v)); pen.beginPath(); pen.moveTo(left, y(v)); pen.lineTo(w, y(v)); pen.stroke()
      }
      if (t.length > 1) {                                                    // the time axis
        pen.textBaseline = "alphabetic"; pen.textAlign = "left"; pen.fillText(`${t[0].toFixed(1)}`, left, h - 2)
        pen.textAlign = "right"; pen.fillText(`time ${t[t.length - 1].toFixed(1)} s`, w - 4, h - 2)
      }
      pen.lineWidth = 1.7; pen.lineJoin = "round"
      names.forEach((_, k) => {
        pen.strokeStyle = style.getPropertyValue(`--curve-${k + 1}`); pen.setLineDash(DASH[k]); pen.beginPath()
        rows.forEach((row, i) => pen.lineTo(x(t[i]), y(row[k])))
        pen.stroke()
      })
      pen.setLineDash([])
    },
  }
}
