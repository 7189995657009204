// The `validation` item as its author writes it (D-96, D-163): shape, what each type needs, and its expressions.
// Whether a JSON Schema compiles is the host's question.
import { z } from 'zod'
import type { FieldError } from '#shared/errors.ts'
import { ExpressionError } from '#shared/expression/compile-expression.ts'
import { compilePattern } from '#shared/expression/user-pattern.ts'
import { filterFieldProblems } from '#shared/filter/filter-fields.ts'
import { checkExpression } from '#shared/formulas/expression-problems.ts'
import { fieldErrorsOf } from '#shared/schema-errors.ts'
import { ApprovalDefinition } from './approval-definition.ts'

/** The types of a rule. */
export const ruleTypes = [
  'script',
  'cross_field',
  'format',
  'json_schema',
  'unique',
  'conditional',
  'state_machine',
] as const

/** The writes a rule may judge. */
export const ruleEvents = ['insert', 'update', 'delete'] as const

/** One of {@link ruleEvents}. */
export type RuleEvent = (typeof ruleEvents)[number]

/** What a finding of a rule does: only `error` refuses the write. */
export type RuleSeverity = 'error' | 'warning' | 'info'

const text = z.string().max(10_000)
const name = z.string().min(1).max(127)
const value = z.string().max(255)
const flag = z.boolean().optional()
const expression = z.union([text, z.looseObject({ dialect: z.literal('cel').optional(), source: text })])
const innerRule = z.record(z.string(), z.unknown())

/** One transition of a state machine in the long form. */
const transition = z.looseObject({
  name,
  label: text.optional(),
  from: z.union([value, z.array(value).max(1000)]),
  to: value,
  condition: expression.optional(),
  roles: z.array(name).optional(),
  profiles: z.array(name).optional(),
  requiresComment: flag,
  requiresApproval: flag,
  approval: z.record(z.string(), z.unknown()).optional(),
  set: z.record(z.string(), z.unknown()).optional(),
  strict: flag,
})

/** The keys of a rule beside `name`, `label` and `description`. */
export const ruleShape = {
  object: name.optional(),
  type: z.enum(ruleTypes),
  active: flag,
  events: z.array(z.enum(ruleEvents)).min(1).optional(),
  priority: z.int().optional(),
  severity: z.enum(['error', 'warning', 'info']).optional(),
  message: text.optional(),
  field: name.optional(),
  condition: expression.optional(),
  fields: z.array(name).max(100).optional(),
  regex: text.optional(),
  format: z.enum(['email', 'url', 'phone', 'json']).optional(),
  schema: z.union([z.boolean(), z.record(z.string(), z.unknown())]).optional(),
  where: z.unknown().optional(),
  when: expression.optional(),
  then: innerRule.optional(),
  otherwise: innerRule.optional(),
  initial: value.optional(),
  states: z
    .array(z.looseObject({ name: value, label: text.optional(), color: text.optional(), final: flag }))
    .optional(),
  transitions: z.union([z.record(z.string(), z.array(value).max(1000)), z.array(transition).max(1000)]).optional(),
} as const

const ruleZod = z.looseObject({ name: name.optional(), label: text.optional(), ...ruleShape })

/** A rule whose shape is right. */
export type RuleDefinition = z.infer<typeof ruleZod>

/** What is known of the object a rule belongs to. */
export interface RuleGround {
  isField(name: string): boolean
  /** The option values of a field; null when it has none. */
  optionsOf(field: string): readonly string[] | null
}

const maxDepth = 5

/**
 * The problems of a rule.
 * @param at the path of the rule in its definition; empty for an item of its own
 * @param ground null when the object is not known: then names of fields are not checked
 */
export function checkRule(rule: unknown, at: string, ground: RuleGround | null, depth = 0): FieldError[] {
  const parsed = ruleZod.safeParse(rule)
  if (!parsed.success) return fieldErrorsOf(parsed.error.issues, rule, at)
  const path = (key: string): string => (at === '' ? key : `${at}.${key}`)
  const given = parsed.data
  const problems: FieldError[] = []
  const need = (key: keyof typeof ruleShape): boolean => {
    if (given[key] !== undefined) return true
    problems.push({ field: path(key), code: 'required', message: `A rule of type ${given.type} needs "${key}".` })
    return false
  }
  const field = (key: string, fieldName: string): void => {
    if (ground === null || ground.isField(fieldName)) return
    problems.push({
      field: path(key),
      code: 'unknown_field',
      message: 'The object has no such field.',
      value: fieldName,
    })
  }
  const cel = (key: string, source: unknown): void => {
    problems.push(...checkExpression(path(key), source, ground === null ? null : ground.isField))
  }
  const inner = (key: 'then' | 'otherwise'): void => {
    if (given[key] === undefined) return
    if (depth >= maxDepth) {
      problems.push({ field: path(key), code: 'not_allowed', message: 'Conditional rules are nested too deeply.' })
    } else problems.push(...checkRule(given[key], path(key), ground, depth + 1))
  }

  if (given.field !== undefined) field('field', given.field)
  given.fields?.forEach((fieldName, index) => field(`fields.${index}`, fieldName))
  switch (given.type) {
    case 'script':
      if (need('condition')) cel('condition', given.condition)
      break
    case 'cross_field':
      need('fields')
      if (need('condition')) cel('condition', given.condition)
      break
    case 'format':
      need('field')
      if (given.format === undefined && need('regex')) problems.push(...patternProblems(path('regex'), given.regex!))
      break
    case 'json_schema':
      need('field')
      need('schema')
      break
    case 'unique':
      if (depth > 0) {
        problems.push({ field: path('type'), code: 'not_allowed', message: 'A unique rule stands by itself.' })
      }
      if (need('fields') && given.fields!.length === 0) {
        problems.push({
          field: path('fields'),
          code: 'min_items',
          message: 'At least one field is needed.',
          constraint: 1,
        })
      }
      problems.push(...filterFieldProblems(path('where'), given.where, ground === null ? null : ground.isField))
      break
    case 'conditional':
      if (need('when')) cel('when', given.when)
      need('then')
      inner('then')
      inner('otherwise')
      break
    case 'state_machine':
      if (need('field') && need('transitions')) problems.push(...stateProblems(given, path, ground, cel, field))
      break
  }
  return problems
}

function patternProblems(path: string, regex: string): FieldError[] {
  try {
    compilePattern(regex)
    return []
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return [{ field: path, code: 'invalid_format', message: error.message, value: regex }]
  }
}

/** States named by transitions and `initial` must exist: among `states`, else among the options of the field. */
function stateProblems(
  rule: RuleDefinition,
  path: (key: string) => string,
  ground: RuleGround | null,
  cel: (key: string, source: unknown) => void,
  field: (key: string, fieldName: string) => void,
): FieldError[] {
  const options = ground?.optionsOf(rule.field!) ?? null
  const states = rule.states?.map((state) => state.name) ?? options
  const problems: FieldError[] = []
  const known = (key: string, state: string, among: readonly string[] | null = states): void => {
    if (among === null || among.includes(state)) return
    problems.push({ field: path(key), code: 'invalid_option', message: 'There is no such state.', value: state })
  }
  rule.states?.forEach((state, index) => known(`states.${index}.name`, state.name, options))
  if (rule.initial !== undefined) known('initial', rule.initial)
  const { transitions } = rule
  if (!Array.isArray(transitions)) {
    for (const [from, next] of Object.entries(transitions ?? {})) {
      known(`transitions.${from}`, from)
      next.forEach((to, index) => known(`transitions.${from}.${index}`, to))
    }
    return problems
  }
  const names = new Set<string>()
  transitions.forEach((one, index) => {
    const key = `transitions.${index}`
    for (const from of [one.from].flat()) if (from !== '*') known(`${key}.from`, from)
    known(`${key}.to`, one.to)
    if (one.condition !== undefined) cel(`${key}.condition`, one.condition)
    for (const fieldName of Object.keys(one.set ?? {})) field(`${key}.set.${fieldName}`, fieldName)
    problems.push(...approvalProblems(one, path(`${key}.approval`)))
    if (names.has(one.name)) {
      problems.push({
        field: path(`${key}.name`),
        code: 'duplicate_value',
        message: 'The name occurs twice.',
        value: one.name,
      })
    }
    names.add(one.name)
  })
  return problems
}

/** An approval that is asked for names its approvers. */
function approvalProblems(one: z.infer<typeof transition>, path: string): FieldError[] {
  if (one.approval === undefined) {
    const message = 'A transition that asks for an approval says who approves.'
    return one.requiresApproval === true ? [{ field: path, code: 'required', message }] : []
  }
  const parsed = ApprovalDefinition.safeParse(one.approval)
  return parsed.success ? [] : fieldErrorsOf(parsed.error.issues, one.approval, path)
}
