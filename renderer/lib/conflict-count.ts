// Owns how many conflicts are open, what was not accepted included, for the navigation: read from the status of sync that the top bar keeps, never asked for.
import { useQuery } from '@tanstack/react-query'
import type { CallResult } from './endpoints.ts'

/** Number of open conflicts; undefined while sync is off, absent or not known. */
export function useConflictCount(): number | undefined {
  const { data } = useQuery<CallResult<'getSyncStatus'> | null>({ queryKey: ['sync', 'status'], enabled: false })
  return data == null || data.state === 'off' ? undefined : data.counts.conflicts + data.counts.refused
}
