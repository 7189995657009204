// How a record passes from one state to the next: its row, the summaries that look at it, its search row and the event,
// each said once for every kind of write. The only place that writes rows of object tables. Judges nothing: whoever writes
// is asked once the row is stored.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Steps, Tx } from '#main/kernel/database.ts'
import type { SearchService } from '#main/plugins/search/api.ts'
import type { PlatformRecord, StateMove } from '../api.ts'
import type { DeleteEffect } from '../store.ts'
import { deleteRow, forgetCascadeOn, forgetEffectsOn, insertRow, takeDeleteEffects, updateRow } from '../store.ts'
import { changesOf } from './changed-values.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'
import type { RecordRules } from './record-rules.ts'
import type { Summaries } from './summaries.ts'

/** Where a record is written, and by whom. */
export interface Place {
  readonly tx: Tx
  readonly ctx: RequestContext
  readonly schema: ObjectSchema
  /** The change of a state that somebody judged already. */
  readonly move?: StateMove | undefined
}

/** Moves records between their states: not there, live, in the trash, gone. */
export interface StoredRows {
  /** The row that a change makes of a stored one, under the marks of a new version; the columns get them too. */
  mark(at: Place, stored: Row, columns: Row): Row
  /** The same with the formulas that follow from the change. */
  next(at: Place, stored: Row, columns: Row): Row
  /**
   * Stores a row, new or changed, live or in the trash, with all that follows.
   * @param stored the row as it is; null for a new record
   * @param columns those that differ from it; of a new record, the row
   * @param judge asked once the row stands among the others; what it throws rolls it back
   * @param told the columns whose change the event tells
   * @returns the record as it is told
   */
  store(at: Place, stored: Row | null, row: Row, columns: Row, judge?: () => void, told?: Row): PlatformRecord
  /**
   * Brings a row back from the trash, its summaries worked out anew.
   * @param given what else changes
   * @param judge as for {@link store}, with the row
   */
  revive(at: Place, stored: Row, given: Row, judge?: (row: Row) => void): { row: Row; record: PlatformRecord }
  /**
   * Removes a row for good.
   * @param later whether its words may leave the search index later, see {@link BulkInput}
   * @param along hears what its deletion had done to others, some of it at a time, before anybody hears that it is gone
   * @returns the record as it is told
   */
  purge(
    at: Place,
    stored: Row,
    later?: boolean,
    along?: (effects: readonly DeleteEffect[]) => Steps<void>,
  ): Steps<PlatformRecord>
  /** Resolves when nothing of what a caller purged is left in a search index; called before the caller is answered. */
  settled(ctx: RequestContext): Promise<void> | undefined
}

/** What moving rows works with. */
export interface StoredRowParts {
  readonly search: () => SearchService | undefined
  readonly clock: Clock
  readonly rules: Pick<RecordRules, 'toRecord' | 'compute'>
  readonly summaries: Summaries
}

/** Makes the mover of rows; one per host. */
export function createStoredRows(parts: StoredRowParts): StoredRows {
  const { clock, rules } = parts
  /** Objects in whose index words of purged records are left for a moment, by who purged them. */
  const unsettled = new WeakMap<RequestContext, Set<ObjectSchema>>()

  const emit = ({ tx, ctx, schema }: Place, type: string, recordId: string, payload: object): void =>
    tx.emit(ctx, { type, object: schema.name, recordId, payload })

  const mark: StoredRows['mark'] = ({ ctx }, stored, columns) => {
    columns['updated_at'] = nextVersion(stored['updated_at'] as string, clock.now())
    columns['updated_by'] = ctx.actor.id
    return { ...stored, ...columns }
  }

  const next: StoredRows['next'] = (at, stored, columns) => {
    const row = mark(at, stored, columns)
    Object.assign(columns, rules.compute(at.schema, row))
    return row
  }

  /** Tells what became of a row. */
  const announce = (at: Place, stored: Row | null, row: Row, told: Row): PlatformRecord => {
    const { schema } = at
    const id = row['id'] as string
    const isLive = row['deleted_at'] === null
    if (stored?.['deleted_at'] === null && !isLive) {
      const record = codecOf(schema).toRecord(stored)
      emit(at, 'record.deleted', id, { record })
      return record
    }
    const record = rules.toRecord(schema, row)
    if (stored === null) {
      emit(at, 'record.created', id, { record })
      if (!isLive) emit(at, 'record.deleted', id, { record: codecOf(schema).toRecord(row) })
      return record
    }
    const changes = changesOf(schema, stored, row, told)
    const isBack = isLive && stored['deleted_at'] !== null
    // A record may come back without references that lead nowhere any more.
    const payload = isBack && Object.keys(changes).length === 0 ? { record } : { record, changes }
    emit(at, isBack ? 'record.restored' : 'record.updated', id, payload)
    return record
  }

  const store: StoredRows['store'] = (at, stored, row, columns, judge, told = columns) => {
    const { tx, schema } = at
    const summaries = parts.summaries
    const search = parts.search()
    const wasLive = stored?.['deleted_at'] === null
    const isLive = row['deleted_at'] === null
    if (wasLive && !isLive) search?.hide(tx, schema, stored)
    if (wasLive) summaries.leaving(tx, schema, stored, isLive ? columns : undefined)
    if (stored === null) insertRow(tx, schema, row)
    else updateRow(tx, schema, stored['id'] as string, columns)
    judge?.()
    if (isLive) {
      summaries.entering(tx, schema, row, wasLive ? columns : undefined)
      if (stored === null) search?.add(tx, schema, row)
      else if (wasLive) search?.change(tx, schema, stored, row)
      else search?.show(tx, schema, row)
    }
    return announce(at, stored, row, told)
  }

  return {
    mark,
    next,
    store,
    revive(at, stored, given, judge) {
      const renewed = parts.summaries.renewed(at.tx, at.schema, stored['id'] as string)
      const columns: Row = { ...given, ...renewed, deleted_at: null, deleted_by: null }
      const row = next(at, stored, columns)
      // From here on it is nobody's cascade: another deletion of it is one of its own.
      forgetCascadeOn(at.tx, at.schema.name, stored['id'] as string)
      return { row, record: store(at, stored, row, columns, () => judge?.(row), given) }
    },
    *purge(at, stored, later, along) {
      const { tx, ctx, schema } = at
      const id = stored['id'] as string
      const isLive = stored['deleted_at'] === null
      // Before the row goes: its number is the key of its search row.
      if (parts.search()?.remove(tx, schema, stored, later) === true)
        unsettled.set(ctx, (unsettled.get(ctx) ?? new Set()).add(schema))
      if (isLive) parts.summaries.leaving(tx, schema, stored)
      deleteRow(tx, schema, id)
      forgetEffectsOn(tx, schema.name, id)
      for (const effects of takeDeleteEffects(tx, id)) {
        if (along !== undefined) yield* along(effects)
        yield
      }
      const record = isLive ? codecOf(schema).toRecord(stored) : { id }
      if (isLive) emit(at, 'record.deleted', id, { record })
      emit(at, 'record.purged', id, { record: { id } })
      return record
    },
    settled(ctx) {
      const schemas = unsettled.get(ctx)
      if (schemas === undefined) return undefined
      unsettled.delete(ctx)
      return (async () => {
        for (const schema of schemas) await parts.search()?.clearStale(schema)
      })()
    },
  }
}

/** The next `updated_at` of a record: now, or one millisecond after the previous one (D-56). */
export function nextVersion(previous: string, nowMs: number): string {
  return new Date(Math.max(nowMs, Date.parse(previous) + 1)).toISOString()
}
