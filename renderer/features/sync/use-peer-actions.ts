// Owns what can be done with another device at once: checking, pausing, connecting, removing.
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { syncKey } from './sync-queries.ts'
import type { SyncPeer } from './sync-queries.ts'

/** The actions on one device; each says what became of it. */
export interface PeerActions {
  check(): void
  pause(paused: boolean): void
  reconnect(): void
  /** Asks first: what is on the device already cannot be recalled. */
  remove(): void
}

/** Gives the actions on a device. */
export function usePeerActions(peer: SyncPeer): PeerActions {
  const client = useQueryClient()
  const { id, name } = peer
  const params = { id }
  const run = async (work: () => Promise<unknown>, message: string): Promise<void> => {
    try {
      await work()
      showToast({ message })
    } catch (error) {
      showProblem(error)
    }
    await client.invalidateQueries({ queryKey: syncKey })
  }
  const remove = async (): Promise<void> => {
    const yes = await confirmAction({
      title: t('peers.remove.title', { name }),
      body: t('peers.remove.body'),
      confirmLabel: t('word.remove'),
    })
    if (yes) await run(async () => call('removeSyncPeer', { params }), t('peers.removed', { name }))
  }
  return {
    check: () => void run(async () => call('verifySync', { body: { peerId: id } }), t('sync.check.started')),
    pause: (paused) =>
      void run(
        async () => call('updateSyncPeer', { params, body: { paused } }),
        t(paused ? 'peers.paused' : 'peers.resumed', { name }),
      ),
    reconnect: () => void run(async () => call('reconnectSyncPeer', { params }), t('peers.reconnecting', { name })),
    remove: () => void remove(),
  }
}
