// Owns reading what people type for a run: fields of its form, values as JSON. Pure.
import { textOf } from '../../lib/text-of.ts'

/** A field of the form a run waits with. */
export interface ScreenField {
  name: string
  label: string
  type: string
  required: boolean
  options: { value: string; label: string }[]
  /** What it begins with, as text. */
  first: string
}

/** The fields of a form out of the answer of the host. */
export function screenFieldsOf(fields: readonly Readonly<Record<string, unknown>>[]): ScreenField[] {
  return fields.map((field) => {
    const name = textOf(field, 'name')
    const { options, defaultValue, required } = field
    return {
      name,
      label: textOf(field, 'label') || name,
      type: textOf(field, 'type') || 'text',
      required: required === true,
      options: (Array.isArray(options) ? (options as unknown[]) : []).map(optionOf),
      first: Array.isArray(defaultValue) ? defaultValue.join(', ') : defaultValue == null ? '' : String(defaultValue),
    }
  })
}

function optionOf(option: unknown): { value: string; label: string } {
  if (typeof option !== 'object' || option === null) return { value: String(option), label: String(option) }
  const value = textOf(option, 'value')
  return { value, label: textOf(option, 'label') || value }
}

/** Texts of a form as the host takes them; what is empty is left out, what is no number goes as it is. */
export function inputOf(
  fields: readonly ScreenField[],
  texts: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const pairs = fields.flatMap(({ name, type, first }): [string, unknown][] => {
    const text = (texts[name] ?? first).trim()
    if (type === 'boolean') return [[name, text === 'true']]
    if (text === '') return []
    if (type === 'number') return [[name, Number.isFinite(Number(text)) ? Number(text) : text]]
    if (type === 'datetime') return [[name, Number.isNaN(Date.parse(text)) ? text : new Date(text).toISOString()]]
    if (type === 'multiselect') return [[name, text.split(',').map((each) => each.trim())]]
    return [[name, text]]
  })
  return Object.fromEntries(pairs)
}

/** A value out of JSON; nothing typed is no value. */
export function readJson(text: string): { ok: boolean; value: unknown } {
  if (text.trim() === '') return { ok: true, value: undefined }
  try {
    return { ok: true, value: JSON.parse(text) as unknown }
  } catch {
    return { ok: false, value: undefined }
  }
}
