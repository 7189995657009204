// Owns the steps of the undo list that add a record or delete records.
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { refreshRecords } from '../../lib/record-changes.ts'
import { tn } from '../../lib/strings.ts'
import { defineUndo } from '../../lib/undo.ts'
import type { UndoResult } from '../../lib/undo.ts'
import { removeAdded } from './record-batches.ts'

const parallel = 4

/** Records of an object. */
export interface RecordsStep {
  object: string
  ids: readonly string[]
}

/** Adds a step of deleted records. */
export const rememberDeleted = defineUndo<RecordsStep>('records.delete', { undo: restore, redo: remove })

/** Adds a step of an added record. */
export const rememberAdded = defineUndo<RecordsStep>('records.add', { undo: remove, redo: restore })

/** Deletes records; those that are gone already are no problem. @throws ApiError the first reason against it */
async function remove({ object, ids }: RecordsStep): Promise<void> {
  try {
    await removeAdded(
      object,
      ids.map((id) => ({ id })),
    )
  } finally {
    refreshRecords(object)
  }
}

/** Restores records, some at a time; those that were purged meanwhile are counted. @throws ApiError */
async function restore({ object, ids }: RecordsStep): Promise<UndoResult<RecordsStep> | void> {
  const waiting = [...ids]
  let gone = 0
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        await call('restoreRecord', { params: { object, id }, body: {} })
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
  return gone === 0 ? undefined : { left: tn('undo.gone', gone, { label: tn('records.restored', ids.length - gone) }) }
}
