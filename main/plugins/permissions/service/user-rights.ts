// The rights of one caller (D-43): the union of everything the user was given, from where each part comes, and the
// records it covers (D-45, D-46). Pure but for the filters it makes; remembers what it worked out.
import type { RecordAction } from '#shared/route.ts'
import type { Filter } from '#shared/filter/filter.ts'
import { matchNone } from '#shared/filter/filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { idList, noRecords, sharedRecords } from '../store.ts'
import type { ConditionUser } from './cel-condition.ts'
import type { FieldRights, ObjectRights, RightSet } from './right-set.ts'
import { combineObjectRights, noObjectRights, objectRightsOf } from './right-set.ts'
import { ruleFilter } from './row-rules.ts'

/** A set a user has, and how it came to the user. */
export interface RightSource {
  readonly source: 'profile' | 'permission' | 'role' | 'organization'
  /** Name of the profile, the permission set, or the role that brings the set. */
  readonly name: string
  /** Name of the permission set when a role brings it. */
  readonly set?: string
  readonly rights: RightSet
}

/** What the rights of a user hang on. */
export interface RightsInput {
  readonly user: ConditionUser
  readonly sources: readonly RightSource[]
  /** `user:<id>`, `role:<name>`, `team:<id>`: whom shares may name to mean this user. */
  readonly principals: readonly string[]
  /** Whether there is any share of an object's records for one of the principals; rights are worked out anew when that changes. */
  readonly hasShares: (objectUid: string) => boolean
  /** Users in roles below those of this user. */
  readonly subordinates: readonly string[]
  readonly schemaOf: (object: string) => ObjectSchema | undefined
}

/** Why records are covered; the parts of a condition, each of which is enough. */
export type Coverage =
  /** Every record. */
  { readonly all: 'sharing_model' | 'set' } | { readonly all: null; readonly branches: readonly CoverageBranch[] }

/** One reason for which a record is covered. */
export interface CoverageBranch {
  readonly source: 'owner' | 'role' | 'share' | 'row_rule' | 'parent'
  readonly name: string
  readonly filter: Filter
}

/** Rights as they are asked. */
export interface UserRights {
  readonly input: RightsInput
  object(object: string): ObjectRights
  field(object: string, field: string): FieldRights
  hasSystem(permission: string): boolean
  /** The records an action covers: null for all, false for none. The object's own flag is part of the answer. */
  rows(object: string, action: RecordAction): Filter | null | false
  /** The same, whatever the flag, taken apart. */
  coverage(schema: ObjectSchema, action: RecordAction): Coverage
}

/** What a share must give for an action. */
const shareFor = {
  create: 'full',
  read: 'read',
  edit: 'edit',
  delete: 'full',
  transfer: 'full',
  restore: 'full',
  purge: 'full',
} as const

/** The actions that a sharing model leaves to everybody with the object's flag (D-46). */
const open: Readonly<Record<ObjectSchema['sharingModel'], readonly RecordAction[]>> = {
  private: ['create'],
  read: ['create', 'read'],
  read_write: ['create', 'read', 'edit'],
  full: ['create', 'read', 'edit', 'delete', 'transfer', 'restore', 'purge'],
}

/** Works out the rights over some sets. */
export function createUserRights(input: RightsInput): UserRights {
  const { sources, user, principals, subordinates, schemaOf } = input
  const objects = new Map<string, ObjectRights>()
  const fields = new Map<string, FieldRights>()
  const conditions = new Map<string, Filter | null | false>()

  const object: UserRights['object'] = (name) => {
    let found = objects.get(name)
    if (found === undefined) {
      found = sources.reduce<ObjectRights>(
        (sum, { rights }) => combineObjectRights(sum, objectRightsOf(rights, name), 'or'),
        noObjectRights,
      )
      objects.set(name, found)
    }
    return found
  }

  const field: UserRights['field'] = (objectName, name) => {
    const key = `${objectName}.${name}`
    let found = fields.get(key)
    if (found === undefined) {
      const flags = object(objectName)
      const said = sources.flatMap(({ rights }) => rights.fields.get(key) ?? [])
      const opens = (access: keyof FieldRights): boolean => said.length === 0 || said.some((one) => one[access])
      const readable = flags.read && opens('readable')
      // What cannot be read is not written blindly either.
      found = { readable, editable: (flags.edit || flags.create) && opens('readable') && opens('editable') }
      fields.set(key, found)
    }
    return found
  }

  const coverage = (schema: ObjectSchema, action: RecordAction, above: readonly string[] = []): Coverage => {
    const flags = object(schema.name)
    if (flags.modifyAllRecords || (flags.viewAllRecords && action === 'read')) return { all: 'set' }
    const masters = schema.fields.filter((one) => one.type === 'master_detail')
    const branches: CoverageBranch[] = []
    if (masters.length > 0 && !above.includes(schema.name)) {
      const parents = masters.map((master) =>
        parentFilter(master.name, master.reference!, action, [...above, schema.name]),
      )
      const closed = parents.some((filter) => filter === false)
      const parts = parents.filter((filter): filter is Filter => filter !== null && filter !== false)
      if (!closed && parts.length === 0) return { all: 'sharing_model' }
      if (!closed) branches.push({ source: 'parent', name: masters[0]!.name, filter: { kind: 'and', children: parts } })
    } else {
      if (open[schema.sharingModel].includes(action)) return { all: 'sharing_model' }
      branches.push({
        source: 'owner',
        name: user.id,
        filter: { kind: 'condition', path: ['owner'], operator: '$eq', operand: user.id },
      })
      if (subordinates.length > 0) {
        branches.push({
          source: 'role',
          name: user.roles.join(', '),
          filter: { kind: 'among', field: 'owner', ids: idList(subordinates) },
        })
      }
      // Most people have no share of most objects; looking for one costs every row a search.
      const least = shareFor[action]
      const ids = input.hasShares(schema.uid) ? sharedRecords(schema.uid, principals, least) : noRecords
      branches.push({ source: 'share', name: least, filter: { kind: 'among', field: 'id', ids } })
    }
    for (const { rights } of sources) {
      for (const rule of rights.rules) {
        if (rule.object !== schema.name || !coversAction(rule.actions, action)) continue
        const filter = ruleFilter(rule, schema, user, schemaOf)
        if (filter !== null) branches.push({ source: 'row_rule', name: rule.name, filter })
      }
    }
    return { all: null, branches }
  }

  /** Details go with their master: who sees it sees them, who edits it does everything else with them. */
  const parentFilter = (
    name: string,
    reference: string,
    action: RecordAction,
    above: readonly string[],
  ): Filter | null | false => {
    const master = schemaOf(reference)
    if (master === undefined || !object(reference).read) return false
    const covered = coverage(master, action === 'read' ? 'read' : 'edit', above)
    return covered.all === null ? { kind: 'related', field: name, child: filterOf(covered.branches) } : null
  }

  return {
    input,
    object,
    field,
    hasSystem: (permission) => sources.some(({ rights }) => rights.system.has(permission)),
    rows(name, action) {
      const key = `${action} ${name}`
      let found = conditions.get(key)
      if (found === undefined) {
        const schema = schemaOf(name)
        const covered = schema === undefined || !object(name)[action] ? null : coverage(schema, action)
        found = covered === null ? false : covered.all === null ? filterOf(covered.branches) : null
        conditions.set(key, found)
      }
      return found
    },
    coverage: (schema, action) => coverage(schema, action),
  }
}

function filterOf(branches: readonly CoverageBranch[]): Filter {
  if (branches.length === 0) return matchNone
  return branches.length === 1 ? branches[0]!.filter : { kind: 'or', children: branches.map(({ filter }) => filter) }
}

/** Edit and delete include read (D-45), for rows as for objects. */
function coversAction(actions: readonly RecordAction[], action: RecordAction): boolean {
  return actions.includes(action) || (action === 'read' && (actions.includes('edit') || actions.includes('delete')))
}
