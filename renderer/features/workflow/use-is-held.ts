// Owns whether an approval holds a record, so that nothing is offered for editing that would be refused.
import { useQueries, useQuery } from '@tanstack/react-query'
import { administratorProfile, ownRightsQuery } from '../../lib/own-rights.ts'
import { stateQuery, useWorkflows } from './workflow-queries.ts'

/** Whether the record is closed for the person in front of the screen; false while that is asked for. */
export function useIsHeld(object: string, recordId: string): boolean {
  const workflows = useWorkflows(object)
  const states = useQueries({ queries: workflows.map(({ name }) => stateQuery({ object, recordId }, name)) })
  const isWaiting = states.some(({ data }) => data?.pendingApproval?.lockRecord === true)
  const { data: rights } = useQuery({ ...ownRightsQuery, enabled: isWaiting })
  return isWaiting && rights?.profile !== administratorProfile
}
