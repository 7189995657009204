// Makes a judge of one validation rule (D-96). What a finding means for the write is decided elsewhere.
import { parseJsonText } from '#main/kernel/json-body.ts'
import { compileExpression } from '#shared/expression/compile-expression.ts'
import { compilePattern } from '#shared/expression/user-pattern.ts'
import { isEmail } from '#shared/field-types/email.ts'
import { isPhone } from '#shared/field-types/phone.ts'
import { isUrl } from '#shared/field-types/url.ts'
import type { RuleDefinition, RuleEvent, RuleSeverity } from '#shared/rules/rule-definition.ts'
import { ruleEvents } from '#shared/rules/rule-definition.ts'
import type { StateMachine } from '#shared/rules/state-machine.ts'
import { compileStateMachine } from '#shared/rules/state-machine.ts'
import { compileSchema } from '#main/kernel/json-schemas.ts'
import type { Finding, Judge } from './finding.ts'
import { guarded, obeyed } from './finding.ts'
import { fieldsOfRule } from './rule-fields.ts'
import { judgeStates } from './state-machine.ts'

/** A rule ready to be asked. */
export interface CompiledRule {
  readonly name: string
  readonly events: ReadonlySet<RuleEvent>
  readonly priority: number
  readonly severity: RuleSeverity
  readonly message: string | null
  readonly judge: Judge
  /** Names of the fields it asks about; null when any field may be among them. */
  needs(): readonly string[] | null
  /** For a rule of type `state_machine`. */
  readonly machine: StateMachine | null
  /** For a rule of type `unique`, which is asked once the row is stored. */
  readonly unique: { readonly fields: readonly string[]; readonly where: unknown } | null
}

const standardEvents: ReadonlySet<RuleEvent> = new Set(['insert', 'update'])

/** Compiles a rule; one that cannot be compiled refuses every write it would judge, by name. */
export function compileRule(name: string, rule: RuleDefinition): CompiledRule {
  const machine = rule.type === 'state_machine' ? compileSafely(() => compileStateMachine(name, rule)) : null
  const field = rule.field ?? ''
  let judge: Judge
  try {
    judge = guarded(name, field, judgeOf(name, rule))
  } catch (error) {
    const message = `The rule "${name}" is broken: ${error instanceof Error ? error.message : String(error)}`
    const findings: readonly Finding[] = [{ field, code: 'expression_error', message }]
    judge = () => findings
  }
  return {
    name,
    events:
      rule.events === undefined ? standardEvents : new Set(ruleEvents.filter((event) => rule.events!.includes(event))),
    priority: rule.priority ?? 100,
    severity: rule.severity ?? 'error',
    message: rule.message ?? null,
    judge,
    needs: () => fieldsOfRule(rule),
    machine,
    unique: rule.type === 'unique' ? { fields: rule.fields ?? [], where: rule.where ?? null } : null,
  }
}

function judgeOf(name: string, rule: RuleDefinition): Judge {
  const message = rule.message ?? `The rule "${rule.label ?? name}" is violated.`
  const one = (field: string, value?: unknown): Finding => ({
    field,
    code: 'rule_violation',
    message,
    ...(value === undefined ? {} : { value }),
  })
  switch (rule.type) {
    case 'script': {
      const condition = compileExpression(rule.condition)
      const findings = [one(rule.field ?? '')]
      return ({ scope }) => (isTrue(name, condition.evaluate(scope)) ? findings : obeyed)
    }
    case 'cross_field': {
      const condition = compileExpression(rule.condition)
      const findings = (rule.fields ?? [rule.field ?? '']).map((field) => one(field))
      return ({ scope }) => (isTrue(name, condition.evaluate(scope)) ? findings : obeyed)
    }
    case 'format': {
      const fits = formatOf(rule)
      const field = rule.field!
      return ({ record }) => {
        const values = [record[field] ?? null].flat().filter((value) => !isEmpty(value))
        return values.every((value) => fits(typeof value === 'string' ? value : JSON.stringify(value)))
          ? obeyed
          : [one(field, record[field])]
      }
    }
    case 'json_schema': {
      const check = compileSchema(rule.schema)
      const field = rule.field!
      return ({ record }) => {
        const value = record[field] ?? null
        if (value === null) return obeyed
        return check(value).map(({ path, message: reason }) => ({
          field: path === '' ? field : `${field}.${path}`,
          code: 'json_schema_violation' as const,
          message: rule.message ?? reason,
        }))
      }
    }
    case 'conditional': {
      const when = compileExpression(rule.when)
      const inherit = { name, message: rule.message, label: rule.label, field: rule.field }
      const chosen = (inner: Readonly<Record<string, unknown>> | undefined): Judge =>
        inner === undefined ? () => obeyed : judgeOf(name, { ...withoutUndefined(inherit), ...inner } as RuleDefinition)
      const [then, otherwise] = [chosen(rule.then), chosen(rule.otherwise)]
      return (input) => (isTrue(name, when.evaluate(input.scope)) ? then(input) : otherwise(input))
    }
    case 'state_machine':
      return judgeStates(compileStateMachine(name, rule), rule.message ?? null)
    case 'unique':
      return () => obeyed
  }
}

function formatOf(rule: RuleDefinition): (text: string) => boolean {
  const formats = { email: isEmail, url: (text: string) => isUrl(text), phone: isPhone, json: isJson }
  const named = rule.format === undefined ? null : formats[rule.format]
  const pattern = rule.regex === undefined ? null : compilePattern(rule.regex)
  return (text) => (named === null || named(text)) && (pattern === null || pattern.occursIn(text))
}

function isJson(text: string): boolean {
  try {
    parseJsonText(text)
    return true
  } catch {
    return false
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '')
}

/** What a condition says; null is false. A condition that is no condition breaks the rule. */
function isTrue(name: string, value: unknown): boolean {
  if (typeof value === 'boolean' || value === null) return value === true
  throw new RangeError(`the condition of "${name}" gives neither true nor false.`)
}

function withoutUndefined(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
}

function compileSafely(make: () => StateMachine): StateMachine | null {
  try {
    return make()
  } catch {
    // The judge says that the rule is broken; a machine that does not exist gives no initial state.
    return null
  }
}
