// Owns adding many records, and taking that back and doing it again, in requests of a size the host takes.
import type { GridRecord } from '../../components/grid/index.ts'
import { call } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'

/** Rows of one request. @source D-63 */
export const partRows = 500

/** A record that was added: its id and the values it was added with. */
export interface AddedRecord {
  id: string
  data: Readonly<Record<string, unknown>>
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

/** Deletes added records; those that are gone already are no problem. @throws ApiError the first reason against it */
export async function removeAdded(object: string, added: readonly Pick<AddedRecord, 'id'>[]): Promise<void> {
  for (let at = 0; at < added.length; at += partRows) {
    const ids = added.slice(at, at + partRows).map(({ id }) => id)
    const { results } = await call('deleteManyRecords', { params: { object }, body: { ids, options } })
    throwFirst(results.flatMap(({ errors = [] }) => errors).filter((error) => error.code !== 'resource_not_found'))
  }
}

/** Brings removed records back under their ids. @throws ApiError the first reason against it */
export async function bringBack(object: string, added: readonly AddedRecord[]): Promise<void> {
  for (let at = 0; at < added.length; at += partRows) {
    const records = added.slice(at, at + partRows).map(({ id, data }) => ({ id, data }))
    const { results } = await call('batchRecords', {
      params: { object },
      body: { operation: 'upsert', records, options },
    })
    throwFirst(results.flatMap(({ errors = [] }) => errors))
  }
}

function throwFirst(errors: readonly ConstructorParameters<typeof ApiError>[0][]): void {
  const [first] = errors
  if (first) throw new ApiError(first)
}
