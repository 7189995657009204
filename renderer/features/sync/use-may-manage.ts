// Owns whether the person may change how devices exchange data, for offering only what will not be refused.
import { useQuery } from '@tanstack/react-query'
import { ownRightsQuery } from '../../lib/own-rights.ts'

/** Whether they may; undefined while that is asked for. */
export function useMayManage(): boolean | undefined {
  return useQuery(ownRightsQuery).data?.systemPermissions.includes('manage_settings')
}
