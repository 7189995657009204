// The door through which changes made on other machines reach rows (sync.md 5, 7, 10). They were judged where they were
// made: nothing refuses them here, nothing follows from them but what is computed, and what is wrong with them is told.
import { notFound, validationError } from '#shared/errors.ts'
import type { ParseEnv } from '#shared/field-types/field-type.ts'
import { parseInstant, formatInstant } from '#shared/calendar/iso.ts'
import { parseUuid } from '#shared/field-types/uuid.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { findUniqueClash } from '#main/database/query/unique-clash.ts'
import type { SearchService } from '#main/plugins/search/api.ts'
import type { DataService, PlatformRecord, RemoteChange, RemoteOutcome } from '../api.ts'
import {
  deleteRow,
  forgetEffectsOn,
  getRow,
  idsBeginning,
  insertRow,
  takeDeleteEffects,
  updateRow,
  lastRows,
} from '../store.ts'
import type { ValueChanges } from './changed-values.ts'
import { changesOf, differing } from './changed-values.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'
import type { RecordNumbers } from './numbering.ts'
import { isProvisional, provisionalBeginning } from './numbering.ts'
import type { FindingParts } from './remote-findings.ts'
import type { TrashedRecord } from './remote-cascades.ts'
import { noteCascades } from './remote-cascades.ts'
import { findingsOf, hasRelations, noFindings, relationsOf, strandedBy } from './remote-findings.ts'
import { emptyRow, remoteColumns } from './remote-values.ts'
import type { RecordRules } from './record-rules.ts'
import type { Summaries } from './summaries.ts'
import { nextVersion } from './versions.ts'

/** The operations for peers' changes. */
export type RemoteWrites = Pick<
  DataService,
  | 'applyRemote'
  | 'applyGroup'
  | 'detailsOf'
  | 'relationsOf'
  | 'wholeRecords'
  | 'setNumbering'
  | 'issueNumbers'
  | 'awaitingNumbers'
>

/** What they work with. */
export interface RemoteWriteParts extends FindingParts {
  readonly rules: RecordRules
  readonly search: () => SearchService | undefined
  readonly clock: Clock
  readonly numbers: RecordNumbers
  readonly summaries: () => Summaries
  /** The world values are read in. */
  readonly parseEnv: () => ParseEnv
}

/** A record that is being written: what every step needs. */
interface Place {
  readonly tx: Tx
  readonly ctx: RequestContext
  readonly schema: ObjectSchema
  readonly id: string
}

type Step = Omit<RemoteOutcome, 'refused'>

const unchanged: Step = Object.freeze({ changed: false, ...noFindings })
const hidden: Step = Object.freeze({ changed: true, ...noFindings })

/** Makes the operations. */
export function createRemoteWrites(parts: RemoteWriteParts): RemoteWrites {
  const { metadata, rules, clock, numbers } = parts
  /** What the group under way has put into the trash. */
  const groups = new WeakMap<Tx, TrashedRecord[]>()

  const schemaOf = (object: string): ObjectSchema => {
    const schema = metadata.objectSchema(object)
    if (schema === undefined || schema.abstract) throw notFound('object', object)
    return schema
  }

  const inScope = <T>(tx: Tx, ctx: RequestContext, fn: () => T): T => {
    const summaries = parts.summaries()
    return summaries.isOpen(tx) ? fn() : summaries.scope(tx, ctx, fn).value
  }

  const emit = ({ tx, ctx, schema, id }: Place, type: string, payload: object): void =>
    tx.emit(ctx, { type, object: schema.name, recordId: id, payload })

  /** The marks of a new version, in the row and its columns. */
  const mark = (ctx: RequestContext, stored: Row, columns: Row): Row => {
    columns['updated_at'] = nextVersion(stored['updated_at'] as string, clock.now())
    columns['updated_by'] = ctx.actor.id
    return { ...stored, ...columns }
  }

  /** Follows numbers that another machine issued. */
  const noteNumbers = (tx: Tx, schema: ObjectSchema, columns: Row): void => {
    for (const field of codecOf(schema).autonumbers) {
      const text = columns[field.column]
      if (typeof text === 'string') numbers.seen(tx, schema, field, text)
    }
  }

  const insert = (place: Place, change: RemoteChange, columns: Row): Step => {
    const { tx, ctx, schema, id } = place
    const now = clock.iso()
    const row: Row = { ...emptyRow(schema), ...columns }
    row['id'] = id
    row['created_at'] = instantOr(change.created?.at, now)
    row['created_by'] = personOr(change.created?.by, ctx.actor)
    row['updated_at'] = now
    row['updated_by'] = ctx.actor.id
    row['owner'] = personOr(change.owner, { id: row['created_by'] })
    if (change.deleted) Object.assign(row, deletionOf(change.deleted, ctx, now))
    // Children may have arrived before it.
    Object.assign(row, parts.summaries().renewed(tx, schema, id))
    rules.compute(schema, row)
    insertRow(tx, schema, row)
    noteNumbers(tx, schema, row)
    if (row['deleted_at'] === null) {
      parts.summaries().entering(tx, schema, row)
      parts.search()?.add(tx, schema, row)
    }
    emit(place, 'record.created', { record: rules.toRecord(schema, row) })
    if (row['deleted_at'] === null)
      return { changed: true, ...findingsOf(parts, tx, ctx, { schema, row, stored: null, columns: row }) }
    emit(place, 'record.deleted', { record: codecOf(schema).toRecord(row) })
    return departed(place)
  }

  /** Stores values of a row that stays where it is, live or in the trash. */
  const change = (place: Place, stored: Row, columns: Row): Row => {
    const { tx, ctx, schema, id } = place
    const row = mark(ctx, stored, columns)
    Object.assign(columns, rules.compute(schema, row))
    if (row['deleted_at'] === null) {
      const summaries = parts.summaries()
      summaries.leaving(tx, schema, stored, columns)
      updateRow(tx, schema, id, columns)
      summaries.entering(tx, schema, row, columns)
      parts.search()?.change(tx, schema, stored, row)
    } else updateRow(tx, schema, id, columns)
    const changes = withoutMarks(changesOf(schema, stored, row, columns))
    emit(place, 'record.updated', { record: rules.toRecord(schema, row), changes })
    return row
  }

  const trash = (place: Place, stored: Row, deleted: { readonly at: string; readonly by: string }): void => {
    const { tx, ctx, schema, id } = place
    const record = codecOf(schema).toRecord(stored)
    parts.search()?.hide(tx, schema, stored)
    parts.summaries().leaving(tx, schema, stored)
    const columns: Row = {}
    mark(ctx, stored, columns)
    updateRow(tx, schema, id, { ...columns, ...deletionOf(deleted, ctx, clock.iso()) })
    groups.get(tx)?.push({ schema, row: stored })
    emit(place, 'record.deleted', { record })
  }

  const revive = (place: Place, stored: Row, given: Row): Row => {
    const { tx, ctx, schema, id } = place
    const columns: Row = { ...given, ...parts.summaries().renewed(tx, schema, id), deleted_at: null, deleted_by: null }
    const row = mark(ctx, stored, columns)
    Object.assign(columns, rules.compute(schema, row))
    updateRow(tx, schema, id, columns)
    // What the deletion did elsewhere is undone by whoever restored the record.
    takeDeleteEffects(tx, id)
    const trashed = groups.get(tx)
    const at = trashed?.findIndex(({ row: gone }) => gone['id'] === id) ?? -1
    if (at !== -1) trashed!.splice(at, 1)
    parts.summaries().entering(tx, schema, row)
    parts.search()?.show(tx, schema, row)
    const record: PlatformRecord = rules.toRecord(schema, row)
    const changes = changesOf(schema, stored, row, given)
    emit(place, 'record.restored', Object.keys(changes).length === 0 ? { record } : { record, changes })
    return row
  }

  const purge = (place: Place, stored: Row): void => {
    const { tx, schema, id } = place
    const live = stored['deleted_at'] === null
    const record = codecOf(schema).toRecord(stored)
    parts.search()?.remove(tx, schema, stored)
    if (live) parts.summaries().leaving(tx, schema, stored)
    deleteRow(tx, schema, id)
    forgetEffectsOn(tx, schema.name, id)
    takeDeleteEffects(tx, id)
    if (live) emit(place, 'record.deleted', { record })
    emit(place, 'record.purged', { record: { id } })
  }

  const departed = ({ tx, schema, id }: Place): Step => ({
    ...hidden,
    stranded: strandedBy(parts, tx, schema.name, id),
  })

  const update = (place: Place, given: RemoteChange, stored: Row, columns: Row): Step => {
    const { tx, ctx, schema } = place
    const owner = given.owner === undefined ? stored['owner'] : personOr(given.owner, { id: stored['owner']! })
    if (owner !== stored['owner']) columns['owner'] = owner ?? null
    const changed = differing(stored, columns)
    const isLive = stored['deleted_at'] === null
    const some = Object.keys(changed).length > 0
    noteNumbers(tx, schema, changed)
    if (given.deleted === null && !isLive) {
      const row = revive(place, stored, changed)
      return { changed: true, ...findingsOf(parts, tx, ctx, { schema, row, stored: null, columns: row }) }
    }
    if (given.deleted && isLive) {
      trash(place, some ? change(place, stored, changed) : stored, given.deleted)
      return departed(place)
    }
    if (given.deleted) {
      const marks = differing(stored, deletionOf(given.deleted, ctx, stored['deleted_at'] as string))
      if (!some && Object.keys(marks).length === 0) return unchanged
      change(place, stored, { ...changed, ...marks })
      return hidden
    }
    if (!some) return unchanged
    const row = change(place, stored, changed)
    if (!isLive) return hidden
    return { changed: true, ...findingsOf(parts, tx, ctx, { schema, row, stored, columns: changed }) }
  }

  return {
    wholeRecords: (reads, schema, { below, limit }) =>
      lastRows(reads, schema, below, limit).map((row) => {
        const {
          id,
          deleted_at: at,
          deleted_by: by,
        } = row as { id: string; deleted_at: string | null; deleted_by: string | null }
        return { id, record: codecOf(schema).toRecord(row), deleted: at === null ? null : { at, by: by ?? '' } }
      }),

    applyRemote(tx, given, change) {
      const ctx = remoteContext(given)
      const schema = schemaOf(change.object)
      const id = requireId(change.id)
      const place: Place = { tx, ctx, schema, id }
      const stored = getRow(tx, schema, id)
      if (change.purged === true) {
        if (stored === undefined) return { ...unchanged, refused: [] }
        inScope(tx, ctx, () => purge(place, stored))
        return { ...(stored['deleted_at'] === null ? departed(place) : hidden), refused: [] }
      }
      const { columns, refused } = remoteColumns(schema, change.values, parts.parseEnv(), change.convert)
      const step = inScope(tx, ctx, () =>
        stored === undefined ? insert(place, change, columns) : update(place, change, stored, columns),
      )
      return { ...step, refused }
    },

    relationsOf(tx, { object, id }) {
      const schema = schemaOf(object)
      if (!hasRelations(parts, schema)) return null
      const row = getRow(tx, schema, id)
      return row === undefined || row['deleted_at'] !== null ? null : relationsOf(parts, tx, schema, row)
    },

    detailsOf: (tx, { object, id }) =>
      strandedBy(parts, tx, schemaOf(object).name, id).map((detail) => ({ object: detail.object, id: detail.id })),

    applyGroup(tx, ctx, fn) {
      const outer = groups.get(tx)
      const trashed: TrashedRecord[] = []
      groups.set(tx, trashed)
      try {
        const { value } = parts.summaries().scope(tx, remoteContext(ctx), fn)
        noteCascades(tx, trashed)
        return value
      } finally {
        if (outer === undefined) groups.delete(tx)
        else groups.set(tx, outer)
      }
    },

    setNumbering: (numbering) => numbers.set(numbering),

    awaitingNumbers(reads, schema, range) {
      const columns = codecOf(schema).autonumbers.map(({ column }) => column)
      return idsBeginning(reads, schema, { columns, beginning: provisionalBeginning, ...range })
    },

    issueNumbers(tx, ctx, { object, id: given }) {
      const schema = schemaOf(object)
      const id = parseUuid(given)
      const stored = id === null ? undefined : getRow(tx, schema, id)
      if (id === null || stored === undefined) return false
      const columns: Row = {}
      for (const field of codecOf(schema).autonumbers) {
        if (!isProvisional(stored[field.column])) continue
        let text = numbers.issue(tx, schema, field)
        // A number that somebody else wrote in another format may be taken.
        while (field.unique && isTaken(tx, schema, field.name, text)) text = numbers.issue(tx, schema, field)
        columns[field.column] = text
      }
      if (Object.keys(columns).length === 0) return false
      inScope(tx, ctx, () => change({ tx, ctx, schema, id }, stored, columns))
      return true
    },
  }

  function isTaken(tx: Tx, schema: ObjectSchema, name: string, text: string): boolean {
    const rule = { fields: [schema.byName.get(name)!], where: null }
    // A number is that of one record of the object, whatever organization it belongs to.
    const { recordOrganization: _apart, ...env } = parts.queryEnv()
    const clash = findUniqueClash(schema, rule, { [name]: text }, null, env)
    return clash !== null && tx.get(clash) !== undefined
  }
}

/** Triggers and hooks ran where the change was made. */
function remoteContext(ctx: RequestContext): RequestContext {
  if (ctx.source === 'sync' && ctx.runAutomations === false) return ctx
  return { ...ctx, source: 'sync', runAutomations: false }
}

/** @throws validation_error for a text that is no id */
function requireId(given: string): string {
  const id = parseUuid(given)
  if (id !== null) return id
  throw validationError([{ field: 'id', code: 'invalid_uuid', message: 'The id is not a UUID.', value: given }])
}

function deletionOf(
  deleted: { readonly at: string; readonly by: string },
  ctx: RequestContext,
  otherwise: string,
): { deleted_at: string; deleted_by: string } {
  return { deleted_at: instantOr(deleted.at, otherwise), deleted_by: personOr(deleted.by, ctx.actor) }
}

/** An instant as columns hold it; `otherwise` for what is none. */
function instantOr(given: unknown, otherwise: string): string {
  const ms = typeof given === 'string' ? parseInstant(given, 'UTC') : null
  return ms === null ? otherwise : formatInstant(ms)
}

/** An actor's id as columns hold it; the other one's for what is none. */
function personOr(given: unknown, { id }: { readonly id: string | number | Uint8Array | null }): string {
  if (typeof given === 'string' && /^[A-Za-z0-9_.:-]{1,128}$/.test(given)) return given
  return String(id)
}

/** When and by whom a record was deleted is no part of it. */
function withoutMarks(changes: ValueChanges): ValueChanges {
  const { deleted_at: _at, deleted_by: _by, ...rest } = changes
  return rest
}
