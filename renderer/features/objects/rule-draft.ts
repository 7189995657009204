// Owns the validation rules of an object as the designer writes them: their kinds, names and what each still needs. Pure.
import { nameFromLabel, uniqueName } from './object-names.ts'

/** A rule inside of an object's definition (D-96); unknown keys pass through untouched. */
export interface RuleItem {
  name: string
  type: string
  label?: string
  message?: string
  severity?: string
  active?: boolean
  events?: readonly string[]
  condition?: unknown
  field?: string
  fields?: readonly string[]
  format?: string
  regex?: string
  initial?: string
  transitions?: unknown
  [key: string]: unknown
}

/** The kinds of rules that can be made on screen; others are shown and kept. */
export const ruleTypes = ['script', 'unique', 'format', 'state_machine'] as const

/** Formats a rule can ask for; `regex` stands for a pattern of one's own. */
export const ruleFormats = ['email', 'url', 'phone', 'json', 'regex'] as const

/** From each state the states that may follow it. */
export type Transitions = Readonly<Record<string, readonly string[]>>

/** The transitions of a rule as a map; undefined when they are written in the long form, which is edited by the API. */
export function transitionMap(rule: RuleItem): Transitions | undefined {
  const { transitions } = rule
  if (transitions === undefined) return {}
  if (typeof transitions !== 'object' || transitions === null || Array.isArray(transitions)) return undefined
  return transitions as Transitions
}

/** Allows or forbids one step; states are written in the order of `states`. */
export function withTransition(
  before: Transitions,
  states: readonly string[],
  from: string,
  to: string,
  allowed: boolean,
): Transitions {
  return Object.fromEntries(
    states.map((state) => {
      const next = new Set(Object.hasOwn(before, state) ? before[state] : [])
      if (state === from) {
        if (allowed) next.add(to)
        else next.delete(to)
      }
      return [state, states.filter((each) => next.has(each))]
    }),
  )
}

/** A condition as its text, whichever way it is written. */
export function conditionText(condition: unknown): string {
  if (typeof condition === 'string') return condition
  const source = typeof condition === 'object' && condition !== null ? (condition as { source?: unknown }).source : ''
  return typeof source === 'string' ? source : ''
}

const keysOf: Readonly<Record<string, readonly (keyof RuleItem)[]>> = {
  script: ['condition', 'field'],
  unique: ['fields', 'where'],
  format: ['field', 'format', 'regex'],
  state_machine: ['field', 'initial', 'transitions', 'states'],
}
const ownKeys = new Set<string>(Object.values(keysOf).flat().map(String))

/** The rule with another type: what only the former type reads is left out. */
export function withRuleType(rule: RuleItem, type: string): RuleItem {
  const reads = new Set((keysOf[type] ?? []).map(String))
  const kept = Object.entries(rule).filter(([key]) => !ownKeys.has(key) || reads.has(key))
  return { ...(Object.fromEntries(kept) as RuleItem), type }
}

/** A name for a new rule, made from its label. */
export function ruleName(label: string, rules: readonly RuleItem[]): string {
  return uniqueName(nameFromLabel(label, 'rule'), new Set(rules.map((rule) => rule.name)))
}

/** The keys a rule still needs, in the order the form asks for them. */
export function missingInRule(rule: RuleItem): string[] {
  const needs: Record<string, boolean> = {
    condition: rule.type === 'script' && conditionText(rule.condition).trim() === '',
    fields: rule.type === 'unique' && !rule.fields?.length,
    field: (rule.type === 'format' || rule.type === 'state_machine') && !rule.field,
    regex: rule.type === 'format' && !rule.format && !rule.regex,
    transitions: rule.type === 'state_machine' && !hasTransition(rule),
    message: rule.type !== 'state_machine' && !rule.message?.trim(),
  }
  return Object.keys(needs).filter((key) => needs[key])
}

function hasTransition(rule: RuleItem): boolean {
  const map = transitionMap(rule)
  return map === undefined || Object.values(map).some((next) => next.length > 0)
}
