// The committed sizes of matrices: one that shrinks fails.
import { readFileSync } from 'node:fs'

const sizes = JSON.parse(readFileSync(new URL('minimums.json', import.meta.url), 'utf8')) as Record<string, number>

/** The fewest cases a matrix may have. @throws Error when it has no entry */
export function minimumOf(matrix: string): number {
  const least = sizes[matrix]
  if (least === undefined) throw new Error(`${matrix} has no entry in minimums.json.`)
  return least
}
