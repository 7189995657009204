// Values that break a limit of their field's definition, or name a file that somebody deleted by force, and were written by
// somebody who did not know of that: found from the documents of the record, its object and its files alone, so that every
// machine with all of them lists the same.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { FieldLimit } from '#shared/field-types/field-limits.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { parseKey } from '#main/replication/core/register-keys.ts'
import { markAt } from '#main/replication/core/register.ts'
import type { Register } from '#main/replication/core/register.ts'
import { nameOfEntry } from '#main/replication/core/replaced.ts'
import type { Json, RegisterEntry } from '#main/replication/core/types.ts'
import { isOfLimit } from '../conflicts/conflict-store.ts'
import type { Conflict, ConflictDraft } from '../conflicts/conflict-store.ts'
import { saidFile } from '../files/file-entries.ts'
import { limitsIn } from '../metadata/limits.ts'
import { readDocument, readHash } from '../store/doc-store.ts'
import { isSeen } from '../write/deletion-mark.ts'
import type { DeletionMark } from '../write/deletion-mark.ts'
import { CREATED_KEY, PURGED_KEY } from '../write/record-edits.ts'
import { syncedFields } from '../write/synced-fields.ts'
import type { ConflictScene } from './record-conflicts.ts'
import { sideOf } from './record-conflicts.ts'
import type { RecordHandlerParts } from './record-handler.ts'

type Limits = ReturnType<typeof limitsIn>

/** What a record is judged in. */
export type LimitScene = Pick<ConflictScene, 'doc' | 'schema' | 'recordId' | 'register' | 'merged' | 'writerOf'>

/** What long texts are judged in. */
type TextScene = Pick<ConflictScene, 'doc' | 'schema' | 'recordId' | 'writerOf' | 'texts'>

interface DeletedFile extends Pick<DeletionMark, 'seen'> {
  readonly name: string
}

/** Makes the judge of one host. */
export function createLimitJudge(
  data: Pick<DataService, 'brokenLimit'>,
  { hasFile, isOwn }: Pick<RecordHandlerParts, 'hasFile' | 'isOwn'>,
) {
  const known = new Map<string, { readonly hash: string; readonly limits: Limits }>()

  const limitsAt = (tx: Tx, object: string): Limits | undefined => {
    const doc = formatDocName({ kind: 'metadata', type: 'object', uid: object })
    const hash = readHash(tx, doc)
    if (hash === undefined) return undefined
    let found = known.get(object)
    if (found?.hash !== hash) {
      found = { hash, limits: limitsIn(readDocument(tx, doc)?.register ?? new Map()) }
      known.set(object, found)
    }
    return found.limits
  }

  /** The files of a value that somebody deleted by force, and what they had seen. */
  const deletedFiles = (tx: Tx, value: Json): DeletedFile[] =>
    [value ?? []].flat().flatMap((named): DeletedFile[] => {
      const id = (named as { fileId?: unknown } | null)?.fileId
      // A deletion that comes later has the record looked at again.
      if (typeof id !== 'string' || hasFile(tx, id)) return []
      const register = readDocument(tx, formatDocName({ kind: 'file', file: id }))?.register
      if (register === undefined) return []
      const { file, gone } = saidFile(id, register)
      return gone?.force !== true || gone.seen === undefined ? [] : [{ name: file?.name ?? id, seen: gone.seen }]
    })

  const ofValues = (tx: Tx, scene: LimitScene): ConflictDraft[] => {
    const { doc, schema, recordId, register, merged, writerOf } = scene
    const limits: Limits = limitsAt(tx, schema.uid) ?? new Map()
    const { scalars } = syncedFields(schema)
    if (limits.size === 0 && !scalars.some(({ field }) => isFile(field))) return []
    // One in the trash may come back as it is.
    if (markAt(register, PURGED_KEY) !== null) return []
    const draftOf = (
      field: FieldSchema,
      entries: readonly RegisterEntry[],
      { limit, ...said }: { limit: string; message: string; value: Json },
    ): ConflictDraft => {
      const latest = entries.toSorted((a, b) => a[2] - b[2] || a[3] - b[3]).at(-1)!
      const side = sideOf(latest, writerOf, { rule: `${field.name}.${limit}`, limit, ...said })
      return { doc, object: schema.uid, recordId, kind: 'validation', field: field.uid, winner: side, losers: [side] }
    }
    return scalars.flatMap(({ field }): ConflictDraft[] => {
      const ofField = limits.get(field.uid)
      const value = merged.values.get(field.uid) ?? null
      const deleted = isFile(field) ? deletedFiles(tx, value) : []
      if (ofField === undefined && deleted.length === 0) return []
      const entries = entriesOf(register, field.uid)
      /** Whoever made the limit, or deleted the file, has seen the value, and left it as it is. */
      const isKnown = ({ seen }: Pick<DeletionMark, 'seen'>): boolean =>
        entries.every((entry) => isSeen(nameOfEntry(entry), { seen }))
      for (const [limit, makers] of ofField ?? []) {
        if (makers.every(isKnown)) continue
        const message = data.brokenLimit(schema.name, field.name, limit, value)
        if (message === null) continue
        return [draftOf(field, entries, { limit, message, value })]
      }
      const lost = deleted.find((file) => !isKnown(file))
      if (lost === undefined) return []
      const message = `The file "${lost.name}" was deleted, with its bytes, by somebody who did not know that it is named here.`
      return [draftOf(field, entries, { limit: 'file', message, value })]
    })
  }

  return {
    ofValues,
    /**
     * Long texts that came from elsewhere, or one of them, judged where the limit was made alone: a text does not say who
     * knew of what, but whoever writes it after the limit is here did not know of that.
     */
    ofTexts(tx: Tx, scene: TextScene, at: string, only?: string): ConflictDraft[] {
      const { doc, schema, recordId, writerOf } = scene
      const limits = limitsAt(tx, schema.uid)
      return syncedFields(schema).texts.flatMap(({ uid, name }): ConflictDraft[] => {
        const own = [...(limits?.get(uid) ?? [])].filter(([, makers]) => makers.some(({ inc }) => isOwn(inc)))
        const found = own.length > 0 && (only ?? uid) === uid ? scene.texts().get(uid) : undefined
        for (const [limit] of found === undefined ? [] : own) {
          const value = found!.text
          const message = data.brokenLimit(schema.name, name, limit, value)
          if (message === null) continue
          const said = { rule: `${name}.${limit}`, limit, message, value }
          const side = { value: said, ...writerOf(found!.writtenBesides(0) ?? 0), at }
          return [{ doc, object: schema.uid, recordId, kind: 'validation', field: uid, winner: side, losers: [side] }]
        }
        return []
      })
    },
    /** Whether a conflict is about a long text that breaks its limit as before. */
    isTextBroken(scene: TextScene, conflict: Conflict): boolean {
      const field = syncedFields(scene.schema).texts.find(({ uid }) => uid === conflict.field)
      if (field === undefined || !isOfLimit(conflict)) return false
      const { limit } = conflict.winner.value as unknown as { readonly limit: FieldLimit }
      const text = scene.texts().get(field.uid)?.text ?? null
      return data.brokenLimit(scene.schema.name, field.name, limit, text) !== null
    },
  }
}

function isFile(field: FieldSchema): boolean {
  return fieldTypeOf(field).file === true
}

/** What says the value of a field; what made the record where nothing says one. */
function entriesOf(register: Register, uid: string): readonly RegisterEntry[] {
  const found = [...register].flatMap(([key, { winner }]) => (parseKey(key).uid === uid ? [winner] : []))
  const made = register.get(CREATED_KEY)?.winner
  return found.length === 0 && made !== undefined ? [made] : found
}
