// What values look like to people: labels of options, names of people and records, dates and truth values as text. Records
// are named only where the caller may read them, because they are asked of the data service in the caller's name.
import { PlatformError } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { declaredTypeOf } from '#shared/field-types/registry.ts'
import { wallClock } from '#shared/calendar/time-zone.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { userDirectory } from '#shared/user-directory.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService, TranslationTree } from '#main/plugins/metadata/api.ts'
import type { People } from './people.ts'

/** What display values are made from. */
export interface DisplayParts {
  readonly data: Pick<DataService, 'find' | 'canReadField'>
  readonly metadata: Pick<MetadataService, 'objectSchema' | 'translations'>
  readonly people: People
  readonly timeZone: () => string
}

/** A value of a field. */
export interface FieldValue {
  readonly field: FieldSchema
  readonly value: unknown
}

/** The looks of the values of one answer. */
export interface Display {
  label(field: FieldSchema): string
  /** Undefined where the value itself says it best. */
  text(field: FieldSchema, value: unknown): string | undefined
}

/** Most records named in one answer. */
const maxNamed = 500

/** Finds out how values look to a caller; everything they refer to is asked at once. */
export async function displayOf(
  parts: DisplayParts,
  ctx: RequestContext,
  schema: ObjectSchema,
  values: readonly FieldValue[],
): Promise<Display> {
  const texts = textsOf(parts.metadata.translations(ctx.locale), schema.name)
  const userIds = new Set<string>()
  const recordIds = new Map<string, Set<string>>()
  for (const { field, value } of values) {
    for (const target of targetsOf(field, value)) {
      if (target.object === userDirectory.name) userIds.add(target.id)
      else recordIds.set(target.object, (recordIds.get(target.object) ?? new Set()).add(target.id))
    }
  }
  const people = parts.people.findAll(userIds)
  const names = new Map<string, string>()
  for (const [object, ids] of recordIds) await nameRecords(parts, ctx, object, [...ids].slice(0, maxNamed), names)
  const zone = parts.timeZone()

  const one = (field: FieldSchema, value: unknown): string | undefined => {
    if (field.options.length > 0 && typeof value === 'string') return optionText(texts, field, value)
    const { storage, calendar } = declaredTypeOf(field)
    if (storage === 'boolean') return value === true ? 'Yes' : 'No'
    if (calendar === 'date') return String(value)
    if (calendar === 'datetime') return dateTimeText(String(value), zone)
    const [target] = targetsOf(field, [value])
    if (target === undefined) return undefined
    return target.object === userDirectory.name
      ? people.get(target.id)?.name
      : names.get(`${target.object}/${target.id}`)
  }

  return {
    label: (field) => textOf(texts(field.name), 'label') ?? field.label,
    text(field, value) {
      if (value === null || value === undefined) return undefined
      if (!Array.isArray(value)) return one(field, value)
      const shown = value.map((part: unknown) => one(field, part))
      if (shown.every((text) => text === undefined)) return undefined
      return shown.map((text, at) => text ?? String(value[at])).join(', ')
    },
  }
}

/** The records and people a value names. */
function targetsOf(field: FieldSchema, value: unknown): { object: string; id: string }[] {
  if (field.type === 'record') {
    const list = (Array.isArray(value) ? value : [value]) as unknown[]
    return list.flatMap((one) => {
      const { object, id } = (one ?? {}) as { object?: unknown; id?: unknown }
      return typeof object === 'string' && typeof id === 'string' ? [{ object, id }] : []
    })
  }
  // An object may be called `user` as well.
  const reference = field.type === 'user' ? userDirectory.name : field.reference
  if (reference === null) return []
  const list = (Array.isArray(value) ? value : [value]) as unknown[]
  return list.flatMap((id) => (typeof id === 'string' ? [{ object: reference, id }] : []))
}

async function nameRecords(
  { data, metadata }: DisplayParts,
  ctx: RequestContext,
  object: string,
  ids: readonly string[],
  names: Map<string, string>,
): Promise<void> {
  const schema = metadata.objectSchema(object)
  const display = schema?.displayField.name
  if (schema === undefined || display === undefined || !data.canReadField(ctx, object, display)) return
  try {
    const query = { filter: { id: { $in: ids } }, select: ['id', display], top: ids.length }
    const { records } = await data.find(ctx, object, query)
    for (const record of records) {
      const name = record[display]
      if (typeof name === 'string' || typeof name === 'number')
        names.set(`${object}/${String(record['id'])}`, String(name))
    }
  } catch (error) {
    // An object closed to the caller, or one that was asked too much of: its records stay ids.
    if (!(error instanceof PlatformError)) throw error
  }
}

type Tree = Readonly<Record<string, unknown>>
type FieldTexts = (field: string) => Tree

function textsOf(tree: TranslationTree, object: string): FieldTexts {
  const fields = branch(branch(branch(tree, 'objects'), object), 'fields')
  return (field) => branch(fields, field)
}

function branch(tree: Tree, key: string): Tree {
  const found = Object.hasOwn(tree, key) ? tree[key] : undefined
  return typeof found === 'object' && found !== null ? (found as Tree) : {}
}

function textOf(tree: Tree, key: string): string | undefined {
  const found = Object.hasOwn(tree, key) ? tree[key] : undefined
  return typeof found === 'string' ? found : undefined
}

function optionText(texts: FieldTexts, field: FieldSchema, value: string): string {
  const translated = textOf(branch(texts(field.name), 'options'), value)
  return translated ?? field.options.find((option) => option.value === value)?.label ?? value
}

/** Wall time of the workspace, to the minute. */
function dateTimeText(text: string, zone: string): string {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) return text
  return new Date(wallClock(ms, zone)).toISOString().slice(0, 16).replace('T', ' ')
}
