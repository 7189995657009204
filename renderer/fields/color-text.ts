// Owns reading colours in the notation of their field. Pure. @source D-94 color

import type { FieldDefinition } from './field-definition.ts'

const examples: Readonly<Record<string, string>> = {
  hex: '#1d4ed8',
  rgb: 'rgb(29, 78, 216)',
  rgba: 'rgba(29, 78, 216, 0.5)',
  hsl: 'hsl(224, 76%, 48%)',
}
const limits: Readonly<Record<string, readonly number[]>> = {
  rgb: [255, 255, 255],
  rgba: [255, 255, 255, 1],
  hsl: [360, 100, 100],
}

const notationOf = (field: FieldDefinition): string =>
  typeof field.colorFormat === 'string' && Object.hasOwn(examples, field.colorFormat) ? field.colorFormat : 'hex'

/** A colour as the field writes it, for messages. */
export function exampleColor(field: FieldDefinition): string {
  return examples[notationOf(field)] ?? ''
}

/** The normal form of a typed colour; null when it is none of the field's notation. */
export function readColor(text: string, field: FieldDefinition): string | null {
  const notation = notationOf(field)
  const typed = text.trim().toLowerCase()
  if (typed.length > 100) return null
  if (notation === 'hex') return /^#(?:[0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(typed) ? typed : null
  const inside = new RegExp(`^${notation}\\(([^()]*)\\)$`).exec(typed)?.[1]?.split(',')
  const most = limits[notation] ?? []
  if (inside?.length !== most.length) return null
  const parts = inside.map((part, index) => readPart(part.trim(), notation === 'hsl' && index > 0, most[index] ?? 0))
  return parts.includes(null) ? null : `${notation}(${parts.join(', ')})`
}

function readPart(text: string, percent: boolean, most: number): string | null {
  const digits = (percent ? /^(\d+(?:\.\d+)?|\.\d+)%$/ : /^(\d+(?:\.\d+)?|\.\d+)$/).exec(text)?.[1]
  if (digits === undefined || Number(digits) > most) return null
  return `${Math.round(Number(digits) * 1_000) / 1_000}${percent ? '%' : ''}`
}

/** The colour for the browser's picker, which takes six hexadecimal digits only; empty for every other. */
export function pickerColor(text: string): string {
  const typed = text.trim().toLowerCase()
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/.exec(typed)
  if (short)
    return `#${short
      .slice(1)
      .map((digit) => digit + digit)
      .join('')}`
  return /^#[0-9a-f]{6}$/.test(typed) ? typed : ''
}
