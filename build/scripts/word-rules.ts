// Rules on words of the sources that imports cannot show: where SQL may stand, whose tables it may name, and what the
// mechanism must not know. Goes by the text, so a name put together from parts passes. No file access.
import { withoutComments } from './plugin-sources.ts'

/** A source file, its path from the root of the repository. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** A broken rule. */
export interface WordViolation {
  readonly rule: WordRule
  readonly file: string
  /** From 1. */
  readonly line: number
  /** The words that break it. */
  readonly words: string
}

/** The rules, each with the fix that is printed with a violation. */
export const wordRules = {
  'sql-in-stores-only':
    'SQL stands in store.ts, *-store.ts, store/, migrations/, main/database/ and main/workers/. Move the statement with its row type into a store and call it.',
  'own-tables-only':
    "A plugin reads and writes its own tables. Ask the owner's service (api.ts) instead, or a reading function of the kernel or of main/database/ where the table is theirs.",
  'object-tables-through-data':
    "Tables of objects belong to data. Ask its service, or the reads of main/database/query/object-rows.ts, and hand over the object instead of its table's name.",
  'mechanism-names-no-event':
    'kernel/, http/, database/, workers/, replication/ and relay/ know no plugin. Put the name of the event into shared/, or let the plugin listen.',
} as const

/** A name of {@link wordRules}. */
export type WordRule = keyof typeof wordRules

/** Tables of another owner that were agreed on, by the path that names them. */
const AGREED: Readonly<Record<string, readonly string[]>> = {
  // Accounts keep the directory of the kernel in line by triggers (A-36); released migrations are frozen.
  'main/plugins/auth/migrations/0004-directory.ts': ['_user'],
}

const STORE = /(^|[/-])store[.]ts$|\/store\/|\/migrations\/|^main\/(database|workers)\//
const MECHANISM = /^main\/(kernel|http|database|workers|replication|relay)\//
const TEST = /[.]test(-d)?[.]tsx?$/

/** What begins a statement, or a query within one. */
const STATEMENT =
  /(?:^\s*|[`'"(]\s*)SELECT\b(?! over )|\b(?:INSERT|REPLACE)\s+(?:OR\s+\w+\s+)?INTO\s|\bDELETE\s+FROM\s|\bUPDATE\s+\S+\s+SET\s|\b(?:CREATE|ALTER|DROP)\s+(?:TABLE|INDEX|TRIGGER|VIEW|VIRTUAL TABLE)\s|[`'"]PRAGMA\s/
const CREATED = /\bCREATE\s+(?:VIRTUAL\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?["'`[]?(\w+)/g
const NAMED = /\b(?:FROM|JOIN|INTO|UPDATE)\s+["'`[]?([a-z]\w+)/g
const WORD = /(?<![\w$.])_?[a-z]\w*_\w+|(?<![\w$.])_[a-z]\w*/g
/** The table of a compiled object inside a text, or taken out of it as a parameter; a table spelled out. */
const OBJECT_TABLE = /\$\{[^}]*[.](?:table|objectTable)\b[^}]*\}|\(\{[^{}()]*\btable\b[^{}()]*\}\s*[,):]|["'`]o_[a-z$]/
const EVENT = /\btype:\s*'([a-z_]+(?:[.][a-z_]+)+)'/g
const QUOTED = /'([a-z_]+(?:[.][a-z_]+)+)'/g

/**
 * Every violation in the sources of `main/`, in the order of the files.
 * @param files sources of main/ and of shared/, whose event names everybody may use
 */
export function wordViolations(files: readonly SourceFile[]): WordViolation[] {
  const sources = files
    .filter(({ path }) => !TEST.test(path))
    .map(({ path, text }) => ({ path, text: withoutComments(text) }))
  const main = sources.filter(({ path }) => path.startsWith('main/'))
  const owners = tableOwners(main)
  const plugins = new Set(main.flatMap(({ path }) => pluginOf(path) ?? []))
  const events = privateEvents(sources)
  return main.flatMap(({ path, text }) =>
    text.split('\n').flatMap((content, index) => {
      const found: [WordRule, string][] = []
      if (!STORE.test(path) && STATEMENT.test(content)) found.push(['sql-in-stores-only', content.trim()])
      for (const table of foreignTables(path, content, owners, plugins)) found.push(['own-tables-only', table])
      const plugin = pluginOf(path)
      const object = plugin !== undefined && plugin !== 'data' && OBJECT_TABLE.exec(content)
      if (object) found.push(['object-tables-through-data', object[0]])
      if (MECHANISM.test(path))
        for (const [, name = ''] of content.matchAll(QUOTED))
          if (events.has(name)) found.push(['mechanism-names-no-event', name])
      return found.map(([rule, words]) => ({ rule, file: path, line: index + 1, words: words.slice(0, 100) }))
    }),
  )
}

/** A violation as people read it. */
export function describeWordViolation({ rule, file, line, words }: WordViolation): string {
  return `${rule}: ${file}:${line}: ${words}\n    fix: ${wordRules[rule]}`
}

function pluginOf(path: string): string | undefined {
  return /^main\/plugins\/([^/]+)\//.exec(path)?.[1]
}

/** A plugin, or the folder of main/. */
function ownerOf(path: string): string {
  return pluginOf(path) ?? path.split('/').slice(0, 2).join('/')
}

/** Tables that are made, by name, with their owner. A relay's file is its own, and its tables have plain names. */
function tableOwners(main: readonly SourceFile[]): Map<string, string> {
  return new Map(
    main
      .filter(({ path }) => !path.startsWith('main/relay/'))
      .flatMap(({ path, text }) => [...text.matchAll(CREATED)].map(([, name = '']) => [name, ownerOf(path)] as const)),
  )
}

function foreignTables(
  path: string,
  content: string,
  owners: ReadonlyMap<string, string>,
  plugins: ReadonlySet<string>,
): Set<string> {
  const owner = ownerOf(path)
  const named = [...content.matchAll(WORD)]
    .map(([word]) => word)
    .filter((word) => (owners.get(word) ?? owner) !== owner)
  // Tables that are made while the program runs have the prefix of their plugin.
  const prefixed = [...content.matchAll(NAMED)]
    .map(([, name = '']) => name)
    .filter((name) =>
      [...plugins].some((id) => id !== owner && name.startsWith(`${id.replaceAll('-', '_')}_`) && !owners.has(name)),
    )
  return new Set([...named, ...prefixed].filter((table) => AGREED[path]?.includes(table) !== true))
}

/** Events that plugins raise and shared/ does not name. */
function privateEvents(sources: readonly SourceFile[]): Set<string> {
  const isShared = (path: string): boolean => path.startsWith('shared/')
  const known = new Set(
    sources
      .filter(({ path }) => isShared(path))
      .flatMap(({ text }) => [...text.matchAll(QUOTED)].map(([, name = '']) => name)),
  )
  return new Set(
    sources
      .filter(({ path }) => pluginOf(path) !== undefined)
      .flatMap(({ text }) => [...text.matchAll(EVENT)].map(([, name = '']) => name))
      .filter((name) => !known.has(name)),
  )
}
