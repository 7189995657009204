// Owns what fits at a place of a GraphQL document: fields, arguments, members of an input or words of an enumeration. Reads
// a document that is being written, so it needs no valid one. Pure.
import type { SchemaMember, SchemaTypes } from './schema-text.ts'
import { plainType } from './schema-text.ts'

/** What fits, and where the word begins that it would take the place of. */
export interface Hints {
  readonly from: number
  readonly members: readonly SchemaMember[]
}

interface Place {
  readonly kind: 'fields' | 'arguments' | 'input' | 'none'
  readonly members: readonly SchemaMember[]
  /** The member named last: what a bracket behind it opens. */
  last: SchemaMember | undefined
}

const roots: Readonly<Record<string, string>> = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' }

const token = /"(?:\\.|[^"\\])*"?|#[^\n]*|\.\.\.|[A-Za-z_]\w*|[{}():]|\S/g

/** What fits at the caret. */
export function hintsAt(text: string, caret: number, types: SchemaTypes): Hints {
  const before = text.slice(0, caret)
  const word = /[A-Za-z_]\w*$/.exec(before)?.[0] ?? ''
  const from = caret - word.length
  const stack: Place[] = []
  let root = 'Query'
  let fragmentType: string | undefined
  let previous = ''
  const membersOf = (type: string | undefined): readonly SchemaMember[] =>
    type === undefined ? [] : (types.get(plainType(type)) ?? [])

  for (const [found] of before.slice(0, from).matchAll(token)) {
    const place = stack.at(-1)
    if (found === '{') {
      const type = fragmentType ?? (place === undefined ? root : place.last?.type)
      const kind = place === undefined || place.kind === 'fields' ? 'fields' : 'input'
      stack.push({ kind, members: membersOf(type), last: undefined })
      fragmentType = undefined
    } else if (found === '(') {
      const args = place?.kind === 'fields' ? place.last?.args : undefined
      stack.push({ kind: args === undefined ? 'none' : 'arguments', members: args ?? [], last: undefined })
    } else if (found === '}' || found === ')') {
      stack.pop()
    } else if (/^[A-Za-z_]/.test(found)) {
      if (place === undefined) root = roots[found] ?? root
      if (previous === 'on') fragmentType = found
      else if (place !== undefined && (previous !== ':' || place.kind === 'fields'))
        place.last = place.members.find(({ name }) => name === found)
    }
    previous = found
  }
  const place = stack.at(-1)
  if (place === undefined || place.kind === 'none') return { from, members: [] }
  const isValue = previous === ':' && place.kind !== 'fields'
  const fitting = isValue ? membersOf(place.last?.type).filter(({ type }) => type === '') : place.members
  return { from, members: fitting.filter(({ name }) => name.toLowerCase().startsWith(word.toLowerCase())) }
}
