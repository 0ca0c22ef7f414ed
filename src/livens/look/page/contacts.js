// Contacts of a page: normals, forces and friction cones as in picture/contacts.py, and impacts on the time axis.

function contacts(data, start, end, $) {
  const touch = data.contacts, all = touch && new Float32Array(raw(touch.marks))   // position, normal, force on the second body, µ
  for (const t of data.impacts || []) {
    const mark = document.createElement("b"), part = (t - start) / (end - start || 1)
    mark.style.left = `calc(8px + ${part} * (100% - 16px))`
    $("impacts").append(mark)
  }
  return {
    exists: touch ? 1 : 0,
    lines(frame, colors) {                                                   // pieces, widths and colours, for drawing.js
      const normals = [], forces = [], cones = []
      if (!touch) return []
      for (let i = 10 * touch.first[frame]; i < 10 * touch.first[frame + 1]; i += 10) {
        const [x, n, F] = [0, 3, 6].map(k => [all[i + k], all[i + k + 1], all[i + k + 2]]), mu = all[i + 9], height = touch.scale * dot(F, n)
        normals.push(...x, ...x.map((c, k) => c + touch.normal * n[k]))
        forces.push(...x, ...x.map((c, k) => c + touch.scale * F[k]))
        if (!(mu > 0 && height > 0)) continue
        const e1 = unit(cross(n, Math.abs(n[2]) < .9 ? [0, 0, 1] : [1, 0, 0])), e2 = cross(n, e1)
        const rim = s => { const a = s * Math.PI / 6; return x.map((c, k) => c + height * (n[k] + mu * (Math.cos(a) * e1[k] + Math.sin(a) * e2[k]))) }
        for (let s = 0; s < 12; s++) { cones.push(...rim(s), ...rim(s + 1)); if (s % 3 == 0) cones.push(...x, ...rim(s)) }
      }
      return [{ ends: cones, width: 1, color: colors.ground }, { ends: normals, width: 1.5, color: colors.ink }, { ends: forces, width: 2.5, color: colors.force }]
    },
  }
}
