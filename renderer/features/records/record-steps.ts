// Owns the steps of the undo list that add a record or delete records.
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { refreshRecords } from '../../lib/record-changes.ts'
import { tn } from '../../lib/strings.ts'
import { defineUndo } from '../../lib/undo.ts'
import type { UndoResult } from '../../lib/undo.ts'
import { removeAdded, versionOf } from './record-batches.ts'

const parallel = 4

/** Records of an object. */
export interface RecordsStep {
  object: string
  ids: readonly string[]
  /** Of added records, the versions they had then, by id; one that is not known is not looked at. */
  versions?: Readonly<Record<string, string | undefined>>
}

/** Adds a step of deleted records. */
export const rememberDeleted = defineUndo<RecordsStep>('records.delete', { undo: restore, redo: remove })

/** Adds a step of an added record. */
export const rememberAdded = defineUndo<RecordsStep>('records.add', { undo: remove, redo: restore })

/** Deletes records; those that are gone already are no problem. @throws ApiError the first reason against it */
async function remove({ object, ids, versions = {} }: RecordsStep): Promise<UndoResult<RecordsStep>> {
  try {
    const left = await removeAdded(
      object,
      ids.map((id) => ({ id, version: versions[id] })),
    )
    return left === undefined ? {} : { left }
  } finally {
    refreshRecords(object)
  }
}

/** Restores records, some at a time; those that were purged meanwhile are counted. @throws ApiError */
async function restore({ object, ids, versions }: RecordsStep): Promise<UndoResult<RecordsStep>> {
  const waiting = [...ids]
  const now = versions && { ...versions }
  let gone = 0
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        const { record } = await call('restoreRecord', { params: { object, id }, body: {} })
        if (now) now[id] = versionOf(record)
      } catch (error) {
        // Somebody else was faster.
        if (hasCode(error, 'conflict') && error.details['reason'] === 'not_deleted') continue
        if (!hasCode(error, 'resource_not_found')) throw error
        gone++
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: parallel }, work))
  } finally {
    refreshRecords(object)
  }
  const data: RecordsStep = { object, ids, ...(now ? { versions: now } : {}) }
  return gone === 0
    ? { data }
    : { data, left: tn('undo.gone', gone, { label: tn('records.restored', ids.length - gone) }) }
}
