// The surfaces of beams and cables: outlines of their sections along the line through their bodies, coloured by strain.
// Equations and names are those of picture/beams.py. Used by drawing.js, which gives the WebGL context.

// ── places and axes along a beam: helices between sections; along a cable: a spline, with axes carried along ──
const columns = M => [[M[0], M[1], M[2]], [M[4], M[5], M[6]], [M[8], M[9], M[10]]]
const mixed = (R, v) => [0, 1, 2].map(i => R[0][i] * v[0] + R[1][i] * v[1] + R[2][i] * v[2])
function rotated(phi) {                       // the columns of exp φ
  const a = Math.hypot(...phi), s = a > 1e-4 ? Math.sin(a) / a : 1 - a * a / 6, c = a > 1e-4 ? (1 - Math.cos(a)) / (a * a) : .5 - a * a / 24
  return [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(e => { const once = cross(phi, e), twice = cross(phi, once); return e.map((x, i) => x + s * once[i] + c * twice[i]) })
}
function screwed(phi, u) {                    // T(φ) u
  const a = Math.hypot(...phi), b = a > 1e-3 ? (1 - Math.cos(a)) / (a * a) : .5 - a * a / 24, c = a > 1e-3 ? (a - Math.sin(a)) / a ** 3 : 1 / 6 - a * a / 120
  const once = cross(phi, u), twice = cross(phi, once)
  return u.map((x, i) => x + b * once[i] + c * twice[i])
}
function unscrewed(phi, d) {                  // T(φ)⁻¹ d
  const a = Math.hypot(...phi), h = a / 2, c = a > 1e-3 ? (1 - h / Math.tan(h)) / (a * a) : 1 / 12, once = cross(phi, d), twice = cross(phi, once)
  return d.map((x, i) => x - once[i] / 2 + c * twice[i])
}
function turning(R0, R1) {                    // the rotation vector of R₀ᵀR₁
  const e = (i, j) => dot(R0[i], R1[j]), v = [e(2, 1) - e(1, 2), e(0, 2) - e(2, 0), e(1, 0) - e(0, 1)]
  const s = Math.hypot(...v) / 2, a = Math.atan2(s, (e(0, 0) + e(1, 1) + e(2, 2) - 1) / 2)
  return v.map(x => s > 1e-7 ? x * a / (2 * s) : x / 2)
}
function helices(places, parts) {
  const out = []
  for (let k = 0; k + 1 < places.length; k++) {
    const R0 = columns(places[k]), x0 = places[k].slice(12, 15), d = sub(places[k + 1].slice(12, 15), x0), phi = turning(R0, columns(places[k + 1]))
    const u = unscrewed(phi, R0.map(e => dot(e, d)))
    for (let p = 0; p < parts; p++) {
      const s = p / parts, some = phi.map(x => s * x), moved = mixed(R0, screwed(some, u.map(x => s * x)))
      out.push({ x: x0.map((c, i) => c + moved[i]), R: rotated(some).map(e => mixed(R0, e)) })
    }
  }
  const last = places[places.length - 1]
  return [...out, { x: last.slice(12, 15), R: columns(last) }]
}
function spline(places, parts) {
  const x = places.map(M => M.slice(12, 15)), n = x.length - 1, out = []
  const slope = x.map((_, k) => sub(x[Math.min(k + 1, n)], x[Math.max(k - 1, 0)]).map(c => k > 0 && k < n ? c / 2 : c))
  for (let k = 0; k < n; k++) for (let p = 0; p < parts; p++) {
    const s = p / parts, b = s * s * (3 - 2 * s), a = s * (1 - s) ** 2, c = s * s * (s - 1)
    out.push({ x: [0, 1, 2].map(i => (1 - b) * x[k][i] + a * slope[k][i] + b * x[k + 1][i] + c * slope[k + 1][i]) })
  }
  out.push({ x: x[n] })
  let first = null
  out.forEach((one, k) => {
    const t = unit(sub(out[Math.min(k + 1, out.length - 1)].x, out[Math.max(k - 1, 0)].x))
    if (!first) first = [0, 1, 2].map(i => +(i == t.map(Math.abs).indexOf(Math.min(...t.map(Math.abs)))))
    first = unit(first.map((c, i) => c - dot(first, t) * t[i]))
    one.R = [first, cross(t, first), t]
  })
  return out
}

// ── a beam: its surface for places of all bodies, and the colours of its corners ──
function surface(beam) {
  const four = text => { const f = new Float32Array(raw(text)); return Array.from({ length: f.length / 4 }, (_, k) => f.subarray(4 * k, 4 * k + 4)) }
  const outline = four(beam.outline), drawn = four(beam.drawn), rings = beam.parts * (beam.body.length - 1) + 1, m = outline.length
  const count = m * rings + 2 * (m + 1), corners = new Float32Array(3 * count), normals = new Float32Array(3 * count), tints = new Float32Array(4 * count)
  const changes = beam.changes && new Float32Array(raw(beam.changes)), many = beam.body.length - 1
  function shape(places) {
    const at = (beam.directed ? helices : spline)(beam.body.map(b => Array.from(places[b])), beam.parts)
    let o = 0
    const put = (x, n) => { corners.set(x, o); normals.set(n, o); o += 3 }
    const place = ({ x, R }, [u, v]) => [0, 1, 2].map(i => x[i] + u * R[0][i] + v * R[1][i])
    for (const one of at) for (const p of drawn) put(place(one, p), [0, 1, 2].map(i => p[2] * one.R[0][i] + p[3] * one.R[1][i]))
    for (const [one, sign] of [[at[0], -1], [at[at.length - 1], 1]]) {
      const n = one.R[2].map(c => sign * c)
      for (const p of drawn) put(place(one, p), n)
      put(one.x, n)
    }
  }
  function section(frame, part, k) {          // stretch and curvatures at section k: the mean of both sides
    const next = Math.min(frame + 1, changes.length / (3 * many) - 1), sides = [Math.max(k - 1, 0), Math.min(k, many - 1)]
    return [0, 1, 2].map(i => sides.reduce((s, side) => s + ((1 - part) * changes[3 * (frame * many + side) + i] + part * changes[3 * (next * many + side) + i]) / 2, 0))
  }
  function paint(colors, most, frame, part) {
    if (!changes || frame === undefined) { for (let k = 0; k < count; k++) tints.set(beam.color, 4 * k); return }
    const { short, calm, long } = colors, at = beam.body.map((_, k) => section(frame, part, k))
    let o = 0
    const put = value => {
      const share = Math.min(1, Math.abs(value) / (most || 1)), far = value < 0 ? short : long
      for (let i = 0; i < 3; i++) tints[o + i] = calm[i] + share * (far[i] - calm[i])
      tints[o + 3] = beam.color[3]; o += 4
    }
    const fibre = (c, [x, y]) => beam.flat ? c[0] : c[0] + c[1] * y - c[2] * x
    for (let r = 0; r < rings; r++) {
      const k = Math.min(Math.floor(r / beam.parts), many - 1), s = r / beam.parts - k, c = at[k].map((a, i) => (1 - s) * a + s * at[k + 1][i])
      for (const p of outline) put(fibre(c, p))
    }
    for (const c of [at[0], at[many]]) { for (const p of outline) put(fibre(c, p)); put(c[0]) }
  }
  return { corners, normals, tints, shape, paint, triangles: new Uint32Array(raw(beam.triangles)) }
}
function beams(gl, data) {                    // attributes of the program of faces: 0 corner, 4 to 7 pose, 8 colour, 9 normal
  const found = (data.beams || []).map(beam => {
    const it = surface(beam), vao = gl.createVertexArray(), kept = {}
    gl.bindVertexArray(vao)
    for (const [name, place, size] of [["corners", 0, 3], ["tints", 8, 4], ["normals", 9, 3]]) {
      kept[name] = gl.createBuffer()
      gl.bindBuffer(gl.ARRAY_BUFFER, kept[name]); gl.bufferData(gl.ARRAY_BUFFER, it[name], gl.DYNAMIC_DRAW)
      gl.enableVertexAttribArray(place); gl.vertexAttribPointer(place, size, gl.FLOAT, false, 0, 0)
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer()); gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, it.triangles, gl.STATIC_DRAW)
    return { it, vao, kept }
  })
  return (places, colors, frame, part) => {
    for (const { it, vao, kept } of found) {
      it.shape(places); it.paint(colors, data.strain, frame, part)
      for (const name in kept) { gl.bindBuffer(gl.ARRAY_BUFFER, kept[name]); gl.bufferSubData(gl.ARRAY_BUFFER, 0, it[name]) }
      gl.bindVertexArray(vao);
      [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]].forEach((column, k) => gl.vertexAttrib4fv(4 + k, column))
      gl.drawElements(gl.TRIANGLES, it.triangles.length, gl.UNSIGNED_INT, 0)
    }
  }
}
