// Reads the path behind /odata: an entity set, one of its entities, and what of it is asked for.
import { platformError } from '#shared/errors.ts'

/** What a path names. */
export interface ResourcePath {
  readonly set: string
  /** The key as written, without quotes; null for the set itself. */
  readonly key: string | null
  /** Segments behind it. */
  readonly rest: readonly string[]
}

/** Most segments of a path. */
const maxSegments = 5

/** Reads a path; null for the service itself. @throws resource_not_found for what is no path of the protocol */
export function parsePath(path: string): ResourcePath | null {
  const segments = path.split('/').filter((segment) => segment !== '')
  const [first, ...rest] = segments
  if (first === undefined) return null
  const parts = /^([A-Za-z_][\w]*)(?:\((.*)\))?$/s.exec(first)
  if (parts === null || segments.length > maxSegments) throw unknownPath(path)
  const set = parts[1]!
  if (parts[2] !== undefined) {
    if (parts[2].trim() === '') return { set, key: null, rest }
    return { set, key: keyOf(parts[2]), rest }
  }
  const [next, ...others] = rest
  if (next === undefined || next.startsWith('$')) return { set, key: null, rest }
  return { set, key: keyOf(next), rest: others }
}

/** The error of a path nothing answers to. */
export function unknownPath(path: string): Error {
  return platformError('resource_not_found', { reason: 'route', path: path.slice(0, 200) })
}

/** A key may stand in quotes, behind the name of its type, or behind its name. */
function keyOf(text: string): string {
  const value = text.trim().replace(/^id\s*=\s*/i, '')
  const quoted = /^(?:guid)?'((?:[^']|'')*)'$/i.exec(value)
  return quoted === null ? value : quoted[1]!.replaceAll("''", "'")
}
