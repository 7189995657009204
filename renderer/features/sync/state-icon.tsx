// Owns the picture of a state of sync, so that no state is told by its colour alone.
import {
  IconAlertTriangle,
  IconCloudCheck,
  IconCloudDown,
  IconCloudOff,
  IconCloudUp,
  IconDeviceDesktop,
  IconHourglass,
  IconPlugConnectedX,
  IconRefresh,
} from '@tabler/icons-react'
import type { TablerIcon } from '@tabler/icons-react'
import type { SyncStatus } from './sync-queries.ts'
import { proofOf } from './sync-words.ts'

const pictures: Readonly<Record<SyncStatus['state'], TablerIcon>> = {
  off: IconCloudOff,
  preparing: IconHourglass,
  local_only: IconDeviceDesktop,
  up_to_date: IconCloudCheck,
  sending: IconCloudUp,
  receiving: IconCloudDown,
  offline: IconPlugConnectedX,
  attention: IconAlertTriangle,
  stalled: IconAlertTriangle,
}

/** The picture; for readers the words beside it say the same. */
export function StateIcon(props: { status: SyncStatus; size: number }) {
  const { status } = props
  const isClaim = status.state === 'up_to_date' && !proofOf(status)
  const Picture = isClaim ? IconRefresh : pictures[status.state]
  return <Picture size={props.size} stroke={1.75} aria-hidden />
}
