// One permission set or profile as it is asked (D-44): what its item says, with defaults applied. Pure.
import type { RecordAction } from '#shared/route.ts'

/** What a set allows with records of an object; edit and delete include read (D-45). */
export interface ObjectRights extends Readonly<Record<RecordAction, boolean>> {
  readonly viewAllRecords: boolean
  readonly modifyAllRecords: boolean
}

/** What a set says of a field it names. */
export interface FieldRights {
  readonly readable: boolean
  readonly editable: boolean
}

/** A rule that covers records (D-44); the condition is still as it is written. */
export interface RowRule {
  readonly name: string
  readonly object: string
  readonly actions: readonly RecordAction[]
  readonly condition: unknown
}

/** What one item grants. */
export interface RightSet {
  /** By object, `*` for those that are not named. */
  readonly objects: ReadonlyMap<string, ObjectRights>
  /** By `object.field`. */
  readonly fields: ReadonlyMap<string, FieldRights>
  readonly system: ReadonlySet<string>
  readonly rules: readonly RowRule[]
}

/** The permission actions in the order of the specification. */
export const recordActions = [
  'create',
  'read',
  'edit',
  'delete',
  'transfer',
  'restore',
  'purge',
] as const satisfies readonly RecordAction[]

const sets = new WeakMap<object, RightSet>()

/** The rights of an item's body; the same value for the same body. */
export function rightSetOf(body: Readonly<Record<string, unknown>>): RightSet {
  let set = sets.get(body)
  if (set === undefined) sets.set(body, (set = compile(body)))
  return set
}

/** Words with which a condition may ask for the moment; rather one too many. */
const moment = /now|today|startOf|during/i

/** Whether a rule of the set may cover other records from one moment to the next. */
export function asksForMoment({ rules }: RightSet): boolean {
  return rules.some(({ condition }) => moment.test(JSON.stringify(condition) ?? ''))
}

/** No right at all. */
export const noObjectRights: ObjectRights = Object.freeze({
  create: false,
  read: false,
  edit: false,
  delete: false,
  transfer: false,
  restore: false,
  purge: false,
  viewAllRecords: false,
  modifyAllRecords: false,
})

/** What a set allows with an object. */
export function objectRightsOf(set: RightSet, object: string): ObjectRights {
  return set.objects.get(object) ?? set.objects.get('*') ?? noObjectRights
}

/** What both allow, or either. */
export function combineObjectRights(a: ObjectRights, b: ObjectRights, how: 'and' | 'or'): ObjectRights {
  const names = Object.keys(noObjectRights) as (keyof ObjectRights)[]
  const pick = (name: keyof ObjectRights): boolean => (how === 'and' ? a[name] && b[name] : a[name] || b[name])
  return Object.fromEntries(names.map((name) => [name, pick(name)])) as unknown as ObjectRights
}

function compile(body: Readonly<Record<string, unknown>>): RightSet {
  return {
    objects: new Map(entries(body['objects']).map(([name, flags]) => [name, objectRights(flags)])),
    fields: new Map(
      entries(body['fields']).map(([name, given]) => {
        const readable = given['readable'] !== false
        return [name, { readable, editable: given['editable'] !== false }]
      }),
    ),
    system: new Set(Array.isArray(body['systemPermissions']) ? (body['systemPermissions'] as string[]) : []),
    rules: (Array.isArray(body['rowLevelSecurity']) ? body['rowLevelSecurity'] : []) as RowRule[],
  }
}

function objectRights(given: Readonly<Record<string, unknown>>): ObjectRights {
  const has = (name: string): boolean => given[name] === true
  const edit = has('allowEdit')
  const remove = has('allowDelete')
  return {
    create: has('allowCreate'),
    read: has('allowRead') || edit || remove,
    edit,
    delete: remove,
    transfer: has('allowTransfer'),
    restore: has('allowRestore'),
    purge: has('allowPurge'),
    viewAllRecords: has('viewAllRecords') || has('modifyAllRecords'),
    modifyAllRecords: has('modifyAllRecords'),
  }
}

function entries(map: unknown): [string, Readonly<Record<string, unknown>>][] {
  if (typeof map !== 'object' || map === null) return []
  return Object.entries(map as Record<string, Readonly<Record<string, unknown>>>)
}
