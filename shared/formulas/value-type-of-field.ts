// Which type of value an expression meets when it reads a field. Knows definitions only, so that it may be asked before
// an object is compiled.
import type { ValueType } from '#shared/expression/infer-type.ts'

const types: Readonly<Record<string, ValueType>> = {
  number: 'number',
  percent: 'number',
  progress: 'number',
  slider: 'number',
  rating: 'number',
  summary: 'number',
  boolean: 'boolean',
  toggle: 'boolean',
  date: 'date',
  datetime: 'datetime',
  multiselect: 'list',
  checkboxes: 'list',
  tags: 'list',
  repeater: 'list',
  vector: 'list',
  address: 'map',
  location: 'map',
  composite: 'map',
  record: 'map',
  file: 'map',
  image: 'map',
  avatar: 'map',
  video: 'map',
  audio: 'map',
  signature: 'map',
  json: 'unknown',
}

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
  const type = String(field['type'])
  if (type === 'currency') {
    const config = field['currencyConfig'] as { currencyMode?: unknown } | undefined
    return config?.currencyMode === 'dynamic' ? 'map' : 'number'
  }
  return Object.hasOwn(types, type) ? types[type]! : 'text'
}

/** The type of a system field an expression may read; undefined for other names. */
export function valueTypeOfSystemField(name: string): ValueType | undefined {
  return Object.hasOwn(systemTypes, name) ? systemTypes[name] : undefined
}
