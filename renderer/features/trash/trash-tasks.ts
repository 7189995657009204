// Owns what is done with deleted records: bringing them back with a way to undo it, and removing them for good.
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { tellRecordsChanged } from '../../lib/record-changes.ts'
import { t, tn } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { defineUndo } from '../../lib/undo.ts'
import type { UndoResult } from '../../lib/undo.ts'

/** A record by its address. */
export interface Place {
  object: string
  id: string
}

const parallel = 4
const slice = 200

/** Runs a task over records, a few at a time. @returns those it was done with, and the first problem in words */
async function overAll(
  places: readonly Place[],
  task: (place: Place) => Promise<unknown>,
): Promise<{ done: Place[]; problem: string | undefined }> {
  const waiting = [...places]
  const done: Place[] = []
  let problem: string | undefined
  const work = async (): Promise<void> => {
    for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) {
      try {
        await task(place)
        done.push(place)
      } catch (error) {
        // It went, or came back, together with another one.
        if (hasCode(error, 'resource_not_found') || isBack(error)) done.push(place)
        else problem ??= problemText(error)
      }
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  for (const object of new Set(done.map((place) => place.object))) tellRecordsChanged(object)
  return { done, problem }
}

function isBack(error: unknown): boolean {
  return hasCode(error, 'conflict') && error.details['reason'] === 'not_deleted'
}

const restore = async ({ object, id }: Place) => call('restoreRecord', { params: { object, id }, body: {} })
const remove = async ({ object, id }: Place) => call('deleteRecord', { params: { object, id } })
const purge = async ({ object, id }: Place) => call('deleteRecord', { params: { object, id }, query: { purge: true } })

/** A task as taking a step back does it: what is refused is said. */
const asStep =
  (task: (place: Place) => Promise<unknown>) =>
  async (places: readonly Place[]): Promise<UndoResult<readonly Place[]> | void> => {
    const { problem } = await overAll(places, task)
    if (problem !== undefined) return { left: problem }
  }

const rememberRestored = defineUndo<readonly Place[]>('trash.restore', { undo: asStep(remove), redo: asStep(restore) })

/** Brings records back and says how it went; the step can be undone. */
export async function restoreTrashed(places: readonly Place[]): Promise<void> {
  const { done, problem } = await overAll(places, restore)
  if (done.length > 0) rememberRestored(t('trash.step', { count: done.length }), done)
  tell(problem, places.length, done.length, tn('trash.restored', done.length))
}

/** Removes records for good and says how it went. */
export async function purgeTrashed(places: readonly Place[]): Promise<void> {
  const { done, problem } = await overAll(places, purge)
  tell(problem, places.length, done.length, tn('trash.purged', done.length))
}

/** Removes everything in the trash of some objects for good, also what no list shows, and says how it went. */
export async function emptyTrash(objects: readonly string[], total: number): Promise<void> {
  let gone = 0
  let problem: string | undefined
  for (const object of objects) {
    for (;;) {
      const { records } = await call('queryRecords', {
        params: { object },
        body: { deleted: 'only', select: ['id'], top: slice },
      })
      const { done, problem: found } = await overAll(
        records.map(({ id }) => ({ object, id: String(id) })),
        purge,
      )
      gone += done.length
      problem ??= found
      // What cannot be removed would come again for ever.
      if (records.length < slice || found !== undefined) break
    }
  }
  tell(problem, Math.max(total, gone), gone, tn('trash.purged', gone))
}

function tell(problem: string | undefined, total: number, done: number, message: string): void {
  if (problem === undefined) showToast({ message, tone: 'good' })
  else showToast({ message: t('trash.partly', { done, total, problem }), tone: 'bad' })
}
