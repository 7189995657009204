// Field lists and expansions of D-13, D-74, D-77, D-87. Pure; field names are not checked here.
import { invalidQuery } from '#shared/errors.ts'
import type { Filter } from './filter.ts'
import { parseFilter, parseJson } from './parse-filter.ts'
import type { SortTerm } from './sort.ts'
import { parseSort } from './sort.ts'

/** Deepest expansion (D-87). */
export const maxExpandDepth = 3
/** Most distinct expanded paths (D-87). */
export const maxExpandPaths = 10

/** Most names of one list: no object has as many fields. */
const maxNames = 1_000

/** One relation to expand, with what its records show. */
export interface ExpandNode {
  readonly name: string
  /** Null: every readable field. */
  readonly fields: readonly string[] | null
  readonly where: Filter | null
  readonly sort: readonly SortTerm[]
  /** Null: the default of the relation. */
  readonly limit: number | null
  /** Records left out at the beginning of what a parent leads to; no form of D-87 writes it. */
  readonly skip?: number
  /** Whether parents are also told how many records they lead to, under {@link childCountKey}; no form of D-87 writes it. */
  readonly counted?: boolean
  readonly children: readonly ExpandNode[]
}

/** The key of the number of children in an expanded record; no field has such a name. */
export function childCountKey(name: string): string {
  return `$count:${name}`
}

/**
 * Parses a field list: comma-separated text or an array; null when nothing is given.
 * @throws invalid_query
 * @source D-13, D-77
 */
export function parseSelect(input: unknown, parameter = 'select'): string[] | null {
  const names = parseNames(input, parameter)
  return names.length === 0 ? null : names
}

/**
 * Parses an expansion: comma-separated or dotted names, an array of them, or a map from name to options.
 * @throws invalid_query
 * @source D-74, D-87
 */
export function parseExpand(input: unknown, parameter = 'expand'): ExpandNode[] {
  const given = typeof input === 'string' && input.trim().startsWith('{') ? parseJson(input, parameter) : input
  const root: Draft[] = []
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) readMap(root, given, parameter, 1)
  else for (const name of parseNames(given, parameter)) addPath(root, name.split('.'), parameter)
  checkSize(root, parameter)
  return root
}

/**
 * Splits a select into own fields and expansions that dotted names imply, merged into the given expansion. A dotted
 * name narrows its relation to the fields named; a relation that is expanded anyway shows the union.
 * @source D-77
 */
export function splitSelect(
  select: readonly string[],
  expand: readonly ExpandNode[],
  parameter = 'select',
): { fields: string[]; expand: ExpandNode[] } {
  const fields = new Set<string>()
  const root = expand.map(draftOf)
  for (const name of select) {
    const path = name.split('.')
    fields.add(path[0]!)
    if (path.length > 1) addField(root, path, parameter)
  }
  checkSize(root, parameter)
  return { fields: [...fields], expand: root }
}

interface Draft extends ExpandNode {
  fields: string[] | null
  where: Filter | null
  sort: readonly SortTerm[]
  limit: number | null
  children: Draft[]
}

function draftOf(node: ExpandNode): Draft {
  return { ...node, fields: node.fields === null ? null : [...node.fields], children: node.children.map(draftOf) }
}

function parseNames(input: unknown, parameter: string): string[] {
  if (input === undefined || input === null) return []
  const items: unknown[] = Array.isArray(input) ? input : [input]
  const names = items.flatMap((item) => {
    if (typeof item !== 'string') throw invalidQuery(parameter, 'The value must be a list of names.', { path: '' })
    return item.split(',').map((part) => part.trim())
  })
  const given = [...new Set(names.filter((name) => name !== ''))]
  if (given.length > maxNames) throw invalidQuery(parameter, `There are more than ${maxNames} names.`, { path: '' })
  for (const name of given) {
    if (name.split('.').some((segment) => segment === '')) {
      throw invalidQuery(parameter, `"${name.slice(0, 100)}" is not a field path.`, { path: name.slice(0, 100) })
    }
  }
  return given
}

function nodeOf(siblings: Draft[], name: string, fields: string[] | null): Draft {
  let node = siblings.find((sibling) => sibling.name === name)
  if (!node) {
    node = { name, fields, where: null, sort: [], limit: null, children: [] }
    siblings.push(node)
  }
  return node
}

function addPath(root: Draft[], path: readonly string[], parameter: string): void {
  if (path.length > maxExpandDepth) throw tooDeep(parameter, path.join('.'))
  let siblings = root
  for (const name of path) siblings = nodeOf(siblings, name, null).children
}

function addField(root: Draft[], path: readonly string[], parameter: string): void {
  if (path.length > maxExpandDepth + 1) throw tooDeep(parameter, path.join('.'))
  let siblings = root
  let node: Draft | undefined
  for (const name of path.slice(0, -1)) {
    const known: boolean = siblings.some((sibling) => sibling.name === name)
    const parent: Draft | undefined = node
    node = nodeOf(siblings, name, known ? null : [])
    if (parent?.fields && !parent.fields.includes(name)) parent.fields.push(name)
    siblings = node.children
  }
  const field = path.at(-1)!
  if (node?.fields && !node.fields.includes(field)) node.fields.push(field)
}

function readMap(siblings: Draft[], map: object, parameter: string, depth: number): void {
  if (depth > maxExpandDepth) throw tooDeep(parameter, '')
  const entries = Object.entries(map) as [string, unknown][]
  if (entries.length > maxExpandPaths) throw tooMany(parameter)
  for (const [name, value] of entries) {
    if (name === '' || name.includes('.'))
      throw invalidQuery(parameter, 'A key must be a relation name.', { path: name })
    const node = nodeOf(siblings, name, null)
    if (value === true || value === null) continue
    if (typeof value !== 'object' || Array.isArray(value)) {
      throw invalidQuery(parameter, 'The options of an expansion must be an object.', { path: name })
    }
    const options = value as { fields?: unknown; select?: unknown; where?: unknown; filter?: unknown } & {
      orderBy?: unknown
      sort?: unknown
      limit?: unknown
      expand?: unknown
    }
    const where = options.where ?? options.filter
    node.fields = parseSelect(options.fields ?? options.select, parameter)
    node.where = where === undefined ? null : parseFilter(where, parameter)
    node.sort = parseSort(options.orderBy ?? options.sort, parameter)
    node.limit = readLimit(options.limit, name, parameter)
    readNested(node, options.expand, parameter, depth)
  }
}

function readNested(node: Draft, expand: unknown, parameter: string, depth: number): void {
  if (expand === undefined || expand === null) return
  if (typeof expand === 'object' && !Array.isArray(expand)) readMap(node.children, expand, parameter, depth + 1)
  else for (const name of parseNames(expand, parameter)) addPath(node.children, name.split('.'), parameter)
}

function readLimit(limit: unknown, name: string, parameter: string): number | null {
  if (limit === undefined || limit === null) return null
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= 1_000) return limit
  throw invalidQuery(parameter, 'The limit must be an integer from 1 to 1000.', { path: `${name}.limit` })
}

function checkSize(root: readonly Draft[], parameter: string): void {
  let paths = 0
  const walk = (nodes: readonly Draft[], depth: number): void => {
    if (nodes.length > 0 && depth > maxExpandDepth) throw tooDeep(parameter, nodes[0]!.name)
    for (const node of nodes) {
      paths++
      walk(node.children, depth + 1)
    }
  }
  walk(root, 1)
  if (paths > maxExpandPaths) throw tooMany(parameter)
}

function tooMany(parameter: string): Error {
  return invalidQuery(parameter, `There are more than ${maxExpandPaths} expanded paths.`, { path: '' })
}

function tooDeep(parameter: string, path: string) {
  return invalidQuery(parameter, `An expansion is at most ${maxExpandDepth} levels deep.`, { path })
}
