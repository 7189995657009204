// Deletes, purges and restores one record with everything that hangs on it (D-57 to D-61). Synchronous, inside a
// transaction; undoing a deletion undoes what it did to others where nobody changed them since.
import { notFound, platformError } from '#shared/errors.ts'
import type { PlatformError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { asSystem } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Steps, Tx } from '#main/kernel/database.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { PlatformRecord, RecordLocks } from '../api.ts'
import { addDeleteEffect, countReferencing, getRow, referencingIds, takeDeleteEffects } from '../store.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'
import { closesRing, targetsOf } from './reference-checks.ts'
import type { RecordAccess } from './record-access.ts'
import type { RecordRules } from './record-rules.ts'
import type { IncomingReference, IncomingReferences } from './references.ts'
import { namingOf } from './references.ts'
import type { Place, StoredRows } from './stored-rows.ts'
import { requireUnlocked } from './write-parts.ts'
import type { RecordWriter, Written } from './writer.ts'

/** A chain of cascades may be this long (D-61). */
const maxCascadeDepth = 10

/** Records one transaction may delete or release from references: whoever else writes waits for it (D-61). */
const maxReached = 100_000

/** Deletes and restores records; one per host. */
export interface RecordDeletion {
  /**
   * Deletes softly when the object keeps a trash, else for good.
   * @param clearsSearch see {@link BulkInput}; of the record alone, not of what goes with it
   * @returns the record as it was
   * @throws delete_restricted, resource_not_found
   */
  remove(at: Place, row: Row, purge: boolean, clearsSearch?: boolean): Steps<Written>
  /** @throws conflict when the record is live or a unique value was taken meanwhile */
  restore(at: Place, row: Row): Steps<Written>
}

/** What deletion works with. */
export interface DeletionParts {
  readonly metadata: MetadataService
  readonly incoming: IncomingReferences
  readonly writer: RecordWriter
  readonly rows: StoredRows
  readonly rules: RecordRules
  readonly access: RecordAccess
  locks(): RecordLocks | undefined
}

/** One deletion: the record it began with, and every record it has taken in so far. */
interface Run {
  readonly object: string
  readonly id: string
  readonly purge: boolean
  readonly taken: Set<string>
  /** Whether the words of the record it began with may leave the search index later. */
  readonly clearsSearch: boolean
}

/** Makes the deletion service. */
export function createRecordDeletion(parts: DeletionParts): RecordDeletion {
  const { metadata, incoming, writer, rows, access } = parts
  /** Records that deletions of a transaction have met so far. */
  const reached = new WeakMap<Tx, number>()

  /** @throws delete_restricted when a deletion meets more than one transaction may */
  const reach = ({ tx, ctx }: Place, more: number, reference: IncomingReference, all: number): void => {
    const met = reached.get(tx) ?? 0
    if (met + all > maxReached) throw tooMany(access, ctx, reference, all)
    reached.set(tx, met + more)
  }

  const remove = function* (at: Place, row: Row, run: Run, depth: number): Steps<Written> {
    const { ctx, schema } = at
    // Whoever names a record was asked at the door; what goes with it is met here.
    if (depth > 0) requireUnlocked(parts, at.tx, ctx, schema, row)
    const id = row['id'] as string
    const live = row['deleted_at'] === null
    run.taken.add(keyOf(schema, id))
    const warnings = live ? parts.rules.checkDelete(ctx, schema, row) : []
    if (live) yield* releaseReferences(at, row, run, depth)
    const purges = run.purge || !schema.enable.trash
    const record = purges ? yield* purge(at, row, run, depth) : trash(at, row)
    return { id, record, before: row, changed: live, warnings }
  }

  const trash = (at: Place, row: Row): PlatformRecord => {
    const columns: Row = { deleted_by: at.ctx.actor.id }
    const trashed = rows.mark(at, row, columns)
    trashed['deleted_at'] = columns['deleted_at'] = columns['updated_at']!
    return rows.store(at, row, trashed, columns)
  }

  const purge = (at: Place, row: Row, run: Run, depth: number): Steps<PlatformRecord> =>
    rows.purge(at, row, depth === 0 && run.clearsSearch, function* (effects) {
      for (const { effect, object, recordId } of effects) {
        // What went into the trash with the record cannot come back without it.
        const schema = effect === 'cascade' ? metadata.objectSchema(object) : undefined
        const deleted = schema === undefined ? undefined : getRow(at.tx, schema, recordId)
        if (schema !== undefined && deleted !== undefined && deleted['deleted_at'] !== null)
          yield* remove({ ...at, schema }, deleted, { ...run, purge: true }, depth + 1)
        yield
      }
    })

  /** Applies each referencing field's delete behaviour: restrict first, so that nothing is done in vain. */
  const releaseReferences = function* (at: Place, row: Row, run: Run, depth: number): Steps<void> {
    const { tx, ctx, schema } = at
    const references = incoming(schema.name)
    if (references.length === 0) return
    const id = row['id'] as string
    for (const reference of references) {
      if (reference.behavior === 'restrict') refuseWhenReferenced(at, access, reference, id)
    }
    for (const reference of references) {
      if (reference.behavior === 'restrict') continue
      const { schema: other, field } = reference
      const naming = namingOf(field, schema.name, id)
      let isFirst = true
      for (const ids of referencingIds(tx, other, naming)) {
        // Records that point at each other, or at themselves, go together.
        const pointing = ids.filter((otherId) => !run.taken.has(keyOf(other, otherId)))
        if (pointing.length > 0 && reference.behavior === 'cascade' && depth >= maxCascadeDepth)
          refuseWhenReferenced(at, access, reference, id)
        // Counted before the first of many is written.
        const all = isFirst && ids.length > 1 ? countReferencing(tx, other, naming) : pointing.length
        reach(at, pointing.length, reference, all)
        isFirst = false
        for (const otherId of pointing) {
          // A cascade over another path may have reached the row already.
          const current = getRow(tx, other, otherId)
          if (current === undefined || current['deleted_at'] !== null) continue
          const cascades = reference.behavior === 'cascade'
          if (!run.purge)
            addDeleteEffect(tx, run.object, cascades ? run.id : id, {
              effect: cascades ? 'cascade' : 'set_null',
              object: other.name,
              recordId: otherId,
              field: cascades ? '' : field.name,
            })
          const place = { tx, ctx, schema: other }
          if (cascades) yield* remove(place, current, run, depth + 1)
          else {
            const rest = field.multiple ? withoutId(current[field.column] as string, id) : null
            setReference(place, current, field, rest)
          }
          yield
        }
        yield
      }
    }
  }

  /** An ordinary update of the referencing record by the system actor (D-61). */
  const setReference = (at: Place, row: Row, field: FieldSchema, value: string | null): void => {
    const prepared = { columns: { [field.column]: value }, owner: undefined, problems: [] }
    writer.update({ ...at, ctx: asSystem(at.ctx) }, row, prepared)
  }

  const restore = function* (at: Place, row: Row): Steps<Written> {
    const { tx, ctx, schema } = at
    if (row['deleted_at'] === null) throw platformError('conflict', { reason: 'not_deleted' })
    const id = row['id'] as string
    const written = writer.revive(at, row, withoutLostReferences(tx, schema, row))
    for (const effects of takeDeleteEffects(tx, id)) {
      for (const effect of effects) {
        yield
        const other = metadata.objectSchema(effect.object)
        const otherRow = other === undefined ? undefined : getRow(tx, other, effect.recordId)
        if (other === undefined || otherRow === undefined) continue
        const place = { tx, ctx, schema: other }
        if (effect.effect !== 'cascade') putReferenceBack(place, otherRow, effect.field, schema.name, id)
        else if (otherRow['deleted_at'] !== null) yield* restore(place, otherRow)
      }
    }
    return written
  }

  /** Sets a reference that the deletion had cleared, where nobody gave it another value since (D-61). */
  const putReferenceBack = (at: Place, row: Row, fieldName: string, object: string, id: string): void => {
    const { tx, schema } = at
    const field = schema.byName.get(fieldName)
    if (field === undefined || row['deleted_at'] !== null) return
    const present = row[field.column] as string | null
    const value = field.multiple ? withId(present, id) : present === null ? namingOf(field, object, id).value : null
    if (value === null) return
    // Meanwhile the record may have come to stand below the other one.
    if (field.type === 'tree' && closesRing(tx, schema, field, row['id'], id)) return
    setReference(at, row, field, value)
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
    *remove(at, row, purge, clearsSearch = false) {
      const id = row['id'] as string
      if (row['deleted_at'] !== null && !purge) throw notFound('record', id, at.schema.name)
      const met = reached.get(at.tx) ?? 0
      try {
        return yield* remove(at, row, { object: at.schema.name, id, purge, taken: new Set(), clearsSearch }, 0)
      } catch (error) {
        // What is rolled back counts no more.
        reached.set(at.tx, met)
        throw error
      }
    },
    restore,
  }
}

function keyOf(schema: ObjectSchema, id: string): string {
  return `${schema.name}/${id}`
}

/** The refusal of a deletion that meets too many records; how many there are is told to those who see all of them. */
function tooMany(
  access: RecordAccess,
  ctx: RequestContext,
  { schema, field }: IncomingReference,
  count: number,
): PlatformError {
  const known = access.isFree(ctx)
    ? { dependentObject: schema.name, dependentField: field.name, dependentCount: count }
    : { dependentCount: 0 }
  return platformError('delete_restricted', { reason: 'too_many_records', limit: maxReached, ...known })
}

/** Tells of what points here only as much as the caller may see. @throws delete_restricted when a live record does */
function refuseWhenReferenced(
  { tx, ctx, schema: named }: Place,
  access: RecordAccess,
  { schema, field }: IncomingReference,
  id: string,
): void {
  const count = countReferencing(tx, schema, namingOf(field, named.name, id))
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
