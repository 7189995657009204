// Writes one record inside a transaction and refuses it with everything that is wrong with it: references, formulas, rules,
// the row, what must be unique; stored-rows.ts does what follows from a stored row. Everything here is synchronous.
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
import type { PlatformRecord, RecordFiles } from '../api.ts'
import { getRow } from '../store.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'
import { differing, touches } from './changed-values.ts'
import type { RecordNumbers } from './numbering.ts'
import type { Faults } from './faults.ts'
import { createFaults } from './faults.ts'
import { completeFiles } from './file-values.ts'
import type { PreparedCreate, PreparedUpdate } from './prepare.ts'
import { checkReferences } from './reference-checks.ts'
import type { RecordAccess } from './record-access.ts'
import type { RecordRules, RuleWarning } from './record-rules.ts'
import type { Place, StoredRows } from './stored-rows.ts'
import { nextVersion } from './stored-rows.ts'
import type { Summaries } from './summaries.ts'
import { clashesOf } from './unique-clashes.ts'

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
  create(at: Place, prepared: PreparedCreate): Written
  /**
   * Stores changed columns; a change that changes nothing writes nothing and raises no event (D-56).
   * @param stored the row as this transaction sees it
   */
  update(at: Place, stored: Row, prepared: PreparedUpdate): Written
  /** Takes the deletion marks off a row. @throws conflict when a unique value was taken meanwhile */
  revive(at: Place, stored: Row, given: Row): Written
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
  readonly clock: Clock
  readonly ids: Ids
  readonly numbers: RecordNumbers
  /** The world as the engine sees it: every object, no rights. */
  readonly queryEnv: () => QueryEnv
  readonly rules: RecordRules
  readonly access: RecordAccess
  readonly rows: StoredRows
  readonly summaries: Summaries
  /** Undefined while nobody keeps files. */
  readonly files: () => RecordFiles | undefined
}

const noWarnings: readonly RuleWarning[] = []
const nothingInvalid: ReadonlySet<string> = new Set()

/** Makes the record writer. */
export function createRecordWriter(parts: WriterParts): RecordWriter {
  const { metadata, clock, ids, rules, access, rows } = parts

  /**
   * No other live record may have the same value of a unique field or the same tuple of a unique index. Asked after the
   * row is written, so that a rule with a filter can be judged by the row itself; a refusal rolls the row back.
   * @throws conflict
   */
  const checkUnique = (
    { tx, ctx, schema }: Place,
    row: Row,
    stored: Row | null,
    invalid: ReadonlySet<string> = nothingInvalid,
  ): void => {
    const codec = codecOf(schema)
    if (!codec.hasUnique) return
    const env = { ...parts.queryEnv(), organizationId: ctx.organizationId }
    const taken = new Set<FieldSchema>()
    for (const rule of uniqueRules(schema)) {
      const { fields, where } = rule
      // A tuple without a valid value is no tuple, and a filter may ask of any field.
      if (invalid.size > 0 && (where !== null || fields.some(({ name }) => invalid.has(name)))) continue
      if (where === null && stored !== null && fields.every(({ column }) => stored[column] === row[column])) continue
      if (clashesOf(tx, env, schema, row, rule).length > 0) for (const field of fields) taken.add(field)
    }
    if (taken.size === 0) return
    // What the caller may not read is no part of the answer: neither the name nor the value.
    const fieldErrors = [...taken]
      .filter(({ name }) => access.canRead(ctx, schema, name))
      .map((field): FieldError => {
        const value = codec.value(row, field)
        return { field: field.name, code: 'not_unique', message: 'Another record has this value.', value }
      })
    throw platformError('conflict', { fieldErrors })
  }

  /** What rules say of fields the caller may not read is told without the field and its value. */
  const judged = ({ ctx, schema }: Place, judge: () => readonly RuleWarning[]): readonly RuleWarning[] => {
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

  /**
   * Judges a row and stores it: references, formulas, rules, the row, what other rows say of it, what follows from it.
   * One that is refused is stored all the same, to be judged among the others, and rolled back.
   * @param isTaken another record has the id: the row has no place, and a problem already
   */
  const judgeAndStore = (
    at: Place,
    stored: Row | null,
    row: Row,
    columns: Row,
    { faults, isTaken = false }: { faults: Faults; isTaken?: boolean },
  ): Written => {
    const { tx, ctx, schema } = at
    const { relations } = codecOf(schema)
    const touched = stored === null ? relations : relations.filter((field) => touches(field, columns))
    const check = { metadata, access, ctx, queryEnv: parts.queryEnv }
    faults.stage(() => checkReferences(tx, check, schema, touched, row, stored))
    Object.assign(columns, rules.compute(schema, row))
    const { invalid } = faults
    const warnings = faults.stage(() => judged(at, () => rules.check(ctx, schema, row, stored, invalid, at.move)))
    if (!faults.any) checkSize(row)
    if (isTaken) faults.settle()
    let late: readonly RuleWarning[] | undefined
    const record = rows.store(at, stored, row, columns, () => {
      faults.stage(() => checkUnique(at, row, stored, invalid))
      late = faults.stage(() => judged(at, () => rules.checkStored(tx, ctx, schema, row, stored, invalid)))
      faults.settle()
    })
    return { id: row['id'] as string, record, before: stored, changed: true, warnings: joined(warnings, late) }
  }

  return {
    create(at, prepared) {
      const { tx, ctx, schema } = at
      const { row, id } = prepared
      const unfit = completeFiles(at, parts.files(), row, (field) => prepared.template?.[field.name])
      const faults = createFaults(schema, [...prepared.problems, ...unfit])
      const isTaken = id !== undefined && getRow(tx, schema, id) !== undefined
      if (isTaken) faults.add({ field: 'id', code: 'not_unique', message: 'The id is taken.', value: id })
      row['id'] = id ?? ids.uuid()
      row['created_at'] = row['updated_at'] = clock.iso()
      row['created_by'] = row['updated_by'] = ctx.actor.id
      row['owner'] = prepared.owner ?? ctx.actor.id
      row['deleted_at'] = row['deleted_by'] = null
      for (const field of codecOf(schema).autonumbers) row[field.column] = parts.numbers.begin(tx, schema, field)
      parts.summaries.begin(schema, row)
      return judgeAndStore(at, null, row, row, { faults, isTaken })
    },

    update(at, stored, prepared) {
      const { schema } = at
      const unfit = completeFiles(at, parts.files(), prepared.columns, (field) => codecOf(schema).value(stored, field))
      const columns = differing(stored, prepared.columns)
      if (prepared.owner !== undefined && prepared.owner !== stored['owner']) columns['owner'] = prepared.owner
      const faults = createFaults(schema, [...prepared.problems, ...unfit])
      if (Object.keys(columns).length > 0)
        return judgeAndStore(at, stored, rows.mark(at, stored, columns), columns, { faults })
      faults.settle()
      const record = rules.toRecord(schema, stored)
      return { id: stored['id'] as string, record, before: stored, changed: false, warnings: noWarnings }
    },

    derive(tx, ctx, schema, stored, given) {
      const columns: Row = { ...given, updated_at: nextVersion(stored['updated_at'] as string, clock.now()) }
      const row: Row = { ...stored, ...columns }
      Object.assign(columns, rules.compute(schema, row))
      checkSize(row)
      const at = { tx, ctx: asSystem(ctx), schema }
      rows.store(at, stored, row, columns, () => checkUnique({ tx, ctx, schema }, row, stored))
    },

    revive(at, stored, given) {
      const { record } = rows.revive(at, stored, given, (row) => {
        checkUnique(at, row, null)
        judged(at, () => rules.checkStored(at.tx, at.ctx, at.schema, row, null, nothingInvalid))
      })
      return { id: stored['id'] as string, record, before: stored, changed: true, warnings: noWarnings }
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
