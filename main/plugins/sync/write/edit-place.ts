// Where an edit of a loaded document takes place. Knows registers, no storage.
import type * as Y from 'yjs'
import { readRegister, setEntries } from '#main/replication/core/register.ts'
import { seedText } from '#main/replication/core/text-doc.ts'
import type { EditPlace } from '../engine/docs.ts'

/** The place that a document makes. */
export function placeIn(doc: Y.Doc, given: Pick<EditPlace, 'hlc' | 'inc' | 'isNew'>): EditPlace {
  const { hlc, inc, isNew } = given
  return {
    doc,
    hlc,
    inc,
    isNew,
    seedText: (text) => seedText(doc, text),
    register: () => readRegister(doc),
    set: (patch) => setEntries(doc, patch, hlc, inc),
  }
}
