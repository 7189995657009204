// Channels of realtime: everything that happened since the host was filled, heard by socket, stream and poll, and who is
// said to be where. Each listens for what it may and for what it may not.
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { ChannelCases, LeakCase, LeakCaller } from './leak-case.ts'
import { ask, get, post } from './leak-case.ts'
import { idOf } from './people.ts'
import type { Answered, World } from './world.ts'

/** How long nothing must come until everything has. */
const quietMs = 400

/** Channels a caller tries: objects, records it sees and does not see, and the rest. */
function channelsOf(world: World): string[] {
  return [
    'object:matter',
    'object:person',
    'object:vault',
    'object:matter_line',
    `record:matter:${world.seen[0]}`,
    `record:matter:${world.hidden[0]}`,
    `record:matter:${world.hiddenDeleted}`,
    `record:matter:${world.seenDeleted}`,
    `record:matter_line:${world.hiddenLine}`,
    `user:${idOf('stranger')}`,
    'user:me',
    'metadata',
    'system',
    'flow:escalate',
    'room:any',
  ]
}

/** Filters over hidden fields, related rows that are hidden, and a field that does not exist, as subscriptions give them. */
function filtersOf({ fields }: World): Record<string, unknown>[] {
  return [
    { [fields.text]: { $contains: 'alpha' } },
    { [fields.number]: { $gt: 0 } },
    { [fields.flag]: true },
    { [fields.link]: { $null: false } },
    { 'keeper.name': { $contains: 'q' } },
    { $not: { 'vaulted.name': { $startsWith: 'qzk' } } },
    { stage: 'open' },
    { amount: { $gte: 0 } },
  ]
}

const answered = (text: string, status = 200): Answered => ({ status, headers: [], bytes: Buffer.from(text) })

/** Everything a socket hears that comes back and subscribes to all of it. */
async function listenBySocket(
  { url, headers }: LeakCaller,
  began: string,
  frames: readonly object[],
): Promise<Answered> {
  const address = `${url.replace('http', 'ws')}/api/v1/realtime/ws?lastEventId=${began}`
  const socket = new WebSocket(address, ['cairn.v1'], { headers })
  const heard: string[] = []
  await new Promise<void>((resolve, reject) => {
    // A host that is busy answers late: it is quiet when nothing came between a ping and its answer.
    const ask = (): void => socket.send(JSON.stringify({ type: 'ping', id: heard.length }))
    let timer: NodeJS.Timeout | undefined
    const wait = (): void => {
      clearTimeout(timer)
      timer = setTimeout(ask, quietMs)
    }
    socket.on('error', reject)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
    socket.on('open', () => {
      for (const frame of frames) socket.send(JSON.stringify(frame))
      wait()
    })
    socket.on('message', (data: Buffer) => {
      const text = data.toString()
      const { type, id } = JSON.parse(text) as { type: string; id?: number }
      if (type !== 'pong') heard.push(text)
      if (type === 'pong' && id === heard.length) resolve()
      else wait()
    })
  })
  if (socket.readyState === WebSocket.CLOSED) return answered(heard.join('\n'))
  await new Promise<void>((resolve) => {
    socket.on('close', () => resolve())
    socket.close()
  })
  return answered(heard.join('\n'))
}

/** Everything a stream says until it falls silent; a refusal as it is. */
async function listenByStream({ url, headers }: LeakCaller, path: string): Promise<Answered> {
  const abort = new AbortController()
  const response = await fetch(`${url}/api/v1${path}`, { headers, signal: abort.signal })
  if (!response.ok) return answered(await response.text(), response.status)
  const reader = response.body!.getReader()
  let text = ''
  for (;;) {
    const part = await Promise.race([reader.read(), pause(quietMs, undefined)])
    if (part === undefined || part.done) break
    text += Buffer.from(part.value).toString()
  }
  abort.abort()
  return answered(text.replaceAll(/^id: \d+$/gm, 'id: 0'))
}

/** Everything a poll answers, page by page. */
async function listenByPoll(caller: LeakCaller, began: string, channels: readonly string[]): Promise<Answered> {
  const call = async (path: string, body?: object): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${caller.url}/api/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...caller.headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  }
  const connected = await call('/realtime/connect', { transport: 'polling', channels })
  if (connected.status !== 200) return answered(connected.text, connected.status)
  const { connectionId } = JSON.parse(connected.text) as { connectionId: string }
  const texts: string[] = []
  let from = began
  for (;;) {
    const path = `/realtime/poll?connectionId=${connectionId}&timeoutSeconds=0&limit=50&lastEventId=${from}`
    const { status, text } = await call(path)
    texts.push(text)
    const { events, lastEventId } = JSON.parse(text) as { events?: unknown[]; lastEventId: string }
    if (status !== 200 || events?.length === 0) break
    from = lastEventId
  }
  await call('/realtime/disconnect', { connectionId })
  return answered(texts.join('\n'))
}

const performed = (one: LeakCase, perform: LeakCase['perform']): LeakCase => ({ ...one, ...(perform && { perform }) })

export const realtimeChannels: Readonly<Record<string, ChannelCases>> = {
  'realtime socket': (world) => {
    const subscribe = (channel: string, id: number, filter?: object): object => ({
      type: 'subscribe',
      id,
      channel,
      ...(filter === undefined ? {} : { filter }),
    })
    const all = channelsOf(world).map((channel, at) => subscribe(channel, at))
    const filtered = filtersOf(world).map((filter, at) => subscribe('object:matter', at, filter))
    const said = ['user:me', `record:matter:${world.hidden[1]}`].map((channel) => ({
      type: 'presence',
      channel,
      state: {},
    }))
    return [all, filtered, said].map((frames) =>
      performed({ method: 'GET', path: '/realtime/ws', body: frames }, (caller) =>
        listenBySocket(caller, world.began, frames),
      ),
    )
  },
  'realtime stream': (world) => [
    ...channelsOf(world).map((channel) => {
      const path = `/realtime/sse?channels=${channel}&lastEventId=${world.began}`
      return performed(get(path), (caller) => listenByStream(caller, path))
    }),
    get('/realtime/sse'),
    get('/realtime/sse?connectionId=none'),
  ],
  'realtime poll': (world) => [
    ...channelsOf(world).map((channel) =>
      performed(post('/realtime/connect', { transport: 'polling', channels: [channel] }), (caller) =>
        listenByPoll(caller, world.began, [channel]),
      ),
    ),
    get('/realtime/poll?connectionId=none'),
  ],
  realtime: (world) => [
    post('/realtime/connect', { transport: 'pigeon' }),
    post('/realtime/connect', { channels: [`record:matter:${world.hidden[2]}`] }),
    post('/realtime/subscribe', { channel: 'object:none' }),
    ...filtersOf(world).map((filter) => post('/realtime/subscribe', { channel: 'object:matter', filter })),
    post('/realtime/unsubscribe', { subscriptionId: 'none' }),
    post('/realtime/disconnect', {}),
  ],
  presence: (world) => [
    ...channelsOf(world).flatMap((channel) => [
      post('/realtime/presence', { channel, state: { status: 'busy' } }),
      get(`/realtime/presence/${encodeURIComponent(channel)}`),
    ]),
    ask('PUT', '/realtime/presence', { channel: 'room:any', state: { status: 'offline' } }),
    ask('PUT', '/realtime/presence', { channel: `record:matter:${world.hidden[0]}`, state: {} }),
  ],
}
