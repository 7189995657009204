// Reads what check-plugins needs to know out of a plugin's sources. Text in, facts out; no file access, no rule.

/** A file of a plugin: its path inside the plugin folder and its text. */
export interface PluginFile {
  path: string
  text: string
}

/** What a plugin's sources say of it. */
export interface PluginFacts {
  id: string | undefined
  requires: readonly string[]
  optional: readonly string[]
  /** Ids asked of `host.service('<id>')`. */
  services: readonly string[]
  /** Ids asked of `host.optionalService('<id>')`. */
  optionalServices: readonly string[]
  /** Ids of plugins whose api.ts is imported. */
  apis: readonly string[]
  /** Tables its migrations create, with the file. */
  tables: readonly { name: string; path: string }[]
}

const CREATE_TABLE =
  /\bCREATE\s+(?:TEMP\s+|TEMPORARY\s+)?(?:VIRTUAL\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?["'`[]?(\w+)/gi

/** Collects the facts of one plugin; comments and test files are left out. */
export function readPlugin(folder: string, files: readonly PluginFile[]): PluginFacts {
  const sources = files
    .filter((file) => file.path.endsWith('.ts') && !/[.]test(-d)?[.]ts$/.test(file.path))
    .map((file) => ({ path: file.path, text: withoutComments(file.text) }))
  const index = sources.find((file) => file.path === 'index.ts')?.text ?? ''
  const all = (pattern: RegExp): string[] =>
    unique(sources.flatMap((file) => [...file.text.matchAll(pattern)].map((match) => match[1] ?? '')))
  const tables = (pattern: RegExp, wanted: (path: string) => boolean): { name: string; path: string }[] =>
    sources
      .filter((file) => wanted(file.path))
      .flatMap((file) => [...file.text.matchAll(pattern)].map((match) => ({ name: match[1] ?? '', path: file.path })))
  return {
    id: /\bid:\s*['"]([^'"]+)['"]/.exec(index)?.[1],
    requires: stringList(index, 'requires'),
    optional: stringList(index, 'optional'),
    services: all(/\bhost\.service\(\s*['"]([^'"]+)['"]/g),
    optionalServices: all(/\bhost\.optionalService\(\s*['"]([^'"]+)['"]/g),
    apis: all(/from\s+['"](?:#main\/plugins|[.][.]|[.][.]\/[.][.])\/([a-z0-9-]+)\/api[.]ts['"]/g).filter(
      (id) => id !== folder,
    ),
    tables: tables(CREATE_TABLE, (path) => path.startsWith('migrations/')),
  }
}

/** The source without comments, line for line; strings stay, because SQL lives in them. */
export function withoutComments(source: string): string {
  return source
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ''))
    .replace(/(^|\s)\/\/[^\n]*/g, '$1')
}

function stringList(source: string, key: string): string[] {
  const list = new RegExp(`\\b${key}:\\s*\\[([^\\]]*)\\]`).exec(source)?.[1] ?? ''
  return [...list.matchAll(/['"]([^'"]+)['"]/g)].map((match) => match[1] ?? '')
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)]
}
