// Owns the status of sync as parts of the screen read it, and refreshing everything about sync, and the objects that come
// from other devices, when the host tells that something happened.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { discoveryQuery } from '../../lib/discovery.ts'
import { createCoalescer, useChannel } from '../../lib/realtime/index.ts'
import { objectsQuery } from '../objects/index.ts'
import { statusQuery, syncKey } from './sync-queries.ts'
import type { SyncStatus } from './sync-queries.ts'

/** The status; null where this host cannot sync, undefined while it is asked for. */
export function useSyncStatus(): SyncStatus | null | undefined {
  const { data: manifest } = useQuery(discoveryQuery)
  const isThere = manifest?.routes.sync != null
  const { data } = useQuery({ ...statusQuery, enabled: isThere })
  return manifest && !isThere ? null : data
}

/** Whether sync is on: whatever depends on it is shown only then. */
export function isOn(status: SyncStatus | null | undefined): status is SyncStatus {
  return status != null && status.state !== 'off'
}

/** Refreshes what is shown of sync while mounted, whenever the host tells of a change. Mounted once, by the frame. */
export function useSyncEvents(status: SyncStatus | null | undefined): void {
  const client = useQueryClient()
  const refresh = useMemo(() => createCoalescer(async () => client.invalidateQueries({ queryKey: syncKey })), [client])
  useEffect(() => () => refresh.stop(), [refresh])
  useChannel(status ? 'sync' : undefined, (message) => {
    if (message.kind !== 'presence') refresh.ask()
  })
  // Objects and fields of other devices arrive by themselves: navigation and tables show them. What a person is editing
  // of one object is left alone.
  const renew = useMemo(
    () => createCoalescer(async () => client.invalidateQueries({ queryKey: objectsQuery.queryKey, exact: true })),
    [client],
  )
  useEffect(() => () => renew.stop(), [renew])
  useChannel(isOn(status) ? 'metadata' : undefined, (message) => {
    if (message.kind !== 'presence') renew.ask()
  })
}
