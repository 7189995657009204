// The field type `color`: a colour in one of four notations.
import { z } from 'zod'
import type { FieldSettings } from './field-schema.ts'
import type { FieldType } from './field-type.ts'
import { parsed, refused } from './field-type.ts'

type ColorFormat = NonNullable<FieldSettings['colorFormat']>

const number = '(\\d+(?:\\.\\d+)?|\\.\\d+)'
const notations: Readonly<Record<Exclude<ColorFormat, 'hex'>, RegExp>> = {
  rgb: new RegExp(`^rgb\\(\\s*${number}\\s*,\\s*${number}\\s*,\\s*${number}\\s*\\)$`, 'i'),
  rgba: new RegExp(`^rgba\\(\\s*${number}\\s*,\\s*${number}\\s*,\\s*${number}\\s*,\\s*${number}\\s*\\)$`, 'i'),
  hsl: new RegExp(`^hsl\\(\\s*${number}\\s*,\\s*${number}%\\s*,\\s*${number}%\\s*\\)$`, 'i'),
}
const limits: Readonly<Record<keyof typeof notations, readonly number[]>> = {
  rgb: [255, 255, 255],
  rgba: [255, 255, 255, 1],
  hsl: [360, 100, 100],
}
const schemas: Readonly<Record<ColorFormat, string>> = {
  hex: '^#([0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})$',
  rgb: '^rgb\\([0-9.]+, [0-9.]+, [0-9.]+\\)$',
  rgba: '^rgba\\([0-9.]+, [0-9.]+, [0-9.]+, [0-9.]+\\)$',
  hsl: '^hsl\\([0-9.]+, [0-9.]+%, [0-9.]+%\\)$',
}
const hex = new RegExp(schemas.hex)

/**
 * The normal form of a colour, or null for a text that is none of the notation: `#a1b2c3` in lower case with 3, 4, 6 or 8
 * digits, `rgb(1, 2, 3)`, `rgba(1, 2, 3, 0.5)`, `hsl(120, 50%, 50%)`.
 */
export function readColor(value: unknown, format: ColorFormat): string | null {
  if (typeof value !== 'string' || value.length > 100) return null
  const text = value.trim()
  if (format === 'hex') {
    const lower = text.toLowerCase()
    return hex.test(lower) ? lower : null
  }
  const parts = notations[format].exec(text)?.slice(1).map(Number)
  if (parts === undefined || parts.some((part, index) => part > limits[format][index]!)) return null
  const [a, b, c, d] = parts.map((part) => String(Math.round(part * 1_000) / 1_000))
  if (format === 'hsl') return `hsl(${a}, ${b}%, ${c}%)`
  return format === 'rgb' ? `rgb(${a}, ${b}, ${c})` : `rgba(${a}, ${b}, ${c}, ${d})`
}

const formatOf = (settings: FieldSettings): ColorFormat => settings.colorFormat ?? 'hex'

/** A colour as text in its normal form; operands are brought into it too. @source D-94 */
export const colorType: FieldType = {
  storage: 'plain',
  collation: 'binary',
  flags: { search: 'never', sortable: false, groupable: true, aggregatable: 'none' },
  settings: { colorFormat: z.enum(['hex', 'rgb', 'rgba', 'hsl']).optional() },
  blankIsNull: true,
  sqlType: () => 'TEXT',
  operators: () => 'E',
  parse(value, field) {
    const format = formatOf(field.settings)
    const color = readColor(value, format)
    return color === null
      ? refused(field, 'invalid_color', `The value is not a colour in ${format} notation.`, value, format)
      : parsed(color)
  },
  fromText: (text) => text.trim(),
  toColumn: (value) => value as string | null,
  fromColumn: (value) => value,
  coerceOperand(value, _operator, field) {
    const format = formatOf(field.settings)
    const color = readColor(value, format)
    return color === null
      ? { ok: false, reason: `The operand must be a colour in ${format} notation.` }
      : { ok: true, value: color }
  },
  jsonSchema: (field) => ({ type: 'string', pattern: schemas[formatOf(field.settings)] }),
}
