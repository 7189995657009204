// The object form of D-79. Recursion into the other forms goes through the callback of parse-filter.ts.
import type { Filter } from './filter.ts'
import type { FilterReader } from './filter-reader.ts'
import { checkDepth, filterError, isMacro, patternOperator, readCondition, readPath } from './filter-reader.ts'

/** Parses one child of a logical operator, in any form. */
export type ParseChild = (reader: FilterReader, input: unknown, depth: number, path: string) => Filter

/** Parses a plain object whose keys are fields, paths and logical operators. */
export function parseObjectForm(
  reader: FilterReader,
  input: object,
  depth: number,
  path: string,
  parseChild: ParseChild,
): Filter {
  checkDepth(reader, depth, path)
  const filters: Filter[] = []
  for (const [key, value] of Object.entries(input) as [string, unknown][]) {
    const at = path === '' ? key : `${path}.${key}`
    if (key.startsWith('$')) filters.push(parseLogical(reader, key, value, depth, at, parseChild))
    else filters.push(...parseField(reader, readPath(reader, key, at), value, depth, at))
  }
  return filters.length === 1 ? filters[0]! : { kind: 'and', children: filters }
}

function parseLogical(
  reader: FilterReader,
  key: string,
  value: unknown,
  depth: number,
  path: string,
  parseChild: ParseChild,
): Filter {
  const children = (): Filter[] => {
    if (!Array.isArray(value)) throw filterError(reader, path, `${key} needs a list of filters.`)
    checkDepth(reader, depth + 1, path)
    return value.map((child: unknown, index) => parseChild(reader, child, depth + 1, `${path}.${index}`))
  }
  switch (key) {
    case '$and':
      return { kind: 'and', children: children() }
    case '$or':
      return { kind: 'or', children: children() }
    case '$nor':
      return { kind: 'not', child: { kind: 'or', children: children() } }
    case '$not':
      return { kind: 'not', child: parseChild(reader, value, depth + 1, path) }
    case '$search':
      if (typeof value !== 'string') throw filterError(reader, path, 'The operand must be text.')
      if (++reader.conditions > 100) throw filterError(reader, path, 'The filter has more than 100 conditions.')
      return { kind: 'search', query: value, fields: [] }
    default:
      throw filterError(reader, path, `There is no operator "${key.slice(0, 50)}".`)
  }
}

/** Objects that begin with one of these are operands, not operators (D-85). */
const macroNames = new Set(['$today', '$now', '$startOf', '$user', '$field'])

function parseField(
  reader: FilterReader,
  fieldPath: readonly string[],
  value: unknown,
  depth: number,
  path: string,
): Filter[] {
  if (Array.isArray(value)) return [readCondition(reader, fieldPath, '$in', value, path)]
  if (typeof value !== 'object' || value === null || isMacro(value)) {
    return [readCondition(reader, fieldPath, '$eq', value, path)]
  }
  checkDepth(reader, depth + 1, path)
  const entries = Object.entries(value) as [string, unknown][]
  if (entries.length === 0) throw filterError(reader, path, 'The condition is empty.')
  if (macroNames.has(entries[0]![0])) throw filterError(reader, path, 'The macro is not well formed.')
  const operators = entries.filter(([key]) => key.startsWith('$'))
  if (operators.length > 0 && operators.length < entries.length) {
    throw filterError(reader, path, 'Operators and fields must not be mixed.')
  }
  return entries.flatMap(([key, inner]): Filter[] => {
    const at = `${path}.${key}`
    if (operators.length === 0) {
      return parseField(reader, [...fieldPath, ...readPath(reader, key, at)], inner, depth + 1, at)
    }
    if (key === patternOperator) throw filterError(reader, at, `There is no operator "${key}".`)
    if (key !== '$not') return [readCondition(reader, fieldPath, key, inner, at)]
    const negated = parseField(reader, fieldPath, inner, depth + 1, at)
    return [{ kind: 'not', child: negated.length === 1 ? negated[0]! : { kind: 'and', children: negated } }]
  })
}
