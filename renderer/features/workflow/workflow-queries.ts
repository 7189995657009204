// Owns reading workflows and the states of records, and the cache keys they live under. Nothing is asked for where the host
// has no workflows.
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import { discoveryQuery } from '../../lib/discovery.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import type { Approval } from '../../lib/open-approvals.ts'
import { administratorProfile, ownRightsQuery } from '../../lib/own-rights.ts'
import { tellRecordsChanged } from '../../lib/record-changes.ts'

/** A workflow as it is shown. */
export type Workflow = CallResult<'getWorkflowConfig'>['workflows'][number]

/** How a record stands in a workflow. */
export type WorkflowState = CallResult<'getWorkflowState'>['state']

/** A transition that is possible now. */
export type Step = WorkflowState['availableTransitions'][number]

/** An approval that somebody asked for. */
export type { Approval }

/** Names one record. */
export interface RecordName {
  object: string
  recordId: string
}

/** The workflows of an object. @throws ApiError resource_not_found, permission_denied */
export const configQuery = (object: string) =>
  queryOptions({
    queryKey: ['workflow-config', object] as const,
    queryFn: async ({ signal }) => (await call('getWorkflowConfig', { params: { object }, signal })).workflows,
    staleTime: 30_000,
  })

/** The workflows of an object; none while they are asked for, where there are none, and without the service. */
export function useWorkflows(object: string): readonly Workflow[] {
  const { data: manifest } = useQuery(discoveryQuery)
  const { data = [] } = useQuery({ ...configQuery(object), enabled: manifest?.routes.workflow != null })
  return data
}

/** How a record stands in one workflow. @throws ApiError workflow_not_found, permission_denied */
export function stateQuery({ object, recordId }: RecordName, workflow: string) {
  return queryOptions({
    queryKey: ['workflow-state', object, recordId, workflow] as const,
    queryFn: async ({ signal }) =>
      (await call('getWorkflowState', { params: { object, recordId }, query: { workflow }, signal })).state,
  })
}

/** Has everything that shows a record or its approvals asked for again. */
export async function refreshState(client: QueryClient, { object, recordId }: RecordName): Promise<void> {
  tellRecordsChanged(object)
  const parts = ['workflow-state', 'record', 'feed', 'changelog'] as const
  await Promise.all([
    ...parts.map(async (part) => client.invalidateQueries({ queryKey: [part, object, recordId] })),
    client.invalidateQueries({ queryKey: ['approvals'] }),
  ])
}

/** The approvals a record waits for, those of flows among them. */
function recordApprovalsQuery({ object, recordId }: RecordName) {
  return queryOptions({
    queryKey: ['approvals', 'record', object, recordId] as const,
    queryFn: async ({ signal }) =>
      (await call('listApprovalRequests', { query: { object, recordId, status: 'pending' }, signal })).requests,
  })
}

/** The approvals a record waits for; none while they are asked for, and without the service. */
export function useRecordApprovals(record: RecordName): readonly Approval[] {
  const { data: manifest } = useQuery(discoveryQuery)
  const { data = [] } = useQuery({ ...recordApprovalsQuery(record), enabled: manifest?.routes.approvals != null })
  return data
}

/** Whether an approval closes a record for the person in front of the screen; false while that is asked for. */
export function useIsHeld(object: string, recordId: string): boolean {
  const isWaiting = useRecordApprovals({ object, recordId }).some(({ lockRecord }) => lockRecord)
  const { data: rights } = useQuery({ ...ownRightsQuery, enabled: isWaiting })
  return isWaiting && rights?.profile !== administratorProfile
}
