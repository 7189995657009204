// Clients of realtime as tests use them: a WebSocket that keeps its frames, and a stream of server-sent events.
import { EventSource } from 'eventsource'
import { WebSocket } from 'ws'

/** A parsed frame or event. */
// oxlint-disable-next-line no-explicit-any -- tests reach into frames freely
type Loose = any

/** An open socket and everything it heard. */
export interface SocketClient {
  readonly socket: WebSocket
  readonly frames: Loose[]
  /** The event objects among the frames. */
  events(): Loose[]
  send(frame: unknown): void
  /** Waits for a frame, also one that came before. @throws Error after `ms` */
  until(fits: (frame: Loose) => boolean, ms?: number): Promise<Loose>
  /** Subscribes and waits for the answer. */
  subscribe(channel: string, more?: object): Promise<Loose>
  /** The code the socket was closed with. */
  readonly closed: Promise<number>
  close(): Promise<number>
}

/** How a socket is opened. */
export interface SocketOptions {
  readonly headers?: Record<string, string>
  readonly protocols?: readonly string[]
  readonly path?: string
  /** A certificate authority to trust, for wss. */
  readonly ca?: string
  readonly servername?: string
}

/** Opens a socket; the refusal before the upgrade is answered as status and body. */
export function openSocket(
  url: string,
  { headers = {}, protocols = ['cairn.v1'], path = '/api/v1/realtime/ws', ca, servername }: SocketOptions = {},
): Promise<SocketClient> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, [...protocols], {
    headers,
    ...(ca === undefined ? {} : { ca }),
    ...(servername === undefined ? {} : { servername }),
  })
  const frames: Loose[] = []
  const listeners = new Set<() => void>()
  const changed = (): void => {
    for (const one of listeners) one()
  }
  let closedWith: number | undefined
  socket.on('message', (data) => {
    frames.push(JSON.parse((data as Buffer).toString('utf8')))
    changed()
  })
  const closed = new Promise<number>((resolve) => {
    socket.on('close', (code) => {
      closedWith = code
      resolve(code)
      changed()
    })
  })
  const client: SocketClient = {
    socket,
    frames,
    events: () => frames.filter(({ type }) => type === 'event').map(({ event }) => event),
    send: (frame) => socket.send(JSON.stringify(frame)),
    until(fits, ms = 5_000) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          const found = frames.find(fits)
          if (found !== undefined) end(() => resolve(found))
          else if (closedWith !== undefined) end(() => reject(new Error(`The socket was closed with ${closedWith}.`)))
        }
        const end = (settle: () => void): void => {
          listeners.delete(look)
          clearTimeout(timer)
          settle()
        }
        const timer = setTimeout(() => {
          end(() => reject(new Error(`No such frame came: ${JSON.stringify(frames).slice(0, 2_000)}`)))
        }, ms)
        listeners.add(look)
        look()
      })
    },
    async subscribe(channel, more = {}) {
      const id = `s${frames.length}-${channel}`
      client.send({ type: 'subscribe', id, channel, ...more })
      const answer = await client.until((frame) => frame.id === id)
      if (answer.type !== 'subscribed') throw new Error(JSON.stringify(answer))
      return answer
    },
    closed,
    close() {
      socket.close()
      return closed
    },
  }
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(client))
    socket.on('unexpected-response', (_request, response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => reject(new UpgradeRefused(response.statusCode!, text === '' ? null : JSON.parse(text))))
    })
    socket.on('error', reject)
  })
}

/** An upgrade that was answered with an error. */
export class UpgradeRefused extends Error {
  readonly status: number
  readonly body: Loose

  constructor(status: number, body: Loose) {
    super(`The upgrade was answered with ${status}: ${JSON.stringify(body)}`)
    this.status = status
    this.body = body
  }
}

/** A stream and what it heard. */
export interface StreamClient {
  readonly source: EventSource
  /** Everything heard, in order: the name of the event, its data and the id the stream had then. */
  readonly heard: { readonly type: string; readonly data: Loose; readonly lastEventId: string }[]
  events(): Loose[]
  until(fits: (one: { type: string; data: Loose }) => boolean, ms?: number): Promise<Loose>
  close(): void
}

const names = [
  'ready',
  'reset',
  'presence',
  'record.created',
  'record.updated',
  'record.deleted',
  'record.restored',
  'record.purged',
  'room.broadcast',
  'metadata.item.saved',
]

/** Opens a stream with a real EventSource that sends a credential, and comes back by itself. */
export function openStream(url: string, headers: Record<string, string>): StreamClient {
  const source = new EventSource(url, {
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...headers } } as RequestInit),
  })
  const heard: StreamClient['heard'] = []
  const listeners = new Set<() => void>()
  for (const name of names)
    source.addEventListener(name, (event) => {
      heard.push({ type: name, data: JSON.parse(event.data as string), lastEventId: event.lastEventId })
      for (const one of listeners) one()
    })
  return {
    source,
    heard,
    events: () => heard.filter(({ data }) => data.eventId !== undefined).map(({ data }) => data),
    until(fits, ms = 5_000) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          const found = heard.find(fits)
          if (found === undefined) return
          listeners.delete(look)
          clearTimeout(timer)
          resolve(found)
        }
        const timer = setTimeout(() => reject(new Error(`The stream heard ${JSON.stringify(heard)}`)), ms)
        listeners.add(look)
        look()
      })
    },
    close: () => source.close(),
  }
}
