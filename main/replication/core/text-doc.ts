// A long text as a document: one Y.Text. Knows how a whole value becomes a few changes, nothing of fields or editors.
import * as encoding from 'lib0/encoding'
import { applyUpdate, ContentString, getItem, Item } from 'yjs'
import type * as Y from 'yjs'
import { decodeState } from './inspect-update.ts'
import type { DecodedUpdate } from './inspect-update.ts'
import { textChanges } from '#shared/text-changes.ts'

/** Name of the Y.Text. */
export const TEXT_ROOT = 't'

/** The text. */
export function readText(doc: Y.Doc): string {
  return doc.getText(TEXT_ROOT).toString()
}

/** The text of a stored document, where it has one struct and {@link decodeText} reads it. @throws DocError `damaged_state` */
export function readFirstText(state: Uint8Array): FirstText | null {
  // Texts that were edited have more than one struct and are not decoded a second time for this.
  return state[0] === 1 && state[1] === 1 ? decodeText(decodeState(state)) : null
}

/**
 * The text of an update that is a whole document nobody has edited yet: what creating a record makes. It need not be loaded.
 * @returns null for every other update
 */
export function decodeText({ structs, ds }: DecodedUpdate): FirstText | null {
  const [first] = structs
  if (structs.length !== 1 || !(first instanceof Item) || ds.clients.size > 0) return null
  const { id, origin, rightOrigin, parent, parentSub, content } = first
  if (id.clock !== 0 || origin !== null || rightOrigin !== null || parentSub !== null) return null
  // An update that was only decoded has the name of a root where an integrated one has the root.
  if ((parent as unknown) !== TEXT_ROOT || !(content instanceof ContentString)) return null
  return { inc: id.client, text: content.str }
}

/**
 * Puts the first text into a document that never held anything. Only who creates the record may call it: two machines
 * that both seed would double the text.
 * @returns whether the text was put in; a document with any past is left alone
 * @source sync.md section 5
 */
export function seedText(doc: Y.Doc, text: string): boolean {
  if (doc.store.clients.size > 0) return false
  doc.getText(TEXT_ROOT).insert(0, text.toWellFormed())
  return true
}

const stringContent = 4

/** The document {@link seedText} makes of a text that is not empty, written by `inc`: the bytes are those of Yjs. */
export function encodeText(text: string, inc: number): Uint8Array {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, 1)
  encoding.writeVarUint(encoder, 1)
  encoding.writeVarUint(encoder, inc)
  encoding.writeVarUint(encoder, 0)
  encoding.writeUint8(encoder, stringContent)
  encoding.writeVarUint(encoder, 1)
  encoding.writeVarString(encoder, TEXT_ROOT)
  encoding.writeVarString(encoder, text.toWellFormed())
  encoding.writeVarUint(encoder, 0)
  return encoding.toUint8Array(encoder)
}

/** What somebody put into a text that was empty for them. */
export interface FirstText {
  /** The incarnation that wrote it. */
  readonly inc: number
  readonly text: string
}

/** Letters that stand in a text, and how many their incarnation had put in before them. */
export interface Letters extends FirstText {
  readonly clock: number
}

/** The letters of a text, in their order. */
export function lettersIn(doc: Y.Doc): readonly Letters[] {
  const letters: Letters[] = []
  for (let item = doc.getText(TEXT_ROOT)._start; item !== null; item = item.right)
    if (!item.deleted && item.content instanceof ContentString)
      letters.push({ inc: item.id.client, clock: item.id.clock, text: item.content.str })
  return letters
}

/** How much each incarnation had put in by the last of its letters. */
export function countLetters(letters: readonly Letters[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { inc, clock, text } of letters) counts[inc] = Math.max(counts[inc] ?? 0, clock + text.length)
  return counts
}

/**
 * The letters beyond those that {@link countLetters} told of, and who put in most of them; null where there are none.
 * @param counts what is no number says nothing
 */
export function lettersBeyond(
  letters: readonly Letters[],
  counts: Readonly<Record<string, unknown>>,
): FirstText | null {
  const byWriter = new Map<number, number>()
  let all = ''
  for (const { inc, clock, text } of letters) {
    const known = counts[inc]
    const beyond = typeof known === 'number' ? text.slice(Math.max(0, known - clock)) : text
    if (beyond === '') continue
    all += beyond
    byWriter.set(inc, (byWriter.get(inc) ?? 0) + beyond.length)
  }
  const [most] = [...byWriter].toSorted(([a, ofA], [b, ofB]) => ofB - ofA || a - b)
  return most === undefined ? null : { inc: most[0], text: all }
}

/**
 * The beginnings of a text that nobody has looked at yet, in the order in which they stand: more than one when several
 * machines filled it at once. Each is the whole of what was made of it, with every word that was put into it or in its
 * place since. What was deleted again is not among them; of several that {@link keepTexts} was told of, none is while no
 * other one came.
 */
export function firstTexts(doc: Y.Doc): readonly FirstText[] {
  const chosen = chosenIn(doc)
  if (chosen.length > 1) return [{ inc: chosen.at(-1)!.inc, text: readText(doc) }, ...chosen]
  const found = beginningsOf(doc)
  return areSeen(found) ? [] : found.map(({ inc, text }) => ({ inc, text }))
}

/**
 * Notes that somebody has seen all beginnings of a text and left them as they are. It travels with the text, and says
 * nothing of beginnings that come later.
 */
export function keepTexts(doc: Y.Doc): void {
  if (chosenIn(doc).length > 1) doc.transact(() => forgetChosen(doc))
  const found = groupsOf(doc)
  if (found.length > 1) doc.transact(() => markKept(doc, found))
}

/**
 * Those without a letter too: what is typed later beside letters that were deleted belongs to theirs, and is no beginning
 * that nobody has seen.
 */
function markKept(doc: Y.Doc, found: readonly Group[]): void {
  for (const { key, isKept } of found) if (!isKept) doc.getText(TEXT_ROOT).setAttribute(key, true)
}

const chosenMark = 'chosen.'

/** The beginnings that were chosen and that nobody has chosen another one after, by their names. */
function chosenIn(doc: Y.Doc): (FirstText & { readonly name: string })[] {
  const found = [...doc.getText(TEXT_ROOT)._map].flatMap(([name, { deleted, content, id }]) => {
    const text: unknown = deleted || !name.startsWith(chosenMark) ? undefined : content.getContent()[0]
    return typeof text === 'string' ? [{ name, inc: id.client, text }] : []
  })
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function forgetChosen(doc: Y.Doc): void {
  for (const { name } of chosenIn(doc)) doc.getText(TEXT_ROOT).removeAttribute(name)
}

/** What was made of one beginning: letters that were put beside its own, or in their place, and so on. */
interface Group extends FirstText {
  /** Where its letters stand in the text, by rising places. */
  readonly parts: readonly (readonly [from: number, to: number])[]
  /** Name of the mark that says it was seen. */
  readonly key: string
  readonly isKept: boolean
  /** Whether the very first letters are still there. */
  readonly isUntouched: boolean
}

/** The groups of which a letter is left. */
function beginningsOf(doc: Y.Doc): Group[] {
  const found = groupsOf(doc).filter(({ text }) => text !== '')
  // A choice that was noted before all groups were marked with it: what it left out begins nothing by what was typed since.
  const isHalfNoted = chosenIn(doc).some(({ name }) => doc.getText(TEXT_ROOT).getAttribute(keptFor(name)) !== true)
  return isHalfNoted ? found.filter(({ isUntouched }) => isUntouched) : found
}

function areSeen(found: readonly Group[]): boolean {
  return found.length !== 1 && found.every(({ isKept }) => isKept)
}

const keptFor = (chosen: string): string => `kept.${chosen.slice(chosenMark.length)}`

function groupsOf(doc: Y.Doc): Group[] {
  const text = doc.getText(TEXT_ROOT)
  const rootOf = createRootFinder(doc)
  const found = new Map<Item, { text: string; parts: [number, number][] }>()
  let end = 0
  for (let item = text._start; item !== null; item = item.right) {
    const root = rootOf(item)
    const group = found.get(root) ?? { text: '', parts: [] }
    found.set(root, group)
    if (item.deleted || !item.countable) continue
    const at = end
    end += item.length
    if (!(item.content instanceof ContentString)) continue
    group.text += item.content.str
    group.parts.push([at, end])
  }
  return [...found].map(([{ id, deleted }, group]) => {
    const key = `kept.${id.client}.${id.clock}`
    return { ...group, inc: id.client, key, isKept: text.getAttribute(key) === true, isUntouched: !deleted }
  })
}

/**
 * Finds the letters that others stand beside: those right before them when they were put in, at the start of a text those
 * right after them. Deleted letters keep their place, and neither ever changes, so that all machines find the same.
 */
function createRootFinder(doc: Y.Doc): (item: Item) => Item {
  const known = new Map<Item, Item>()
  return (item) => {
    const way: Item[] = []
    let root = known.get(item)
    for (let at = item; root === undefined; root = known.get(at)) {
      way.push(at)
      const beside = at.origin ?? at.rightOrigin
      const next = beside === null ? at : (getItem(doc.store, beside) as unknown)
      // Nothing that stands in a text is ever without a place; what is anyway stands for itself.
      if (next === at || !(next instanceof Item)) known.set(at, at)
      else at = next
    }
    for (const one of way) known.set(one, root)
    return root
  }
}

/**
 * Makes the text `next` by the fewest changes, so that what others type meanwhile stays.
 * @returns whether anything changed
 */
export function applyTextDiff(doc: Y.Doc, next: string): boolean {
  const text = doc.getText(TEXT_ROOT)
  const before = text.toString()
  const after = next.toWellFormed()
  // Something else than characters is among them, which no version of the program writes: positions would be wrong.
  const isForeign = text.length !== before.length
  const changes = isForeign ? [{ at: 0, remove: text.length, insert: after }] : textChanges(before, after)
  const marks = chosenIn(doc)
  // Of a text that is emptied nothing is left, as when its record is removed for good.
  const isOver = marks.length > 1 || (after === '' && marks.length > 0)
  if (changes.length === 0 && (!isOver || after !== '')) return false
  const chosen = isForeign ? undefined : beginningOf(doc, after)
  doc.transact(() => {
    if (chosen !== undefined) return choose(doc, chosen)
    if (isOver) forgetChosen(doc)
    for (const { at, remove, insert } of changes.toReversed()) {
      if (remove > 0) text.delete(at, remove)
      if (insert !== '') text.insert(at, insert)
    }
  })
  return true
}

/** The beginning that is all of a text. */
function beginningOf(doc: Y.Doc, text: string): Group | undefined {
  const open = beginningsOf(doc)
  return open.length < 2 || areSeen(open) ? undefined : open.find((one) => one.text === text)
}

/** Leaves one beginning with its own letters alone, and says so: whoever chooses another one meanwhile takes these away. */
function choose(doc: Y.Doc, { key, parts, text: chosen }: Group): void {
  const text = doc.getText(TEXT_ROOT)
  markKept(doc, groupsOf(doc))
  let start = text.length
  for (const [from, to] of [...parts.toReversed(), [0, 0] as const]) {
    if (to < start) text.delete(to, start - to)
    start = from
  }
  forgetChosen(doc)
  text.setAttribute(key.replace('kept.', chosenMark), chosen)
}

/**
 * Puts letters into a text as those who typed them wrote them, within the edit of a document.
 * @throws RangeError when something they build on is not in the document: nothing of the edit is to be kept then
 */
export function applyLetters(doc: Y.Doc, update: Uint8Array): void {
  doc.transact((transaction) => {
    applyUpdate(doc, update)
    // Applying makes Yjs take the whole edit for one from elsewhere, and give the document another client id after it.
    transaction.local = true
  })
  if (doc.store.pendingStructs !== null || doc.store.pendingDs !== null)
    throw new RangeError('The letters build on some that are not here.')
}
