// Owns what a stored value will look like once a changed field is saved. Pure; the plan of the save has the last word.
import { fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'

/** A value of the preview; `lost` when the changed field cannot hold it. */
export interface PreviewCell {
  value: unknown
  lost: boolean
}

/** The value under the changed field; `stored` is the field as it is saved, undefined for a new one. */
export function previewCell(
  stored: FieldDefinition | undefined,
  drafted: FieldDefinition,
  value: unknown,
  context: FieldContext,
): PreviewCell {
  // Defaults that the host works out are not known here.
  if (!stored) return { value: isPlain(drafted.defaultValue) ? drafted.defaultValue : null, lost: false }
  if (stored.type === drafted.type || value === null || value === undefined) return { value, lost: false }
  const text = fieldTypeOf(stored).toText(value, stored, context)
  if (text === '') return { value: null, lost: false }
  const read = fieldTypeOf(drafted).parse(text, drafted, context)
  return read.ok ? { value: read.value, lost: false } : { value, lost: true }
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'string' || !/^=|\{\w+\}/.test(value)
}
