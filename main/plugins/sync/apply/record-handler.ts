// Projects merged records and long texts onto rows, and keeps their conflicts. Knows the data service's door for peers'
// changes; knows no log.
import { PlatformError } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { isStored } from '#main/database/query/object-rows.ts'
import type { DataService, RemoteChange, RemoteOutcome } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { createEntryHistory } from '../conflicts/base-value.ts'
import { closeOthers, conflictId, isOfLimit, openConflict } from '../conflicts/conflict-store.ts'
import type { Conflict, ConflictDraft, ConflictKind } from '../conflicts/conflict-store.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { mergeValues } from '#main/replication/core/merge-values.ts'
import { DELETED_KEY, parseKey } from '#main/replication/core/register-keys.ts'
import { partsOf, readMembers } from '#main/replication/core/register-patches.ts'
import type { Register } from '#main/replication/core/register.ts'
import { markAt } from '#main/replication/core/register.ts'
import { openDocument } from '#main/replication/core/sync-document.ts'
import type { SyncDocument } from '#main/replication/core/sync-document.ts'
import type { Json } from '#main/replication/core/types.ts'
import type { DocKindHandler, MergedDocument, Projected } from '../engine/docs.ts'
import { hasDoc, needsProject, putFlags, readDoc, readDocument, readTexts, textFieldsOf } from '../store/doc-store.ts'
import { CREATED_KEY, OWNER_KEY, PURGED_KEY } from '../write/record-edits.ts'
import { createComebacks } from '../write/comeback.ts'
import type { ComebackParts } from '../write/comeback.ts'
import { createRecordBackfill } from '../write/record-backfill.ts'
import type { MovedFields } from '../write/record-backfill.ts'
import { syncedFields } from '../write/synced-fields.ts'
import { createLimitJudge } from './limit-conflicts.ts'
import { isRemoved } from './removed.ts'
import { conflictsOf, deleteConflicts, movedConflicts, typeConflicts, writtenConflicts } from './record-conflicts.ts'
import type { DeletionScene, SeenText, WriterOf } from './record-conflicts.ts'
import type { NoteWritten } from './relation-conflicts.ts'

/** What the projection works with. */
export interface RecordHandlerParts extends ComebackParts {
  readonly data: Pick<DataService, 'applyRemote' | 'brokenLimit' | 'issueNumbers' | 'wholeRecords'>
  readonly metadata: Pick<MetadataService, 'objectSchema' | 'objectSchemas' | 'epoch'>
  readonly clock: Clock
  readonly ids: Ids
  /** An object by its uid. */
  schemaOf(uid: string): ObjectSchema | undefined
  writerOf(tx: Tx): WriterOf
  /** Whether a file is there: nobody has deleted it, as far as is known here. */
  hasFile(tx: Tx, file: string): boolean
  /** Hears of every record that a peer wrote. */
  written: NoteWritten
  /** Hears that a row was not what its document says, until now. */
  rowChanged(): void
  /** Whether this machine gives records final numbers. */
  issuesNumbers(): boolean
}

/** Conflicts that follow from a merged record alone; the others end by a person or by another record. */
const ownKinds: readonly ConflictKind[] = ['field', 'delete_edit', 'type', 'validation']

type RecordName = Extract<DocName, { kind: 'record' }>
type TextName = Extract<DocName, { kind: 'text' }>

/** Makes the handlers of records and of their long texts. */
export function createRecordHandlers(parts: RecordHandlerParts): readonly DocKindHandler[] {
  const { data, clock } = parts
  const { schemaOf: schemas } = parts
  const limits = createLimitJudge(data, parts)
  const comebacks = createComebacks(parts)

  const projectRecord = (tx: Tx, ctx: RequestContext, merged: MergedDocument): Projected => {
    const name = merged.name as RecordName
    const schema = schemas(name.object)
    if (schema === undefined) return 'later'
    if (isOwnRow(tx, schema, merged, name.record) || comebacks.bringsBack(tx, { ...merged, name })) return 'done'
    const { register } = merged.document
    const fields = syncedFields(schema)
    const values = mergeValues(register, fields.merged)
    // Of a row that is not there all of it counts, whatever the change was about.
    const changedKeys = merged.changedKeys !== null && isStored(tx, schema, name.record) ? merged.changedKeys : null
    const taken = changedKeys === null ? takeTexts(tx, schema, { record: name.record, register }) : []
    const change: RemoteChange = {
      object: schema.name,
      id: name.record,
      values: {
        ...changedValues(schema, values.values, changedKeys),
        ...Object.fromEntries(taken.map(({ field, document }) => [field.name, document.text])),
        ...formerValues(tx, schema, { record: name.record, register, changedKeys }),
      },
      ...marksOf(register),
      convert: true,
    }
    const outcome = applied(() => data.applyRemote(tx, ctx, change))
    if (outcome === null) return 'soon'
    if (outcome.changed) parts.rowChanged()
    // Of what is gone for good nobody can decide a limit.
    const isBrought = changedKeys === null && merged.changedKeys !== null && change.purged !== true
    keepConflicts(tx, merged, { schema, register, values, outcome, written: change.values, isBrought })
    // While there was no row, nobody looked how many began them.
    for (const { field, document } of change.purged === true ? [] : taken) {
      if (!fields.texts.includes(field) || document.beginnings().length < 2) continue
      const text = { name: { ...name, kind: 'text', field: field.uid }, document } as const
      keepBeginnings(tx, text, { schema, uid: field.uid, recordId: name.record })
    }
    parts.written(tx, { object: name.object, record: name.record, isRemote: true })
    if (change.purged !== true && parts.issuesNumbers() && schema.fields.some(({ type }) => type === 'autonumber'))
      tx.gather(issueNumbers, { tx, object: schema.name, id: name.record })
    // Fields that nobody here knows: their entries wait in the document. What a field held before it became a long text
    // stays there too.
    const unknown = values.unknown.filter((uid) => !fields.byUid.has(uid))
    if (unknown.length === 0) return 'done'
    return unknown.every((uid) => isRemoved(tx, name.object, uid)) ? 'kept' : 'partly'
  }

  /**
   * Changes of this machine's own, which travel as any other. At the end of the job: the record has its document by then,
   * and all that came of it, so that nothing but the numbers is written.
   */
  const issueNumbers = (found: readonly Numbered[]): void => {
    for (const { tx, object, id } of found) data.issueNumbers(tx, internalContext(parts.ids.uuid()), { object, id })
  }

  const keepConflicts = (
    tx: Tx,
    merged: MergedDocument,
    of: {
      schema: ObjectSchema
      register: Register
      values: ReturnType<typeof mergeValues>
      outcome: RemoteOutcome
      written: RemoteChange['values']
      /** Whether the record came here with its texts. */
      isBrought: boolean
    },
  ): void => {
    const { schema, register, values, outcome, written, isBrought } = of
    const recordId = (merged.name as RecordName).record
    const scene = sceneAt(tx, { schema, recordId, register })
    const found = conflictsOf({ ...scene, merged: values, outcome })
    const ofRules = new Set(found.map(conflictId))
    const at = clock.iso()
    const ofTexts = isBrought ? limits.ofTexts(tx, scene, at) : []
    const ofLimits = [...limits.ofValues(tx, { ...scene, merged: values }), ...ofTexts]
    const drafts = [...found, ...ofLimits.filter((draft) => !ofRules.has(conflictId(draft)))]
    for (const draft of drafts) openConflict(tx, draft, at)
    const ids = new Set(drafts.map(conflictId))
    const still = {
      // A value that does not fit stays one while its field is not written.
      has: (id: string, conflict: Conflict): boolean =>
        ids.has(id) ||
        limits.isTextBroken(scene, conflict) ||
        (conflict.kind === 'type' && !isWritten(schema, written, conflict.field)) ||
        // Where nothing was stored, the row was not judged again by rules.
        (conflict.kind === 'validation' && !outcome.changed && !isOfLimit(conflict)),
    }
    closeOthers(tx, { doc: scene.doc }, ownKinds, still, at)
  }

  /** Two machines that filled an empty text at once: both texts stand one after the other, and people are told. */
  const keepBeginnings = (
    tx: Tx,
    { name, document }: Pick<MergedDocument, 'name' | 'document'>,
    place: { readonly schema: ObjectSchema; readonly uid: string; readonly recordId: string },
  ): void => {
    const doc = formatDocName(name)
    const at = clock.iso()
    const writerOf = parts.writerOf(tx)
    const [first, ...rest] = document.beginnings().map((one) => ({ value: one.text, ...writerOf(one.inc), at }))
    const ids = new Set<string>()
    if (first !== undefined && rest.length > 0) {
      const { schema, uid, recordId } = place
      const draft = { kind: 'text' as const, doc, object: schema.uid, recordId, field: uid }
      // Who began it had nothing before them.
      ids.add(openConflict(tx, { ...draft, winner: first, losers: rest, base: '' }, at).id)
    }
    closeOthers(tx, { doc }, ['text'], ids, at)
  }

  const projectText = (tx: Tx, ctx: RequestContext, merged: MergedDocument): Projected => {
    const name = merged.name as TextName
    const schema = schemas(name.object)
    const field = schema === undefined ? undefined : syncedFields(schema).byUid.get(name.field)
    if (schema === undefined) return 'later'
    if (field === undefined) return isRemoved(tx, name.object, name.field) ? 'kept' : 'later'
    if (isOwnRow(tx, schema, merged, name.record)) return 'done'
    // It is no long text any more: its value is in the record, unless it was written by somebody who did not know.
    const isText = syncedFields(schema).texts.includes(field)
    // The text of a record that is not here yet, whose projection takes it along; of one that is gone for good, what is
    // listed (D-412).
    const recordName = formatDocName({ kind: 'record', object: name.object, record: name.record })
    const record = readDoc(tx, recordName)
    if (record === undefined) return merged.isFollowed === true ? 'done' : 'later'
    if (!isStored(tx, schema, name.record)) {
      if ((record.flags & needsProject) !== 0) return 'later'
      tx.gather(listGone, { tx, schema, recordId: name.record })
      return 'done'
    }
    const { register } = openDocument(recordName, record.state)
    // What empties it is undone together with the removal.
    if (comebacks.isContested(register)) return 'done'
    const scene = sceneOf(tx, merged, { schema, register })
    if (!isText && register.has(field.uid)) {
      keepWritten(tx, scene, field.uid)
      return 'done'
    }
    const values = { [field.name]: merged.document.text }
    const outcome = applied(() =>
      data.applyRemote(tx, ctx, { object: schema.name, id: name.record, values, convert: true }),
    )
    if (outcome === null) return 'soon'
    if (outcome.changed) parts.rowChanged()
    if (isText) keepBeginnings(tx, merged, { schema, uid: field.uid, recordId: name.record })
    if (isText && merged.changedKeys !== null)
      keepFound(
        tx,
        { doc: recordName, kind: 'validation', field: field.uid },
        limits.ofTexts(tx, scene, clock.iso(), field.uid),
      )
    if (isText && holdsField(register, field.uid)) keepWritten(tx, scene, field.uid)
    // It may have been written by somebody who did not know of the deletion.
    if (isText && marksOf(register).deleted !== null)
      keepFound(tx, { doc: recordName, kind: 'delete_edit' }, deleteConflicts(scene))
    // The field is no text any more and has no other value: this one may not fit it.
    if (!isText) keepFound(tx, { doc: recordName, kind: 'type', field: field.uid }, typeConflicts(scene, outcome))
    return 'done'
  }

  /** At the end of the job: what brings a record back says its texts before it says that it is back. */
  const listGone = (found: readonly Gone[]): void => {
    for (const { tx, schema, recordId } of found) {
      const doc = formatDocName({ kind: 'record', object: schema.uid, record: recordId })
      const register = readDocument(tx, doc)?.register
      if (register !== undefined && markAt(register, PURGED_KEY) !== null)
        keepFound(tx, { doc, kind: 'delete_edit' }, deleteConflicts(sceneAt(tx, { schema, recordId, register })))
    }
  }

  /** What a record is judged in. */
  const sceneAt = (tx: Tx, place: Pick<DeletionScene, 'schema' | 'recordId' | 'register'>): DeletionScene => ({
    ...place,
    doc: formatDocName({ kind: 'record', object: place.schema.uid, record: place.recordId }),
    writerOf: parts.writerOf(tx),
    history: createEntryHistory(tx),
    texts: () => textsOf(tx, place.schema, place.recordId),
    textFields: () => textFieldsOf(tx, place.schema.uid, place.recordId),
  })

  /** The same, of a record of whose texts one was merged a moment ago and is not stored yet. */
  const sceneOf = (
    tx: Tx,
    { name, document }: MergedDocument,
    { schema, register }: Pick<DeletionScene, 'schema' | 'register'>,
  ): DeletionScene => {
    const { record: recordId, field } = name as TextName
    return {
      ...sceneAt(tx, { schema, recordId, register }),
      texts: () => textsOf(tx, schema, recordId).set(field, seenText(document)),
      textFields: () => textFieldsOf(tx, schema.uid, recordId).add(field),
    }
  }

  /** Opens what was found of a kind, and ends what is not so any more; of one field where only that was looked at. */
  const keepFound = (
    tx: Tx,
    { doc, kind, field }: Pick<Conflict, 'doc' | 'kind'> & { readonly field?: string },
    drafts: readonly ConflictDraft[],
  ): void => {
    const at = clock.iso()
    for (const draft of drafts) openConflict(tx, draft, at)
    const ids = new Set(drafts.map(conflictId))
    const isOther = (conflict: Conflict): boolean =>
      (field !== undefined && conflict.field !== field) || (kind === 'validation' && !isOfLimit(conflict))
    closeOthers(tx, { doc }, [kind], { has: (id, conflict) => ids.has(id) || isOther(conflict) }, at)
  }

  /**
   * A text that came or went on after its record: what stands beside it in the record, by somebody who did not know that
   * the field became one or is none any more, is told with the text as it is now.
   */
  const keepWritten = (tx: Tx, scene: DeletionScene, field: string): void => {
    const merged = mergeValues(scene.register, syncedFields(scene.schema).merged)
    const drafts = writtenConflicts({ ...scene, merged }).filter((draft) => draft.field === field)
    keepFound(tx, { doc: scene.doc, kind: 'field', field }, drafts)
  }

  const movedFields: MovedFields = (tx, place) => movedConflicts(sceneAt(tx, place)).map(({ field }) => field)

  return [
    { kind: 'record', project: projectRecord, ...createRecordBackfill({ ...parts, movedFields }) },
    { kind: 'text', project: projectText },
  ]
}

/** A record that was removed for good, and of which a text was written. */
interface Gone {
  readonly tx: Tx
  readonly schema: ObjectSchema
  readonly recordId: string
}

/** A record that may wait for its final numbers. */
interface Numbered {
  readonly tx: Tx
  readonly object: string
  readonly id: string
}

interface Known {
  readonly record: string
  readonly register: Register
}

/** A long text that a record takes along. */
interface TakenText {
  readonly field: FieldSchema
  readonly document: SyncDocument
}

/** The texts of a record that came before it; those of fields that are no long texts any more where nothing else is said. */
function takeTexts(tx: Tx, schema: ObjectSchema, { record, register }: Known): TakenText[] {
  const { byUid, texts } = syncedFields(schema)
  const found: TakenText[] = []
  for (const text of readTexts(tx, { object: schema.uid, record }, byUid)) {
    const field = byUid.get(text.field)!
    if ((text.flags & needsProject) !== 0) putFlags(tx, text.doc, text.flags & ~needsProject)
    if (!texts.includes(field) && register.has(field.uid)) continue
    found.push({ field, document: text.document })
  }
  return found
}

/** The long texts of a record as they are stored, former ones too, by the uid of their field. */
function textsOf(tx: Tx, schema: ObjectSchema, record: string): Map<string, SeenText> {
  const texts = readTexts(tx, { object: schema.uid, record })
  return new Map(texts.map(({ field, document }) => [field, seenText(document)]))
}

function seenText(document: SyncDocument): SeenText {
  return {
    text: document.text,
    hash: Buffer.from(document.hash).toString('hex'),
    writtenBesides: (inc) => document.writers().find((writer) => writer !== inc),
    beyond: (letters) => document.beyond(letters),
  }
}

/** What was written into fields before they became long texts, by somebody who did not know, where there is no text yet. */
function formerValues(
  tx: Tx,
  schema: ObjectSchema,
  { record, register, changedKeys }: Known & Pick<MergedDocument, 'changedKeys'>,
): Record<string, string | null> {
  const found: Record<string, string | null> = {}
  const changed = changedFields(changedKeys)
  for (const field of syncedFields(schema).texts) {
    const whole = register.get(field.uid)?.winner[1]
    const value = whole ?? readMembers(partsOf(register, field.uid))?.join(', ') ?? whole
    if (value === undefined || (value !== null && typeof value === 'object')) continue
    if (changed !== null && !changed.has(field.uid)) continue
    const doc = formatDocName({ kind: 'text', object: schema.uid, record, field: field.uid })
    if (!hasDoc(tx, doc)) found[field.name] = value === null ? null : String(value)
  }
  return found
}

/**
 * Whether nothing but this machine says what a row is: while an object does not travel, its rows are written and its
 * documents are not. What somebody who did not know of it wrote is taken over all the same.
 */
function isOwnRow(tx: Tx, schema: ObjectSchema, merged: MergedDocument, record: string): boolean {
  return !schema.enable.sync && merged.changedKeys === null && isStored(tx, schema, record)
}

/** Null while the table is being changed: the projection waits. */
function applied(apply: () => RemoteOutcome): RemoteOutcome | null {
  try {
    return apply()
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'service_unavailable') return null
    throw error
  }
}

/** Objects by uid, found anew when the metadata changes. */
export function schemasByUid(
  metadata: Pick<MetadataService, 'objectSchemas' | 'epoch'>,
): (uid: string) => ObjectSchema | undefined {
  let epoch = -1
  let known = new Map<string, ObjectSchema>()
  return (uid) => {
    if (metadata.epoch() !== epoch) {
      known = new Map(metadata.objectSchemas().map((schema) => [schema.uid, schema]))
      epoch = metadata.epoch()
    }
    return known.get(uid)
  }
}

/** The values of the fields whose entries changed, by name; all of them where nothing says which. */
function changedValues(
  schema: ObjectSchema,
  values: ReadonlyMap<string, Json>,
  changedKeys: ReadonlySet<string> | null,
): Record<string, unknown> {
  const { byUid } = syncedFields(schema)
  const changed = changedFields(changedKeys)
  const result: Record<string, unknown> = {}
  for (const [uid, value] of values) {
    const field = byUid.get(uid)
    if (field !== undefined && (changed === null || changed.has(uid))) result[field.name] = value
  }
  return result
}

function changedFields(keys: ReadonlySet<string> | null): ReadonlySet<string> | null {
  return keys === null ? null : new Set([...keys].map((key) => parseKey(key).uid))
}

/** Whether a record says anything of a field, be it of a member or a share. */
function holdsField(register: Register, uid: string): boolean {
  return [...register.keys()].some((key) => parseKey(key).uid === uid)
}

function isWritten(schema: ObjectSchema, written: RemoteChange['values'], uid: string): boolean {
  const name = syncedFields(schema).byUid.get(uid)?.name
  return name !== undefined && Object.hasOwn(written, name)
}

function marksOf(register: Register): Omit<RemoteChange, 'object' | 'id' | 'values'> {
  const created = madeMark(register, CREATED_KEY)
  const owner = register.get(OWNER_KEY)?.winner[1]
  return {
    ...(created === null ? {} : { created }),
    ...(typeof owner === 'string' ? { owner } : {}),
    deleted: madeMark(register, DELETED_KEY),
    ...(madeMark(register, PURGED_KEY) === null ? {} : { purged: true }),
  }
}

/** A mark in its own words; null for none, and for one that no version writes. */
function madeMark(register: Register, key: string): { at: string; by: string } | null {
  const { at, by } = markAt(register, key) ?? {}
  if (typeof at !== 'string' || typeof by !== 'string' || Number.isNaN(Date.parse(at))) return null
  return { at: new Date(at).toISOString(), by }
}
