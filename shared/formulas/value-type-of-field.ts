// Which type of value an expression meets when it reads a field. Knows definitions only, so that it may be asked before
// an object is compiled.
import type { ValueType } from '#shared/expression/infer-type.ts'
import { findFieldType } from '#shared/field-types/registry.ts'

const systemTypes: Readonly<Record<string, ValueType>> = {
  id: 'text',
  created_at: 'datetime',
  updated_at: 'datetime',
  created_by: 'text',
  updated_by: 'text',
  owner: 'text',
}

/** The type of a field's value; formulas are the caller's question. */
export function valueTypeOfField(field: Readonly<Record<string, unknown>>): ValueType {
  if (field['multiple'] === true) return 'list'
  const type = findFieldType(field['type'])?.expressionType ?? 'text'
  return typeof type === 'function' ? type(field) : type
}

/** The type of a system field an expression may read; undefined for other names. */
export function valueTypeOfSystemField(name: string): ValueType | undefined {
  return Object.hasOwn(systemTypes, name) ? systemTypes[name] : undefined
}
