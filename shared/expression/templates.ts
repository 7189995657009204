// Texts with `{{ CEL }}` in them, and values that hold such texts. Bounded: one value may take half a second and make a
// million characters. Pure.
import type { Expression, ExpressionScope } from './compile-expression.ts'
import { ExpressionError, compileExpression } from './compile-expression.ts'

const single = /^\s*\{\{((?:(?!\}\})[\s\S])*)\}\}\s*$/
const maxMs = 500
const maxCharacters = 1_000_000

/** Whether a value is a text that holds a template. */
export function isTemplate(value: unknown): boolean {
  return typeof value === 'string' && value.includes('{{') && value.includes('}}')
}

/** Whether a text is one template and nothing else, and so keeps the type of its value. */
export function isWholeTemplate(text: string): boolean {
  return single.test(text)
}

/** The expressions of the templates in a text. */
export function templatesOf(text: string): string[] {
  const sources: string[] = []
  replaceTemplates(text, (source) => {
    sources.push(source.trim())
    return ''
  })
  return sources
}

/**
 * The text with every template in it replaced, in one walk: a regular expression would look for the end of each anew.
 * @param replace given what stands between the braces, and the template as it stands
 */
export function replaceTemplates(text: string, replace: (source: string, whole: string) => string): string {
  let filled = ''
  let from = 0
  for (;;) {
    const start = text.indexOf('{{', from)
    const end = start === -1 ? -1 : text.indexOf('}}', start + 2)
    if (end === -1) return filled + text.slice(from)
    filled += text.slice(from, start) + replace(text.slice(start + 2, end), text.slice(start, end + 2))
    from = end + 2
  }
}

/** A text as HTML shows it, in content and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/**
 * A value with every template in it replaced; keys stay as they are. A text that is one template keeps the type of its value.
 * @param compile how the expressions are read
 * @param write how the texts of their values are written; every value is one then
 * @throws ExpressionError `syntax`, `value`, `limit`
 * @source D-98, D-150, D-192
 */
export function fillTemplates(
  value: unknown,
  scope: ExpressionScope,
  compile: (source: string) => Expression = compileExpression,
  write?: (text: string) => string,
): unknown {
  return fillWith(value, createTextFiller(scope, compile, write))
}

/** Replaces the templates of one text after the other, within the bounds of one value. @throws as {@link fillTemplates} */
export type TextFiller = (text: string) => unknown

/** Makes what replaces the templates of texts. @param write as of {@link fillTemplates} */
export function createTextFiller(
  scope: ExpressionScope,
  compile: (source: string) => Expression = compileExpression,
  write?: (text: string) => string,
): TextFiller {
  const until = Date.now() + maxMs
  let left = maxCharacters
  const evaluate = (source: string): unknown => {
    if (Date.now() > until) throw tooMuch(`The templates take more than ${maxMs} ms.`)
    const result = compile(source.trim()).evaluate(scope)
    left -= typeof result === 'object' ? JSON.stringify(result).length : String(result).length
    if (left < 0) throw tooMuch(`The templates make more than ${maxCharacters} characters.`)
    return result
  }
  return (text) => (isTemplate(text) ? fillText(text, evaluate, write) : text)
}

/** A value with the templates of every text in it replaced; keys stay as they are. */
export function fillWith(value: unknown, fill: TextFiller): unknown {
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map((item: unknown) => fillWith(item, fill))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillWith(item, fill)]))
}

function fillText(text: string, evaluate: (source: string) => unknown, write?: (text: string) => string): unknown {
  const whole = write === undefined ? single.exec(text) : null
  if (whole !== null) return evaluate(whole[1]!)
  return replaceTemplates(text, (source) => {
    const value = evaluate(source)
    if (value === null || value === undefined) return ''
    const said = typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean)
    return write === undefined ? said : write(said)
  })
}

function tooMuch(message: string): ExpressionError {
  return new ExpressionError('limit', message)
}
