// Writes records as entities: the fields that were asked for, related entities under the names of the request, and what
// the protocol says beside the values.
import { childCountKey } from '#shared/filter/select.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { userDirectory } from '#shared/user-directory.ts'
import type { PlatformRecord } from '#main/plugins/data/api.ts'
import { edmTypeOf, isWideNumber, namespace } from './edm-types.ts'
import type { EntityShape, Expansion } from './expand-option.ts'
import type { AnswerForm } from './request-words.ts'

/** An entity as it is answered. */
export type Entity = Record<string, unknown>

/** What writing needs to know of the request. */
export interface Writing {
  /** Address of the service, without a slash at its end. */
  readonly base: string
  readonly form: AnswerForm
}

/** What stands before and behind a version in its tag. */
export const tagMarks = ['W/"', '"'] as const

/** The tag of a version, for If-Match. @source D-183 */
export function etagOf(version: unknown): string {
  return tagMarks.join(String(version))
}

/** The address of an entity. */
export function entityUrl(base: string, schema: ObjectSchema, id: unknown): string {
  return `${base}/${schema.name}(${String(id)})`
}

/** Writes a record; it is not changed. */
export function writeEntity(
  writing: Writing,
  schema: ObjectSchema,
  record: PlatformRecord,
  shape: EntityShape,
): Entity {
  const entity: Entity = {}
  const { metadata } = writing.form
  const isPerson = schema === userDirectory
  if (metadata === 'full') {
    entity['@odata.type'] = `#${namespace}.${isPerson ? 'User' : schema.name}`
    if (!isPerson) {
      const url = entityUrl(writing.base, schema, record['id'])
      entity['@odata.id'] = url
      entity['@odata.editLink'] = url
    }
  }
  const version = record['updated_at']
  if (metadata !== 'none' && typeof version === 'string') entity['@odata.etag'] = etagOf(version)
  // What most lists ask for: everything, as it is.
  if (shape.select === null && shape.expansions.length === 0 && !writing.form.numbersAsText)
    return Object.assign(entity, record)
  const selected = shape.select === null ? null : new Set(shape.select.map((name) => name.split('.')[0]!))
  const replaced = new Map(shape.expansions.map((expansion) => [expansion.navigation.source, expansion]))
  const counted = new Set<string>()
  for (const { name, navigation, counts } of shape.expansions) {
    const key = childCountKey(navigation.source)
    if (!counts || !Object.hasOwn(record, key)) continue
    counted.add(key)
    entity[`${name}@odata.count`] = writeCount(writing.form, Number(record[key]))
  }
  for (const [name, value] of Object.entries(record)) {
    const expansion = replaced.get(name)
    const isShown = selected === null || name === 'id' || selected.has(name)
    if (expansion === undefined) {
      if (isShown && !counted.has(name)) entity[name] = writeValue(writing.form, schema, name, value)
    } else writeExpansion(writing, entity, expansion, value, isShown)
  }
  return entity
}

/** A value of a field, as the form of the answer has it. */
export function writeValue(form: AnswerForm, schema: ObjectSchema, name: string, value: unknown): unknown {
  if (!form.numbersAsText || typeof value !== 'number') return value
  const field = schema.byName.get(name)
  return field !== undefined && isWideNumber(edmTypeOf(schema.name, field)) ? String(value) : value
}

function writeCount(form: AnswerForm, count: number): number | string {
  return form.numbersAsText ? String(count) : count
}

/**
 * Under the name of the field, what is related stands in place of the id, and an id without a readable record stays; under
 * the name of the model it stands beside the id, and such a record is missing.
 */
function writeExpansion(
  writing: Writing,
  entity: Entity,
  { name, navigation, shape, part, counts }: Expansion,
  value: unknown,
  showsKey: boolean,
): void {
  const write = (related: unknown): unknown =>
    isRecord(related) ? writeEntity(writing, navigation.target, related, shape) : related
  if (name === navigation.source) {
    entity[name] = Array.isArray(value) ? value.map(write) : write(value)
    return
  }
  const keyOf = (related: unknown): unknown => (isRecord(related) ? related['id'] : related)
  if (showsKey) entity[navigation.source] = Array.isArray(value) ? value.map(keyOf) : keyOf(value)
  if (Array.isArray(value)) {
    const shown = value.filter(isRecord)
    if (counts && !navigation.isChildren) entity[`${name}@odata.count`] = writeCount(writing.form, shown.length)
    const end = part?.limit == null ? undefined : part.skip + part.limit
    entity[name] = shown.slice(part?.skip ?? 0, end).map(write)
  } else entity[name] = isRecord(value) ? write(value) : null
}

function isRecord(value: unknown): value is PlatformRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
