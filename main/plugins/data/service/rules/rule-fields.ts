// Which fields a rule asks about, so that it is left alone while one of them has no valid value.
import { ExpressionError, compileExpression } from '#shared/expression/compile-expression.ts'
import type { RuleDefinition } from '#shared/rules/rule-definition.ts'

/** Names of the fields a rule needs; null when any field may be among them. */
export function fieldsOfRule(rule: RuleDefinition): readonly string[] | null {
  const { field, fields = [], condition, when, transitions, where } = rule
  const steps = Array.isArray(transitions) ? transitions.map((one) => one.condition) : []
  const read = fieldsOfExpressions([condition, when, ...steps])
  const inner = [rule.then, rule.otherwise].map((one) =>
    one === undefined ? [] : fieldsOfRule(one as unknown as RuleDefinition),
  )
  // The filter of a tuple may ask of anything.
  if (read === null || inner.includes(null) || (where !== undefined && where !== null)) return null
  return [...(field === undefined ? [] : [field]), ...fields, ...read, ...inner.flatMap((names) => names ?? [])]
}

/** Names of the fields expressions read; null when one reads the record as a whole, or is no expression. */
export function fieldsOfExpressions(sources: readonly unknown[]): readonly string[] | null {
  const names: string[] = []
  for (const source of sources) {
    if (source === undefined) continue
    try {
      const { fields, readsWholeRecord } = compileExpression(source)
      if (readsWholeRecord) return null
      names.push(...fields)
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      return null
    }
  }
  return names
}
