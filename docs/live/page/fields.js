// The editable numbers, each as a slider and as a number, in groups; and the readouts.
"use strict"
function showFields(form, fields, changed) {
  const inputs = {}, groups = new Map()
  form.replaceChildren()
  for (const field of fields) {
    if (!groups.has(field.group)) {
      const set = document.createElement("fieldset"), legend = document.createElement("legend")
      legend.textContent = field.group; set.append(legend); form.append(set); groups.set(field.group, set)
    }
    const row = document.createElement("div"), label = document.createElement("label"), unit = document.createElement("span")
    const [slide, number] = ["range", "number"].map(type => {
      const input = document.createElement("input")
      Object.assign(input, { type, min: field.low, max: field.high, step: field.step, value: field.value })
      if (type == "number") { input.id = `field-${field.name}`; input.step = "any" }
      else input.setAttribute("aria-label", `${field.label}, slider`)
      return input
    })
    row.className = "field"; label.htmlFor = number.id; label.textContent = field.label; unit.textContent = field.unit
    const set = (value, from) => { if (from != slide) slide.value = value; if (from != number) number.value = value }
    slide.oninput = () => { set(slide.value, slide); changed(field.name, Number(slide.value)) }
    number.oninput = () => { if (number.value !== "" && isFinite(number.value)) { set(number.value, number); changed(field.name, Number(number.value)) } }
    row.append(label, slide, number, unit); groups.get(field.group).append(row)
    inputs[field.name] = value => set(value)
  }
  return inputs
}
function inWords(value, name) {                                              // powers of ten after ^
  if (typeof value == "string") return value
  const minus = text => text.replaceAll("-", "−")
  if (name == "steps") return value.toLocaleString("en")
  if (name == "time") return value.toFixed(3)
  if (value && (name == "energy" || Math.abs(value) < 1e-3)) return minus(value.toExponential(1).replace("e", " · 10^").replace("+", ""))
  return minus(String(Number(value.toPrecision(5))))
}
function showReadouts(body, rows) {
  const names = rows.map(row => row[0]).join()
  if (body.dataset.names != names) {
    body.dataset.names = names
    body.replaceChildren(...rows.map(([name, label]) => {
      const line = document.createElement("tr"), what = document.createElement("td"), value = document.createElement("td")
      line.dataset.name = name; what.textContent = label; value.id = `read-${name}`; line.append(what, value)
      return line
    }))
  }
  for (const [name, , value, unit] of rows) {
    const cell = document.getElementById(`read-${name}`)
    cell.dataset.value = value
    const [mantissa, power] = inWords(value, name).split("^")
    cell.textContent = mantissa
    if (power) { const up = document.createElement("sup"); up.textContent = power; cell.append(up) }
    if (unit) cell.append(` ${unit}`)
  }
}
