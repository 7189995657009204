// Values that break a limit of their field's definition, or name a file that somebody deleted by force, and were written by
// somebody who did not know of that: found from the documents of the record, its object and its files alone, so that every
// machine with all of them lists the same.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { parseKey } from '#main/replication/core/register-keys.ts'
import { markAt } from '#main/replication/core/register.ts'
import type { Register } from '#main/replication/core/register.ts'
import { nameOfEntry } from '#main/replication/core/replaced.ts'
import type { Json, RegisterEntry } from '#main/replication/core/types.ts'
import type { ConflictDraft } from '../conflicts/conflict-store.ts'
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

interface DeletedFile extends Pick<DeletionMark, 'seen'> {
  readonly name: string
}

/** Makes the judge of one host. */
export function createLimitJudge(
  data: Pick<DataService, 'brokenLimit'>,
  { hasFile }: Pick<RecordHandlerParts, 'hasFile'>,
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

  return (tx: Tx, { doc, schema, recordId, register, merged, writerOf }: LimitScene): ConflictDraft[] => {
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
