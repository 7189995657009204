// Writes one record inside a transaction: references, uniqueness, numbers, row, search rows, event. The only place
// beside the door of remote changes that inserts or updates rows of object tables. Everything here is synchronous.
import { PlatformError, platformError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { asSystem } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import { uniqueRules } from '#main/database/query/unique-clash.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { SearchService } from '#main/plugins/search/api.ts'
import type { PlatformRecord } from '../api.ts'
import { getRow, insertRow, updateRow } from '../store.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'
import { changesOf, differing, touches } from './changed-values.ts'
import type { RecordNumbers } from './numbering.ts'
import type { Faults } from './faults.ts'
import { createFaults } from './faults.ts'
import type { PreparedCreate, PreparedUpdate } from './prepare.ts'
import { checkReferences } from './reference-checks.ts'
import type { RecordAccess } from './record-access.ts'
import type { RecordRules, RuleWarning } from './record-rules.ts'
import type { Summaries } from './summaries.ts'
import { clashesOf } from './unique-clashes.ts'
import { nextVersion } from './versions.ts'

/** What a write answers. */
export interface Written {
  readonly id: string
  readonly record: PlatformRecord
  /** The row before the write; null for a new record. */
  readonly before: Row | null
  /** False when the write changed nothing (D-56). */
  readonly changed: boolean
  /** What validation rules had to say without refusing (D-96). */
  readonly warnings: readonly RuleWarning[]
}

/** Writes records; one per host. */
export interface RecordWriter {
  /** @throws conflict for a taken id or unique value, validation_error for a missing reference */
  create(tx: Tx, ctx: RequestContext, schema: ObjectSchema, prepared: PreparedCreate): Written
  /**
   * Stores changed columns; a change that changes nothing writes nothing and raises no event (D-56).
   * @param stored the row as this transaction sees it
   */
  update(tx: Tx, ctx: RequestContext, schema: ObjectSchema, stored: Row, prepared: PreparedUpdate): Written
  /** Takes the deletion marks off a row. @throws conflict when a unique value was taken meanwhile */
  revive(tx: Tx, ctx: RequestContext, schema: ObjectSchema, stored: Row, columns?: Row): Written
  /**
   * Stores computed columns and the formulas that follow from them: an update by the system that asks no rules. The
   * version rises, so that readers see that the record is another one; who changed it last stays.
   */
  derive(tx: Tx, ctx: RequestContext, schema: ObjectSchema, stored: Row, columns: Row): void
}

/** Most bytes the texts of one record take (D-199). */
const maxRecordBytes = 5_242_880

/** What the writer works with. */
export interface WriterParts {
  readonly metadata: MetadataService
  readonly search: () => SearchService | undefined
  readonly clock: Clock
  readonly ids: Ids
  readonly numbers: RecordNumbers
  /** The world as the engine sees it: every object, no rights. */
  readonly queryEnv: () => QueryEnv
  readonly rules: RecordRules
  readonly access: RecordAccess
  readonly summaries: () => Summaries
}

const noWarnings: readonly RuleWarning[] = []
const nothingInvalid: ReadonlySet<string> = new Set()

/** Makes the record writer. */
export function createRecordWriter(parts: WriterParts): RecordWriter {
  const { metadata, clock, ids, rules } = parts

  const { access } = parts
  const envIn = (ctx: RequestContext): QueryEnv => ({ ...parts.queryEnv(), organizationId: ctx.organizationId })
  const unique = (
    tx: Tx,
    ctx: RequestContext,
    schema: ObjectSchema,
    row: Row,
    stored: Row | null,
    invalid: ReadonlySet<string> = nothingInvalid,
  ): void => {
    const canRead = (field: string): boolean => access.canRead(ctx, schema, field)
    checkUnique(tx, envIn(ctx), schema, row, stored, { canRead, invalid })
  }

  /** What rules say of fields the caller may not read is told without the field and its value. */
  const judged = (
    ctx: RequestContext,
    schema: ObjectSchema,
    judge: () => readonly RuleWarning[],
  ): readonly RuleWarning[] => {
    if (access.isFree(ctx)) return judge()
    const canRead = (field: string): boolean => access.canRead(ctx, schema, field.split('.', 1)[0]!)
    try {
      return judge().map((warning) => {
        if (warning.field === undefined || canRead(warning.field)) return warning
        const { field: _field, ...rest } = warning
        return rest
      })
    } catch (error) {
      const problems = error instanceof PlatformError ? error.details['fieldErrors'] : undefined
      if (!(error instanceof PlatformError) || !Array.isArray(problems)) throw error
      const { code, details, ...definition } = error
      const fieldErrors = (problems as FieldError[]).map((problem) => {
        if (problem.field === '' || canRead(problem.field)) return problem
        const { value: _value, ...rest } = problem
        return { ...rest, field: '' }
      })
      throw new PlatformError(code, { ...definition, message: error.message }, { ...details, fieldErrors }, error)
    }
  }

  /** What other rows say of a row that is stored. */
  const storedJudged = (
    tx: Tx,
    ctx: RequestContext,
    schema: ObjectSchema,
    row: Row,
    stored: Row | null,
    { faults, invalid }: { faults: Faults; invalid: ReadonlySet<string> },
  ): readonly RuleWarning[] | undefined => {
    faults.stage(() => unique(tx, ctx, schema, row, stored, invalid))
    return faults.stage(() => judged(ctx, schema, () => rules.checkStored(tx, ctx, schema, row, stored, invalid)))
  }

  /**
   * Stores columns of a live row with all that follows from it: search rows, summaries.
   * @param judge asked once the row is stored; what it throws rolls it back
   */
  const store = (tx: Tx, schema: ObjectSchema, stored: Row, row: Row, columns: Row, judge: () => void): void => {
    const summaries = parts.summaries()
    summaries.leaving(tx, schema, stored, columns)
    updateRow(tx, schema, stored['id'] as string, columns)
    judge()
    summaries.entering(tx, schema, row, columns)
    parts.search()?.change(tx, schema, stored, row)
  }

  const announceChange = (
    tx: Tx,
    ctx: RequestContext,
    schema: ObjectSchema,
    stored: Row,
    row: Row,
    columns: Row,
  ): PlatformRecord => {
    const record = rules.toRecord(schema, row)
    const changes = changesOf(schema, stored, row, columns)
    tx.emit(ctx, {
      type: 'record.updated',
      object: schema.name,
      recordId: row['id'] as string,
      payload: { record, changes },
    })
    return record
  }

  return {
    create(tx, ctx, schema, prepared) {
      const { row } = prepared
      const faults = createFaults(schema, prepared.problems)
      const isTaken = prepared.id !== undefined && getRow(tx, schema, prepared.id) !== undefined
      if (isTaken) faults.add({ field: 'id', code: 'not_unique', message: 'The id is taken.', value: prepared.id })
      const now = clock.iso()
      const actorId = ctx.actor.id
      row['id'] = prepared.id ?? ids.uuid()
      row['created_at'] = now
      row['updated_at'] = now
      row['created_by'] = actorId
      row['updated_by'] = actorId
      row['owner'] = prepared.owner ?? actorId
      row['deleted_at'] = null
      row['deleted_by'] = null
      const check = { metadata, access, ctx, queryEnv: parts.queryEnv }
      faults.stage(() => checkReferences(tx, check, schema, codecOf(schema).relations, row, null))
      const { invalid } = faults
      for (const field of codecOf(schema).autonumbers) {
        row[field.column] = parts.numbers.begin(tx, schema, field)
      }
      const summaries = parts.summaries()
      summaries.begin(schema, row)
      rules.compute(schema, row)
      const warnings = faults.stage(() => judged(ctx, schema, () => rules.check(ctx, schema, row, null, invalid)))
      if (!faults.any) checkSize(row)
      // A row that is refused is stored all the same, to be judged among the others, and rolled back.
      if (!isTaken) insertRow(tx, schema, row)
      const late = isTaken ? undefined : storedJudged(tx, ctx, schema, row, null, { faults, invalid })
      faults.settle()
      summaries.entering(tx, schema, row)
      parts.search()?.add(tx, schema, row)
      const id = row['id']
      const record = rules.toRecord(schema, row)
      tx.emit(ctx, { type: 'record.created', object: schema.name, recordId: id, payload: { record } })
      return { id, record, before: null, changed: true, warnings: joined(warnings, late) }
    },

    update(tx, ctx, schema, stored, prepared) {
      const id = stored['id'] as string
      const codec = codecOf(schema)
      const columns = differing(stored, prepared.columns)
      if (prepared.owner !== undefined && prepared.owner !== stored['owner']) columns['owner'] = prepared.owner
      const faults = createFaults(schema, prepared.problems)
      if (Object.keys(columns).length === 0) faults.settle()
      if (Object.keys(columns).length === 0)
        return { id, record: rules.toRecord(schema, stored), before: stored, changed: false, warnings: noWarnings }

      const row: Row = { ...stored, ...columns }
      const check = { metadata, access, ctx, queryEnv: parts.queryEnv }
      const relations = codec.relations.filter((field) => touches(field, columns))
      faults.stage(() => checkReferences(tx, check, schema, relations, row, stored))
      const { invalid } = faults
      columns['updated_at'] = row['updated_at'] = nextVersion(stored['updated_at'] as string, clock.now())
      columns['updated_by'] = row['updated_by'] = ctx.actor.id
      Object.assign(columns, rules.compute(schema, row))
      const warnings = faults.stage(() => judged(ctx, schema, () => rules.check(ctx, schema, row, stored, invalid)))
      if (!faults.any) checkSize(row)
      let late: readonly RuleWarning[] | undefined
      store(tx, schema, stored, row, columns, () => {
        late = storedJudged(tx, ctx, schema, row, stored, { faults, invalid })
        faults.settle()
      })
      const record = announceChange(tx, ctx, schema, stored, row, columns)
      return { id, record, before: stored, changed: true, warnings: joined(warnings, late) }
    },

    derive(tx, ctx, schema, stored, given) {
      const columns: Row = { ...given, updated_at: nextVersion(stored['updated_at'] as string, clock.now()) }
      const row: Row = { ...stored, ...columns }
      Object.assign(columns, rules.compute(schema, row))
      checkSize(row)
      store(tx, schema, stored, row, columns, () => unique(tx, ctx, schema, row, stored))
      announceChange(tx, asSystem(ctx), schema, stored, row, columns)
    },

    revive(tx, ctx, schema, stored, given = {}) {
      const id = stored['id'] as string
      const columns: Row = {
        ...given,
        ...parts.summaries().renewed(tx, schema, id),
        deleted_at: null,
        deleted_by: null,
        updated_at: nextVersion(stored['updated_at'] as string, clock.now()),
        updated_by: ctx.actor.id,
      }
      const row = { ...stored, ...columns }
      Object.assign(columns, rules.compute(schema, row))
      updateRow(tx, schema, id, columns)
      unique(tx, ctx, schema, row, null)
      judged(ctx, schema, () => rules.checkStored(tx, ctx, schema, row, null, nothingInvalid))
      parts.summaries().entering(tx, schema, row)
      parts.search()?.show(tx, schema, row)
      const record = rules.toRecord(schema, row)
      // A record may come back without references that lead nowhere any more.
      const changes = changesOf(schema, stored, row, given)
      const payload = Object.keys(changes).length === 0 ? { record } : { record, changes }
      tx.emit(ctx, { type: 'record.restored', object: schema.name, recordId: id, payload })
      return { id, record, before: stored, changed: true, warnings: noWarnings }
    },
  }
}

function joined(first: readonly RuleWarning[] = noWarnings, second = noWarnings): readonly RuleWarning[] {
  if (second.length === 0) return first
  return first.length === 0 ? second : [...first, ...second]
}

/** @throws payload_too_large when the texts of a record are longer than {@link maxRecordBytes} */
function checkSize(row: Row): void {
  let units = 0
  for (const column in row) {
    const value = row[column]
    if (typeof value === 'string') units += value.length
  }
  // A UTF-16 unit takes at most three bytes of UTF-8, so ordinary records need no count of their bytes.
  if (units * 3 <= maxRecordBytes) return
  const bytes = Object.values(row).reduce<number>(
    (sum, value) => (typeof value === 'string' ? sum + Buffer.byteLength(value) : sum),
    0,
  )
  if (bytes > maxRecordBytes) throw platformError('payload_too_large', { limitBytes: maxRecordBytes, received: bytes })
}

/**
 * No other live record may have the same value of a unique field or the same tuple of a unique index. Asked after the
 * row is written, so that a rule with a filter can be judged by the row itself; a refusal rolls the row back.
 * @throws conflict
 */
function checkUnique(
  tx: Tx,
  env: QueryEnv,
  schema: ObjectSchema,
  row: Row,
  stored: Row | null,
  { canRead, invalid }: { canRead: (field: string) => boolean; invalid: ReadonlySet<string> },
): void {
  const codec = codecOf(schema)
  if (!codec.hasUnique) return
  const taken = new Set<FieldSchema>()
  for (const rule of uniqueRules(schema)) {
    // A tuple without a valid value is no tuple, and a filter may ask of any field.
    if (invalid.size > 0 && (rule.where !== null || rule.fields.some(({ name }) => invalid.has(name)))) continue
    if (
      rule.where === null &&
      stored !== null &&
      rule.fields.every((field) => stored[field.column] === row[field.column])
    )
      continue
    if (clashesOf(tx, env, schema, row, rule).length === 0) continue
    for (const field of rule.fields) taken.add(field)
  }
  if (taken.size === 0) return
  // What the caller may not read is no part of the answer: neither the name nor the value.
  const shown = [...taken].filter((field) => canRead(field.name))
  throw platformError('conflict', {
    fieldErrors: shown.map((field) => ({
      field: field.name,
      code: 'not_unique',
      message: 'Another record has this value.',
      value: codec.value(row, field),
    })),
  })
}
