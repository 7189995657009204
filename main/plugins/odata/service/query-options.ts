// Sorts the parameters of a request into the options of the protocol. Knows no grammar of single options.
import { invalidQuery } from '#shared/errors.ts'
import type { Aliases } from './filter-parser.ts'
import { unsupported } from './token-reader.ts'

/** Options this service knows, without `$`. */
const known = [
  'select',
  'filter',
  'orderby',
  'top',
  'skip',
  'expand',
  'count',
  'search',
  'skiptoken',
  'format',
  'apply',
] as const
/** Options of the protocol that it does not have. */
const missing: ReadonlySet<string> = new Set(['compute', 'deltatoken', 'index', 'levels', 'id', 'schemaversion'])

/** The name of an option, without `$`. */
export type OptionName = (typeof known)[number]

/** The options of one request, as text. */
export interface QueryOptions {
  readonly given: Readonly<Partial<Record<OptionName, string>>>
  readonly aliases: Aliases
}

/** A query string as the host parses it. */
export type QueryValues = Readonly<Record<string, string | readonly string[]>>

/**
 * Reads the parameters; names of options may have any case and no `$`, other names are passed over.
 * @throws invalid_query for an option that is unknown or given twice, not_implemented for one that is not supported
 * @source D-183, D-276
 */
export function readOptions(values: QueryValues): QueryOptions {
  const given: Partial<Record<OptionName, string>> = {}
  const aliases = new Map<string, string>()
  for (const [written, value] of Object.entries(values)) {
    const text = typeof value === 'string' ? value : value.at(-1)!
    if (written.startsWith('@')) {
      aliases.set(written, text)
      continue
    }
    const name = written.replace(/^\$/, '').toLowerCase()
    const option = known.find((candidate) => candidate === name)
    if (option === undefined) {
      if (!written.startsWith('$')) continue
      if (missing.has(name)) throw unsupported(written, `The option ${written}`)
      throw invalidQuery(written.slice(0, 100), 'There is no such query option.', { path: '' })
    }
    if (given[option] !== undefined || typeof value !== 'string')
      throw invalidQuery(`$${option}`, 'The option is given more than once.', { path: '' })
    given[option] = text
  }
  return { given, aliases }
}

/** An option that is a number of rows; null when it is not given. @throws invalid_query */
export function rowsOption({ given }: Pick<QueryOptions, 'given'>, name: 'top' | 'skip'): number | null {
  const text = given[name]?.trim()
  if (text === undefined || text === '') return null
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw invalidQuery(`$${name}`, 'The value must be written in decimal digits.', { path: '' })
}

/** An option that is true or false; false when it is not given. @throws invalid_query */
export function flagOption({ given }: Pick<QueryOptions, 'given'>, name: 'count'): boolean {
  const text = given[name]?.trim().toLowerCase()
  if (text === undefined || text === 'false' || text === '0') return false
  if (text === 'true' || text === '1' || text === '') return true
  throw invalidQuery(`$${name}`, 'The value must be true or false.', { path: '' })
}
