// Reads $select and $expand into what a list query and the expander take, and keeps what the answer has to look like.
import type { ExpandNode } from '#shared/filter/select.ts'
import { maxExpandDepth, maxExpandPaths } from '#shared/filter/select.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Aliases } from './filter-parser.ts'
import { parseFilterOption } from './filter-parser.ts'
import type { EntityModel, Navigation } from './model.ts'
import { fieldNameOf } from './names.ts'
import { parseOrder } from './order-option.ts'
import type { TokenReader } from './token-reader.ts'
import { createTokenReader } from './token-reader.ts'
import { optionError } from './tokens.ts'

/** A relation that is expanded. */
export interface Expansion {
  /** As the request spells it, which is the key in the answer. */
  readonly name: string
  readonly navigation: Navigation
  readonly shape: EntityShape
  /** The part that is shown of a list of related entities; null: all of it. Lists of children come as that part. */
  readonly part: { readonly skip: number; readonly limit: number | null } | null
  /** Whether the number of related entities is told beside the list. */
  readonly counts: boolean
  readonly node: ExpandNode
}

/** What an entity shows. */
export interface EntityShape {
  /** Null: every readable field. */
  readonly select: readonly string[] | null
  readonly expansions: readonly Expansion[]
}

/** Most rows an expansion may be asked for; of children no more than 50 come (D-87). */
const mostRows = 1_000

/** Reads $select: null for every field. @throws invalid_query, not_implemented */
export function parseSelectOption(text: string | undefined, option = '$select'): string[] | null {
  if (text === undefined) return null
  const reader = createTokenReader(text, option)
  const names: string[] = []
  let isAll = false
  if (reader.peek().kind === 'end') return null
  do {
    if (reader.takeSign('*')) {
      isAll = true
      continue
    }
    const path: string[] = []
    do {
      const name = reader.needName('a field')
      if (name.startsWith('$')) throw reader.refuse(`"${name}"`)
      path.push(fieldNameOf(name))
    } while (reader.takeSign('/'))
    if (reader.peek().text === '(') throw reader.refuse('A field with options')
    names.push(path.join('.'))
  } while (reader.takeSign(','))
  if (reader.peek().kind !== 'end') throw reader.fail('a comma is expected')
  return isAll ? null : [...new Set(names)]
}

/**
 * Reads $expand.
 * @throws invalid_query also for more than three levels and ten paths (D-87), not_implemented
 */
export function parseExpandOption(
  text: string | undefined,
  schema: ObjectSchema,
  model: EntityModel,
  aliases: Aliases,
): Expansion[] {
  if (text === undefined) return []
  const reader = createTokenReader(text, '$expand')
  if (reader.peek().kind === 'end') return []
  const counter = { paths: 0 }
  const expansions = readItems(reader, { schema, model, aliases, depth: 1, counter })
  if (reader.peek().kind !== 'end') throw reader.fail('a comma is expected')
  return expansions
}

interface Level {
  readonly schema: ObjectSchema
  readonly model: EntityModel
  readonly aliases: Aliases
  readonly depth: number
  readonly counter: { paths: number }
}

function readItems(reader: TokenReader, level: Level): Expansion[] {
  if (level.depth > maxExpandDepth) throw reader.fail(`an expansion is at most ${maxExpandDepth} levels deep`)
  const items: Expansion[] = []
  do {
    if (reader.peek().text === '*') throw reader.refuse('An expansion of everything')
    const item = readItem(reader, level)
    if (items.some(({ navigation }) => navigation.source === item.navigation.source))
      throw reader.fail(`"${item.name}" is expanded twice`)
    items.push(item)
  } while (reader.takeSign(','))
  return items
}

function readItem(reader: TokenReader, level: Level): Expansion {
  const start = reader.peek()
  const name = reader.needName('a relation')
  const navigation = level.model.navigation(level.schema, name)
  if (navigation === undefined) throw unknownRelation(name, start.at)
  if (++level.counter.paths > maxExpandPaths) throw reader.fail(`there are more than ${maxExpandPaths} expanded paths`)
  const inner: Level = { ...level, schema: navigation.target, depth: level.depth + 1 }
  if (reader.takeSign('/')) {
    if (reader.peek().text.startsWith('$')) throw reader.refuse(`"${reader.peek().text}" in an expansion`)
    if (inner.depth > maxExpandDepth) throw reader.fail(`an expansion is at most ${maxExpandDepth} levels deep`)
    return expansionOf(name, navigation, { select: null, expansions: [readItem(reader, inner)] })
  }
  return readOptionsOf(reader, name, navigation, inner)
}

function readOptionsOf(reader: TokenReader, name: string, navigation: Navigation, inner: Level): Expansion {
  let select: string[] | null = null
  let expansions: Expansion[] = []
  const options: ListPart = { ...wholeList }
  if (!reader.takeSign('(')) return expansionOf(name, navigation, { select, expansions })
  const seen = new Set<string>()
  do {
    const written = reader.needName('an option')
    const option = written.replace(/^\$/, '').toLowerCase()
    if (seen.has(option)) throw reader.fail(`the option "${written}" is given twice`)
    seen.add(option)
    reader.needSign('=')
    if (option === 'expand') {
      expansions = readItems(reader, inner)
      continue
    }
    const text = reader.skipPart(optionEnds)
    const place = `$expand/${name}/$${option}`
    if (option === 'select') select = parseSelectOption(text, place)
    else if (option === 'filter') options.where = parseFilterOption(text, inner.aliases, place)
    else if (option === 'orderby') options.sort = parseOrder(text, place)
    else if (option === 'top') options.limit = readLimit(reader, text, navigation.many ? 0 : 1)
    else if (option === 'skip') options.skip = readSkip(reader, text)
    else if (option === 'count' && navigation.many) options.counts = readFlag(reader, text)
    else if (['count', 'search', 'levels', 'apply', 'compute'].includes(option))
      throw reader.refuse(`The option "${written}" of an expansion`)
    else throw reader.fail(`there is no option "${written.slice(0, 50)}"`)
  } while (reader.takeSign(';'))
  reader.needSign(')')
  return expansionOf(name, navigation, { select, expansions }, options)
}

/** What an expansion shows of a list. */
interface ListPart {
  where: ExpandNode['where']
  sort: ExpandNode['sort']
  limit: number | null
  skip: number
  counts: boolean
}

const wholeList: Readonly<ListPart> = { where: null, sort: [], limit: null, skip: 0, counts: false }

const optionEnds: ReadonlySet<string> = new Set([';', ')'])

function readLimit(reader: TokenReader, text: string, least: 0 | 1): number {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : -1
  if (limit >= least && limit <= mostRows) return limit
  throw reader.fail(`$top of an expansion is ${least} to ${mostRows}`)
}

function readFlag(reader: TokenReader, text: string): boolean {
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  throw reader.fail('$count of an expansion is true or false')
}

function readSkip(reader: TokenReader, text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw reader.fail('$skip of an expansion is a number of at most six digits')
}

/** The version of every related record is read for its tag; people have none. */
function fieldsOf({ select, expansions }: EntityShape, target: ObjectSchema): readonly string[] | null {
  if (select === null) return null
  const named = select.map((name) => name.split('.')[0]!)
  const besides = ['id', 'updated_at', ...expansions.map(({ navigation }) => navigation.source)]
  const shown = new Set(target.visibleFields.map(({ name }) => name))
  return [...new Set([...named, ...besides.filter((name) => shown.has(name))])]
}

function expansionOf(
  name: string,
  navigation: Navigation,
  shape: EntityShape,
  { skip, limit, counts, ...options }: ListPart = wholeList,
): Expansion {
  // Ids that lead to nothing are no part of a list under its own name, so it is cut after they are left out.
  const isCutLater = navigation.many && !navigation.isChildren && name !== navigation.source
  const node: ExpandNode = {
    name: navigation.source,
    fields: fieldsOf(shape, navigation.target),
    ...options,
    limit: isCutLater ? null : limit,
    ...(navigation.isChildren && skip > 0 ? { skip } : {}),
    ...(navigation.isChildren && counts ? { counted: true } : {}),
    children: shape.expansions.map((expansion) => expansion.node),
  }
  return { name, navigation, shape, part: isCutLater ? { skip, limit } : null, counts, node }
}

/** The same words whether there is no such relation or the caller may not know of it (D-25). */
function unknownRelation(name: string, at: number): Error {
  return optionError('$expand', `"${name.slice(0, 100)}" is not a relation of the object`, at)
}
