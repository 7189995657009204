// Reads the words of a foreign SQL statement to refuse, before anything is opened, what could reach beyond the views.
// The compiled program is checked again by the process that runs it. Pure.

/** Why a statement is refused, or the names it uses. */
export type SqlReading =
  | { readonly ok: true; readonly names: ReadonlySet<string>; readonly isExplain: boolean }
  | { readonly ok: false; readonly reason: string }

/** A `text` stands between single quotation marks: where a table is expected SQLite takes one for its name. */
type Token = { readonly kind: 'name' | 'quoted' | 'text' | 'sign'; readonly text: string }

const starts: ReadonlySet<string> = new Set(['select', 'with', 'explain'])
const forbidden =
  /^(?:sqlite_.*|pragma_.*|pragma|attach|detach|vacuum|load_extension|readfile|writefile|edit|dbstat|bytecode|tables_used|fts3_tokenizer|fts5.*|rtreecheck|rtreenode|rtreedepth)$/
/** Tables SQLite has by itself; of texts only these are refused, as other words stand in records. */
const builtInTables = /^(?:sqlite_\w+|pragma_\w+|dbstat|bytecode|tables_used|fts[345]\w*|rtree\w*)$/
const schemas: ReadonlySet<string> = new Set(['main', 'temp'])

/**
 * Reads a statement.
 * @param views names the statement may use for tables, lower case
 * @param hidden names of the tables that really exist, lower case
 */
export function readSqlWords(sql: string, views: ReadonlySet<string>, hidden: ReadonlySet<string>): SqlReading {
  const tokens = tokenize(sql)
  if (tokens === null) return refuse('A text, a name or a comment of the statement does not end.')
  while (tokens.at(-1)?.text === ';' && tokens.at(-1)?.kind === 'sign') tokens.pop()
  const [first] = tokens
  if (first === undefined) return refuse('The statement is empty.')
  if (first.kind !== 'name' || !starts.has(first.text)) {
    return refuse('The statement must begin with SELECT, WITH or EXPLAIN.')
  }
  const names = new Set<string>()
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'sign') {
      if (token.text === ';') return refuse('There must be one statement only.')
      continue
    }
    const { text } = token
    if ((token.kind === 'text' ? builtInTables : forbidden).test(text)) return refuse(`"${text}" is not available.`)
    if (schemas.has(text) && tokens[at + 1]?.text === '.') return refuse(`"${text}." is not available.`)
    if (hidden.has(text) && !views.has(text)) return refuse(`There is no table "${text}".`)
    if (token.kind !== 'text') names.add(text)
  }
  return { ok: true, names, isExplain: first.text === 'explain' }
}

function refuse(reason: string): SqlReading {
  return { ok: false, reason }
}

/** Names in lower case, quoted or not, and texts; numbers are left out. Null when something quoted does not end. */
function tokenize(sql: string): Token[] | null {
  const tokens: Token[] = []
  const pattern =
    /\s+|--[^\n]*|\/\*[\s\S]*?\*\/|'((?:[^']|'')*)'|"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|\[([^\]]*)\]|([A-Za-z_\u0080-\u{10ffff}][\w$\u0080-\u{10ffff}]*)|([0-9][\w.]*)|([\s\S])/uy
  while (pattern.lastIndex < sql.length) {
    const match = pattern.exec(sql)
    if (match === null) return null
    const [whole, single, double, tick, bracket, word, number, sign] = match
    const quoted = double?.replaceAll('""', '"') ?? tick?.replaceAll('``', '`') ?? bracket
    if (single !== undefined) tokens.push({ kind: 'text', text: single.replaceAll("''", "'").toLowerCase() })
    else if (quoted !== undefined) tokens.push({ kind: 'quoted', text: quoted.toLowerCase() })
    else if (word !== undefined) tokens.push({ kind: 'name', text: word.toLowerCase() })
    else if (number !== undefined) continue
    else if (sign !== undefined) {
      if (
        sign === "'" ||
        sign === '"' ||
        sign === '`' ||
        sign === '[' ||
        (sign === '/' && sql.startsWith('/*', match.index))
      ) {
        return null
      }
      tokens.push({ kind: 'sign', text: whole })
    }
  }
  return tokens
}
