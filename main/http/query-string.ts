// Reads a query string into strings, or arrays of strings where a name repeats (D-13). Knows no parameter.

/** A parsed query string without prototype, so that no name is special. */
export type QueryValues = Record<string, string | string[]>

/**
 * Parses the part after `?`. `name[]=` means the same as repetition; `+` is a space. The escapes must be sound:
 * the guard has checked them.
 * @source D-13
 */
export function parseQueryString(text: string): QueryValues {
  const values: QueryValues = Object.create(null) as QueryValues
  if (text === '') return values
  for (const part of text.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    let name = decode(equals === -1 ? part : part.slice(0, equals))
    const value = equals === -1 ? '' : decode(part.slice(equals + 1))
    const list = name.endsWith('[]')
    if (list) name = name.slice(0, -2)
    const before = values[name]
    if (before === undefined) values[name] = list ? [value] : value
    else if (typeof before === 'string') values[name] = [before, value]
    else before.push(value)
  }
  return values
}

/** The query string of a request target, without `?`; '' when there is none. */
export function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}

function decode(text: string): string {
  const plain = text.includes('+') ? text.replaceAll('+', ' ') : text
  return plain.includes('%') ? decodeURIComponent(plain) : plain
}
