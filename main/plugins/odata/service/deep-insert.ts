// An entity that is made together with entities it leads to: one write of the data service, all of it or nothing.
import { PlatformError } from '#shared/errors.ts'
import { requireApiMethods } from '#shared/object-api.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { userDirectory } from '#shared/user-directory.ts'
import { maxExpandDepth } from '#shared/filter/select.ts'
import type { BulkResult, WriteItem } from '#main/plugins/data/api.ts'
import type { EntityModel, Navigation } from './model.ts'
import { boundId, problemOf, readEntity } from './payload.ts'
import { unsupported } from './token-reader.ts'

/** Most entities of one insert, as of one batch. */
const maxEntities = 100

/** An insert as steps of the data service. */
export interface DeepInsert {
  readonly steps: readonly WriteItem[]
  /** Where in the entity each step stands, for errors: `accountRecord/`, `tasks/0/`; `` for the entity itself. */
  readonly places: readonly string[]
  /** The step of the entity itself. */
  readonly main: number
  /** `$expand` of what was made with it. */
  readonly expand: string
}

type Values = Record<string, unknown>

/**
 * Reads an entity with those inside of it; null where there are none.
 * @throws validation_error, permission_denied, not_implemented for more than three levels
 */
export function readDeepInsert(schema: ObjectSchema, model: EntityModel, body: unknown): DeepInsert | null {
  const steps: WriteItem[] = []
  const places: string[] = []

  const push = (step: WriteItem, place: string): number => {
    if (steps.length === maxEntities)
      throw problemOf(place, 'max_items', `An entity is made with at most ${maxEntities - 1} others.`)
    places.push(place)
    return steps.push(step) - 1
  }

  /** Adds an entity with all inside of it, what it refers to before it and what refers to it behind. */
  const add = (target: ObjectSchema, given: unknown, place: string, depth: number, fixed: Values) => {
    const { own, inner } = splitEntity(target, model, given)
    if (inner.length > 0 && depth === maxExpandDepth) throw unsupported(place, 'An entity as deep as this')
    const links: Values = {}
    const expand: string[] = []
    const addRelated = (navigation: Navigation, value: unknown, at: string, more: Values): unknown => {
      const known = referenceOf(value)
      if (known !== null && navigation.isChildren) throw unsupported(at, 'Taking over an entity that is there already')
      if (known !== null) return known
      model.require(navigation.target.name, 'create')
      requireApiMethods(navigation.target, 'create')
      const made = add(navigation.target, value, `${at}/`, depth + 1, more)
      expand.push(made.expand === '' ? navigation.name : `${navigation.name}($expand=${made.expand})`)
      return { $ref: made.index }
    }
    for (const { navigation, value } of inner.filter((part) => !part.navigation.isChildren)) {
      const at = place + navigation.name
      if (!navigation.many) links[navigation.source] = addRelated(navigation, value, at, {})
      else links[navigation.source] = listOf(value, at).map((item, i) => addRelated(navigation, item, `${at}/${i}`, {}))
    }
    const index = push(
      { object: target.name, action: 'create', data: { ...readEntity(target, own), ...links, ...fixed } },
      place,
    )
    for (const { navigation, value } of inner.filter((part) => part.navigation.isChildren)) {
      const parent = navigation.field.multiple ? [{ $ref: index }] : { $ref: index }
      for (const [i, item] of listOf(value, place + navigation.name).entries())
        addRelated(navigation, item, `${place}${navigation.name}/${i}`, { [navigation.field.name]: parent })
    }
    return { index, expand: mergeExpand(expand) }
  }

  const { index, expand } = add(schema, body, '', 0, {})
  return steps.length === 1 ? null : { steps, places, main: index, expand }
}

/** The error of the entity that was refused, at its place. */
export function failureOfInsert({ places }: DeepInsert, { results }: BulkResult): PlatformError | null {
  const failed = results.find(({ errors }) => errors !== undefined && errors.length > 0)
  const [first] = failed?.errors ?? []
  if (failed === undefined || first === undefined) return null
  const { fieldErrors } = first.details
  const at = places[failed.index] ?? ''
  const named = Array.isArray(fieldErrors)
    ? { fieldErrors: fieldErrors.map((error: { field: string }) => ({ ...error, field: at + error.field })) }
    : {}
  return new PlatformError(first.code, first, { ...first.details, ...named })
}

interface Inner {
  readonly navigation: Navigation
  readonly value: unknown
}

/** The members of an entity that lead to others, and the rest. People are made elsewhere. */
function splitEntity(schema: ObjectSchema, model: EntityModel, body: unknown): { own: unknown; inner: Inner[] } {
  if (!isMap(body)) return { own: body, inner: [] }
  const own: [string, unknown][] = []
  const inner: Inner[] = []
  for (const [key, value] of Object.entries(body)) {
    const navigation = key.includes('@') ? undefined : model.navigation(schema, key)
    if (navigation?.name !== key || navigation.target === userDirectory) own.push([key, value])
    else if (value !== null) inner.push({ navigation, value })
  }
  return { own: Object.fromEntries(own), inner }
}

/** The id of an entity that is named in place of being made. */
function referenceOf(value: unknown): string | null {
  return isMap(value) ? boundId(value['@odata.id'] ?? value['@id']) : null
}

function listOf(value: unknown, place: string): unknown[] {
  if (Array.isArray(value)) return value
  throw problemOf(place, 'invalid_type', 'The value must be a list of entities.')
}

/** Each way once; what is deepest inside of a list is shown for all of it. */
function mergeExpand(ways: readonly string[]): string {
  const byName = new Map<string, string>()
  for (const way of ways) {
    const [name = ''] = way.split('(')
    if ((byName.get(name)?.length ?? 0) < way.length) byName.set(name, way)
  }
  return [...byName.values()].join(',')
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
