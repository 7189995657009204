// Deletes, purges and restores one record with everything that hangs on it (D-57 to D-61). Synchronous, inside a
// transaction; undoing a deletion undoes what it did to others where nobody changed them since.
import { notFound, platformError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { asSystem } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { SearchService } from '#main/plugins/search/api.ts'
import {
  addDeleteEffect,
  countReferencing,
  deleteRow,
  forgetEffectsOn,
  getRow,
  referencingRows,
  takeDeleteEffects,
  updateRow,
} from '../store.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'
import { closesRing, targetsOf } from './reference-checks.ts'
import type { RecordAccess } from './record-access.ts'
import type { RecordRules, RuleWarning } from './record-rules.ts'
import type { IncomingReference, IncomingReferences } from './references.ts'
import { namingOf } from './references.ts'
import type { Summaries } from './summaries.ts'
import { nextVersion } from './versions.ts'
import type { RecordWriter, Written } from './writer.ts'

/** A chain of cascades may be this long (D-61). */
const maxCascadeDepth = 10

/** What a deletion says of the record it began with. */
export interface Removed {
  readonly purged: boolean
  readonly warnings: readonly RuleWarning[]
}

/** Deletes and restores records; one per host. */
export interface RecordDeletion {
  /**
   * Deletes softly when the object keeps a trash, else for good.
   * @param clearsSearch see {@link BulkInput}; of the record alone, not of what goes with it
   * @throws delete_restricted, resource_not_found
   */
  remove(tx: Tx, ctx: RequestContext, schema: ObjectSchema, row: Row, purge: boolean, clearsSearch?: boolean): Removed
  /** Resolves when nothing of what a caller purged is left in a search index; called before the caller is answered. */
  settled(ctx: RequestContext): Promise<void>
  /** @throws conflict when the record is live or a unique value was taken meanwhile */
  restore(tx: Tx, ctx: RequestContext, schema: ObjectSchema, row: Row): Written
}

/** What deletion works with. */
export interface DeletionParts {
  readonly metadata: MetadataService
  readonly search: () => SearchService | undefined
  readonly clock: Clock
  readonly incoming: IncomingReferences
  readonly writer: RecordWriter
  readonly rules: RecordRules
  readonly access: RecordAccess
  readonly summaries: () => Summaries
}

/** One deletion: the record it began with, and every record it has taken in so far. */
interface Run {
  readonly object: string
  readonly id: string
  readonly taken: Set<string>
  /** Whether the words of the record it began with may leave the search index later. */
  readonly clearsSearch: boolean
}

/** Makes the deletion service. */
export function createRecordDeletion(parts: DeletionParts): RecordDeletion {
  const { metadata, clock, incoming, writer } = parts
  /** Objects in whose index words of purged records are left for a moment, by who purged them. */
  const unsettled = new WeakMap<RequestContext, Set<ObjectSchema>>()

  const unsearch = (tx: Tx, ctx: RequestContext, schema: ObjectSchema, row: Row, later: boolean): void => {
    if (parts.search()?.remove(tx, schema, row, later) !== true) return
    const schemas = unsettled.get(ctx)
    if (schemas === undefined) unsettled.set(ctx, new Set([schema]))
    else schemas.add(schema)
  }

  const remove = (
    tx: Tx,
    ctx: RequestContext,
    schema: ObjectSchema,
    row: Row,
    purge: boolean,
    run: Run,
    depth: number,
  ): Removed => {
    const id = row['id'] as string
    const live = row['deleted_at'] === null
    run.taken.add(keyOf(schema, id))
    const warnings = live ? parts.rules.checkDelete(ctx, schema, row) : []
    if (live) releaseReferences(tx, ctx, schema, row, purge, run, depth)
    const record = codecOf(schema).toRecord(row)
    const purges = purge || !schema.enable.trash
    // Before the row goes: its number is the key of its search row.
    if (purges) unsearch(tx, ctx, schema, row, depth === 0 && run.clearsSearch)
    else parts.search()?.hide(tx, schema, row)
    if (live) parts.summaries().leaving(tx, schema, row)
    if (purges) {
      deleteRow(tx, schema, id)
      forgetEffectsOn(tx, schema.name, id)
      for (const effect of takeDeleteEffects(tx, id)) {
        // What went into the trash with the record cannot come back without it.
        const other = effect.effect === 'cascade' ? metadata.objectSchema(effect.object) : undefined
        const deleted = other === undefined ? undefined : getRow(tx, other, effect.recordId)
        if (other !== undefined && deleted !== undefined && deleted['deleted_at'] !== null)
          remove(tx, ctx, other, deleted, true, run, depth + 1)
      }
    } else {
      const now = nextVersion(row['updated_at'] as string, clock.now())
      updateRow(tx, schema, id, {
        deleted_at: now,
        deleted_by: ctx.actor.id,
        updated_at: now,
        updated_by: ctx.actor.id,
      })
    }
    if (live) {
      tx.emit(ctx, { type: 'record.deleted', object: schema.name, recordId: id, payload: { record } })
    }
    if (purges) tx.emit(ctx, { type: 'record.purged', object: schema.name, recordId: id, payload: { record: { id } } })
    return { purged: purges, warnings }
  }

  /** Applies each referencing field's delete behaviour: restrict first, so that nothing is done in vain. */
  const releaseReferences = (
    tx: Tx,
    ctx: RequestContext,
    schema: ObjectSchema,
    row: Row,
    purge: boolean,
    run: Run,
    depth: number,
  ): void => {
    const references = incoming(schema.name)
    if (references.length === 0) return
    const id = row['id'] as string
    for (const reference of references) {
      if (reference.behavior === 'restrict') refuseWhenReferenced(tx, ctx, parts.access, reference, schema.name, id)
    }
    for (const reference of references) {
      if (reference.behavior === 'restrict') continue
      const { schema: other, field } = reference
      // Records that point at each other, or at themselves, go together.
      const rows = referencingRows(tx, other, namingOf(field, schema.name, id)).filter(
        (listed) => !run.taken.has(keyOf(other, listed['id'] as string)),
      )
      if (rows.length > 0 && reference.behavior === 'cascade' && depth >= maxCascadeDepth)
        refuseWhenReferenced(tx, ctx, parts.access, reference, schema.name, id)
      for (const listed of rows) {
        const otherId = listed['id'] as string
        // A cascade over another path may have reached the row already.
        const current = getRow(tx, other, otherId)
        if (current === undefined || current['deleted_at'] !== null) continue
        if (reference.behavior === 'cascade') {
          if (!purge)
            addDeleteEffect(tx, run.object, run.id, {
              effect: 'cascade',
              object: other.name,
              recordId: otherId,
              field: '',
            })
          remove(tx, ctx, other, current, purge, run, depth + 1)
        } else {
          if (!purge)
            addDeleteEffect(tx, run.object, id, {
              effect: 'set_null',
              object: other.name,
              recordId: otherId,
              field: field.name,
            })
          clearReference(tx, ctx, reference, current, id)
        }
      }
    }
  }

  /** An ordinary update of the referencing record by the system actor (D-61). */
  const clearReference = (tx: Tx, ctx: RequestContext, reference: IncomingReference, row: Row, id: string): void => {
    const { field } = reference
    const value = field.multiple ? withoutId(row[field.column] as string, id) : null
    writer.update(tx, asSystem(ctx), reference.schema, row, {
      columns: { [field.column]: value },
      fields: [field],
      owner: undefined,
      problems: [],
    })
  }

  const restore = (tx: Tx, ctx: RequestContext, schema: ObjectSchema, row: Row): Written => {
    if (row['deleted_at'] === null) throw platformError('conflict', { reason: 'not_deleted' })
    const id = row['id'] as string
    const written = writer.revive(tx, ctx, schema, row, withoutLostReferences(tx, schema, row))
    for (const effect of takeDeleteEffects(tx, id)) {
      const other = metadata.objectSchema(effect.object)
      const otherRow = other === undefined ? undefined : getRow(tx, other, effect.recordId)
      if (other === undefined || otherRow === undefined) continue
      if (effect.effect === 'cascade') {
        if (otherRow['deleted_at'] !== null) restore(tx, ctx, other, otherRow)
      } else putReferenceBack(tx, ctx, other, otherRow, effect.field, schema.name, id)
    }
    return written
  }

  /** Sets a reference that the deletion had cleared, where nobody gave it another value since (D-61). */
  const putReferenceBack = (
    tx: Tx,
    ctx: RequestContext,
    schema: ObjectSchema,
    row: Row,
    fieldName: string,
    object: string,
    id: string,
  ): void => {
    const field = schema.byName.get(fieldName)
    if (field === undefined || row['deleted_at'] !== null) return
    const present = row[field.column] as string | null
    const value = field.multiple ? withId(present, id) : present === null ? namingOf(field, object, id).value : null
    if (value === null) return
    // Meanwhile the record may have come to stand below the other one.
    if (field.type === 'tree' && closesRing(tx, schema, field, row['id'], id)) return
    const columns = { [field.column]: value }
    writer.update(tx, asSystem(ctx), schema, row, { columns, fields: [field], owner: undefined, problems: [] })
  }

  /**
   * The references of a deleted row that lead nowhere any more, emptied. A record in the trash may come back, so links
   * to it stay; what belongs to a master cannot live without it.
   * @throws conflict when the master is deleted
   */
  const withoutLostReferences = (tx: Tx, schema: ObjectSchema, row: Row): Row => {
    const columns: Row = {}
    for (const field of codecOf(schema).relations) {
      for (const { object, id } of targetsOf(schema, field, row)) {
        const target = metadata.objectSchema(object)
        const found = target === undefined ? undefined : getRow(tx, target, id)
        if (field.type === 'master_detail' && (found === undefined || found['deleted_at'] !== null))
          throw platformError('conflict', { reason: 'master_deleted', field: field.name, object, id })
        const lost = found === undefined || (field.type === 'tree' && closesRing(tx, schema, field, row['id'], id))
        if (lost)
          columns[field.column] = field.multiple
            ? withoutId((columns[field.column] ?? row[field.column]) as string, id)
            : null
      }
    }
    return columns
  }

  return {
    remove: (tx, ctx, schema, row, purge, clearsSearch = false) => {
      if (row['deleted_at'] !== null && !purge) throw notFound('record', row['id'] as string, schema.name)
      const run: Run = { object: schema.name, id: row['id'] as string, taken: new Set(), clearsSearch }
      return remove(tx, ctx, schema, row, purge, run, 0)
    },
    async settled(ctx) {
      const schemas = unsettled.get(ctx)
      if (schemas === undefined) return
      unsettled.delete(ctx)
      for (const schema of schemas) await parts.search()?.clearStale(schema)
    },
    restore,
  }
}

function keyOf(schema: ObjectSchema, id: string): string {
  return `${schema.name}/${id}`
}

/** Tells of what points here only as much as the caller may see. @throws delete_restricted when a live record does */
function refuseWhenReferenced(
  tx: Tx,
  ctx: RequestContext,
  access: RecordAccess,
  reference: IncomingReference,
  object: string,
  id: string,
): void {
  const { schema, field } = reference
  const count = countReferencing(tx, schema, namingOf(field, object, id))
  if (count === 0) return
  const names = { dependentObject: schema.name, dependentField: field.name }
  if (access.isFree(ctx)) throw platformError('delete_restricted', { ...names, dependentCount: count })
  const operand = field.multiple ? [id] : id
  const operator = field.multiple ? '$any' : '$eq'
  const seen = access.countSeen(tx, ctx, schema, { kind: 'condition', path: [field.name], operator, operand })
  const isKnown = seen !== null && access.canRead(ctx, schema, field.name)
  throw platformError('delete_restricted', isKnown ? { ...names, dependentCount: seen } : { dependentCount: 0 })
}

function withoutId(json: string, id: string): string | null {
  const rest = (JSON.parse(json) as string[]).filter((other) => other !== id)
  return rest.length === 0 ? null : JSON.stringify(rest)
}

function withId(json: string | null, id: string): string | null {
  const list = json === null ? [] : (JSON.parse(json) as string[])
  return list.includes(id) ? null : JSON.stringify([...list, id])
}
