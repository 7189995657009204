// Judges what an envelope changes in a document by the rights of its author: which record, which fields, which marks. Asks
// the data service; knows no roster and no log.
import type { ObjectSchema } from '#shared/object-schema.ts'
import { canonicalJson } from '#main/kernel/canonical-json.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { DataService, RemoteIntent, RemoteRefusal } from '#main/plugins/data/api.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { mergeValues } from '#main/replication/core/merge-values.ts'
import { parseFeedKey, partKey } from '#main/replication/core/feed-doc.ts'
import { DELETED_KEY, parseKey } from '#main/replication/core/register-keys.ts'
import type { Register } from '#main/replication/core/register.ts'
import { markAt, objectIn } from '#main/replication/core/register.ts'
import { haveSameStamp } from '#main/replication/core/replaced.ts'
import type { SyncDocument } from '#main/replication/core/sync-document.ts'
import type { RegisterEntry, RegisterValue } from '#main/replication/core/types.ts'
import { hasDoc, readDocument, readTexts } from '../store/doc-store.ts'
import type { StoredText } from '../store/doc-store.ts'
import { CREATED_KEY, OWNER_KEY, PURGED_KEY } from '../write/record-edits.ts'
import { syncedFields } from '../write/synced-fields.ts'
import { fileRefusal } from '../files/file-judge.ts'
import { forgesWorkflow, isAheadOfApproval, opensApprovals } from '../workflows/workflow-judge.ts'
import type { IsRemoved } from './removed.ts'

/** What a merge changed, before it is stored. */
export interface DocChange {
  readonly name: DocName
  /** Whether there was no such document. */
  readonly isNew: boolean
  /** Keys whose entries came or went; `t` for a text. */
  readonly changedKeys: ReadonlySet<string>
  /** What it made of the document. */
  readonly document: SyncDocument
  /** The document as it is stored; null where there is none. */
  readonly stored: SyncDocument | null
  /** Whether the record of a long text comes with it. */
  readonly isFollowed: boolean
}

/** What an author lacks, in a word. */
export type ForbiddenCode = RemoteRefusal['code'] | 'others' | 'name' | 'creation' | 'admin'

/** Why a change is not merged: never, or not yet. */
export type ChangeRefusal =
  | {
      /** In a sentence. */
      readonly forbidden: string
      readonly code: ForbiddenCode
      /** Uids of the fields that are closed to the author; of `fields` alone. */
      readonly closed?: readonly string[]
    }
  | { readonly waits: true }

/** Who answers for a change. */
export interface Answerable {
  /** As the envelope names them. */
  readonly author: string
  /** Whether it comes from the machine of an administrator, which brings the words of all its people. */
  readonly speaksForOthers: boolean
}

/** Judges one change by the rights of a person; undefined: it may be merged. */
export type ChangeJudge = (tx: Tx, ctx: RequestContext, by: Answerable, change: DocChange) => ChangeRefusal | undefined

const notYet: ChangeRefusal = Object.freeze({ waits: true })

/** What a change asks of the rights of its author; `free` for nothing, as of a record that was removed for good. */
type Asked = RemoteIntent | ChangeRefusal | 'free'

/** Makes the judge. */
export function createChangeJudge(parts: {
  readonly data: Pick<DataService, 'refusalOf'>
  /** Whether somebody may change what others wrote in feeds. */
  mayModerate(ctx: RequestContext): boolean
  schemaOf(uid: string): ObjectSchema | undefined
  schemaNamed(name: string): ObjectSchema | undefined
  /**
   * What is written of removed objects and fields by somebody who did not know is kept in the documents: nobody can judge it,
   * and it takes effect only when an administrator brings them back.
   */
  isRemoved: IsRemoved
}): ChangeJudge {
  /** Whether the record of a document belongs to one that was removed for good: nobody will ever know whose that was. */
  const isOrphan = (tx: Tx, schema: ObjectSchema, document: { readonly register: Register } | undefined): boolean =>
    schema.fields.some(({ type, uid, reference }) => {
      const record = type === 'master_detail' ? document?.register.get(uid)?.winner[1] : undefined
      const object = typeof record === 'string' ? parts.schemaNamed(reference!)?.uid : undefined
      return object !== undefined && isPurged(tx, { object, record: record as string })
    })

  return (tx, ctx, { author, speaksForOthers }, change) => {
    const { name } = change
    if (name.kind === 'file') return fileRefusal({ author, speaksForOthers }, change)
    if (!('record' in name)) return undefined
    const schema = parts.schemaOf(name.object)
    if (schema === undefined) return parts.isRemoved(tx, name.object) ? undefined : notYet
    const isGone = (field: string): boolean => parts.isRemoved(tx, name.object, field)
    const by = { author, speaksForOthers }
    const asked =
      name.kind === 'record'
        ? recordIntent(schema, author, change, { isGone, texts: () => readTexts(tx, name) })
        : name.kind === 'text'
          ? textIntent(tx, schema, { name, isGone }, change)
          : name.kind === 'feed'
            ? feedIntent(tx, schema, { name, by, mayModerate: () => parts.mayModerate(ctx) }, change)
            : workflowIntent(tx, schema, { name, by }, change)
    if (asked === 'free') return undefined
    if (!('object' in asked)) return asked
    let refusal = parts.data.refusalOf(tx, ctx, asked)
    if (refusal !== undefined) {
      const { document, stored } = change
      const isRecord = name.kind === 'record'
      // What it belonged to before counts: nobody brings a record to what is gone to get it.
      const known = isRecord ? (stored ?? document) : readDocument(tx, formatDocName({ ...name, kind: 'record' }))
      if (isOrphan(tx, schema, known)) refusal = parts.data.refusalOf(tx, ctx, { ...asked, isOrphan: true })
      if (refusal === null) return isRecord && isOrphan(tx, schema, document) ? undefined : notYet
    }
    if (refusal === undefined) return undefined
    const { message: forbidden, code, fields } = refusal
    const closed = fields?.flatMap((field) => schema.byName.get(field)?.uid ?? [])
    return { forbidden, code, ...(closed === undefined ? {} : { closed }) }
  }
}

/**
 * Whether all that is shown of a document is as it was, so that nothing is done that anybody needs a right for: what was
 * written beyond somebody's rights and taken back again, or a record that was made and removed for good before it came here.
 * What stands beside a value without being settled is the same, too: machines that have the later value already judge like
 * those it reaches later.
 */
export function changesNothing({ name, isNew, changedKeys, document, stored }: DocChange): boolean {
  if (name.kind === 'text') return (stored?.text ?? '') === document.text
  const then: Register = stored?.register ?? new Map()
  const now = document.register
  if (name.kind === 'record' && isNew && markAt(now, PURGED_KEY) !== null) return true
  const valuesOf = (found: RegisterValue | undefined): string[] =>
    found === undefined ? ['null'] : [found.winner, ...found.losers].map((entry) => canonicalJson(entry[1]))
  return [...changedKeys].every((key) => {
    const [winner, ...losers] = valuesOf(then.get(key))
    const [winnerNow, ...losersNow] = valuesOf(now.get(key))
    const isSame = losers.length === losersNow.length && losers.every((loser) => losersNow.includes(loser))
    return winner === winnerNow && isSame
  })
}

/** What is written into a record; it waits for a field that is not known here. */
function recordIntent(
  schema: ObjectSchema,
  author: string,
  change: DocChange,
  { isGone, texts }: { isGone(field: string): boolean; texts(): readonly StoredText[] },
): Asked {
  const { register } = change.document
  const isOver = markAt(register, PURGED_KEY) !== null
  const wasOver = markAt(change.stored?.register, PURGED_KEY) !== null
  if (isOver && (wasOver || !change.changedKeys.has(PURGED_KEY))) return 'free'
  // It is there again with all that was written meanwhile, which nobody was asked about.
  const isNew = change.isNew || wasOver
  const changedKeys = [...(wasOver ? register.keys() : change.changedKeys)]
  // Removing it for good empties it.
  if (isOver) return { object: schema.name, id: idOf(change.name), isNew, values: {}, purged: true }
  if (!isNew && changedKeys.includes(CREATED_KEY))
    return { forbidden: 'Who made a record, and when, cannot be changed.', code: 'creation' }
  const { byUid, merged } = syncedFields(schema)
  const now = mergeValues(register, merged).values
  const values: Record<string, unknown> = {}
  const overruled = new Set<string>()
  let isOfRemoved = false
  for (const key of changedKeys) {
    const { uid } = parseKey(key)
    if (uid.startsWith('_')) continue
    const field = byUid.get(uid)
    if (field === undefined && isGone(uid)) {
      isOfRemoved = true
      continue
    }
    if (field === undefined) return notYet
    values[field.name] = now.get(uid) ?? null
    // Machines that have the other value already must judge like those it reaches later.
    if ((register.get(key)?.losers.length ?? 0) > 0) overruled.add(field.name)
  }
  for (const { field: uid, document } of wasOver ? texts() : []) {
    const field = byUid.get(uid)
    if (field !== undefined && document.text !== '') values[field.name] = document.text
  }
  const owner = register.get(OWNER_KEY)?.winner[1]
  const creator = markAt(register, CREATED_KEY)?.['by']
  const deleted = changedKeys.includes(DELETED_KEY) || wasOver ? markAt(register, DELETED_KEY) !== null : undefined
  const isGiven = changedKeys.includes(OWNER_KEY) && (!isNew || (owner !== author && owner !== creator))
  return {
    object: schema.name,
    id: idOf(change.name),
    isNew,
    values,
    overruled,
    // It is there again when the field is brought back.
    isEdit: isOfRemoved && !isNew,
    ...(isGiven ? { isTransferred: true } : {}),
    // What was never deleted is not restored.
    ...(deleted === undefined || (change.isNew && !deleted) ? {} : { deleted }),
  }
}

/** The text of a new record comes before it in one call; that of one that is not here waits where the record would tell. */
function textIntent(
  tx: Tx,
  schema: ObjectSchema,
  place: { readonly name: Extract<DocName, { kind: 'text' }>; isGone(field: string): boolean },
  change: DocChange,
): Asked {
  const { name } = place
  if (isPurged(tx, name)) return 'free'
  const field = syncedFields(schema).byUid.get(name.field)
  if (field === undefined && !place.isGone(name.field)) return notYet
  const record = formatDocName({ kind: 'record', object: name.object, record: name.record })
  const isNew = change.isFollowed && !hasDoc(tx, record)
  const values = field === undefined ? {} : { [field.name]: change.document.text }
  return { object: schema.name, id: name.record, isNew, values, isEdit: !isNew }
}

/** Writing in a feed needs the record to be readable, pinning the right to edit it; of one removed for good nothing is kept. */
function feedIntent(
  tx: Tx,
  schema: ObjectSchema,
  place: { readonly name: Extract<DocName, { kind: 'feed' }>; readonly by: Answerable; mayModerate(): boolean },
  change: DocChange,
): Asked {
  const { name, by } = place
  const isForged = !by.speaksForOthers && forgesOthers(by.author, change)
  // Of what is gone for good, too: it may come back.
  if (isPurged(tx, name) && !isForged) return 'free'
  if (!by.speaksForOthers && isAhead(change)) return notYet
  if (touchesOthers(by.author, change) && !place.mayModerate())
    return { forbidden: 'This person may not change what somebody else wrote.', code: 'others' }
  if (isForged) return { forbidden: 'This machine may not write in the name of somebody else.', code: 'name' }
  return { object: schema.name, id: name.record, isNew: false, values: {}, ...(pins(change) ? { isEdit: true } : {}) }
}

/** Who asks for an approval of a record may edit it; whoever decides one was asked to. */
function workflowIntent(
  tx: Tx,
  schema: ObjectSchema,
  { name, by }: { readonly name: Extract<DocName, { kind: 'workflow' }>; readonly by: Answerable },
  change: DocChange,
): Asked {
  if (!by.speaksForOthers && isAheadOfApproval(change) && !isPurged(tx, name)) return notYet
  if (!by.speaksForOthers && forgesWorkflow(by.author, change))
    return { forbidden: 'This machine may not decide in the name of somebody else.', code: 'name' }
  if (!opensApprovals(change) || isPurged(tx, name)) return 'free'
  return { object: schema.name, id: name.record, isNew: false, values: {}, isEdit: true }
}

/**
 * Whether something is pinned or a pin taken away, other than together with what it was on. Judged by what the change itself
 * says (D-378): machines that know already of a later deletion of the item must judge like those it reaches later.
 */
function pins({ changedKeys, document, stored }: DocChange): boolean {
  return [...changedKeys].some((key) => {
    const parsed = parseFeedKey(key)
    if (parsed?.kind !== 'part' || parsed.part !== 'pin') return false
    const isPinned = addedEntries(document.register.get(key), stored?.register.get(key)).some(([, pin]) => pin !== null)
    return isPinned || !changedKeys.has(partKey(parsed.item, 'deleted'))
  })
}

function addedEntries(now: RegisterValue | undefined, then: RegisterValue | undefined): RegisterEntry[] {
  const sides = (value: RegisterValue | undefined): RegisterEntry[] =>
    value === undefined ? [] : [value.winner, ...value.losers]
  const before = sides(then)
  return sides(now).filter((entry) => !before.some((one) => haveSameStamp(one, entry)))
}

/** Whether an item was deleted: what others said of it went with it. */
function isTakenBack(entries: Register, item: string): boolean {
  return typeof entries.get(partKey(item, 'deleted'))?.winner[1] === 'string'
}

/** Whether the record of a document was removed for good: nothing that is written of it counts any more. */
function isPurged(tx: Tx, { object, record }: { readonly object: string; readonly record: string }): boolean {
  const stored = readDocument(tx, formatDocName({ kind: 'record', object, record }))
  return stored !== undefined && markAt(stored.register, PURGED_KEY) !== null
}

/** Parts of an item that only its author changes, and moderators. */
const ownParts: ReadonlySet<string> = new Set(['body', 'visibility', 'edited', 'deleted'])

/**
 * Whether an item of somebody else, which was there before, is changed or taken away. Who made it is what stood here: a
 * change may name another person, or leave nobody.
 */
function touchesOthers(author: string, { changedKeys, document, stored }: DocChange): boolean {
  return [...changedKeys].some((key) => {
    const parsed = parseFeedKey(key)
    if (parsed === null) return false
    const isOwnPart = parsed.kind === 'item' || (parsed.kind === 'part' && ownParts.has(parsed.part))
    if (!isOwnPart) return false
    const then = stored?.register.get(parsed.item)
    // What is said of an item that comes with this change is judged with it.
    const made = then ?? (changedKeys.has(parsed.item) ? undefined : document.register.get(parsed.item))
    const actor = objectIn(objectIn(made?.winner[1])?.['actor'])
    return actor !== null && actor['id'] !== author
  })
}

/** Whether something is said of an item that is not here: nobody can tell yet whose item it is. */
function isAhead({ changedKeys, document: { register } }: DocChange): boolean {
  return [...changedKeys].some((key) => {
    const item = parseFeedKey(key)?.item
    return item !== undefined && register.has(key) && !register.has(item)
  })
}

/** Whether there are words, a reaction or a pin that somebody else is said to have made. */
function forgesOthers(author: string, { changedKeys, document }: DocChange): boolean {
  const { register } = document
  return [...changedKeys].some((key) => {
    const parsed = parseFeedKey(key)
    const item = parsed === null ? null : markAt(register, parsed.item)
    if (parsed === null || item === null) return false
    if (parsed.kind === 'item') return objectIn(item['actor'])?.['id'] !== author
    if (isTakenBack(register, parsed.item)) return false
    if (parsed.kind === 'reaction') return parsed.user !== author
    const pin = parsed.part === 'pin' ? markAt(register, key) : null
    return pin !== null && pin['userId'] !== author
  })
}

function idOf(name: DocName): string {
  return 'record' in name ? name.record : ''
}
