// Owns telling open views of an object that its records were changed elsewhere on the page, for example by an undo.
import { refreshAnswers } from './query-client.ts'

const listeners = new Map<string, Set<() => void>>()

/** Calls back when records of the object changed, until the returned function is called. */
export function onRecordsChanged(object: string, listener: () => void): () => void {
  const ofObject = listeners.get(object) ?? new Set()
  listeners.set(object, ofObject.add(listener))
  return () => {
    ofObject.delete(listener)
    if (ofObject.size === 0) listeners.delete(object)
  }
}

/** Tells that records of the object changed. */
export function tellRecordsChanged(object: string): void {
  for (const listener of listeners.get(object) ?? []) listener()
}

/** Makes everything that shows records of the object ask again: views, pages of records, their activity and history. */
export function refreshRecords(object: string): void {
  tellRecordsChanged(object)
  void refreshAnswers(['record', object], ['changelog', object], ['feed', object], ['record-count', object])
}
