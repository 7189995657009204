// The door through which changes made on other machines reach rows (sync.md 5, 7, 10). They were judged where they were
// made: nothing refuses them here, nothing follows from them but what is computed, and what is wrong with them is told.
import { notFound } from '#shared/errors.ts'
import type { ParseEnv } from '#shared/field-types/field-type.ts'
import { parseInstant, formatInstant } from '#shared/calendar/iso.ts'
import { parseUuid } from '#shared/field-types/uuid.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { runSteps } from '#main/kernel/database.ts'
import { findUniqueClash } from '#main/database/query/unique-clash.ts'
import type { DataService, RemoteChange, RemoteOutcome } from '../api.ts'
import { getRow, idsBeginning, lastRows, forgetEffectsOf } from '../store.ts'
import { differing } from './changed-values.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'
import type { RecordNumbers } from './numbering.ts'
import { isProvisional, provisionalBeginning } from './numbering.ts'
import { brokenLimit } from './field-limits.ts'
import type { FindingParts } from './remote-findings.ts'
import type { TrashedRecord } from './remote-cascades.ts'
import { noteCascades } from './remote-cascades.ts'
import { findingsOf, hasRelations, noFindings, relationsOf, strandedBy } from './remote-findings.ts'
import { emptyRow, remoteColumns } from './remote-values.ts'
import type { RecordRules } from './record-rules.ts'
import type { Place, StoredRows } from './stored-rows.ts'
import type { Summaries } from './summaries.ts'
import { oneStep } from './summaries.ts'
import { requireId } from './write-parts.ts'

/** The operations for peers' changes. */
export type RemoteWrites = Pick<
  DataService,
  | 'applyRemote'
  | 'applyGroup'
  | 'applyGroupSteps'
  | 'detailsOf'
  | 'relationsOf'
  | 'brokenLimit'
  | 'wholeRecords'
  | 'setNumbering'
  | 'issueNumbers'
  | 'awaitingNumbers'
>

/** What they work with. */
export interface RemoteWriteParts extends FindingParts {
  readonly rules: RecordRules
  readonly rows: StoredRows
  readonly clock: Clock
  readonly numbers: RecordNumbers
  readonly summaries: Summaries
  /** The world values are read in. */
  readonly parseEnv: () => ParseEnv
}

type Step = Omit<RemoteOutcome, 'refused'>

const unchanged: Step = Object.freeze({ changed: false, ...noFindings })
const hidden: Step = Object.freeze({ changed: true, ...noFindings })

/** Makes the operations. */
export function createRemoteWrites(parts: RemoteWriteParts): RemoteWrites {
  const { metadata, rules, clock, numbers, rows, summaries } = parts
  /** What the group under way has put into the trash. */
  const groups = new WeakMap<Tx, TrashedRecord[]>()

  const schemaOf = (object: string): ObjectSchema => {
    const schema = metadata.objectSchema(object)
    if (schema === undefined || schema.abstract) throw notFound('object', object)
    return schema
  }

  const inScope = <T>(tx: Tx, ctx: RequestContext, fn: () => T): T =>
    summaries.isOpen(tx) ? fn() : summaries.scope(tx, ctx, fn).value

  /** Follows numbers that another machine issued. */
  const noteNumbers = ({ tx, schema }: Place, columns: Row): void => {
    for (const field of codecOf(schema).autonumbers) {
      const text = columns[field.column]
      if (typeof text === 'string') numbers.seen(tx, schema, field, text)
    }
  }

  /** Notes what is wrong with a record that is stored: it refuses nothing. */
  const noted = (at: Place, row: Row, stored: Row | null, columns: Row): Step => {
    if (row['deleted_at'] === null) return { changed: true, ...findingsOf(parts, at, { row, stored, columns }) }
    return stored === null || stored['deleted_at'] === null ? departed(at, row) : hidden
  }

  const departed = ({ tx, schema }: Place, { id }: Row): Step => ({
    ...hidden,
    stranded: strandedBy(parts, tx, schema.name, id as string),
  })

  const insert = (at: Place, id: string, change: RemoteChange, columns: Row): Step => {
    const { tx, ctx, schema } = at
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
    Object.assign(row, summaries.renewed(tx, schema, id))
    rules.compute(schema, row)
    noteNumbers(at, row)
    rows.store(at, null, row, row)
    return noted(at, row, null, row)
  }

  /** Stores values of a row that stays where it is, live or in the trash. */
  const change = (at: Place, stored: Row, columns: Row): Row => {
    const row = rows.next(at, stored, columns)
    rows.store(at, stored, row, columns)
    return row
  }

  const trash = (at: Place, stored: Row, deleted: { readonly at: string; readonly by: string }): Row => {
    const columns: Row = deletionOf(deleted, at.ctx, clock.iso())
    const row = rows.mark(at, stored, columns)
    rows.store(at, stored, row, columns)
    groups.get(at.tx)?.push({ schema: at.schema, row: stored })
    return row
  }

  const revive = (at: Place, stored: Row, given: Row): Row => {
    const { row } = rows.revive(at, stored, given)
    // What the deletion did elsewhere is undone by whoever restored the record.
    forgetEffectsOf(at.tx, row['id'] as string)
    const trashed = groups.get(at.tx)
    const position = trashed?.findIndex(({ row: gone }) => gone['id'] === row['id']) ?? -1
    if (position !== -1) trashed!.splice(position, 1)
    return row
  }

  const update = (at: Place, given: RemoteChange, stored: Row, columns: Row): Step => {
    const { ctx } = at
    const owner = given.owner === undefined ? stored['owner'] : personOr(given.owner, { id: stored['owner']! })
    if (owner !== stored['owner']) columns['owner'] = owner ?? null
    const isLive = stored['deleted_at'] === null
    // Of one that is in the trash already, the marks follow like any value.
    if (given.deleted && !isLive) Object.assign(columns, deletionOf(given.deleted, ctx, stored['deleted_at'] as string))
    const changed = differing(stored, columns)
    noteNumbers(at, changed)
    if (given.deleted === null && !isLive) {
      const row = revive(at, stored, changed)
      return noted(at, row, null, row)
    }
    const some = Object.keys(changed).length > 0
    if (given.deleted && isLive)
      return noted(at, trash(at, some ? change(at, stored, changed) : stored, given.deleted), stored, changed)
    return some ? noted(at, change(at, stored, changed), stored, changed) : unchanged
  }

  const applyGroupSteps: RemoteWrites['applyGroupSteps'] = function* (tx, ctx, fn) {
    const outer = groups.get(tx)
    const trashed: TrashedRecord[] = []
    groups.set(tx, trashed)
    try {
      const { value } = yield* summaries.scopeSteps(tx, remoteContext(ctx), fn)
      noteCascades(tx, trashed)
      return value
    } finally {
      if (outer === undefined) groups.delete(tx)
      else groups.set(tx, outer)
    }
  }

  return {
    wholeRecords: (reads, schema, { below, limit }) =>
      lastRows(reads, schema, below, limit).map((row) => {
        const { id, deleted_at: at, deleted_by: by } = row as Record<string, string | null>
        const deleted = at == null ? null : { at, by: by ?? '' }
        return { id: id!, record: codecOf(schema).toRecord(row), deleted }
      }),

    applyRemote(tx, given, change) {
      const ctx = remoteContext(given)
      const schema = schemaOf(change.object)
      const id = requireId(change.id)
      const at: Place = { tx, ctx, schema }
      const stored = getRow(tx, schema, id)
      if (change.purged === true) {
        if (stored === undefined) return { ...unchanged, refused: [] }
        inScope(tx, ctx, () => runSteps(rows.purge(at, stored)))
        return { ...(stored['deleted_at'] === null ? departed(at, stored) : hidden), refused: [] }
      }
      const { columns, refused } = remoteColumns(schema, change.values, parts.parseEnv(), change.convert)
      const step = inScope(tx, ctx, () =>
        stored === undefined ? insert(at, id, change, columns) : update(at, change, stored, columns),
      )
      return { ...step, refused }
    },

    relationsOf(tx, { object, id }) {
      const schema = schemaOf(object)
      if (!hasRelations(parts, schema)) return null
      const row = getRow(tx, schema, id)
      return row === undefined || row['deleted_at'] !== null ? null : relationsOf(parts, tx, schema, row)
    },

    brokenLimit(object, name, limit, value) {
      const field = schemaOf(object).byName.get(name)
      return field === undefined ? null : brokenLimit(field, limit, value, parts.parseEnv())
    },

    detailsOf: (tx, { object, id }) =>
      strandedBy(parts, tx, schemaOf(object).name, id).map((detail) => ({ object: detail.object, id: detail.id })),

    applyGroup: (tx, ctx, fn) => runSteps(applyGroupSteps(tx, ctx, () => oneStep(fn))),
    applyGroupSteps,

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
      inScope(tx, ctx, () => change({ tx, ctx, schema }, stored, columns))
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
