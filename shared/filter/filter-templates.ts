// Templates inside of filters: what they bring is compared with, and never becomes an operator, a condition or a macro.
// Pure.
import type { FieldError } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import { isTemplate, isWholeTemplate } from '#shared/expression/templates.ts'
import { readRecordLink } from '#shared/field-types/record.ts'
import { isRule } from './array-form.ts'

/** Operators whose operand is made of filters, or stands where a bare value does. */
const structural: ReadonlySet<string> = new Set(['$and', '$or', '$nor', '$not'])

/**
 * A filter with every template in it replaced. A filter that is one template is whatever that is; inside of one a template
 * stands for a value, and for a list of values only as the operand of an operator.
 * @param fill answers what a text is once its templates are replaced
 * @param field where the filter stands, for the error
 * @throws validation_error; whatever `fill` throws
 * @source D-411
 */
export function fillFilter(filter: unknown, fill: (text: string) => unknown, field: string): unknown {
  if (typeof filter !== 'string') return fillPart(filter, fill, field, false)
  // Written into JSON, a value could go on with the text.
  if (isTemplate(filter) && !isWholeTemplate(filter))
    throw refuse(field, 'invalid_format', 'A filter with templates in it is a map or a list, and no text.')
  return fill(filter)
}

/**
 * A value as an operand that is only compared with; undefined for what could be read as something else. A link to a record
 * is its text.
 */
export function plainOperand(value: unknown): string | number | boolean | null | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  const link = readRecordLink(value)
  return link === null ? undefined : `${link.object}/${link.id}`
}

function fillPart(part: unknown, fill: (text: string) => unknown, at: string, takesList: boolean): unknown {
  if (typeof part === 'string') return isTemplate(part) ? operandOf(fill(part), at, takesList) : part
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) {
    const filled: unknown[] = []
    // Of `[field, operator, value]` the value, which the operator judges.
    for (const [index, item] of part.entries())
      filled.push(fillPart(item, fill, `${at}[${index}]`, index === 2 && typeof filled[1] === 'string'))
    return filled
  }
  const listed = isRule(part) ? 'value' : isAnalytic(part) ? 'values' : null
  return Object.fromEntries(
    Object.entries(part).map(([key, item]) => {
      const isOperand = key.startsWith('$') ? !structural.has(key) : key === listed
      return [key, fillPart(item, fill, `${at}.${key}`, isOperand)]
    }),
  )
}

/** A condition of an analytic query, `{member, operator, values}`. */
function isAnalytic(part: object): boolean {
  const { member, operator } = part as { member?: unknown; operator?: unknown }
  return typeof member === 'string' && typeof operator === 'string'
}

function operandOf(value: unknown, at: string, takesList: boolean): unknown {
  if (Array.isArray(value)) {
    const all = value.map(plainOperand)
    if (takesList && !all.includes(undefined)) return all
    throw takesList
      ? refuse(at, 'invalid_type', 'The list that a template brings here has more in it than single values.')
      : refuse(at, 'invalid_type', 'A template brings a list where a single value belongs; name an operator like $in.')
  }
  const operand = plainOperand(value)
  if (operand !== undefined) return operand
  throw refuse(at, 'invalid_type', 'A template brings a map where a single value belongs.')
}

function refuse(field: string, code: FieldError['code'], message: string): Error {
  return validationError([{ field, code, message }])
}
