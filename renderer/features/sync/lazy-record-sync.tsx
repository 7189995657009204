// Owns loading the mark of a record where sync is on and there is another device: nobody else carries its words.
import { Suspense } from 'react'
import { lazyPart } from '../../lib/lazy-part.ts'
import { isOn, useSyncStatus } from './use-sync-status.ts'

const Loaded = lazyPart(async () => ({ default: (await import('./record-sync.tsx')).RecordSync }))

/** The mark of one record; nothing without other devices. */
export function RecordSync(props: { object: string; id: string }) {
  const status = useSyncStatus()
  if (!isOn(status) || status.state === 'local_only' || status.state === 'preparing') return null
  return (
    <Suspense fallback={null}>
      <Loaded {...props} />
    </Suspense>
  )
}
