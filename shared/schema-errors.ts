// Turns the findings of a zod schema into the field errors of D-22: the one mapping of requests, items and definitions.
// Pure; knows no route and no item.
import type { z } from 'zod'
import type { FieldError, FieldErrorCode } from './errors.ts'
import { fieldErrorCodes } from './errors.ts'

type Issue = z.core.$ZodIssue

const formatCodes: Readonly<Record<string, FieldErrorCode>> = {
  email: 'invalid_email',
  url: 'invalid_url',
  uuid: 'invalid_uuid',
  guid: 'invalid_uuid',
  datetime: 'invalid_datetime',
  date: 'invalid_date',
  time: 'invalid_time',
  json_string: 'invalid_json',
}

const typeCodes: Readonly<Record<string, FieldErrorCode>> = {
  number: 'invalid_number',
  int: 'invalid_number',
  boolean: 'invalid_boolean',
  date: 'invalid_date',
}

const knownCodes: ReadonlySet<string> = new Set(fieldErrorCodes)
const secretName = /password|secret|token|credential|authorization|^code$|^key$/i

/**
 * Lists every problem of a failed parse. `input` is what was parsed: it tells a missing value from a wrong one.
 * A `custom` issue may choose its code with `params: { fieldCode }`. `at` stands before every path.
 * @source D-22
 */
export function fieldErrorsOf(issues: readonly Issue[], input: unknown, at = ''): FieldError[] {
  const problems = issues.flatMap((issue) => fromIssue(issue, input, []))
  if (at === '') return problems
  return problems.map((one) => ({ ...one, field: one.field === '' ? at : `${at}.${one.field}` }))
}

function fromIssue(issue: Issue, input: unknown, prefix: readonly PropertyKey[]): FieldError[] {
  const path = givenPath(input, [...prefix, ...issue.path])
  const value = valueAt(input, path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => problem([...path, key], 'unknown_field', 'The field is not known.', undefined))
    case 'invalid_type':
      if (value === undefined) return [problem(path, 'required', 'A value is required.', undefined)]
      return [problem(path, typeCodes[issue.expected] ?? 'invalid_type', issue.message, value, issue.expected)]
    case 'too_small':
      return [problem(path, `min_${measure(issue.origin)}`, issue.message, value, Number(issue.minimum))]
    case 'too_big':
      return [problem(path, `max_${measure(issue.origin)}`, issue.message, value, Number(issue.maximum))]
    case 'invalid_format':
      return [problem(path, formatCodes[issue.format] ?? 'invalid_format', issue.message, value)]
    case 'invalid_value':
      if (value === undefined) return [problem(path, 'required', 'A value is required.', undefined)]
      return [problem(path, 'invalid_option', issue.message, value, issue.values.map(String))]
    case 'not_multiple_of':
      return [problem(path, 'invalid_number', issue.message, value, issue.divisor)]
    case 'invalid_union':
      return fromUnion(issue, input, path, value)
    case 'custom': {
      const code: unknown = issue.params?.['fieldCode']
      const known = typeof code === 'string' && knownCodes.has(code) ? (code as FieldErrorCode) : 'invalid_format'
      return [problem(path, known, issue.message, value)]
    }
    default:
      return [problem(path, 'invalid_format', issue.message, value)]
  }
}

/** Reports the branch the caller most likely meant: of those whose own type fits, the one with the fewest problems. */
function fromUnion(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  input: unknown,
  path: readonly PropertyKey[],
  value: unknown,
): FieldError[] {
  if (value === undefined) return [problem(path, 'required', 'A value is required.', undefined)]
  // The word that tells the branches apart is none of theirs.
  if (issue.errors.length === 0 && issue.discriminator !== undefined) {
    const options = 'options' in issue ? issue.options?.filter((option) => option !== undefined).map(String) : undefined
    return [problem(path, 'invalid_option', 'There is no form of this name.', value, options)]
  }
  const [best] = issue.errors
    .filter((branch) => !branch.some((inner) => inner.path.length === 0 && inner.code === 'invalid_type'))
    .map((branch) => branch.flatMap((inner) => fromIssue(inner, input, path)))
    .filter((problems) => problems.length > 0)
    .toSorted((a, b) => a.length - b.length || depthOf(b) - depthOf(a))
  return best ?? [problem(path, 'invalid_type', 'The value has none of the accepted forms.', value)]
}

/** Where the first problem lies; the deeper, the more of the branch fitted. */
function depthOf(problems: readonly FieldError[]): number {
  return problems[0]!.field.split('.').length
}

function problem(
  path: readonly PropertyKey[],
  code: FieldErrorCode,
  message: string,
  value: unknown,
  constraint?: unknown,
): FieldError {
  const name = String(path.at(-1) ?? '')
  return {
    field: path.map(String).join('.'),
    code,
    message: message.endsWith('.') ? message : `${message}.`,
    ...(value === undefined || secretName.test(name) ? {} : { value }),
    ...(constraint === undefined ? {} : { constraint }),
  }
}

function measure(origin: string): 'length' | 'value' | 'items' {
  if (origin === 'string') return 'length'
  return origin === 'array' || origin === 'set' || origin === 'map' || origin === 'object' ? 'items' : 'value'
}

/** The path as far as the input goes: an entry of a list that was given as one text is that text. */
function givenPath(input: unknown, path: readonly PropertyKey[]): readonly PropertyKey[] {
  const end = path.findIndex((_, at) => typeof valueAt(input, path.slice(0, at)) === 'string')
  return end === -1 ? path : path.slice(0, end)
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value: unknown = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}
