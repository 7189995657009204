// Owns the text form of groups of values: JSON whose members are the texts of the inner fields, so that what was typed
// into one of them is never lost, and JSON of values as programs write it is read as well. @source D-94 composite, repeater

import type { FieldDefinition } from './field-definition.ts'
import { fieldLabel } from './field-definition.ts'
import type { FieldContext, FieldType, ParseResult } from './field-type.ts'
import { parsed, refused } from './parse-result.ts'

/** Finds the type of a field; the registry's, given because the registry holds the groups as well. */
export type TypeOf = (field: FieldDefinition) => FieldType

/** The inner fields of a group in their order. */
export function innerFields(field: FieldDefinition): FieldDefinition[] {
  return Object.entries(field.fields ?? {}).map(([name, inner]) => ({ ...inner, name }) as FieldDefinition)
}

/** A value as a group; null for anything else. */
export function groupOf(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}

/** Reads the JSON of a draft; undefined when it is none. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function memberText(
  typeOf: TypeOf,
  inner: FieldDefinition,
  group: Record<string, unknown>,
  context: FieldContext,
): string {
  const value = Object.hasOwn(group, inner.name) ? group[inner.name] : null
  if (value == null) return ''
  // Text stands for itself: it may be half typed.
  return typeof value === 'string' ? value : typeOf(inner).toText(value, inner, context)
}

/** The texts of a group that holds values or texts; of a stored value with `stored`. */
export function groupTexts(
  typeOf: TypeOf,
  field: FieldDefinition,
  value: unknown,
  context: FieldContext,
  stored = false,
): Record<string, string> {
  const group = groupOf(value) ?? {}
  return Object.fromEntries(
    innerFields(field).map((inner) => {
      const own = Object.hasOwn(group, inner.name) ? group[inner.name] : null
      const text = stored ? (own == null ? '' : typeOf(inner).toText(own, inner, context)) : ''
      return [inner.name, stored ? text : memberText(typeOf, inner, group, context)]
    }),
  )
}

/** One group read by the types of its inner fields; the first problem is said with the label of its field. */
export function parseGroup(typeOf: TypeOf, field: FieldDefinition, given: unknown, context: FieldContext): ParseResult {
  const group = groupOf(given)
  if (group === null) return refused(context, 'field.group')
  const fields = innerFields(field)
  const known = new Set(fields.map((inner) => inner.name))
  const stranger = Object.keys(group).find((key) => !known.has(key))
  if (stranger !== undefined) return refused(context, 'field.unknownPart', { part: stranger })
  const value: Record<string, unknown> = {}
  for (const inner of fields) {
    const text = memberText(typeOf, inner, group, context)
    // What was left out takes its default from the host.
    if (text === '' && !Object.hasOwn(group, inner.name) && inner.defaultValue !== undefined) continue
    const result = typeOf(inner).parse(text, inner, context)
    if (!result.ok) return refused(context, 'field.inner', { label: fieldLabel(inner), message: result.message })
    value[inner.name] = result.value
  }
  return parsed(value)
}

/** A group on one line: the values that are there, with their labels. */
export function formatGroup(typeOf: TypeOf, field: FieldDefinition, value: unknown, context: FieldContext): string {
  const group = groupOf(value) ?? {}
  return innerFields(field)
    .map((inner) => {
      const own = Object.hasOwn(group, inner.name) ? group[inner.name] : null
      const text = own == null ? '' : typeOf(inner).format(own, inner, context)
      return text === '' ? '' : `${fieldLabel(inner)}: ${text}`
    })
    .filter(Boolean)
    .join(', ')
}
