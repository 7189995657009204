// Whether the author of a change that comes from another machine may make it here: the rights of ordinary writes, asked
// of what the change writes. Validation refuses nothing here, since what was valid elsewhere is kept; writes nothing.
import { PlatformError } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { deleteBehaviorOf } from '#shared/field-types/relation.ts'
import type { ParseEnv } from '#shared/field-types/field-type.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RecordAction } from '#shared/route.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { DataService, RemoteIntent, RemoteRefusal } from '../api.ts'
import { getRow } from '../store.ts'
import { differing, touches } from './changed-values.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'
import type { PrepareEnv } from './prepare.ts'
import { prepareCreate } from './prepare.ts'
import type { RecordAccess } from './record-access.ts'
import { targetsOf } from './reference-checks.ts'
import { remoteColumns } from './remote-values.ts'

/** What the judgement works with. */
export interface RemoteRightParts {
  readonly metadata: MetadataService
  readonly access: RecordAccess
  authorizer(): Authorizer
  /** The world values are read in. */
  parseEnv(): ParseEnv
  envFor(ctx: RequestContext, schema: ObjectSchema): PrepareEnv
}

/** One change that is judged: who makes it, where, and the row it meets. */
interface Scene {
  readonly tx: Tx
  readonly ctx: RequestContext
  readonly schema: ObjectSchema
  readonly intent: RemoteIntent
  readonly stored: Row | undefined
}

/** What is done to a record with the one it belongs to. */
type Following = 'delete' | 'purge' | 'restore'

/** Makes the judgement. */
export function createRemoteRights(parts: RemoteRightParts): Pick<DataService, 'refusalOf'> {
  const { metadata, access } = parts

  /** Whether the author may do this with a record; of one that is not stored, with some record of the object. */
  const may = ({ tx, ctx, intent }: Scene, schema: ObjectSchema, id: string, action: RecordAction): boolean => {
    if (!parts.authorizer().canObject(ctx, schema.name, action)) return false
    if (intent.isOrphan === true && id === intent.id) return true
    return getRow(tx, schema, id) === undefined || access.reach(tx, ctx, schema, id, action) === 'open'
  }

  /** Whether a record a field names is one the author may do this with: it does the same to the record judged. */
  const follows = (scene: Scene, field: FieldSchema, action: Following): boolean => {
    const { schema, stored } = scene
    if (stored === undefined) return false
    return targetsOf(schema, field, stored).some(({ object, id }) => {
      const target = metadata.objectSchema(object)
      if (target === undefined || target.abstract) return false
      return may(scene, target, id, action === 'purge' && !target.enable.trash ? 'delete' : action)
    })
  }

  const refuse = (scene: Scene, action: RecordAction): RemoteRefusal | undefined => {
    const { schema, intent } = scene
    if (may(scene, schema, intent.id, action)) return undefined
    if (action === 'delete' || action === 'purge' || action === 'restore') {
      const cascades = codecOf(schema).relations.filter((field) => deleteBehaviorOf(field) === 'cascade')
      if (cascades.some((field) => follows(scene, field, action))) return undefined
    }
    return { code: action, message: `This person may not ${words[action]} this record of "${schema.name}".` }
  }

  /** Fields the author may not edit and that do not follow from anything the author may do. */
  const closedFields = (scene: Scene, columns: Row): string[] => {
    const { ctx, schema, intent, stored } = scene
    const authorizer = parts.authorizer()
    const isOpen = (name: string): boolean =>
      authorizer.canField(ctx, schema.name, name, 'readable') && authorizer.canField(ctx, schema.name, name, 'editable')
    const closed = Object.keys(intent.values).flatMap((name) => {
      const field = schema.byName.get(name)
      // Machines write numbers, not people.
      return field === undefined || field.computed || isOpen(name) ? [] : [field]
    })
    if (closed.length === 0) return []
    const others = stored === undefined ? defaultsOf(scene, isOpen) : stored
    const changed = differing(others, columns)
    return closed
      .filter((field) => intent.overruled?.has(field.name) === true || touches(field, changed))
      .filter((field) => !isEmptied(scene, field, columns))
      .map(({ name }) => name)
  }

  /** A reference that deleting the record it named has emptied. */
  const isEmptied = (scene: Scene, field: FieldSchema, columns: Row): boolean =>
    columns[field.column] === null && codecOf(scene.schema).relations.includes(field) && follows(scene, field, 'delete')

  /** What a new record holds in fields its author may not set. */
  const defaultsOf = ({ ctx, schema, intent }: Scene, isOpen: (name: string) => boolean): Row => {
    const given = Object.fromEntries(Object.entries(intent.values).filter(([name]) => isOpen(name)))
    try {
      const { row, problems } = prepareCreate(schema, given, parts.envFor(ctx, schema))
      return problems.length > 0 ? {} : row
    } catch (error) {
      if (error instanceof PlatformError) return {}
      throw error
    }
  }

  /**
   * Whoever adds a detail to a master changes the master (D-46), also one in the trash: what is deleted meanwhile is judged
   * as before. `unknown`: the master is not here, and its row would tell.
   */
  const masterOf = (scene: Scene, columns: Row): 'open' | 'closed' | 'unknown' => {
    const { tx, ctx, schema, stored } = scene
    const fields = schema.fields.filter((field) => field.type === 'master_detail' && touches(field, columns))
    const mastersIn = (row: Row) => fields.flatMap((field) => targetsOf(schema, field, row))
    const before = new Set(stored === undefined ? [] : mastersIn(stored).map(({ object, id }) => `${object} ${id}`))
    let isUnknown = false
    for (const { object, id } of fields.length === 0 ? [] : mastersIn({ ...stored, ...columns })) {
      const target = metadata.objectSchema(object)
      if (before.has(`${object} ${id}`) || target === undefined || target.abstract) continue
      if (!parts.authorizer().canObject(ctx, target.name, 'edit')) return 'closed'
      if (getRow(tx, target, id) === undefined) isUnknown ||= isByRow(parts.authorizer(), ctx, target)
      else if (access.reach(tx, ctx, target, id, 'edit') !== 'open') return 'closed'
    }
    return isUnknown ? 'unknown' : 'open'
  }

  const values = (scene: Scene, columns: Row, master: ReturnType<typeof masterOf>): RemoteRefusal | undefined => {
    const { schema, intent, stored } = scene
    const names = Object.keys(intent.values)
    if (names.length === 0) return undefined
    const isNew = stored === undefined && intent.isNew
    // Nothing but references that a deletion has emptied is no edit of its own.
    const onlyFollows =
      stored !== undefined &&
      names.every((name) => {
        const field = schema.byName.get(name)
        return field !== undefined && isEmptied(scene, field, columns)
      })
    const refusal = isNew || onlyFollows ? undefined : refuse(scene, 'edit')
    if (refusal !== undefined) return refusal
    const closed = closedFields(scene, columns)
    if (closed.length > 0) {
      const message = `This person may not change ${closed.join(', ')} of "${schema.name}".`
      return { code: 'fields', message, fields: closed }
    }
    if (master !== 'closed') return undefined
    return {
      code: 'master',
      message: `This person may not change the record that one of "${schema.name}" belongs to.`,
    }
  }

  return {
    refusalOf(tx, ctx, intent) {
      const schema = metadata.objectSchema(intent.object)
      if (schema === undefined || schema.abstract) return null
      if (access.isFree(ctx)) return undefined
      if (parts.authorizer().closedBecause?.(ctx) !== undefined)
        return { code: 'closed', message: `Records of "${schema.name}" are closed to this person.` }
      const stored = getRow(tx, schema, intent.id)
      const scene: Scene = { tx, ctx, schema, intent, stored }
      // Which rules cover a record that is not here yet cannot be said.
      if (stored === undefined && !intent.isNew && isByRow(parts.authorizer(), ctx, schema)) return null
      const isNew = intent.isNew && stored === undefined
      const { columns } = remoteColumns(schema, intent.values, parts.parseEnv(), true)
      const master = masterOf(scene, columns)
      const refusal =
        refuse(scene, isNew ? 'create' : 'read') ??
        values(scene, columns, master) ??
        (intent.isEdit === true ? refuse(scene, 'edit') : undefined) ??
        (intent.isTransferred === true ? refuse(scene, 'transfer') : undefined) ??
        (intent.deleted === undefined ? undefined : refuse(scene, intent.deleted ? 'delete' : 'restore')) ??
        (intent.purged === true ? refuse(scene, schema.enable.trash ? 'purge' : 'delete') : undefined)
      return refusal ?? (master === 'unknown' ? null : undefined)
    },
  }
}

const words: Readonly<Record<RecordAction, string>> = {
  create: 'create',
  read: 'read',
  edit: 'change',
  delete: 'delete',
  transfer: 'give away',
  restore: 'restore',
  purge: 'remove for good',
}

function isByRow(authorizer: Authorizer, ctx: RequestContext, schema: ObjectSchema): boolean {
  return (['read', 'edit'] as const).some((action) => {
    const rows = authorizer.rowCondition(ctx, schema.name, action)
    return rows !== null && rows !== false
  })
}
