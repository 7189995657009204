// `{{ CEL }}` inside of configured values (D-150): a text that is one template keeps the value's type, others become
// text. Pure.
import type { ExpressionScope } from '#shared/expression/compile-expression.ts'
import { compileExpression } from '#shared/expression/compile-expression.ts'

const template = /\{\{([\s\S]*?)\}\}/g
const single = /^\s*\{\{((?:(?!\}\})[\s\S])*)\}\}\s*$/

/**
 * A value with every template in it replaced; keys stay as they are.
 * @throws ExpressionError
 */
export function fillTemplates(value: unknown, scope: ExpressionScope): unknown {
  if (typeof value === 'string') return fillText(value, scope)
  if (Array.isArray(value)) return value.map((item: unknown) => fillTemplates(item, scope))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillTemplates(item, scope)]))
}

function fillText(text: string, scope: ExpressionScope): unknown {
  const whole = single.exec(text)
  if (whole !== null) return compileExpression(whole[1]!.trim()).evaluate(scope)
  return text.replaceAll(template, (_all, source: string) => {
    const value = compileExpression(source.trim()).evaluate(scope)
    if (value === null || value === undefined) return ''
    return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean)
  })
}
