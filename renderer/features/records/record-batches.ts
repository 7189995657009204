// Owns adding many records, and taking that back and doing it again, in requests of a size the host takes.
import type { GridRecord } from '../../components/grid/index.ts'
import { call } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t, tn } from '../../lib/strings.ts'
import { recordVersions } from './record-versions.ts'

/** Rows of one request. @source D-63 */
export const partRows = 500

/** A record that was added: its id, the values it was added with, and the version that made. */
export interface AddedRecord {
  id: string
  data: Readonly<Record<string, unknown>>
  version?: string | undefined
}

const options = { atomic: false, continueOnError: true }

/** Adds records in order; answers each as it was added, or why it was not. Never rejects. */
export async function createRecords(
  object: string,
  records: readonly Readonly<Record<string, unknown>>[],
  onProgress: (done: number) => void,
): Promise<(GridRecord | string)[]> {
  const added: (GridRecord | string)[] = []
  for (let at = 0; at < records.length; at += partRows) {
    const part = records.slice(at, at + partRows).map((data) => ({ data }))
    try {
      const { results } = await call('batchRecords', {
        params: { object },
        body: { operation: 'create', records: part, options: { ...options, returnRecords: true } },
      })
      for (const { id, record, errors = [] } of results) {
        const [error] = errors
        added.push(error ? problemText(new ApiError(error)) : (record ?? { id }))
      }
    } catch (error) {
      // What follows would fail the same way.
      while (added.length < records.length) added.push(problemText(error))
    }
    onProgress(added.length)
    if (added.length >= records.length) break
  }
  return added
}

/**
 * Deletes records; those that are gone already are no problem, and those that others changed since their version are
 * asked about. Answers what is told of those that were left. @throws ApiError the first reason against it
 */
export async function removeAdded(
  object: string,
  added: readonly Pick<AddedRecord, 'id' | 'version'>[],
): Promise<string | undefined> {
  const changed = await deleteUnchanged(object, added)
  if (changed.length === 0) return undefined
  const left = tn('undo.left', changed.length, { label: tn('records.deleted', added.length - changed.length) })
  const isWanted = await confirmAction({
    title: t('undo.stale.title'),
    body: left,
    confirmLabel: t('word.delete'),
    cancelLabel: t('undo.stale.leave'),
  })
  if (!isWanted) return left
  await deleteUnchanged(
    object,
    changed.map((id) => ({ id })),
  )
  return undefined
}

/** Answers the ids of those that are not as they were; the rest is deleted. @throws ApiError */
async function deleteUnchanged(
  object: string,
  added: readonly Pick<AddedRecord, 'id' | 'version'>[],
): Promise<string[]> {
  const changed: string[] = []
  for (let at = 0; at < added.length; at += partRows) {
    const records = added.slice(at, at + partRows).map(({ id, version }) => ({
      id,
      ...(version === undefined ? {} : { expectedVersion: recordVersions.expected(id, version) }),
    }))
    const { results } = await call('batchRecords', {
      params: { object },
      body: { operation: 'delete', records, options },
    })
    const refused = results.flatMap(({ index, errors = [] }) => errors.map((error) => ({ index, error })))
    const isChanged = ({ error }: (typeof refused)[number]): boolean => error.code === 'CONCURRENT_UPDATE'
    changed.push(...refused.filter(isChanged).flatMap(({ index }) => records[index]?.id ?? []))
    throwFirst(
      refused.flatMap((each) => (isChanged(each) || each.error.code === 'resource_not_found' ? [] : each.error)),
    )
  }
  return changed
}

/** Brings removed records back under their ids; answers them with the versions they have now. @throws ApiError the first reason against it */
export async function bringBack(object: string, added: readonly AddedRecord[]): Promise<AddedRecord[]> {
  const back: AddedRecord[] = []
  for (let at = 0; at < added.length; at += partRows) {
    const part = added.slice(at, at + partRows)
    const records = part.map(({ id, data }) => ({ id, data }))
    const { results } = await call('batchRecords', {
      params: { object },
      body: { operation: 'upsert', records, options: { ...options, returnRecords: true } },
    })
    throwFirst(results.flatMap(({ errors = [] }) => errors))
    back.push(...part.map((record, index) => ({ ...record, version: versionOf(results[index]?.record) })))
  }
  return back
}

/** The version of a record; undefined where it is not told. */
export function versionOf(record: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const version = record?.['updated_at']
  return typeof version === 'string' ? version : undefined
}

function throwFirst(errors: readonly ConstructorParameters<typeof ApiError>[0][]): void {
  const [first] = errors
  if (first) throw new ApiError(first)
}
