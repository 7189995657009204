// Owns keeping the draft of an object on this device, so that leaving or reloading the designer loses nothing.
import { readStored, writeStored } from '../../lib/storage.ts'
import type { ObjectDraft } from './field-draft.ts'
import type { ObjectItem } from './object-item.ts'

/** A draft with the definition it was begun from. */
export interface KeptDraft {
  base: ObjectItem
  draft: ObjectDraft
}

const keyOf = (owner: string, object: string): string => `designer-draft.${owner}.${object}`

/** The kept draft of a person; undefined when there is none, or none that can be read. */
export function readDraft(owner: string, object: string): KeptDraft | undefined {
  const text = readStored(keyOf(owner, object))
  if (text === undefined) return undefined
  try {
    const kept = JSON.parse(text) as Partial<KeptDraft>
    const isWhole =
      kept.base?.name === object && typeof kept.base.fields === 'object' && Array.isArray(kept.draft?.fields)
    return isWhole ? (kept as KeptDraft) : undefined
  } catch {
    return undefined // written by another version: what cannot be read cannot be shown
  }
}

/** Keeps a draft; undefined forgets it. */
export function keepDraft(owner: string, object: string, kept: KeptDraft | undefined): void {
  writeStored(keyOf(owner, object), kept && JSON.stringify(kept))
}
