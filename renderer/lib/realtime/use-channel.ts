// Owns how components hear of what others do: channels and who is on them. Without the service nothing happens.
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { call } from '../api-client.ts'
import { discoveryQuery } from '../discovery.ts'
import type { ChannelListener, PresenceMember } from './channel-listeners.ts'
import { changedMembers, othersOf } from './presence.ts'
import type { EditedCell } from './presence.ts'
import { createRealtimeClient } from './realtime-client.ts'
import type { RealtimeClient } from './realtime-client.ts'

let client: RealtimeClient | undefined

/** The connection of this window. */
function realtime(): RealtimeClient {
  client ??= createRealtimeClient()
  return client
}

/** Whether the host tells what happens; false until it has said so. */
export function useHasRealtime(): boolean {
  const { data: manifest } = useQuery(discoveryQuery)
  return manifest?.routes.realtime != null
}

/** Listens to a channel while mounted; the latest listener is called. Undefined: to nothing. */
export function useChannel(channel: string | undefined, listener: ChannelListener): void {
  const isThere = useHasRealtime()
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => {
    if (!isThere || channel === undefined) return
    return realtime().listen(channel, (message) => latest.current(message))
  }, [isThere, channel])
}

/** Before the 60 s after which a member lapses. @source D-176 */
const refreshMs = 25_000

/** Who is on a channel, and where. */
export interface ChannelPresence {
  /** Everybody else, one entry per person. */
  readonly others: readonly PresenceMember[]
  /** Everybody, one entry per window. */
  readonly members: readonly PresenceMember[]
  /** Says which cell is being edited; null when none is. */
  readonly sayCell: (cell: EditedCell | null) => void
}

/** Says that one is on a channel while mounted, and tells who else is. */
export function usePresence(channel: string | undefined, ownId: string | undefined): ChannelPresence {
  const isThere = useHasRealtime()
  const [members, setMembers] = useState<readonly PresenceMember[]>([])
  const cell = useRef<EditedCell>(null)
  const say = useRef<() => void>(undefined)
  useEffect(() => {
    if (!isThere || channel === undefined) return
    const sayNow = (): void =>
      realtime().sayPresence(channel, {
        status: document.hidden ? 'away' : 'online',
        ...(cell.current === null ? {} : { cell: cell.current }),
      })
    say.current = sayNow
    const load = async (): Promise<void> => {
      sayNow()
      const answer = await call('getPresence', { params: { channel } })
      setMembers(answer.members)
    }
    // Nobody is shown when it is not known who is there.
    const ask = (): void => void load().catch(() => setMembers([]))
    const stop = realtime().listen(channel, (message) => {
      if (message.kind === 'open') ask()
      else if (message.kind === 'presence') {
        setMembers((before) => changedMembers(before, message.change, message.member))
      }
    })
    ask()
    const timer = setInterval(ask, refreshMs)
    document.addEventListener('visibilitychange', sayNow)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', sayNow)
      say.current = undefined
      cell.current = null
      realtime().sayPresence(channel, { status: 'offline' })
      stop()
      setMembers([])
    }
  }, [isThere, channel])
  const sayCell = useCallback((next: EditedCell | null): void => {
    if (cell.current?.recordId === next?.recordId && cell.current?.field === next?.field) return
    cell.current = next
    say.current?.()
  }, [])
  const others = useMemo(() => othersOf(members, ownId), [members, ownId])
  return { others, members, sayCell }
}
