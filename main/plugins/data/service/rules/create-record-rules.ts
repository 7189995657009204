// Formulas and validation rules over rows: what the writer of records asks before and after it stores (D-94 to D-96).
import type { FieldError } from '#shared/errors.ts'
import type { ExpressionScope } from '#shared/expression/compile-expression.ts'
import { ExpressionError, compileExpression } from '#shared/expression/compile-expression.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { FormulaMoment } from '#shared/formulas/formulas-of.ts'
import { evaluateFormula, formulasOf } from '#shared/formulas/formulas-of.ts'
import { readingFormulas } from '#shared/formulas/reading-formulas.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RuleEvent } from '#shared/rules/rule-definition.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { BrokenRule, PlatformRecord, StateMove } from '../../api.ts'
import type { Row } from '../codec.ts'
import { codecOf } from '../codec.ts'
import { refusalOf } from '../faults.ts'
import type { RecordRules, RuleWarning } from '../record-rules.ts'
import type { CompiledRule } from './compile-rule.ts'
import { fieldsOfExpressions } from './rule-fields.ts'
import type { Finding, RuleInput } from './finding.ts'
import { guarded, toFieldError } from './finding.ts'
import { createRulesOf } from './rules-of.ts'
import { holds } from './state-machine.ts'
import type { MayTake } from './transition-rights.ts'
import { judgeUnique, tupleOf } from './unique-tuples.ts'

/** What the rules work with. */
export interface RecordRulesParts {
  readonly metadata: Pick<MetadataService, 'epoch' | 'list'>
  /** The world as the engine sees it: every object, no rights. */
  readonly queryEnv: () => QueryEnv
  readonly mayTake: MayTake
}

const noWarnings: readonly RuleWarning[] = Object.freeze([])
const noBroken: readonly BrokenRule[] = Object.freeze([])
const noInitials: ReadonlyMap<string, string> = new Map()

/** Makes the rules of one host. */
export function createRecordRules(parts: RecordRulesParts): RecordRules {
  const rulesOf = createRulesOf(parts.metadata)

  const moment = (): FormulaMoment => {
    const { now, timeZone } = parts.queryEnv()
    return { now, timeZone }
  }

  const toRecord = (schema: ObjectSchema, row: Row): PlatformRecord => {
    const record = codecOf(schema).toRecord(row)
    if (formulasOf(schema).onRead.length > 0) readingFormulas(schema, schema.visibleFields, moment())?.complete(record)
    return record
  }

  const inputOf = (
    ctx: RequestContext,
    schema: ObjectSchema,
    event: RuleEvent,
    row: Row,
    stored: Row | null,
    move?: StateMove,
  ): RuleInput => {
    const record = toRecord(schema, row)
    const previous = stored === null ? null : stored === row ? record : toRecord(schema, stored)
    const { id, name } = ctx.actor
    const user = { id, name: name ?? null }
    const scope: ExpressionScope = { record, previous, user, event: { operation: event }, ...moment() }
    return {
      record,
      previous,
      scope,
      imported: ctx.source === 'import',
      mayTake: (transition) => parts.mayTake(ctx, transition),
      move,
    }
  }

  /** Asks rules in order; refusals are thrown together, the rest is answered. */
  const settle = (
    asked: readonly (readonly [CompiledRule, readonly Finding[]])[],
    more: readonly FieldError[] = [],
  ) => {
    const errors: FieldError[] = [...more]
    const warnings: RuleWarning[] = []
    for (const [rule, findings] of asked) {
      for (const finding of findings) {
        if (rule.severity === 'error') errors.push(toFieldError(finding, rule.name))
        else warnings.push(toWarning(finding, rule))
      }
    }
    if (errors.length > 0) throw refusalOf(errors)
    return warnings.length === 0 ? noWarnings : warnings
  }

  const judge = (rules: readonly CompiledRule[], event: RuleEvent, input: () => RuleInput) =>
    rules.filter((rule) => rule.events.has(event)).map((rule) => [rule, rule.judge(input())] as const)

  return {
    toRecord,

    initials(schema) {
      const rules = rulesOf(schema)
      if (rules.length === 0) return noInitials
      const initials = new Map<string, string>()
      for (const { machine, events } of rules) {
        if (machine === null || machine.initial === null || !events.has('insert')) continue
        if (!initials.has(machine.field)) initials.set(machine.field, machine.initial)
      }
      return initials
    },

    compute(schema, row) {
      const { stored } = formulasOf(schema)
      const changed: Row = {}
      if (stored.length === 0) return changed
      const record = codecOf(schema).toRecord(row)
      const at = moment()
      for (const formula of stored) {
        const { schema: field } = formula
        const value = evaluateFormula(formula, record, at)
        record[field.name] = value
        const column = value === null ? null : fieldTypeOf(field).toColumn(value, field)
        if (column === (row[field.column] ?? null)) continue
        row[field.column] = changed[field.column] = column
      }
      return changed
    },

    check(ctx, schema, row, stored, invalid, move) {
      const rules = askable(rulesOf(schema), invalid)
      const conditional = askable(conditionallyRequired(schema), invalid)
      if (rules.length === 0 && conditional.length === 0) return noWarnings
      const event = stored === null ? 'insert' : 'update'
      let input: RuleInput | undefined
      const ask = (): RuleInput => (input ??= inputOf(ctx, schema, event, row, stored, move))
      const missing = conditional.flatMap(({ field, isRequired }) =>
        isEmpty(ask().record[field.name]) ? isRequired(ask()) : [],
      )
      return settle(judge(rules, event, ask), missing)
    },

    checkStored(tx, ctx, schema, row, stored, invalid) {
      const event = stored === null ? 'insert' : 'update'
      const rules = askable(rulesOf(schema), invalid).filter((rule) => rule.unique !== null && rule.events.has(event))
      if (rules.length === 0) return noWarnings
      const env = { ...parts.queryEnv(), organizationId: ctx.organizationId }
      return settle(rules.map((rule) => [rule, judgeUnique(tx, env, schema, row, rule)] as const))
    },

    checkDelete(ctx, schema, row) {
      const rules = rulesOf(schema)
      if (!rules.some((rule) => rule.events.has('delete'))) return noWarnings
      const input = inputOf(ctx, schema, 'delete', row, row)
      return settle(judge(rules, 'delete', () => input))
    },

    observe(ctx, schema, row, stored) {
      const event = stored === null ? 'insert' : 'update'
      const rules = rulesOf(schema).filter(
        ({ machine, events }) => machine === null && events.has('update') && events.has(event),
      )
      const conditional = conditionallyRequired(schema)
      if (rules.length === 0 && conditional.length === 0) return noBroken
      const input = inputOf(ctx, schema, event, row, stored)
      const missing = conditional.flatMap(({ field, isRequired }) =>
        isEmpty(input.record[field.name])
          ? evaluated(isRequired(input)).map((finding): BrokenRule => ({
              ...brokenBy(finding),
              rule: `${field.name}.conditionalRequired`,
            }))
          : [],
      )
      const broken = rules.flatMap((rule) =>
        evaluated(rule.judge(input)).map((finding): BrokenRule => ({
          ...brokenBy(finding),
          rule: rule.name,
          severity: rule.severity,
        })),
      )
      return [...missing, ...broken]
    },

    machines: (schema) =>
      rulesOf(schema).flatMap(({ machine, events, severity }) =>
        machine !== null && events.has('update') && severity === 'error' ? [machine] : [],
      ),

    transitionHolds(transition, { record, previous, user }) {
      const scope: ExpressionScope = { record, previous, user, event: { operation: 'update' }, ...moment() }
      try {
        return holds(transition, { scope })
      } catch (error) {
        if (!(error instanceof ExpressionError)) throw error
        return false
      }
    },

    uniqueTuples: (schema) => rulesOf(schema).flatMap((rule) => tupleOf(schema, rule) ?? []),
  }
}

/** Those that need none of the fields. */
function askable<T extends { needs(): readonly string[] | null }>(
  rules: readonly T[],
  invalid: ReadonlySet<string>,
): readonly T[] {
  return invalid.size === 0 ? rules : rules.filter((rule) => rule.needs()?.some((name) => invalid.has(name)) === false)
}

function toWarning({ field, message }: Finding, { name, severity }: CompiledRule): RuleWarning {
  return {
    rule: name,
    severity: severity === 'info' ? 'info' : 'warning',
    message,
    ...(field === '' ? {} : { field }),
  }
}

/** Findings about the record; a rule that cannot be asked says nothing of it. */
function evaluated(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ code }) => code !== 'expression_error')
}

function brokenBy({ field, message }: Finding): Omit<BrokenRule, 'rule'> {
  return { severity: 'error', message, ...(field === '' ? {} : { field }) }
}

interface ConditionallyRequired {
  readonly field: FieldSchema
  isRequired(input: RuleInput): readonly FieldError[]
  /** See {@link CompiledRule.needs}. */
  needs(): readonly string[] | null
}

const conditionals = new WeakMap<ObjectSchema, readonly ConditionallyRequired[]>()

/** The fields that are required under a condition (D-93). */
function conditionallyRequired(schema: ObjectSchema): readonly ConditionallyRequired[] {
  let found = conditionals.get(schema)
  if (found === undefined) {
    found = schema.fields.flatMap((field) => {
      const source = schema.definition.fields[field.name]?.conditionalRequired
      return source === undefined || source === null || source === '' ? [] : [conditional(field, source)]
    })
    conditionals.set(schema, found)
  }
  return found
}

function conditional(field: FieldSchema, source: unknown): ConditionallyRequired {
  const required = [{ field: field.name, code: 'required', message: 'A value is required here.' }] as const
  const judge = guarded(`${field.name}.conditionalRequired`, field.name, ({ scope }) => {
    const value = compileExpression(source).evaluate(scope)
    if (value !== null && typeof value !== 'boolean')
      throw new ExpressionError('value', 'It gives neither true nor false.')
    return value === true ? required : []
  })
  return {
    field,
    isRequired: judge,
    needs() {
      const others = fieldsOfExpressions([source])
      return others === null ? null : [field.name, ...others]
    },
  }
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true
  return Array.isArray(value) ? value.length === 0 : typeof value === 'string' && value.trim() === ''
}
