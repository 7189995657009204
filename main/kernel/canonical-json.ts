// Canonical JSON and the hashes taken over it. Pure; knows nothing of what is hashed.
import { createHash } from 'node:crypto'

/**
 * Writes a value as canonical JSON: keys sorted by UTF-16 code units, no white space, numbers as ECMAScript prints
 * them. Members that are `undefined` are left out, as JSON.stringify does.
 * @throws TypeError for what JSON cannot hold: non-finite numbers, bigints, lone surrogates
 * @source RFC 8785
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('Canonical JSON has no non-finite numbers.')
    return JSON.stringify(value)
  }
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new TypeError('Canonical JSON has no lone surrogates.')
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`
  if (typeof value === 'object') {
    const members: string[] = []
    for (const key of Object.keys(value).toSorted(byCodeUnits)) {
      const member = (value as Record<string, unknown>)[key]
      if (member !== undefined) members.push(`${canonicalJson(key)}:${canonicalJson(member)}`)
    }
    return `{${members.join(',')}}`
  }
  throw new TypeError(`Canonical JSON has no ${typeof value}.`)
}

/** SHA-256 over the canonical JSON of a value, as 64 lower-case hex digits. */
export function canonicalHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex')
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
