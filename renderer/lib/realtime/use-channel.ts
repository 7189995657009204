// Owns how components hear of what others do: channels and who is on them. Without the service nothing happens.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../api-client.ts'
import { discoveryQuery } from '../discovery.ts'
import type { ChannelListener, PresenceMember } from './channel-listeners.ts'
import { changedMembers, othersOf } from './presence.ts'
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

/** Says that one is on a channel while mounted, and tells who else is; one entry per person. */
export function usePresence(channel: string | undefined, ownId: string | undefined): readonly PresenceMember[] {
  const isThere = useHasRealtime()
  const [members, setMembers] = useState<readonly PresenceMember[]>([])
  useEffect(() => {
    if (!isThere || channel === undefined) return
    const say = (): void => realtime().sayPresence(channel, { status: document.hidden ? 'away' : 'online' })
    const load = async (): Promise<void> => {
      say()
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
    document.addEventListener('visibilitychange', say)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', say)
      realtime().sayPresence(channel, { status: 'offline' })
      stop()
      setMembers([])
    }
  }, [isThere, channel])
  return othersOf(members, ownId)
}
