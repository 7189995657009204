// Takes back on this machine what another one refused: the documents say again what those there do, as a change of its own
// that travels, and the rows follow. What was written stays in the history. Knows documents, no rights and no request.
import { parseDocName } from '#main/replication/core/doc-names.ts'
import type { Register } from '#main/replication/core/register.ts'
import { compareEntries } from '#main/replication/core/register.ts'
import type { EditPlace } from '#main/replication/core/sync-document.ts'
import type { Json, RegisterValue } from '#main/replication/core/types.ts'
import type { NamedEdit } from '../write/record-edits.ts'
import type { Held, Refusal } from './refusal-doc.ts'
import { targetOf } from './refusal-doc.ts'

/**
 * What makes the documents of a refusal say what those of the other machine do; what is not there is left alone.
 * @param target what the refusal is about: a machine that names other documents is not believed
 */
export function takingBack({ held }: Refusal, target: string, isOwn: (inc: number) => boolean): readonly NamedEdit[] {
  const named = Object.keys(held).filter((doc) => targetOf(doc) === target)
  // Texts come before their record.
  const docs = named.toSorted((a, b) => Number(b.startsWith('t/')) - Number(a.startsWith('t/')))
  return docs.flatMap((doc): NamedEdit[] => {
    const name = parseDocName(doc)
    const there = held[doc]!
    if (name === null || (there === null && name.kind !== 'text')) return []
    if (name.kind === 'text') return [{ name, edit: (place) => void place.text.change(textOf(there)) }]
    return [{ name, edit: (place) => restore(place, there, isOwn) }]
  })
}

function textOf(there: Held): string {
  return typeof there === 'string' ? there : ''
}

function restore(place: EditPlace, there: Held, isOwn: (inc: number) => boolean): void {
  if (there === null || typeof there === 'string') return
  const register = place.register()
  const patch = Object.fromEntries(
    Object.entries(there).map(([key, value]) => [key, latest(register, key, value, isOwn)]),
  )
  place.set(patch)
}

/** What the others have written since is beside what was written here, and later than what they held when they refused. */
function latest(register: Register, key: string, held: Json, isOwn: (inc: number) => boolean): Json {
  const found = register.get(key)
  if (found === undefined) return held
  const others = entriesOf(found).filter((entry) => !isOwn(entry[4]))
  const [newest] = others.toSorted((a, b) => compareEntries(b, a))
  return newest === undefined ? held : newest[1]
}

function entriesOf({ winner, losers }: RegisterValue): readonly RegisterValue['winner'][] {
  return [winner, ...losers]
}
