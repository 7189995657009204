// Owns telling open views of an object what became of its records elsewhere on the page, for example by an undo.
import { refreshAnswers } from './query-client.ts'

type Listener<Told> = (told: Told) => void

/** What is told to whoever follows an object. */
function createNews<Told>() {
  const listeners = new Map<string, Set<Listener<Told>>>()
  return {
    on(object: string, listener: Listener<Told>): () => void {
      const ofObject = listeners.get(object) ?? new Set()
      listeners.set(object, ofObject.add(listener))
      return () => {
        ofObject.delete(listener)
        if (ofObject.size === 0) listeners.delete(object)
      }
    },
    tell(object: string, told: Told): void {
      for (const listener of listeners.get(object) ?? []) listener(told)
    },
  }
}

const changes = createNews<void>()
const writes = createNews<readonly Readonly<Record<string, unknown>>[]>()

/** Calls back when records of the object changed, until the returned function is called. */
export const onRecordsChanged = changes.on

/** Tells that records of the object changed: whoever shows some asks again. */
export function tellRecordsChanged(object: string): void {
  changes.tell(object)
}

/** Calls back with records as a write of this window left them, until the returned function is called. */
export const onRecordsWritten = writes.on

/**
 * Tells how a write of this window left records: whoever shows them shows that at once, since the next write begins with
 * what is shown.
 */
export const tellRecordsWritten = writes.tell

/** Makes everything that shows records of the object ask again: views, pages of records, their activity and history. */
export function refreshRecords(object: string): void {
  tellRecordsChanged(object)
  void refreshAnswers(['record', object], ['changelog', object], ['feed', object], ['record-count', object])
}
