// Owns the default value of a field as a person types it. Pure.
import { fieldTypeOf, translateField } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import type { FieldItem } from './object-item.ts'

const context: FieldContext = { locale: 'en', timeZone: 'UTC', translate: translateField }
const macros: ReadonlySet<string> = new Set(['{me}', '{today}', '{now}'])
const asField = (item: FieldItem): FieldDefinition => ({ ...item, name: 'value', required: false }) as FieldDefinition

/** The default as text: macros as they are, a formula behind `=`, everything else as the type writes it. */
export function defaultText(item: FieldItem): string {
  const value = item.defaultValue
  if (value === undefined || value === null) return ''
  if (typeof value === 'string' && macros.has(value)) return value
  if (typeof value === 'object' && !Array.isArray(value) && Object.hasOwn(value, 'expression')) {
    const { expression } = value as { expression: unknown }
    const source =
      typeof expression === 'object' && expression !== null ? Reflect.get(expression, 'source') : expression
    return `=${String(source)}`
  }
  return fieldTypeOf(asField(item)).toText(value, asField(item), context)
}

/** A typed default: undefined for none. Text the type cannot read is kept, so that nothing typed gets lost. */
export function readDefault(item: FieldItem, text: string): { value: unknown; problem?: string } {
  const typed = text.trim()
  if (typed === '') return { value: undefined }
  if (macros.has(typed)) return { value: typed }
  if (typed.startsWith('=')) return { value: { expression: typed.slice(1).trim() } }
  const result = fieldTypeOf(asField(item)).parse(text, asField(item), context)
  return result.ok ? { value: result.value ?? undefined } : { value: text, problem: result.message }
}
