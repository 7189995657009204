// Writes what people change of items into documents, within the write that stores the items. Knows nothing of peers.
import type { PlatformEvent } from '#shared/events.ts'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { MetadataExchange } from '#main/plugins/metadata/api.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { EditPlace } from '#main/replication/core/sync-document.ts'
import type { DocWriter, BackfillWriter } from '../engine/docs.ts'
import { docItem, shownItem, shownOverlay } from './item-entries.ts'
import type { Shown } from './item-entries.ts'
import { baseOf, fromEntry, itemKey, parseEntryKey } from './entry-keys.ts'
import { seenLog } from './removed-objects.ts'
import { flagListed, flagRecords, markDue, putClaim, putShown, readHiddenParts, readRow, readStored } from './store.ts'
import type { DocKey } from './store.ts'
import { hasOtherLimits, writeLimits } from './limits.ts'
import { writeRemoved, writeShown } from './write-entries.ts'

/** What capturing works with. */
export interface CaptureParts {
  readonly exchange: MetadataExchange
  readonly docs: DocWriter
  readonly clock: Clock
  /** Names may have to be given anew. */
  changed(): void
  /** Hears of an object, by uid, whose definition was changed so that values of its records may have changed with it. */
  converted(tx: Tx, ctx: RequestContext, object: string): void
  /** Whether an object, by uid, is on this machine alone while it has no document. */
  isAside(tx: Tx, object: string): boolean
  /** Hears that records of an object travel from now on that did not. */
  begun(tx: Tx): void
  /** Hears of a document that somebody here has changed. */
  written(tx: Tx, key: DocKey, register: Register, by: string): void
}

/** Writes changes of items into documents. */
export interface Capture {
  /** To be called inside of the write, with each event of metadata. */
  hear(event: PlatformEvent, tx: Tx, ctx: RequestContext): void
  /** Notes what a document that is being written asks for. */
  noteClaim(tx: Tx, key: DocKey, place: EditPlace): void
  /** Makes documents of an item that is stored already and of its overlay; answers how many there are. */
  begin(tx: Tx, type: MetadataType, name: string, write: BackfillWriter, actorId: string): number
  /** Writes which items were removed while nothing was recorded. */
  endGone(tx: Tx, write: BackfillWriter, actorId: string): void
}

interface Heard {
  readonly tx: Tx
  readonly ctx: RequestContext
  readonly type: MetadataType
  readonly name: string
  readonly isDeleted: boolean
}

/** The document of an item's overlay. */
export function overlayKey({ type, uid }: { type: string; uid: string }): DocKey {
  return { type: 'overlay', uid: `${type}.${uid}` }
}

/** Makes the capture. */
export function createCapture({
  exchange,
  docs,
  clock,
  changed,
  converted,
  isAside,
  begun,
  written,
}: CaptureParts): Capture {
  const noteClaim = (tx: Tx, key: DocKey, place: EditPlace): void => {
    // An overlay asks for no name; of its register only the deletion is read here.
    const { name, stamp, isDeleted } = docItem('object', key.uid, place.register())
    const claim = { wanted: key.type === 'overlay' ? '' : name, stamp, isDeleted }
    const before = readRow(tx, key)
    if (before?.stamp !== stamp || before.wanted !== claim.wanted || before.isDeleted !== isDeleted) changed()
    putClaim(tx, key, claim)
  }

  /** Whether an item is an object of this machine alone, or a part of one. */
  const staysHere = (tx: Tx, key: DocKey, { entries }: Shown): boolean => {
    const object = objectOf(key) ?? /^uid_([0-9a-f]{32})\./.exec(String(entries['_name']))?.[1]
    return object !== undefined && isAside(tx, object)
  }

  const store = (tx: Tx, ctx: RequestContext, key: DocKey, after: Shown): void => {
    const row = readRow(tx, key)
    if (row === undefined && staysHere(tx, key, after)) return
    const before = row?.shown ?? null
    const isRecording = docs.isRecording(ctx)
    // While nothing is recorded the difference stays, for the time when something is again.
    if (!isRecording && (row === undefined || ctx.source !== 'sync')) return
    if (isRecording) {
      if (row === undefined) putClaim(tx, key, { wanted: '', stamp: '', isDeleted: false })
      docs.edit(tx, ctx, { kind: 'metadata', ...key }, (place) => {
        const isReturning = writeShown(place, before, after)
        if (key.type === 'object') writeLimits(tx, place, before, after)
        if (isReturning && key.type === 'object') flagRecords(tx, key.uid)
        noteClaim(tx, key, place)
        const register = place.register()
        written(tx, key, register, ctx.actor.id)
        if (hasFreedName(key, register, after)) markDue(tx, key, null, clock.iso())
      })
    }
    putShown(tx, key, after)
    const object = objectOf(key)
    if (object !== null) {
      const mayConvert = isConverting(before, after)
      const isClaim = isUniqueness(before, after)
      const isLimit = hasOtherLimits(before, after)
      if (mayConvert) converted(tx, ctx, object)
      if (before !== null && !travels(before) && travels(after)) begun(tx)
      // What was written before the definition arrived is read by it from now on.
      if ((mayConvert || isClaim || isLimit) && !isRecording) flagRecords(tx, object)
      else {
        if (isClaim) flagListed(tx, object, 'unique')
        if (isLimit) flagListed(tx, object, 'validation')
      }
    }
    // Parts that others made of an object that was removed come back with it.
    if (key.type !== 'object' || before !== null) return
    for (const part of readHiddenParts(tx, key.uid)) markDue(tx, part, null, clock.iso())
  }

  const remove = (tx: Tx, ctx: RequestContext, key: DocKey, object?: string): void => {
    const row = readRow(tx, key)
    if (row === undefined || row.shown === null) return
    if (docs.isRecording(ctx)) {
      docs.edit(tx, ctx, { kind: 'metadata', ...key }, (place) => {
        writeRemoved(place, { by: ctx.actor.id, seen: seenLog(tx), with: object })
        noteClaim(tx, key, place)
        written(tx, key, place.register(), ctx.actor.id)
      })
    } else if (ctx.source !== 'sync') return
    putShown(tx, key, null)
  }

  /** At the end of the job, when all rows are written: what one item mentions may have come after it. */
  const flush = (heard: readonly Heard[]): void => {
    const { tx } = heard[0]!
    const view = exchange.inside(tx, heard)
    const seen = new Set<string>()
    const objects = heard.filter(({ type, isDeleted }) => type === 'object' && isDeleted).map(({ name }) => name)
    for (const { ctx, type, name, isDeleted } of heard.toReversed()) {
      if (seen.has(`${type}/${name}`)) continue
      seen.add(`${type}/${name}`)
      const item = view.item(type, name)
      const overlay = view.overlay(type, name)
      const before = exchange.uidOf(type, name)
      const uid = item?.uid ?? overlay?.baseUid ?? before
      if (isDeleted && before !== undefined) {
        const object = objects.find((one) => name.startsWith(`${one}.`))
        const along = object === undefined ? undefined : exchange.uidOf('object', object)
        remove(tx, ctx, { type, uid: before }, along)
        remove(tx, ctx, overlayKey({ type, uid: before }), along)
      }
      if (item !== null) store(tx, ctx, { type, uid: item.uid }, shownItem(item))
      if (overlay !== null) store(tx, ctx, overlayKey({ type, uid: overlay.baseUid }), shownOverlay(overlay))
      else if (uid !== undefined) remove(tx, ctx, overlayKey({ type, uid }))
    }
  }

  return {
    noteClaim,
    hear({ type: event, payload }, tx, ctx) {
      const { type, name } = payload as { type: MetadataType; name: string }
      tx.gather<Heard>(flush, { tx, ctx, type, name, isDeleted: event === 'metadata.item.deleted' })
    },
    begin(tx, type, name, write, actorId) {
      const item = exchange.committed.item(type, name)
      const overlay = exchange.committed.overlay(type, name)
      const make = (key: DocKey, shown: Shown): void => {
        const row = readRow(tx, key)
        if (row === undefined && staysHere(tx, key, shown)) return
        const before = row?.shown ?? null
        // A document nobody here has stored yet is stored first; what it lacks of the item here, nobody can tell.
        if (before === null && row !== undefined) return
        if (before !== null && JSON.stringify(before) === JSON.stringify(shown)) return
        const edit = (place: EditPlace): void => {
          const isReturning = writeShown(place, before, shown)
          if (isReturning && key.type === 'object') flagRecords(tx, key.uid)
          noteClaim(tx, key, place)
          putShown(tx, key, shown)
        }
        write({ kind: 'metadata', ...key }, actorId, edit, before === null ? undefined : { mend: true })
      }
      if (item !== null) make({ type, uid: item.uid }, shownItem(item))
      if (overlay !== null) make(overlayKey({ type, uid: overlay.baseUid }), shownOverlay(overlay))
      return (item === null ? 0 : 1) + (overlay === null ? 0 : 1)
    },
    endGone(tx, write, actorId) {
      for (const row of readStored(tx)) {
        const base = baseOf(row)
        const name = exchange.nameOf(base)
        const isHere =
          name !== undefined && (row.type !== 'overlay' || exchange.committed.overlay(base.type, name) !== null)
        if (isHere) continue
        const edit = (place: EditPlace): void => {
          writeRemoved(place, { by: actorId, seen: seenLog(tx) })
          noteClaim(tx, row, place)
          putShown(tx, row, null)
        }
        write({ kind: 'metadata', type: row.type, uid: row.uid }, actorId, edit, { mend: true })
      }
    },
  }
}

/** The object whose definition a document has a part in; null for another item. */
function objectOf({ type, uid }: DocKey): string | null {
  if (type === 'overlay') return uid.startsWith('object.') ? uid.slice('object.'.length) : null
  return type === 'object' ? uid : null
}

/** What is said of a field to people alone, and rules for values that are written from now on. */
const harmless: ReadonlySet<string> = new Set([
  ...['label', 'description', 'help', 'inlineHelpText', 'placeholder', 'group', 'hidden', 'readonly', 'visibleOn'],
  ...['required', 'conditionalRequired', 'unique', 'externalId', 'min', 'max', 'minLength', 'maxLength', 'pattern'],
  ...['index', 'searchable', 'sortable', 'caseSensitive', 'trackFeedHistory', 'renamedFrom'],
])

/** Whether a change may have changed values of records: it converts them, or a new field has a default. */
function isConverting(before: Shown | null, after: Shown): boolean {
  // Nothing has records yet.
  if (before === null) return false
  for (const key of new Set([...Object.keys(before.entries), ...Object.keys(after.entries)])) {
    const parsed = parseEntryKey(key)
    const isPatch = parsed?.kind === 'own-field' && parsed.key === '_patch'
    if (!isPatch && (parsed?.kind !== 'field' || harmless.has(parsed.key))) continue
    if (!after.sequence.includes(parsed.uid) && !isPatch) continue
    const isNew = !before.sequence.includes(parsed.uid)
    // A default alone concerns new records, and those that are there when the field is.
    if (isNew !== (parsed.key === 'defaultValue') && !isPatch) continue
    if (JSON.stringify(before.entries[key]) !== JSON.stringify(after.entries[key])) return true
  }
  return false
}

/** Whether a definition, or what lies over it, lets records travel. */
function travels({ entries }: Shown): boolean {
  const enable = fromEntry(entries[itemKey('enable')] ?? null)
  return (enable as { readonly sync?: unknown } | undefined | null)?.sync !== false
}

/** Whether other values than before have to be unique. */
function isUniqueness(before: Shown | null, after: Shown): boolean {
  if (before === null) return false
  return [...new Set([...Object.keys(before.entries), ...Object.keys(after.entries)])].some((key) => {
    const parsed = parseEntryKey(key)
    const isNamed =
      (parsed?.kind === 'field' && (parsed.key === 'unique' || parsed.key === 'caseSensitive')) ||
      (parsed?.kind === 'item' && parsed.key === 'indexes') ||
      (parsed?.kind === 'own-field' && parsed.key === '_patch')
    return isNamed && JSON.stringify(before.entries[key]) !== JSON.stringify(after.entries[key])
  })
}

/** Whether a field that gave way to another one of its name may have it now: other machines give it back on their own. */
function hasFreedName({ type, uid }: DocKey, register: Register, after: Shown): boolean {
  if (type !== 'object') return false
  return (docItem(type, uid, register).portable.fields ?? []).some(({ uid: field, name }) => {
    const shown = after.entries[`field.${field}._name`]
    return shown !== undefined && shown !== name
  })
}
