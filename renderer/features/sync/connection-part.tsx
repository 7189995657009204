// Owns the second part of the screen of sync: how this device is reached, the relay, pausing, turning it off, diagnostics.
import { useQuery } from '@tanstack/react-query'
import { LoadFailure } from '../../components/notice.tsx'
import { ListenForm } from './listen-form.tsx'
import { OffPart } from './off-part.tsx'
import { RelayForm } from './relay-form.tsx'
import { settingsQuery } from './sync-queries.ts'

/** The part. */
export function ConnectionPart(props: { mayManage: boolean }) {
  const { mayManage } = props
  const { data: given, error, refetch } = useQuery(settingsQuery)
  if (error && !given) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!given) return null
  return (
    <>
      <ListenForm given={given} mayManage={mayManage} />
      <RelayForm given={given} mayManage={mayManage} />
      <OffPart paused={given.settings.paused} mayManage={mayManage} />
    </>
  )
}
