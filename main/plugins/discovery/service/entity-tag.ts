// Weak entity tags of generated documents. Pure.
import { hash } from 'node:crypto'

/** A weak tag: equal texts have equal tags. */
export function weakTag(text: string): string {
  return `W/"${hash('sha256', text, 'hex').slice(0, 32)}"`
}

/** Whether an If-None-Match header names the tag, by weak comparison; `*` names every tag. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const bare = tag.replace(/^W\//, '')
  return ifNoneMatch.split(',').some((part) => {
    const given = part.trim()
    return given === '*' || given.replace(/^W\//, '') === bare
  })
}
