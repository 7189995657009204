// Objects as declarations of TypeScript. What a value looks like is told by the entry of its field's type, so a new type takes
// part by itself. Pure.
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { checkObjectDefinition } from '#shared/object-definition.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { compileObject } from '#shared/object-schema.ts'

/** Declarations, and the objects of which too little is known to declare them. */
export interface Declarations {
  readonly text: string
  readonly left: readonly string[]
}

const head = `// Declarations of the objects of a Cairn workspace. Written by "cairn types"; do not edit, run it again.

/** Any JSON value. */
export type CairnJson = string | number | boolean | null | CairnJson[] | { [key: string]: CairnJson }

/** What a list asks for. */
export interface CairnQuery<R> {
  filter?: { [key: string]: CairnJson } | CairnJson[]
  search?: string
  select?: (keyof R & string)[]
  sort?: string
  top?: number
  skip?: number
  cursor?: string
  count?: boolean
}

/** One page of records. */
export interface CairnPage<R> {
  object: string
  records: R[]
  total?: number
  nextCursor?: string
  hasMore: boolean
}

/** A record with its address. */
export interface CairnStored<R> {
  object: string
  id: string
  record: R
}
`

const foot = `
/** The calls of a workspace, typed by its objects. */
export interface CairnClient {
  list<K extends keyof CairnObjects>(
    object: K,
    query?: CairnQuery<CairnObjects[K]['record']>,
  ): Promise<CairnPage<CairnObjects[K]['record']>>
  get<K extends keyof CairnObjects>(object: K, id: string): Promise<CairnStored<CairnObjects[K]['record']>>
  create<K extends keyof CairnObjects>(
    object: K,
    data: CairnObjects[K]['create'],
  ): Promise<CairnStored<CairnObjects[K]['record']>>
  update<K extends keyof CairnObjects>(
    object: K,
    id: string,
    data: CairnObjects[K]['update'] & { expectedVersion?: string },
  ): Promise<CairnStored<CairnObjects[K]['record']>>
  delete<K extends keyof CairnObjects>(
    object: K,
    id: string,
  ): Promise<{ object: string; id: string; success: boolean; deleted: boolean }>
}
`

/** System fields that every record has; the others may be empty. */
const never = new Set(['id', 'created_at', 'updated_at'])

/** Names the declarations use themselves. */
const taken = ['Promise', 'CairnJson', 'CairnQuery', 'CairnPage', 'CairnStored', 'CairnObjects', 'CairnClient']

/**
 * Makes the declarations.
 * @param items `object` items as their reader sees them
 */
export function declarationsOf(items: readonly Record<string, unknown>[]): Declarations {
  const left: string[] = []
  const schemas: ObjectSchema[] = []
  for (const item of items) {
    const checked = checkObjectDefinition(item)
    if (!checked.ok) left.push(String(item['name']))
    else if (checked.definition.abstract !== true) schemas.push(compileObject(checked.definition))
  }
  const names = createNames()
  const entries: string[] = []
  const parts = [head]
  for (const schema of schemas.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = names(schema.name)
    parts.push(interfacesOf(name, schema))
    entries.push(`  ${schema.name}: { record: ${name}; create: ${name}Create; update: ${name}Update }\n`)
  }
  parts.push(`\n/** The objects by name. */\nexport interface CairnObjects {\n${entries.join('')}}\n`, foot)
  return { text: parts.join(''), left }
}

/** Gives out a name for each object that none of the three interfaces shares with another. */
function createNames(): (object: string) => string {
  const used = new Set(taken)
  return (object) => {
    const base = object
      .replaceAll(/(?:^|_+)([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase())
      .replace(/_+$/, '')
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? base : `${base}${number}`
      const all = [name, `${name}Create`, `${name}Update`]
      if (all.some((one) => used.has(one))) continue
      for (const one of all) used.add(one)
      return name
    }
  }
}

function interfacesOf(name: string, schema: ObjectSchema): string {
  const written = schema.fields.filter((field) => !field.computed && !field.readonly)
  const shown = schema.visibleFields.map((field) => member(field, false, isFilled(field) ? '' : ' | null'))
  const created = written.map((field) => member(field, !needsValue(field), isFilled(field) ? '' : ' | null'))
  const updated = written.map((field) => member(field, true, isFilled(field) ? '' : ' | null'))
  return [
    `\n/** ${comment(schema.label)}. */\nexport interface ${name} {\n${shown.join('')}}\n`,
    `\n/** What creating one takes. */\nexport interface ${name}Create {\n  id?: string\n${created.join('')}}\n`,
    `\n/** What changing one takes. */\nexport interface ${name}Update {\n${updated.join('')}}\n`,
  ].join('')
}

function member(field: FieldSchema, isOptional: boolean, orNull: string): string {
  const note = field.system ? '' : `  /** ${comment(field.label)}. */\n`
  return `${note}  ${field.name}${isOptional ? '?' : ''}: ${typeOfField(field)}${orNull}\n`
}

function isFilled(field: FieldSchema): boolean {
  return field.system ? never.has(field.name) : field.required
}

function needsValue(field: FieldSchema): boolean {
  return field.required && field.defaultValue === undefined
}

function typeOfField(field: FieldSchema): string {
  const type = fieldTypeOf(field)
  const one = type.concealed === undefined ? typeOfSchema(type.jsonSchema(field)) : 'string'
  return field.multiple && !one.endsWith('[]') ? listOf(one) : one
}

/** What a JSON Schema describes; what it leaves open is any JSON value. */
function typeOfSchema(schema: Readonly<Record<string, unknown>>): string {
  const words = schema['enum']
  if (Array.isArray(words) && words.length > 0) return words.map((word) => JSON.stringify(word)).join(' | ')
  switch (schema['type']) {
    case 'string':
      return 'string'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'array':
      return listOf(typeOfSchema(asSchema(schema['items'])))
    case 'object':
      return typeOfObject(schema)
    default:
      return 'CairnJson'
  }
}

function typeOfObject(schema: Readonly<Record<string, unknown>>): string {
  const properties = Object.entries(asSchema(schema['properties']))
  if (properties.length === 0) return '{ [key: string]: CairnJson }'
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as string[]) : [])
  const members = properties.map(([name, one]) => {
    const type = typeOfSchema(asSchema(one))
    return `${JSON.stringify(name)}${required.has(name) ? `: ${type}` : `?: ${type} | null`}`
  })
  return `{ ${members.join('; ')} }`
}

function listOf(type: string): string {
  return /^[\w.]+$/.test(type) ? `${type}[]` : `(${type})[]`
}

function asSchema(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

/** A label as a comment holds it. */
function comment(label: string): string {
  return label.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ').trim()
}
