// What the writer asks of formulas and validation rules: the seam between writing a record and judging it.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { RecordWarning } from '../api.ts'
import type { Row } from './codec.ts'

/** A finding that does not refuse the write (D-96). */
export type RuleWarning = RecordWarning

/** Formulas and validation rules of all objects. */
export interface RecordRules {
  /** Sets the formulas of a row that is about to be stored and answers the columns that changed. */
  compute(schema: ObjectSchema, row: Row): Row
  /**
   * Judges a row that is about to be stored.
   * @param stored the row as it is; null for a new record
   * @throws validation_error, conflict
   */
  check(tx: Tx, ctx: RequestContext, schema: ObjectSchema, row: Row, stored: Row | null): readonly RuleWarning[]
}
