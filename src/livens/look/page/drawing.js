// The drawing of livens in a browser: bodies, springs, rods, axes of joints and traces with WebGL 2, and an orbit camera.
// Used by the stand-alone page of a motion (page.html) and by the live page (docs/live).
// Scenes are written by page.py: surfaces in body axes, and ends of lines as points of bodies; the world is body 0. Poses
// are 4 × 4 matrices, column by column. THEMES holds the colours of both looks (picture/themes.py).

// ── vectors and matrices ──
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
const unit = a => { const l = Math.hypot(...a) || 1; return a.map(x => x / l) }
const times4 = (A, B) => Float32Array.from({ length: 16 }, (_, k) => {
  let s = 0
  for (let i = 0; i < 4; i++) s += A[4 * i + k % 4] * B[4 * (k >> 2) + i]
  return s
})
function look(eye, target) {
  const z = unit(sub(eye, target)), x = unit(cross([0, 0, 1], z)), y = cross(z, x)
  return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1]
}
function lens(fx, fy, shift, near, far) {       // shift: of the middle upwards, in halves of the height
  return [fx, 0, 0, 0, 0, fy, 0, 0, 0, -shift, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]
}
function matrix(p) {                          // of a pose (x y z, w x y z)
  const [w, x, y, z] = unit(p.slice(3))
  return [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
          2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
          2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0, p[0], p[1], p[2], 1]
}
const carry = (M, r, o = 0) => [0, 1, 2].map(i => M[12 + i] + M[i] * r[o] + M[4 + i] * r[o + 1] + M[8 + i] * r[o + 2])
const turned = (M, r, o) => [0, 1, 2].map(i => M[i] * r[o] + M[4 + i] * r[o + 1] + M[8 + i] * r[o + 2])
const LENS = 2.2                                // 1/tan of half the angle of view
const raw = s => Uint8Array.from(atob(s), c => c.charCodeAt(0)).buffer

// ── rotations by quaternions (w x y z) and rotation vectors, and poses between two times: picture/interpolation.py ──
const product = (p, q) => [p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3], p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
                           p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1], p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]]
function exponential(v) { const a = Math.hypot(...v), s = a > 1e-9 ? Math.sin(a / 2) / a : .5; return [Math.cos(a / 2), s * v[0], s * v[1], s * v[2]] }
function logarithm(q) {
  const s = q[0] < 0 ? -1 : 1, size = Math.hypot(q[1], q[2], q[3]), k = size > 1e-12 ? 2 * Math.atan2(size, s * q[0]) / size : 2
  return [1, 2, 3].map(i => s * k * q[i])
}
function smooth(p0, p1, r0, r1, h, s) {
  const b = s * (1 - s) ** 2, c = s * s * (3 - 2 * s), d = s * s * (s - 1), out = []
  for (let i = 0; i < 3; i++) out.push((1 - c) * p0[i] + b * h * r0[i] + c * p1[i] + d * h * r1[i])
  const w0 = [0, 1, 2].map(i => h * r0[3 + i]), w1 = [0, 1, 2].map(i => h * r1[3 + i]), guess = w0.map((x, i) => (x + w1[i]) / 2)
  let theta = logarithm(product(p1.slice(3), [p0[3], -p0[4], -p0[5], -p0[6]])), angle = Math.hypot(...theta)
  const axis = unit(angle < 1e-6 ? guess : theta), turns = Math.round((dot(guess, axis) - angle) / (2 * Math.PI))
  theta = theta.map((x, i) => x + 2 * Math.PI * turns * axis[i]); angle = Math.hypot(...theta)
  const half = angle / 2, regular = angle > 1e-3 && Math.abs(Math.sin(half)) > .05
  const e = regular ? (1 - half / Math.tan(half)) / (4 * half * half) : 1 / 12, once = cross(theta, w1), twice = cross(theta, once)
  const w = regular || angle <= 1e-3 ? w1.map((x, i) => x - once[i] / 2 + e * twice[i]) : w1
  return out.concat(product(exponential(w0.map((x, i) => b * x + c * theta[i] + d * w[i])), p0.slice(3)))
}

// ── the middle and the distance from which a picture of this size shows all points, at the angles of the first view ──
function fitted(points, { camera: { turn, lift }, size }, wide, high, inset) {
  const e = [[-Math.sin(turn), Math.cos(turn), 0], [-Math.sin(lift) * Math.cos(turn), -Math.sin(lift) * Math.sin(turn), Math.cos(lift)],
             [Math.cos(lift) * Math.cos(turn), Math.cos(lift) * Math.sin(turn), Math.sin(lift)]]
  const free = Math.max(.3 * high, high - inset.top - inset.bottom), f = LENS * Math.min(free, wide), rows = []
  for (let k = 0; k < points.length; k += 3) rows.push(e.map(u => dot(u, points.subarray(k, k + 3))))
  const half = [0, 1, 2].map(i => (Math.max(...rows.map(r => r[i])) + Math.min(...rows.map(r => r[i]))) / 2)
  let far = 1.6 * size                                                       // from nearer, the front would look too large
  for (const r of rows) far = Math.max(far, r[2] - half[2] + f / .88 * Math.max(Math.abs(r[0] - half[0]) / wide, Math.abs(r[1] - half[1]) / free))
  return { far, middle: [0, 1, 2].map(i => half[0] * e[0][i] + half[1] * e[1][i] + half[2] * e[2][i]) }
}

// ── the camera: drag or arrow keys to orbit, shift or the right button to pan, wheel, two fingers, + or − to zoom; a
//    double click or Home returns to the first view ──
function orbit(canvas, first = {}) {
  const begin = { turn: -0.9, lift: 0.32, zoom: 1, pan: [0, 0], ...first }, camera = { ...begin }, held = new Map()
  const tilt = d => { camera.lift = Math.max(-1.5, Math.min(1.5, camera.lift + d)) }
  const zoom = f => { camera.zoom = Math.max(.05, Math.min(20, camera.zoom * f)) }
  const spread = () => { const [a, b] = [...held.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]) || 1 }
  canvas.onpointerdown = e => { held.set(e.pointerId, [e.clientX, e.clientY]); canvas.setPointerCapture(e.pointerId) }
  canvas.onpointerup = canvas.onpointercancel = e => { held.delete(e.pointerId) }
  canvas.onpointermove = e => {
    const before = held.get(e.pointerId)
    if (!before) return
    const apart = held.size == 2 ? spread() : 0
    held.set(e.pointerId, [e.clientX, e.clientY])
    if (apart) zoom(apart / spread())
    else if (e.shiftKey || e.buttons == 2 || e.buttons == 4) camera.pan = [camera.pan[0] + (e.clientX - before[0]) / canvas.clientHeight, camera.pan[1] - (e.clientY - before[1]) / canvas.clientHeight]
    else { camera.turn -= (e.clientX - before[0]) * .008; tilt((e.clientY - before[1]) * .008) }
  }
  canvas.onwheel = e => {
    if (self != top && !document.hasFocus()) return                                      // inside another page: that scrolls
    e.preventDefault(); zoom(Math.exp(e.deltaY * .001))
  }
  const home = () => Object.assign(camera, begin)
  canvas.ondblclick = home
  canvas.oncontextmenu = e => e.preventDefault()
  canvas.onkeydown = e => {
    const act = { ArrowLeft: () => { camera.turn -= .08 }, ArrowRight: () => { camera.turn += .08 }, ArrowUp: () => tilt(.08),
                  ArrowDown: () => tilt(-.08), "+": () => zoom(.9), "-": () => zoom(1.1), Home: home }[e.key]
    if (act) { e.preventDefault(); act() }
  }
  return Object.assign(camera, { home, first: values => { Object.assign(begin, values); home() } })
}

// ── WebGL: one program for faces, which get flat light from the derivative of their position, or smooth light from normals
//    where they have any, and for the grid; one for ribbons, a few pixels wide, between two ends. Bodies of one shape are
//    drawn at once ──
function drawing(canvas, many = false) {       // many: no smooth edges, which are slow without graphics hardware
  const gl = canvas.getContext("webgl2", { alpha: false, antialias: !many, preserveDrawingBuffer: true })
  if (!gl) return null
  function linked(vertex, fragment) {
    const program = gl.createProgram()
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind)
      gl.shaderSource(shader, text); gl.compileShader(shader); gl.attachShader(program, shader)
    }
    ["r", "a", "b", "tint", "body"].forEach((name, k) => gl.bindAttribLocation(program, k, name))    // a matrix takes four
    gl.bindAttribLocation(program, 8, "color"); gl.bindAttribLocation(program, 9, "normal")
    gl.linkProgram(program)
    return program
  }
  const faces = linked(`#version 300 es
    in vec3 r, normal; in mat4 body; in vec4 color; uniform mat4 view; uniform vec3 origin; uniform float unit; out vec3 x, smoothly; out vec4 c0;
    void main() { vec4 p = body * vec4(r, 1); x = (p.xyz - origin) * unit; c0 = color; smoothly = normal; gl_Position = view * p; }`, `#version 300 es
    precision highp float; in vec3 x, smoothly; in vec4 c0; uniform vec3 eye, middle; uniform float lit, reach; uniform vec4 solid[8]; uniform int solids; out vec4 o;
    void main() {
      for (int k = 0; k < solids; k++) if (dot(vec4(x, 1), solid[k]) < -1e-4) discard;      // the grid of a plane ends at other planes
      vec3 d = normalize(eye - x), m = dot(smoothly, smoothly) > .1 ? normalize(smoothly) : normalize(cross(dFdx(x), dFdy(x)));
      if (dot(m, d) < 0.) m = -m;
      float sun = max(dot(m, normalize(vec3(.4, -.3, .9))), 0.), glow = pow(max(dot(m, normalize(d + vec3(.4, -.3, .9))), 0.), 24.);
      vec3 c = lit > .5 ? c0.rgb * (.5 + .25 * max(dot(m, d), 0.) + .35 * sun) + .08 * glow : c0.rgb;
      o = vec4(c, reach > 0. ? c0.a * (1. - smoothstep(.2, 1., length(x - middle) / reach)) : c0.a);
    }`)
  const ribbons = linked(`#version 300 es
    in vec3 a, b; in vec4 tint; uniform mat4 view; uniform vec2 screen; uniform float width; out vec4 c;
    void main() {
      vec4 p = view * vec4(a, 1), q = view * vec4(b, 1);
      float near = 1e-3 * max(abs(p.w), abs(q.w));
      if (p.w < near) p = mix(p, q, (near - p.w) / (q.w - p.w)); else if (q.w < near) q = mix(q, p, (near - q.w) / (p.w - q.w));
      vec2 d = (q.xy / q.w - p.xy / p.w) * screen;
      d = length(d) > 0. ? normalize(d) : vec2(1, 0);
      vec4 o = gl_VertexID < 2 ? p : q;
      o.xy += vec2(-d.y, d.x) * (gl_VertexID % 2 == 0 ? -width : width) / screen * o.w;
      c = tint; gl_Position = o;
    }`, `#version 300 es
    precision highp float; in vec4 c; out vec4 o; void main() { o = c; }`)
  const U = {}, V = {}
  for (const name of ["view", "eye", "middle", "lit", "reach", "origin", "unit", "solid", "solids"]) U[name] = gl.getUniformLocation(faces, name)
  for (const name of ["view", "screen", "width"]) V[name] = gl.getUniformLocation(ribbons, name)
  function mesh(vertices, triangles) {
    const vao = gl.createVertexArray()
    gl.bindVertexArray(vao)
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer()); gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.STATIC_DRAW)
    gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0)
    if (triangles) { gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer()); gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW) }
    return { vao, count: triangles ? triangles.length : vertices.length / 3 }
  }
  function each(place, size, step, first) {                                  // an attribute of every body or segment
    gl.enableVertexAttribArray(place); gl.vertexAttribPointer(place, size, gl.FLOAT, false, step, first); gl.vertexAttribDivisor(place, 1)
  }
  function kind(data, number) {                                              // a surface, and the bodies that have it
    const s = data.shapes[number], what = mesh(new Float32Array(raw(s.vertices)), new Uint32Array(raw(s.triangles)))
    what.members = data.bodies.flatMap((body, b) => body.shape == number && !body.covered ? [b] : [])
    what.places = new Float32Array(16 * what.members.length); what.ends = gl.createBuffer()
    gl.bindBuffer(gl.ARRAY_BUFFER, what.ends); gl.bufferData(gl.ARRAY_BUFFER, what.places, gl.DYNAMIC_DRAW)
    for (let k = 0; k < 4; k++) each(4 + k, 4, 64, 16 * k)
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer())
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(what.members.flatMap(b => data.bodies[b].color)), gl.STATIC_DRAW)
    each(8, 4, 16, 0)
    return what
  }
  function drawBodies(shapes, places) {
    gl.uniform1f(U.lit, 1); gl.uniform1f(U.reach, 0); gl.uniform1i(U.solids, 0)
    for (const what of shapes) {
      what.members.forEach((b, k) => what.places.set(places[b + 1], 16 * k))
      put(what, what.places)
      gl.bindVertexArray(what.vao)
      if (what.members.length) gl.drawElementsInstanced(gl.TRIANGLES, what.count, gl.UNSIGNED_INT, 0, what.members.length)
    }
  }
  // the ground: a grid on each plane (a point and its normal) that the eye is above, around the point below the middle
  function drawGround(it, eye, middle, color, reach, scaled) {
    const { grid, cell, data } = it, floors = data.floors.slice(0, 8)
    gl.uniform1f(U.lit, 0); gl.uniform1f(U.reach, reach)
    gl.bindVertexArray(grid.vao); gl.vertexAttrib4fv(8, color)
    floors.forEach(([p, n], number) => {
      if (dot(n, sub(eye, p)) <= 0) return
      const others = floors.filter((_, k) => k != number).map(([q, m]) => [...m, -dot(m, scaled(q))])
      gl.uniform1i(U.solids, others.length)
      if (others.length) gl.uniform4fv(U.solid, others.flat())
      const e1 = Math.hypot(n[0], n[1]) > 1e-9 ? unit([-n[1], n[0], 0]) : [1, 0, 0], e2 = cross(n, e1), away = sub(middle, p)
      const whole = e => Math.round(dot(away, e) / cell) * cell, place = (a, b) => p.map((x, i) => x + a * e1[i] + b * e2[i])
      gl.uniform3fv(U.middle, scaled(place(dot(away, e1), dot(away, e2))))
      const columns = [[...e1, 0], [...e2, 0], [...n, 0], [...place(whole(e1), whole(e2)), 1]]
      columns.forEach((column, k) => gl.vertexAttrib4fv(4 + k, column))
      gl.drawArrays(gl.LINES, 0, grid.count)
    })
  }

  // ── ribbons: segments from a to b, each with its colour; `joined` where the next begins at the end of the last ──
  function ribbon(size, joined = false) {
    const vao = gl.createVertexArray(), ends = gl.createBuffer()
    gl.bindVertexArray(vao)
    gl.bindBuffer(gl.ARRAY_BUFFER, ends); gl.bufferData(gl.ARRAY_BUFFER, 4 * size, gl.DYNAMIC_DRAW)
    for (const k of [1, 2]) each(k, 3, joined ? 12 : 24, 12 * (k - 1))
    return { vao, ends }
  }
  const put = (what, values) => { gl.bindBuffer(gl.ARRAY_BUFFER, what.ends); gl.bufferSubData(gl.ARRAY_BUFFER, 0, values) }
  function stripes(what, count, width, color) {
    if (count < 1) return
    gl.bindVertexArray(what.vao); gl.vertexAttrib4fv(3, color); gl.uniform1f(V.width, width * (window.devicePixelRatio || 1))
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count)
  }

  // ── a scene: everything that is sent to the graphics card once ──
  function scene(data, points = 2) {          // points: the largest length of a trace
    const it = { data, world: matrix([0, 0, 0, ...data.world]) }
    it.shapes = data.shapes.map((_, number) => kind(data, number))
    const tens = 10 ** Math.floor(Math.log10(data.size / 3))
    it.cell = tens * [5, 2, 1].find(k => k * tens <= data.size / 3)
    const lines = []
    for (let k = -30; k <= 30; k++) for (let l = -30; l < 30; l += 6) {      // short pieces: some drivers omit long lines
      const u = k * it.cell, v = l * it.cell, w = v + 6 * it.cell
      lines.push(u, v, 0, u, w, 0, v, u, 0, w, u, 0)
    }
    it.grid = mesh(new Float32Array(lines))
    for (const name of ["springs", "dampers", "rods", "axes", "traces"])
      it[name] = { ...data[name], n: data[name].body[0].length, r: data[name].r.map(s => new Float32Array(raw(s))) }
    const coil = new Float32Array(raw(data.springs.coil))                    // (along, across, across) of each corner
    it.springs.coil = Array.from({ length: coil.length / 3 }, (_, k) => coil.slice(3 * k, 3 * k + 3))
    it.springs.band = Array.from({ length: it.springs.n }, () => ribbon(3 * it.springs.coil.length, true))
    for (const what of [it.dampers, it.rods, it.axes]) what.band = ribbon(6 * what.n)
    it.traces.band = it.traces.body[0].map(() => ribbon(3 * points, true))
    it.trace = (k, path) => put(it.traces.band[k], path)
    it.mark = (k, M) => carry(M, it.traces.r[0], 3 * k)                      // the point of trace k, its body at M
    it.arrow = ribbon(30)
    it.extra = ribbon(6)
    it.symbols = { ...data.symbols, n: data.symbols.body.length, r: new Float32Array(raw(data.symbols.r)), p: new Float32Array(raw(data.symbols.p)) }
    it.symbols.still = it.symbols.owner.map(k => ["ground", "base"].includes(it.symbols.kinds[k]))
    it.symbols.bands = [false, true].map(still => {                          // joints, and what is fixed to the world
      const pieces = it.symbols.body.map((_, k) => k).filter(k => it.symbols.still[k] == still)
      return { pieces, ...ribbon(6 * pieces.length) }
    })
    it.dots = ribbon(6 * data.bodies.length)
    it.beams = beams(gl, data)
    return it
  }
  function coiled(coil, a, b, radius) {
    const d = sub(b, a), u = unit(d), e1 = unit(cross(u, Math.abs(u[2]) < .9 ? [0, 0, 1] : [1, 0, 0])), e2 = cross(u, e1), out = []
    for (const [s, c, w] of coil) for (let i = 0; i < 3; i++) out.push(a[i] + s * d[i] + radius * (c * e1[i] + w * e2[i]))
    return out
  }
  function tint({ short, rest, long }, part) {                               // of a spring by its extension, −1 … 1
    const p = Math.min(1, Math.abs(part)), far = part < 0 ? short : long
    return rest.map((c, i) => c + p * (far[i] - c))
  }
  // a line whose joint or force exists at some times only is hidden at the others: it has no length there
  const there = (what, k, now) => !what.shown || now === undefined || what.shown[k].some(([begin, end]) => begin <= now && now < end)
  function between(places, what, now) {                                      // straight pieces between points of bodies
    const at = (k, side) => carry(places[what.body[side][k]], what.r[side], 3 * k)
    if (what.n) put(what.band, new Float32Array(Array.from({ length: what.n }, (_, k) => [...at(k, 0), ...at(k, there(what, k, now) ? 1 : 0)]).flat()))
    return what.n
  }
  function pieces(it, band, places, now) {                                   // of symbols: r + size · p in the axes of their bodies
    const { symbols, data } = it, s = symbols.size * data.size, out = new Float32Array(6 * band.pieces.length)
    band.pieces.forEach((k, place) => {
      const M = places[symbols.body[k]], owner = symbols.owner[k]
      if (!there(symbols, owner, now)) return
      for (const end of [0, 3]) {
        const o = 6 * k + end, x = symbols.r[o] + s * symbols.p[o], y = symbols.r[o + 1] + s * symbols.p[o + 1], z = symbols.r[o + 2] + s * symbols.p[o + 2]
        for (let i = 0; i < 3; i++) out[6 * place + end + i] = M[12 + i] + M[i] * x + M[4 + i] * y + M[8 + i] * z
      }
    })
    if (band.pieces.length) put(band, out)
    return band.pieces.length
  }
  function smallBodies(it, places, right, pixel) {                           // bodies below three pixels are drawn as dots
    const out = []
    it.data.bodies.forEach((body, b) => {
      if (body.covered || body.reach > 1.5 * pixel) return
      const x = carry(places[b + 1], body.center)
      out.push(...x.map((c, i) => c - 1.5 * pixel * right[i]), ...x.map((c, i) => c + 1.5 * pixel * right[i]))
    })
    if (out.length) put(it.dots, new Float32Array(out))
    return out.length / 6
  }
  function drawLines(it, places, { on, marks, colors, arrows, segments, eye, now }) {
    const { ink, ground, look } = colors, { springs, dampers, rods, axes, traces, data } = it
    if (on("springs")) stripes(dampers.band, between(places, dampers, now), 1.5, colors.rest)
    if (on("rods")) stripes(rods.band, between(places, rods, now), 3, ink)
    if (axes.n && on("axes")) {
      const piece = k => { const M = places[axes.body[0][k]], x = carry(M, axes.r[0], 3 * k), u = turned(M, axes.r[1], 3 * k), l = there(axes, k, now) ? axes.half * data.size : 0
        return [...x.map((c, i) => c - l * u[i]), ...x.map((c, i) => c + l * u[i])] }
      put(axes.band, new Float32Array(Array.from({ length: axes.n }, (_, k) => piece(k)).flat()))
      stripes(axes.band, axes.n, 3, ink)
    }
    for (let k = 0; k < springs.n && on("springs"); k++) {
      if (!there(springs, k, now)) continue
      const [a, b] = [0, 1].map(side => carry(places[springs.body[side][k]], springs.r[side], 3 * k))
      put(springs.band[k], new Float32Array(coiled(springs.coil, a, b, springs.radius * data.size)))
      stripes(springs.band[k], springs.coil.length - 1, 2, tint(colors, (Math.hypot(...sub(b, a)) - springs.length[k]) / (springs.most || 1)))
    }
    if (on("symbols")) it.symbols.bands.forEach((band, still) => {           // joints inside bodies show through, faintly
      const count = pieces(it, band, places, now)
      if (!still) { gl.disable(gl.DEPTH_TEST); stripes(band, count, 1.4, [...ink.slice(0, 3), .3]); gl.enable(gl.DEPTH_TEST) }
      stripes(band, count, still ? 1.6 : 1.8, still ? ground : ink)
    })
    if (on("traces")) traces.band.forEach((band, k) => stripes(band, marks - 1, 1.2, traces.body[0][k] ? data.bodies[traces.body[0][k] - 1].trace[look] : ink))
    for (const { from, to, color, double } of arrows) {
      const d = sub(to, from), side = unit(cross(d, sub(eye, to))), l = .07 * data.size, u = unit(d)
      const barb = s => to.map((x, i) => x - l * u[i] + .45 * s * l * side[i])
      const back = x => x.map((c, i) => c - .6 * l * u[i]), more = double ? [...back(to), ...back(barb(1)), ...back(to), ...back(barb(-1))] : []
      put(it.arrow, new Float32Array([...from, ...to, ...to, ...barb(1), ...to, ...barb(-1), ...more]))
      stripes(it.arrow, double ? 5 : 3, 2.2, color)
    }
    for (const { ends, width, color } of segments) {                         // pieces between points of the world; inside bodies they show through
      gl.bindBuffer(gl.ARRAY_BUFFER, it.extra.ends); gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(ends), gl.DYNAMIC_DRAW)
      gl.disable(gl.DEPTH_TEST); stripes(it.extra, ends.length / 6, width, [...color.slice(0, 3), .35]); gl.enable(gl.DEPTH_TEST)
      stripes(it.extra, ends.length / 6, width, color)
    }
  }

  // ── a picture of a scene: bodies at `places` (the world first), `marks` points of every trace, seen by the camera ──
  function draw(it, { places, marks = 0, middle, far, camera, colors = THEMES.light, on = () => true, arrows = [], segments = [], sharp = 1, now, frame, part, inset = { top: 0, bottom: 0 } }) {
    const ratio = sharp * (window.devicePixelRatio || 1), w = canvas.clientWidth * ratio | 0, h = canvas.clientHeight * ratio | 0
    if (canvas.width != w || canvas.height != h) { canvas.width = w; canvas.height = h }
    const { data, cell } = it, { turn, lift, pan = [0, 0] } = camera, high = canvas.clientHeight, free = Math.max(.3 * high, high - inset.top - inset.bottom)
    far *= camera.zoom
    const fy = LENS * Math.min(free, canvas.clientWidth) / high, fx = fy * high / canvas.clientWidth, pixel = far / (fy * high / 2)
    const right = [-Math.sin(turn), Math.cos(turn), 0], up = [-Math.sin(lift) * Math.cos(turn), -Math.sin(lift) * Math.sin(turn), Math.cos(lift)]
    middle = middle.map((x, i) => x - high * pixel * (pan[0] * right[i] + pan[1] * up[i]))
    const eye = [middle[0] + far * Math.cos(lift) * Math.cos(turn), middle[1] + far * Math.cos(lift) * Math.sin(turn), middle[2] + far * Math.sin(lift)]
    gl.useProgram(faces)
    gl.viewport(0, 0, w, h); gl.clearColor(...colors.paper); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT)
    gl.enable(gl.DEPTH_TEST); gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA)
    const view = times4(lens(fx, fy, (inset.bottom - inset.top) / high, far / 100, far * 10 + 4 * data.size), look(eye, middle))
    gl.uniformMatrix4fv(U.view, false, view)
    const scaled = x => x.map((c, i) => (c - data.middle[i]) / data.size)    // for the light: in halves of the motion's size
    gl.uniform3fv(U.origin, data.middle); gl.uniform1f(U.unit, 1 / data.size)
    gl.uniform3fv(U.eye, scaled(eye))
    drawBodies(it.shapes, places)
    it.beams(places, colors, on("strain") ? frame : undefined, part)
    gl.vertexAttrib3f(9, 0, 0, 0)
    drawGround(it, eye, middle, colors.grid, Math.max(6 * cell, 1.3 * far) / data.size, scaled)
    gl.useProgram(ribbons); gl.uniformMatrix4fv(V.view, false, view); gl.uniform2f(V.screen, w, h)
    drawLines(it, places, { on, marks, colors, arrows, segments, eye, now })
    stripes(it.dots, smallBodies(it, places, right, pixel), 1.5, colors.ink)
    const place = x => {                             // the position of a point of the world on the canvas, in pixels of the page
      const p = [0, 1, 3].map(i => view[i] * x[0] + view[4 + i] * x[1] + view[8 + i] * x[2] + view[12 + i])
      return [(p[0] / p[2] + 1) / 2 * canvas.clientWidth, (1 - p[1] / p[2]) / 2 * canvas.clientHeight]
    }
    return { place, pixels: 1 / pixel }       // pixels of the page per metre, at the distance of the middle
  }
  return { scene, draw }
}
