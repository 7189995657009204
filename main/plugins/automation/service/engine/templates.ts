// Texts with CEL in double braces inside of configured values (D-150). Bounded: one value may take half a second and
// make a million characters. Pure.
import type { ExpressionScope } from '#shared/expression/compile-expression.ts'
import { ExpressionError, compileOpenExpression } from '#shared/expression/compile-expression.ts'

const template = /\{\{([\s\S]*?)\}\}/g
const single = /^\s*\{\{((?:(?!\}\})[\s\S])*)\}\}\s*$/
const maxMs = 500
const maxCharacters = 1_000_000

/** Whether a text holds a template. */
export function isTemplate(value: unknown): boolean {
  return typeof value === 'string' && value.includes('{{') && value.includes('}}')
}

/** The expressions of the templates in a text. */
export function templatesOf(text: string): string[] {
  return [...text.matchAll(template)].map((match) => match[1]!.trim())
}

/**
 * A value with every template in it replaced; keys stay as they are. A text that is one template keeps its type.
 * @throws ExpressionError `syntax`, `value`, `limit`
 */
export function fillTemplates(value: unknown, scope: ExpressionScope): unknown {
  const budget = { until: performance.now() + maxMs, characters: maxCharacters }
  const evaluate = (source: string): unknown => {
    if (performance.now() > budget.until) throw tooMuch(`The templates take more than ${maxMs} ms.`)
    const result = compileOpenExpression(source.trim()).evaluate(scope)
    budget.characters -= typeof result === 'object' ? JSON.stringify(result).length : String(result).length
    if (budget.characters < 0) throw tooMuch(`The templates make more than ${maxCharacters} characters.`)
    return result
  }
  const fill = (part: unknown): unknown => {
    if (typeof part === 'string') return isTemplate(part) ? fillText(part, evaluate) : part
    if (Array.isArray(part)) return part.map(fill)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, fill(item)]))
  }
  return fill(value)
}

function fillText(text: string, evaluate: (source: string) => unknown): unknown {
  const whole = single.exec(text)
  if (whole !== null) return evaluate(whole[1]!)
  return text.replaceAll(template, (_all, source: string) => {
    const value = evaluate(source)
    if (value === null || value === undefined) return ''
    return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean)
  })
}

function tooMuch(message: string): ExpressionError {
  return new ExpressionError('limit', message)
}
