// Owns what the screens of sync read, under which keys it is kept, and when it is asked for again: the host tells what
// happens on the channel `sync`; a slow question makes up for what was missed.
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import type { CallResult } from '../../lib/endpoints.ts'

/** How this device stands to the others. */
export type SyncStatus = CallResult<'getSyncStatus'>

/** One other device, or the relay. */
export type SyncPeer = CallResult<'listSyncPeers'>['peers'][number]

/** How this device is reached and whom it reaches. */
export type SyncSettings = CallResult<'getSyncSettings'>

/** Where a pairing stands. */
export type Pairing = CallResult<'getPairing'>

/** What an invite shows. */
export type Invite = CallResult<'invitePairing'>

/** An object of which this device keeps records to itself. */
export type AsideObject = CallResult<'listSyncAside'>['objects'][number]

/** A change that is not in its place. */
export type SyncProblem = CallResult<'listSyncProblems'>['problems'][number]

/** How often a state that moves by itself is asked for, and one that rests, in milliseconds. */
const busyMs = 4_000
const restMs = 20_000
/** A pairing is watched by two people at two screens. */
const pairingMs = 1_000

const moving: ReadonlySet<SyncStatus['state']> = new Set(['preparing', 'sending', 'receiving', 'stalled'])
const settled: ReadonlySet<Pairing['state']> = new Set(['done', 'failed', 'expired'])

/** Beginning of the keys of everything about sync. */
export const syncKey = ['sync'] as const

/** The status; null where this host cannot sync at all. */
export const statusQuery = queryOptions({
  queryKey: [...syncKey, 'status'] as const,
  queryFn: async ({ signal }): Promise<SyncStatus | null> => {
    try {
      return await call('getSyncStatus', { signal })
    } catch (error) {
      if (hasCode(error, 'resource_not_found')) return null
      throw error
    }
  },
  refetchInterval: ({ state: { data } }) =>
    data === null ? false : data !== undefined && moving.has(data.state) ? busyMs : restMs,
})

/** The other devices of the workspace, those that were removed left out. */
export const peersQuery = queryOptions({
  queryKey: [...syncKey, 'peers'] as const,
  queryFn: async ({ signal }) =>
    (await call('listSyncPeers', { signal })).peers.filter(({ state }) => state !== 'unpaired'),
  refetchInterval: restMs,
})

/** How this device is reached. */
export const settingsQuery = queryOptions({
  queryKey: [...syncKey, 'settings'] as const,
  queryFn: async ({ signal }) => call('getSyncSettings', { signal }),
})

/** What this device held before it joined, and keeps to itself. */
export const asideQuery = queryOptions({
  queryKey: [...syncKey, 'aside'] as const,
  queryFn: async ({ signal }) => (await call('listSyncAside', { signal })).objects,
  refetchInterval: restMs,
})

/** Changes that are not in their place, the first hundred. */
export const problemsQuery = queryOptions({
  queryKey: [...syncKey, 'problems'] as const,
  queryFn: async ({ signal }) => call('listSyncProblems', { query: { limit: 100 }, signal }),
  refetchInterval: restMs,
})

/** A pairing; asked for every second until it has ended. */
export function pairingQuery(id: string) {
  return queryOptions({
    queryKey: [...syncKey, 'pairing', id] as const,
    queryFn: async ({ signal }) => call('getPairing', { params: { id }, signal }),
    refetchInterval: ({ state: { data } }) => (data && settled.has(data.state) ? false : pairingMs),
    staleTime: 0,
  })
}

/** How far one record has come. */
export function recordSyncQuery(object: string, id: string) {
  return queryOptions({
    queryKey: [...syncKey, 'record', object, id] as const,
    queryFn: async ({ signal }) => {
      try {
        return await call('getSyncRecord', { params: { object, id }, signal })
      } catch (error) {
        // Turned off meanwhile, or gone: there is nothing to say about it.
        if (hasCode(error, 'sync_disabled', 'resource_not_found', 'sync_document_not_found')) return null
        throw error
      }
    },
    refetchInterval: ({ state: { data } }) => (data && data.state !== 'everywhere' ? restMs : false),
  })
}
