// What the writer asks of formulas and validation rules: the seam between writing a record and judging it.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { UniqueRule } from '#main/database/query/unique-clash.ts'
import type { StateMachine, Transition } from '#shared/rules/state-machine.ts'
import type { BrokenRule, PlatformRecord, RecordWarning, StateMove, TransitionChange } from '../api.ts'
import type { Row } from './codec.ts'

/** A finding that does not refuse the write (D-96). */
export type RuleWarning = RecordWarning

/** Formulas and validation rules of all objects. */
export interface RecordRules {
  /** The complete record of a row, with the formulas that follow the clock. */
  toRecord(schema: ObjectSchema, row: Row): PlatformRecord
  /** Where state machines let new records begin, by field name: their default on insert (D-163). */
  initials(schema: ObjectSchema): ReadonlyMap<string, string>
  /** Sets the formulas of a row that is about to be stored and answers the columns that changed. */
  compute(schema: ObjectSchema, row: Row): Row
  /**
   * Judges a row that is about to be stored.
   * @param stored the row as it is; null for a new record
   * @param invalid fields without a valid value: rules that need one of them are not asked
   * @param move the change of a state that somebody judged already
   * @throws validation_error, conflict
   */
  check(
    ctx: RequestContext,
    schema: ObjectSchema,
    row: Row,
    stored: Row | null,
    invalid: ReadonlySet<string>,
    move?: StateMove,
  ): readonly RuleWarning[]
  /**
   * Judges a row once it is stored, where other rows count.
   * @param stored the row as it was; null for a new record
   * @param invalid as for {@link check}
   * @throws conflict
   */
  checkStored(
    tx: Tx,
    ctx: RequestContext,
    schema: ObjectSchema,
    row: Row,
    stored: Row | null,
    invalid: ReadonlySet<string>,
  ): readonly RuleWarning[]
  /** Judges a live row that is about to be deleted. @throws validation_error */
  checkDelete(ctx: RequestContext, schema: ObjectSchema, row: Row): readonly RuleWarning[]
  /**
   * What rules say of a row that another machine made, where nothing can be refused. Rules about a change rather than a
   * record are left out: state machines, and for a record that is new here those that do not judge updates too. So are
   * rules of type `unique`, and rules that cannot be asked.
   * @param stored the row as it was; null for a record that is new here
   */
  observe(ctx: RequestContext, schema: ObjectSchema, row: Row, stored: Row | null): readonly BrokenRule[]
  /** The state machines that guard records of an object, by priority and then name. */
  machines(schema: ObjectSchema): readonly StateMachine[]
  /** Whether the condition of a transition holds of a change; one that cannot be evaluated does not. */
  transitionHolds(transition: Transition, change: TransitionChange): boolean
  /** The tuples that rules of type `unique` keep apart. */
  uniqueTuples(schema: ObjectSchema): readonly UniqueRule[]
}
