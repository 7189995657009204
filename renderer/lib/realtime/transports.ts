// Owns the three ways a connection can carry frames: a WebSocket, a stream of events, and polling. Knows no channel and
// no screen; what fails is told by closing.
import type { ServerFrame, realtimeProtocol } from '#shared/realtime.ts'
import { call, openStream } from '../api-client.ts'
import { connection } from '../bridge.ts'
import { readEventStream } from './event-stream.ts'

/** Ways in the order they are tried. @source D-168 */
export const transportNames = ['websocket', 'sse', 'polling'] as const

/** One of {@link transportNames}. */
export type TransportName = (typeof transportNames)[number]

/** What a connection was given by the host. */
export interface Opened {
  readonly connectionId: string
  readonly url: string
  readonly ticket: string
  /** Last event this page has seen; absent for a fresh start. */
  readonly lastEventId: string | undefined
}

/** What a transport tells. */
export interface TransportEvents {
  onFrame(frame: ServerFrame): void
  /** Told once; nothing follows. */
  onClose(): void
}

/** An open transport. */
export interface Transport {
  /** Sends a frame; absent where frames go as requests instead. */
  readonly send?: (frame: Readonly<Record<string, unknown>>) => void
  close(): void
}

// The value stays here so that no schema library is shipped; the type keeps it true.
const protocol: typeof realtimeProtocol = 'cairn.v1'
const pollSeconds = 25

/** Opens a transport; a `ready` frame tells that it carries. */
export function openTransport(name: TransportName, opened: Opened, events: TransportEvents): Transport {
  if (name === 'websocket') return openSocket(opened, events)
  return name === 'sse' ? openEventStream(opened, events) : openPolling(opened, events)
}

function openSocket(opened: Opened, events: TransportEvents): Transport {
  let socket: WebSocket | undefined
  let closed = false
  const close = (): void => {
    if (closed) return
    closed = true
    socket?.close()
    events.onClose()
  }
  void connection().then(({ baseUrl }) => {
    if (closed) return
    // The host may know itself under another name; the page may only speak to where it came from.
    const { pathname, searchParams } = new URL(opened.url)
    const address = new URL(baseUrl.replace(/^http/, 'ws') + pathname)
    for (const [key, value] of searchParams) address.searchParams.set(key, value)
    if (opened.lastEventId !== undefined) address.searchParams.set('lastEventId', opened.lastEventId)
    socket = new WebSocket(address, [protocol, `cairn.ticket.${opened.ticket}`])
    socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (typeof data === 'string') events.onFrame(JSON.parse(data) as ServerFrame)
    })
    socket.addEventListener('close', close)
    socket.addEventListener('error', close)
  }, close)
  return {
    send: (frame) => {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame))
    },
    close,
  }
}

function openEventStream(opened: Opened, events: TransportEvents): Transport {
  const stop = new AbortController()
  const { connectionId, lastEventId } = opened
  const run = async (): Promise<void> => {
    const answer = await openStream('streamRealtime', { query: { connectionId, lastEventId }, signal: stop.signal })
    for await (const { type, data } of readEventStream(answer)) {
      const body = JSON.parse(data) as Record<string, unknown>
      if (type === 'ready' || type === 'reset' || type === 'presence') events.onFrame({ ...body, type } as ServerFrame)
      else events.onFrame({ type: 'event', event: body } as ServerFrame)
    }
  }
  run().then(events.onClose, events.onClose)
  return { close: () => stop.abort() }
}

function openPolling(opened: Opened, events: TransportEvents): Transport {
  const stop = new AbortController()
  const { connectionId } = opened
  const run = async (): Promise<void> => {
    let last = opened.lastEventId
    // The first answer comes at once: it tells whether polling works at all.
    let timeoutSeconds = 0
    for (let round = 0; !stop.signal.aborted; round++) {
      const answer = await call('pollRealtime', {
        query: { connectionId, timeoutSeconds, ...(last === undefined ? {} : { lastEventId: last }) },
        signal: stop.signal,
      })
      const resumed = opened.lastEventId !== undefined && answer.reset !== true
      if (round === 0) events.onFrame({ type: 'ready', connectionId, lastEventId: answer.lastEventId, resumed })
      else if (answer.reset) events.onFrame({ type: 'reset', reason: 'gap', lastEventId: answer.lastEventId })
      for (const event of answer.events) events.onFrame({ type: 'event', event })
      for (const change of answer.presence ?? []) events.onFrame({ type: 'presence', ...change })
      last = answer.lastEventId
      timeoutSeconds = pollSeconds
    }
  }
  run().then(events.onClose, events.onClose)
  return { close: () => stop.abort() }
}
