// Owns which approvals wait for the person in front of the screen: asked for once, told by the host from then on. Nothing
// where there are none to ask for.
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { call } from './api-client.ts'
import { discoveryQuery } from './discovery.ts'
import type { CallResult } from './endpoints.ts'
import { useOwnId } from './me.ts'
import { createCoalescer, useChannel, useHasRealtime } from './realtime/index.ts'

/** An approval that somebody asked for. */
export type Approval = CallResult<'getApprovalRequest'>

/** Asked for at once; more than that is "99+" anyway. */
const most = 100
/** How often it is asked where the host does not tell. */
const askMs = 60_000

/** Who has not decided yet. Pure. */
export function undecided({ approvers, decisions }: Pick<Approval, 'approvers' | 'decisions'>): string[] {
  const decided = new Set(
    decisions.filter(({ decision }) => decision === 'approve' || decision === 'reject').map(({ userId }) => userId),
  )
  return approvers.filter((id) => !decided.has(id))
}

/** Whether somebody is asked to decide and has not. Pure. */
export function waitsFor(
  approval: Pick<Approval, 'status' | 'approvers' | 'decisions'>,
  userId: string | undefined,
): boolean {
  return approval.status === 'pending' && userId !== undefined && undecided(approval).includes(userId)
}

const openQuery = (ownId: string) =>
  queryOptions({
    queryKey: ['approvals', 'count', ownId] as const,
    queryFn: async ({ signal }) => {
      const query = { approverId: ownId, status: 'pending', limit: most }
      const { requests } = await call('listApprovalRequests', { query, signal })
      return requests.filter((approval) => waitsFor(approval, ownId)).length
    },
  })

/** How many approvals wait for oneself; undefined where there are none to ask for. Keeps all lists of them true. */
export function useOpenApprovals(): number | undefined {
  const client = useQueryClient()
  const ownId = useOwnId()
  const { data: manifest } = useQuery(discoveryQuery)
  const isThere = manifest?.routes.approvals != null
  const isTold = useHasRealtime()
  const { data = 0 } = useQuery({
    ...openQuery(ownId ?? ''),
    enabled: isThere && ownId !== undefined,
    refetchInterval: isTold ? false : askMs,
  })
  const refresh = useMemo(
    () => createCoalescer(async () => client.invalidateQueries({ queryKey: ['approvals'] })),
    [client],
  )
  useEffect(() => () => refresh.stop(), [refresh])
  useChannel(isThere ? 'user:me' : undefined, (message) => {
    if (message.kind === 'open' || (message.kind === 'event' && message.event.type.startsWith('approval.')))
      refresh.ask()
  })
  return isThere ? data : undefined
}
