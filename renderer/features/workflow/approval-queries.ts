// Owns reading approvals for the inbox: lists page by page, one of them, and what the records they are about hold.
import { infiniteQueryOptions, keepPreviousData, queryOptions, useQueries } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import { after, paged } from '../../lib/paged-query.ts'
import { displayFieldOf, useObjects } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import type { Approval } from './workflow-queries.ts'

/** The parts of the inbox. */
export const approvalParts = ['decide', 'asked', 'decided'] as const

/** One of {@link approvalParts}. */
export type ApprovalPart = (typeof approvalParts)[number]

/** Approvals of one part, newest first. What was decided is also what waits for others after oneself. */
export function approvalsQuery(part: ApprovalPart, ownId: string) {
  const asked = {
    decide: { approverId: ownId, status: 'pending' },
    asked: { submitterId: ownId },
    decided: { approverId: ownId },
  }[part]
  return infiniteQueryOptions({
    queryKey: ['approvals', 'list', part, ownId] as const,
    queryFn: async ({ pageParam, signal }) =>
      call('listApprovalRequests', {
        query: { ...asked, limit: 50, ...after(pageParam) },
        signal,
      }),
    ...paged,
  })
}

/** One approval. @throws ApiError approval_not_found */
export function approvalQuery(id: string) {
  return queryOptions({
    queryKey: ['approvals', 'one', id] as const,
    queryFn: async ({ signal }) => call('getApprovalRequest', { params: { id }, signal }),
  })
}

/** A record as an approval shows it. @throws ApiError resource_not_found, permission_denied */
export function recordOfQuery({ object, recordId }: Pick<Approval, 'object' | 'recordId'>, expand: readonly string[]) {
  return queryOptions({
    // The same answer as on the page of the record, so that each keeps the other fresh.
    queryKey: ['record', object, recordId, expand] as const,
    queryFn: async ({ signal }) => {
      const query = expand.length > 0 ? { expand: expand.join(',') } : {}
      return (await call('getRecord', { params: { object, id: recordId }, query, signal })).record
    },
  })
}

/** What the records of a list of approvals are called; undefined while that is asked for, and of what may not be read. */
export function useTitles(approvals: readonly Approval[]): (approval: Approval) => string | undefined {
  const { data: objects } = useObjects()
  const byObject = Map.groupBy(approvals, ({ object }) => object)
  const asked = [...byObject].flatMap(([name, list]) => {
    const object = objects?.find((one) => one.name === name)
    const display = object && displayFieldOf(object)
    return display === undefined ? [] : [{ name, display, ids: [...new Set(list.map(({ recordId }) => recordId))] }]
  })
  const found = useQueries({
    queries: asked.map(({ name, display, ids }) => ({
      queryKey: ['approvals', 'titles', name, ids] as const,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const body = { filter: { id: { $in: ids } }, select: ['id', display], top: ids.length }
        const { records } = await call('queryRecords', { params: { object: name }, body, signal })
        return new Map(records.map((record) => [String(record['id']), String(record[display] ?? '')]))
      },
      placeholderData: keepPreviousData,
      staleTime: 30_000,
    })),
  })
  const titles = new Map(asked.map(({ name }, at) => [name, found[at]?.data]))
  return ({ object, recordId }) => titles.get(object)?.get(recordId) || undefined
}

/** What an object is called; its name where one may not see it. */
export function objectWord(objects: readonly ObjectItem[] | undefined, name: string): string {
  return objects?.find((object) => object.name === name)?.label ?? name
}
