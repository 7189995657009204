// Who gets a socket or a stream (W8): no page of another origin, nobody who talks before saying who it is, nobody with
// a ticket that was used; and how many may wait without having said.
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Guards } from '#main/http/guard.ts'
import { localOwner } from '#main/kernel/context.ts'
import type { Caller } from '#main/kernel/identity.ts'
import type { PluginDefinition, PluginHost } from '#main/kernel/plugin.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { SocketRoute } from '#main/kernel/sockets.ts'
import { withHost } from '../host-under-test.ts'
import type { HostUnderTest } from '../host-under-test.ts'
import { minimumOf } from '../minimums.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

const path = '/api/v1/realtime/ws'

/** Sockets that may be open without having said who they are, and how long. */
const maxUnproved = 16
const proofMs = 10_000

/** What a try came to: whether the socket opened, what it heard, how it ended. */
interface Outcome {
  readonly opened: boolean
  readonly heard: readonly string[]
  readonly code: number | null
}

interface Try {
  readonly headers?: Record<string, string>
  readonly protocols?: readonly string[]
  readonly frames?: readonly (string | Buffer)[]
  readonly search?: string
}

/** Tries one socket and waits a moment for what it hears. */
export function attempt(
  url: string,
  { headers = {}, protocols = ['cairn.v1'], frames = [], search = '' }: Try,
): Promise<Outcome> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}${search}`, [...protocols], { headers })
  const heard: string[] = []
  let opened = false
  return new Promise((resolve) => {
    const end = (code: number | null): void => {
      clearTimeout(timer)
      socket.terminate()
      resolve({ opened, heard, code })
    }
    const timer = setTimeout(() => end(null), 1_200)
    socket.on('open', () => {
      opened = true
      for (const frame of frames) socket.send(frame)
    })
    socket.on('message', (data: Buffer) => heard.push(data.toString()))
    socket.on('error', () => undefined)
    socket.on('close', (code) => end(code))
  })
}

/** Upgrades a page of another origin may try, with the cookie the browser adds. */
function foreignTries(subject: HostUnderTest, cookie: string): Try[] {
  const { port } = subject.host
  const origins = [
    'https://evil.example',
    'http://evil.example',
    `http://127.0.0.1:${port + 1}`,
    `http://127.0.0.1.evil.example:${port}`,
    'null',
    'app://evil',
    'file://',
    `http://localhost:${port === 65_535 ? 1 : port + 1}`,
    `https://127.0.0.1:${port}`,
    'chrome-extension://abcdef',
  ]
  return [
    ...origins.map((origin) => ({ headers: { cookie, origin } })),
    // Without the cookie too: such a page may not even begin to guess.
    ...origins.map((origin) => ({ headers: { origin } })),
    { headers: { cookie, 'sec-fetch-site': 'cross-site' } },
    // A rebound name: the page is of the same origin as far as the browser knows.
    { headers: { cookie, host: 'rebinding.example', origin: 'http://rebinding.example' } },
  ]
}

const earlyFrames: readonly (readonly (string | Buffer)[])[] = [
  ['{"type":"subscribe","channel":"object:task"}'],
  ['{"type":"ping"}'],
  ['{"type":"presence","channel":"room:x","state":{}}'],
  ['{"type":"broadcast","channel":"room:x","payload":{}}'],
  ['{"type":"unsubscribe","subscriptionId":"x"}'],
  ['{"type":"auth"}'],
  ['{"type":"auth","ticket":"nonsense"}'],
  ['{"type":"auth","token":"nonsense"}'],
  ['{"type":"auth","token":""}', '{"type":"subscribe","channel":"object:task"}'],
  ['{"type":"dance"}'],
  ['{'],
  [Buffer.from('{"type":"ping"}')],
]

/** Everything that opened, was answered or held and should not have. */
async function countIntruders(
  context: CheckContext,
  options: { guards?: Partial<Guards>; change?: (plugins: PluginDefinition[]) => PluginDefinition[] },
): Promise<number> {
  return withHost(options, async (subject) => {
    const { host } = subject
    const cookie = await subject.openSession()
    const own = await attempt(host.url, { headers: { cookie, origin: host.url } })
    if (own.heard.length === 0) throw new Error('a page of our own gets no socket: the refusals would prove nothing')

    const foreign = await Promise.all(foreignTries(subject, cookie).map((one) => attempt(host.url, one)))
    const crossed = foreign.filter(({ opened }) => opened).length

    const early = await Promise.all(earlyFrames.map((frames) => attempt(host.url, { frames })))
    const answered = early.filter(({ heard, code }) => heard.length > 0 || code !== 4401).length

    const reused = await reuseTickets(subject)
    context.log(
      `${foreign.length} foreign upgrades, ${crossed} opened; ${early.length} early frames, ${answered} answered; ` +
        `${reused.tries} used tickets, ${reused.held} held`,
    )
    const enough = [foreign.length, early.length, reused.tries].every((count) => count >= minimumOf('socketTries'))
    return enough ? crossed + answered + reused.held : NaN
  })
}

/** Uses each ticket once, then again in every way there is. */
async function reuseTickets({ host }: HostUnderTest): Promise<{ tries: number; held: number }> {
  const connect = async (): Promise<string> => {
    const response = await fetch(`${host.url}/api/v1/realtime/connect`, {
      method: 'POST',
      headers: { authorization: `Bearer ${host.token}`, 'content-type': 'application/json' },
      body: '{}',
    })
    const { ticket, url } = (await response.json()) as { ticket: string; url: string }
    if (url.includes(ticket)) throw new Error('the address holds the ticket')
    return ticket
  }
  const ways: readonly ((ticket: string) => Try)[] = [
    (ticket) => ({ protocols: ['cairn.v1', `cairn.ticket.${ticket}`] }),
    (ticket) => ({ frames: [JSON.stringify({ type: 'auth', ticket })] }),
    (ticket) => ({ search: `?ticket=${ticket}`, frames: ['{"type":"ping"}'] }),
    (ticket) => ({ search: `?token=${ticket}`, frames: ['{"type":"auth"}'] }),
    (ticket) => ({ protocols: [`cairn.ticket.${ticket}`, 'cairn.v1'] }),
    (ticket) => ({ frames: [JSON.stringify({ type: 'auth', token: ticket })] }),
  ]
  let [tries, held] = [0, 0]
  for (const first of [ways[0]!, ways[1]!]) {
    const ticket = await connect()
    const used = await attempt(host.url, first(ticket))
    if (used.heard.length === 0) throw new Error('a ticket does not open a socket: its reuse would prove nothing')
    for (const way of ways) {
      tries += 1
      if ((await attempt(host.url, way(ticket))).heard.length > 0) held += 1
    }
  }
  return { tries, held }
}

/** Sockets without a credential beyond the number that may wait, and those that may wait for ever. */
async function countWaiting(
  context: CheckContext,
  change: (plugins: PluginDefinition[]) => PluginDefinition[],
): Promise<number> {
  return withHost({ change }, async ({ host }) => {
    const closed: (number | undefined)[] = []
    const sockets = Array.from({ length: maxUnproved + 8 }, (_, at) => {
      const socket = new WebSocket(`${host.url.replace('http', 'ws')}${path}`, ['cairn.v1'])
      socket.on('error', () => (closed[at] = 0))
      socket.on('close', (code) => (closed[at] = code))
      return socket
    })
    await pause(1_500)
    const waiting = sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length
    await pause(proofMs)
    const left = sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length
    for (const socket of sockets) socket.terminate()
    context.log(`${waiting} of ${sockets.length} sockets waited, ${left} of them beyond ${proofMs} ms`)
    return Math.max(0, waiting - maxUnproved) + (waiting === 0 ? 1 : 0) + left
  })
}

/** The realtime plugin with another route for its socket. */
function withRoute(plugins: PluginDefinition[], routeOf: (route: SocketRoute) => SocketRoute): PluginDefinition[] {
  return plugins.map((plugin) =>
    plugin.id === 'realtime'
      ? definePlugin({
          ...plugin,
          register(host) {
            const socket = (route: SocketRoute): void => host.socket(routeOf(route))
            return plugin.register(Object.create(host, { socket: { value: socket } }) as PluginHost)
          },
        })
      : plugin,
  )
}

const owner: Caller = {
  actor: localOwner,
  credential: 'connection-token',
  organizationId: null,
  credentialId: 'connection-token',
  byCookie: false,
}

/** A route that takes everybody for the owner until told otherwise. */
const trusting = (plugins: PluginDefinition[]): PluginDefinition[] =>
  withRoute(plugins, (route) => ({
    ...route,
    open: (socket, request) =>
      route.open(socket, {
        ...request,
        caller: request.caller.credential === 'none' ? owner : request.caller,
        credentials: { ...request.credentials, recheck: () => owner },
      }),
  }))

/** A route that lets a ticket it has seen in again. */
const forgetful = (plugins: PluginDefinition[]): PluginDefinition[] => {
  const seen = new Set<string>()
  return withRoute(plugins, (route) => ({
    ...route,
    open(socket, request) {
      const ticket = request.protocols.find((one) => one.startsWith('cairn.ticket.'))
      if (ticket === undefined || !seen.has(ticket)) {
        if (ticket !== undefined) seen.add(ticket)
        route.open(socket, request)
        return
      }
      const credentials = { ...request.credentials, recheck: () => owner }
      route.open(socket, { ...request, protocols: ['cairn.v1'], caller: owner, credentials })
    },
  }))
}

defineCheck({
  id: 'W8',
  file: 'sockets',
  stage: 2,
  unit: 'foreign upgrades, early frames and used tickets that came through',
  target: 0,
  run: (context) => countIntruders(context, {}),
  // Each of the three must be noticed.
  twin: async (context) =>
    Math.min(
      await countIntruders(context, { guards: { host: () => null, origin: () => null } }),
      await countIntruders(context, { change: trusting }),
      await countIntruders(context, { change: forgetful }),
    ),
})

defineCheck({
  id: 'W8u',
  file: 'sockets',
  stage: 2,
  unit: 'sockets without a credential beyond 16, or open after ten seconds',
  target: 0,
  run: (context) => countWaiting(context, (plugins) => plugins),
  // Sockets that are taken as proved are neither counted nor closed.
  twin: (context) =>
    countWaiting(context, (plugins) =>
      withRoute(plugins, (route) => ({
        ...route,
        open(socket, request) {
          request.proved()
          route.open(socket, request)
        },
      })),
    ),
})
