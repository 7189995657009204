// A document, whatever it takes to hold it: read, edited and merged in one way. Which form it has is decided here and nowhere
// else: a register whose entries never met is a list, a text nobody has edited is a string, all else is loaded by Yjs. The
// contents and the bytes are the same in every form. Knows names as far as they tell texts from registers; no storage.
import * as Y from 'yjs'
import { encodePart } from './document-part.ts'
import type { DocumentPart } from './document-part.ts'
import type { HlcClock } from './hlc.ts'
import { ZERO_HLC } from './hlc.ts'
import { inspectUpdate } from './inspect-update.ts'
import type { DecodedUpdate, UpdateLimits } from './inspect-update.ts'
import {
  emptyRegister,
  encodeChange,
  encodeLinear,
  entriesIn,
  mergeLinear,
  readLinear,
  removeLinear,
  setLinear,
} from './linear-register.ts'
import type { LinearRegister } from './linear-register.ts'
import { hashEntries, hashText } from './logical-hash.ts'
import { editDoc, loadDoc, mergeUpdate } from './record-doc.ts'
import { liveEntries, readRegister, registerHlc, registerOf, removeEntries, setEntries } from './register.ts'
import type { Register } from './register.ts'
import {
  applyLetters,
  applyTextDiff,
  countLetters,
  decodeText,
  encodeText,
  firstTexts,
  keepTexts,
  lettersBeyond,
  lettersIn,
  readFirstText,
  readText,
  seedText,
  TEXT_ROOT,
} from './text-doc.ts'
import type { FirstText, Letters } from './text-doc.ts'
import type { Hlc, Json } from './types.ts'

/** Who edits: an incarnation, and where its stamps come from. */
export interface Editor {
  readonly inc: number
  readonly clock: Pick<HlcClock, 'tick'>
}

/** What an edit of a document may use; what it throws leaves nothing behind. */
export interface EditPlace {
  /** The stamp of what is written, later than every one in the document. */
  readonly hlc: Hlc
  /** The incarnation that writes. */
  readonly inc: number
  /** Whether the document has no past. */
  readonly isNew: boolean
  /** Its register as it is by now; empty for a text. */
  register(): Register
  /** Writes values into the register: what is visible of their keys gives way. @throws TypeError for what is not JSON */
  set(patch: Readonly<Record<string, Json>>): void
  /** Removes all that is visible of some keys and puts nothing in its place. */
  remove(keys: Iterable<string>): void
  /** The text of a document that is one. */
  readonly text: TextPlace
}

/** What an edit of a text may use. */
export interface TextPlace {
  read(): string
  /** As {@link seedText} does. */
  seed(text: string): boolean
  /** As {@link applyTextDiff} does. */
  change(next: string): boolean
  /** As {@link applyLetters} does. */
  put(letters: Uint8Array): void
  /** As {@link keepTexts} does. */
  keep(): void
}

/** An edit of a document. It may be made twice, the first time without effect. */
export type Edit = (place: EditPlace) => void

/** What edits made of a document. */
export interface EditedDocument {
  readonly document: SyncDocument
  /** What they added, for others. */
  readonly update: Uint8Array
  readonly hlc: Hlc
}

/** What merging made of a document: another one, or nothing where the incarnations it builds on are `missing`. */
export type MergeResult =
  | {
      readonly merged: true
      readonly document: SyncDocument
      /** Keys of the register whose entries came or went, and `t` for a text. */
      readonly changedKeys: ReadonlySet<string>
      /** False where all of it was there before; a document that was not there is always changed. */
      readonly isChanged: boolean
    }
  | { readonly merged: false; readonly missing: ReadonlySet<number> }

/** What is known of a document; at least one of these. */
interface Held {
  /** Null: there is no document yet. */
  readonly state?: Uint8Array | null
  readonly list?: LinearRegister | null
  readonly first?: FirstText | null
  readonly doc?: Y.Doc
}

/**
 * Opens a document.
 * @param name tells texts (`t/…`) from registers, and is part of the hash
 * @param state as it is stored; null for one that does not exist yet
 * @throws DocError `damaged_state`, now or when more of it is read
 */
export function openDocument(name: string, state: Uint8Array | null): SyncDocument {
  if (isText(name)) return new SyncDocument(name, { state, first: state === null ? null : readFirstText(state) })
  return new SyncDocument(name, { state, list: state === null ? emptyRegister : readLinear(state) })
}

/** A document at one moment: a change makes another one. */
export class SyncDocument {
  readonly #name: string
  readonly #held: Held
  readonly #isNew: boolean
  #state: Uint8Array | undefined
  #doc: Y.Doc | undefined
  #entries: readonly unknown[] | undefined
  #register: Register | undefined

  /** Use {@link openDocument}. */
  constructor(name: string, held: Held) {
    this.#name = name
    this.#held = held
    this.#isNew = held.state === null
    this.#state = held.state ?? undefined
    this.#doc = held.doc
  }

  /** The bytes it is stored as. */
  get state(): Uint8Array {
    const { list } = this.#held
    return (this.#state ??= list ? encodeLinear(list) : Y.encodeStateAsUpdate(this.#loaded))
  }

  /** Eight bytes that are the same wherever the document has the same contents; see {@link hashEntries}. */
  get hash(): Uint8Array {
    return isText(this.#name) ? hashText(this.#name, this.text) : hashEntries(this.#name, this.#live)
  }

  /** What is in its register; empty for a text. */
  get register(): Register {
    return (this.#register ??= isText(this.#name) ? noEntries : registerOf(this.#live))
  }

  /** What a text says; empty for a register. */
  get text(): string {
    if (!isText(this.#name)) return ''
    return this.#held.first?.text ?? readText(this.#loaded)
  }

  /** The beginnings of a text; see {@link firstTexts}. */
  beginnings(): readonly FirstText[] {
    const { first } = this.#held
    return first ? [first] : firstTexts(this.#loaded)
  }

  /** The incarnations that wrote it, by how much they did. */
  writers(): readonly number[] {
    const { store } = this.#loaded
    const wrote = (inc: number): number => Y.getState(store, inc)
    return [...store.clients.keys()].toSorted((a, b) => wrote(b) - wrote(a) || a - b)
  }

  /** Of each incarnation with letters in a text, how much it had put in by the last of them. */
  letters(): Readonly<Record<string, number>> {
    return countLetters(this.#letters)
  }

  /** What stands in a text beyond what {@link letters} told of, and who put in most of that; null for nothing. */
  beyond(counts: Readonly<Record<string, unknown>>): FirstText | null {
    return lettersBeyond(this.#letters, counts)
  }

  /** Its state vector, as Yjs writes it. */
  stateVector(): Uint8Array {
    return Y.encodeStateVector(this.#loaded)
  }

  /** What a state vector lacks of it; see {@link encodePart}. */
  difference(stateVector: Uint8Array, maxBytes: number): DocumentPart {
    return encodePart(this.#loaded, stateVector, maxBytes)
  }

  /** Makes edits as one change, with one stamp; null when nothing changed. */
  edit(editor: Editor, edits: readonly Edit[]): EditedDocument | null {
    const { list } = this.#held
    if (list) return this.#editList(list, editor, edits)
    return this.#editNewText(editor, edits) ?? this.#editLoaded(editor, edits)
  }

  /**
   * Merges an update from elsewhere. Merging the same one again changes nothing.
   * @throws DocError `too_big` or `invalid` for the update, `damaged_state` for the document
   */
  merge(update: Uint8Array, limits?: UpdateLimits): MergeResult {
    const decoded = inspectUpdate(update, limits)
    return this.#mergeList(update, decoded) ?? this.#mergeNewText(update, decoded) ?? this.#mergeLoaded(update, decoded)
  }

  get #loaded(): Y.Doc {
    return (this.#doc ??= loadDoc(this.#isNew ? null : this.state))
  }

  get #letters(): readonly Letters[] {
    const { first } = this.#held
    return first ? [{ ...first, clock: 0 }] : lettersIn(this.#loaded)
  }

  get #live(): readonly unknown[] {
    const { list } = this.#held
    return (this.#entries ??= list ? entriesIn(list) : liveEntries(this.#loaded))
  }

  #editList(before: LinearRegister, { inc, clock }: Editor, edits: readonly Edit[]): EditedDocument | null {
    const hlc = clock.tick(registerHlc(this.register))
    let list = before
    let register: Register | undefined = this.register
    const become = (next: LinearRegister): void => {
      if (next !== list) register = undefined
      list = next
    }
    const place: EditPlace = {
      ...{ hlc, inc, isNew: this.#isNew },
      register: () => (register ??= registerOf(entriesIn(list))),
      set: (patch) => become(setLinear(list, patch, { hlc, inc })),
      remove: (keys) => become(removeLinear(list, keys)),
      get text() {
        return noText()
      },
    }
    for (const edit of edits) edit(place)
    if (list === before) return null
    const document = new SyncDocument(this.#name, { list })
    return { document, update: this.#isNew ? document.state : encodeChange(before, list), hlc }
  }

  /** Makes a text of the one edit that seeds it; undefined where there is more to do. */
  #editNewText({ inc, clock }: Editor, edits: readonly Edit[]): EditedDocument | undefined {
    if (!isText(this.#name) || !this.#isNew) return undefined
    const hlc = clock.tick(ZERO_HLC)
    let text = ''
    const seed = (given: string): true => {
      if (text !== '' || given === '') return needsLoading()
      text = given.toWellFormed()
      return true
    }
    const place: EditPlace = { ...noRegister, hlc, inc, isNew: true, text: { ...notLoaded, read: () => text, seed } }
    try {
      for (const edit of edits) edit(place)
    } catch (error) {
      if (error instanceof NeedsLoading) return undefined
      throw error
    }
    if (text === '') return undefined
    const state = encodeText(text, inc)
    return { document: new SyncDocument(this.#name, { state, first: { inc, text } }), update: state, hlc }
  }

  #editLoaded({ inc, clock }: Editor, edits: readonly Edit[]): EditedDocument | null {
    let hlc = ZERO_HLC
    const edited = editDoc(this.#isNew ? null : this.state, inc, (doc) => {
      if (!isText(this.#name)) this.#register ??= readRegister(doc)
      hlc = clock.tick(registerHlc(this.register))
      const base = { hlc, inc, isNew: this.#isNew }
      const place = isText(this.#name) ? { ...base, ...noRegister, text: textIn(doc) } : registerIn(doc, base)
      for (const edit of edits) edit(place)
      return doc
    })
    const { state, update, value: doc } = edited
    return update === null ? null : { document: new SyncDocument(this.#name, { state, doc }), update, hlc }
  }

  #mergeList(update: Uint8Array, decoded: DecodedUpdate): MergeResult | undefined {
    const result = this.#held.list ? mergeLinear(this.#held.list, decoded) : null
    if (result === null) return undefined
    const { register: list, changedKeys } = result
    if (!result.isChanged && !this.#isNew) return { merged: true, document: this, changedKeys, isChanged: false }
    // What creating a record makes is the document as it stands.
    const isWhole = this.#isNew && decoded.structs.length === 1 && decoded.ds.clients.size === 0
    const document = new SyncDocument(this.#name, isWhole ? { state: update, list } : { list })
    return { merged: true, document, changedKeys, isChanged: true }
  }

  #mergeNewText(update: Uint8Array, decoded: DecodedUpdate): MergeResult | undefined {
    const first = isText(this.#name) && this.#isNew ? decodeText(decoded) : null
    if (first === null) return undefined
    const document = new SyncDocument(this.#name, { state: update, first })
    return { merged: true, document, changedKeys: new Set([TEXT_ROOT]), isChanged: true }
  }

  #mergeLoaded(update: Uint8Array, decoded: DecodedUpdate): MergeResult {
    const before = this.#isNew ? null : this.state
    const result = mergeUpdate(before, update, { read: (merged) => merged, decoded })
    const { state, changedKeys, missing, value: doc } = result
    if (state === null || doc === undefined) return { merged: false, missing }
    if (state === before) return { merged: true, document: this, changedKeys, isChanged: false }
    return { merged: true, document: new SyncDocument(this.#name, { state, doc }), changedKeys, isChanged: true }
  }
}

function isText(name: string): boolean {
  return name.startsWith('t/')
}

const noEntries: Register = new Map()

/** Thrown by an edit of a text that was to do without the document: it is begun anew with one. */
class NeedsLoading extends Error {}

/** Made once: a new one for each edit would take its stack. */
const loadingNeeded = new NeedsLoading()

function needsLoading(): never {
  throw loadingNeeded
}

const notLoaded = { change: needsLoading, put: needsLoading, keep: needsLoading }

function noText(): never {
  throw new TypeError('This document is no text.')
}

function noValues(): never {
  throw new TypeError('This document is no register.')
}

const noRegister = { register: () => noEntries, set: noValues, remove: noValues }

function registerIn(doc: Y.Doc, base: Pick<EditPlace, 'hlc' | 'inc' | 'isNew'>): EditPlace {
  return {
    ...base,
    register: () => readRegister(doc),
    set: (patch) => setEntries(doc, patch, base.hlc, base.inc),
    remove: (keys) => removeEntries(doc, keys),
    get text() {
      return noText()
    },
  }
}

function textIn(doc: Y.Doc): TextPlace {
  return {
    read: () => readText(doc),
    seed: (text) => seedText(doc, text),
    change: (next) => applyTextDiff(doc, next),
    put: (letters) => applyLetters(doc, letters),
    keep: () => keepTexts(doc),
  }
}
