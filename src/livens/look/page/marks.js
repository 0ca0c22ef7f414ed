// Marks of a page and of the live page: scale bar, axes of the world, arrows of loads with their scale, colours of
// strains, and names under the pointer.

const UNITS = [[1e3, 1e3, "km"], [.1, 1, "m"], [1e-4, 1e-3, "mm"], [0, 1e-6, "µm"]]
function metresInWords(x) { const [, unit, name] = UNITS.find(([from]) => x >= from); return `${Number((x / unit).toPrecision(6)).toLocaleString("en")} ${name}` }
function nice(x) { const d = 10 ** Math.floor(Math.log10(x * (1 + 1e-12))); return [5, 2, 1].find(k => k * d <= x * (1 + 1e-12)) * d }

function watched(view) {                                                     // where the pointer is, null while it is away or drags
  const pointer = { at: null }
  view.addEventListener("pointermove", e => { pointer.at = e.buttons ? null : [e.offsetX, e.offsetY] })
  view.addEventListener("pointerleave", () => { pointer.at = null })
  return pointer
}

function marks(data, scene, $, pointer) {
  const box = $("marks"), bar = box.querySelector(".bar"), tip = $("tip"), triad = $("triad"), pen = triad.getContext("2d")
  const arrows = data.arrows.map(one => ({ ...one, n: one.names.length, at: new Float32Array(raw(one.r[0])), values: new Float32Array(raw(one.values)) }))
  for (const one of arrows) {                                                // the legend: an arrow of a round value
    const item = document.createElement("div")
    item.className = "arrow"; item.dataset.kind = one.kind
    item.append(document.createElement("span"), document.createElement("i"))
    item.firstChild.textContent = `${one.scale >= 1e-3 && one.scale < 1e6 ? Number(one.scale.toPrecision(3)) : one.scale.toExponential(0).replace("e", " · 10^").replace("+", "")} ${one.unit}`
    item.lastChild.style.color = `var(--${one.kind})`
    box.append(item)
    one.legend = item.lastChild
  }
  if (data.strain !== null) {                                                 // the colours of beams
    const item = document.createElement("div"), [low, title, high] = [`−${data.strainText}`, "strain", data.strainText].map(text => Object.assign(document.createElement("span"), { textContent: text }))
    item.className = "strain"
    item.append(low, title, high, document.createElement("i"))
    box.append(item)
  }
  // names under the pointer: joints first, since they are small, then bodies
  const joints = new Map()
  data.symbols.owner.forEach((k, piece) => { if (!joints.has(k)) joints.set(k, piece) })
  function named(shown, places, at) {                                   // what is there: its kind, name, and text
    const away = x => { const [px, py] = shown.place(x); return Math.hypot(px - at[0], py - at[1]) }
    let best = null, least = 14
    for (const [k, piece] of joints) {
      if (data.symbols.kinds[k] == "base") continue
      const d = away(carry(places[data.symbols.body[piece]], scene.symbols.r, 6 * piece))
      if (d < least) { least = d; best = { kind: "joint", name: data.symbols.names[k], text: data.symbols.kinds[k] == "ground" ? `${data.symbols.names[k]}: fixed to the world` : `${data.symbols.names[k]} (${data.symbols.types[k]})` } }
    }
    if (best) return best
    least = Infinity
    data.bodies.forEach((body, b) => {
      const d = away(carry(places[b + 1], body.center)), reach = Math.max(12, .8 * body.reach * shown.pixels)
      if (d < reach && d / reach < least) { least = d / reach; best = { kind: "body", name: body.name, text: body.name } }
    })
    return best
  }
  function axes(camera, colors) {
    const ratio = window.devicePixelRatio || 1, w = triad.clientWidth
    if (triad.width != w * ratio) triad.width = triad.height = w * ratio
    pen.setTransform(ratio, 0, 0, ratio, 0, 0); pen.clearRect(0, 0, w, w)
    const { turn, lift } = camera
    const right = [-Math.sin(turn), Math.cos(turn), 0], up = [-Math.sin(lift) * Math.cos(turn), -Math.sin(lift) * Math.sin(turn), Math.cos(lift)]
    const rows = [["x", [1, 0, 0], colors.axes[0]], ["y", [0, 1, 0], colors.axes[1]], ["z", [0, 0, 1], colors.axes[2]]]
      .map(([name, e, color]) => [name, turned(scene.world, e, 0), color])
    if (data.gravity) rows.push(["g", [0, 0, -1], colors.text])
    pen.lineWidth = 2; pen.font = `600 ${w / 5}px system-ui, sans-serif`; pen.textAlign = "center"; pen.textBaseline = "middle"
    for (const [name, e, color] of rows) {
      const l = name == "g" ? .2 : .32, x = w / 2 + w * l * dot(e, right), y = w / 2 - w * l * dot(e, up), tx = w / 2 + 1.35 * (x - w / 2), ty = w / 2 + 1.35 * (y - w / 2)
      pen.strokeStyle = pen.fillStyle = color
      pen.setLineDash(name == "g" ? [3, 3] : [])
      pen.beginPath(); pen.moveTo(w / 2, w / 2); pen.lineTo(x, y); pen.stroke(); pen.fillText(name, tx + (name == "g" ? 8 : 0), ty)
    }
  }
  return {
    named,
    get pointer() { return pointer.at },
    arrows(places, frame, colors) {                                                  // ends and colours, for drawing.js
      return arrows.flatMap(one => one.names.flatMap((_, k) => {
        const F = one.values.subarray(3 * (frame * one.n + k), 3 * (frame * one.n + k) + 3), from = carry(places[one.body[0][k]], one.at, 3 * k)
        const to = from.map((x, i) => x + one.length * data.size * F[i] / one.most)
        return Math.hypot(...F) > 1e-6 * one.most ? [{ from, to, color: colors[one.kind], double: one.kind == "torque" }] : []
      }))
    },
    draw(shown, places, camera, inset, colors) {
      box.style.bottom = `${inset.bottom + 4}px`
      const length = nice(130 / shown.pixels)
      bar.lastChild.style.width = `${length * shown.pixels}px`; bar.firstChild.textContent = metresInWords(length)
      for (const one of arrows) { one.legend.style.width = `${one.scale / one.most * one.length * data.size * shown.pixels}px`; one.legend.parentElement.hidden = !$("arrows").checked }
      if (data.strain !== null) box.querySelector(".strain").hidden = !$("strain").checked
      axes(camera, colors)
      const found = pointer.at && named(shown, places, pointer.at)
      tip.hidden = !found
      if (found) { tip.textContent = found.text; tip.style.left = `${Math.min(pointer.at[0] + 14, $("view").clientWidth - tip.offsetWidth - 6)}px`; tip.style.top = `${pointer.at[1] + 14}px` }
    },
  }
}
