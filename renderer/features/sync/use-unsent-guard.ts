// Owns the question before the window is left while changes of this device are nowhere else: only when it is offline and
// something waits. The browser words the question; the desktop shell is told the number and words it itself.
import { useEffect } from 'react'
import { shellBridge } from '../../lib/bridge.ts'
import type { SyncStatus } from './sync-queries.ts'

/** Changes that would be left behind; 0 when nothing has to be asked. */
export function unsentOf(status: SyncStatus | null | undefined): number {
  return status?.state === 'offline' ? status.outgoing.waiting : 0
}

/** Asks before the window is left, while mounted. */
export function useUnsentGuard(status: SyncStatus | null | undefined): void {
  const count = unsentOf(status)
  useEffect(() => {
    void shellBridge()?.sayUnsent(count)
    if (count === 0) return
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [count])
}
