// Many sockets at once, one of which never reads (R19): what others wait meanwhile, whether everybody hears everything,
// and how much waits in the memory of the host for the one that does not.
import { fork } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { ChildServer } from '../child-server.ts'
import { childEntry, startChildServer } from '../child-server.ts'
import type { ClientCount, ClientTask } from '../children/socket-clients.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

/** Connections of one user, so that the limit of D-175 is what it is. */
const perUser = 19

/** The most that may wait for one connection, and one message more. */
const maxBufferBytes = 1024 * 1024 + 64 * 1024

/** Large records that are more than any network keeps for a client that does not read, and the bound beside it. */
const enoughBurden = 160

interface Load {
  readonly clients: number
  readonly seconds: number
  readonly writesPerSecond: number
}

function loadOf({ size }: CheckContext): Load {
  if (size === 'commit') return { clients: 100, seconds: 6, writesPerSecond: 10 }
  return { clients: 1_000, seconds: size === 'nightly' ? 30 : 60, writesPerSecond: 10 }
}

/** Milliseconds that 99 of 100 other requests take at most; NaN when a message was lost or too much waited. */
async function measureLoad(context: CheckContext, twin: string): Promise<number> {
  const load = loadOf(context)
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-sockets-'))
  process.env['CAIRN_TWIN'] = twin
  const server = await startChildServer({ dataDir, entry: childEntry('socket-host') }).finally(() => {
    delete process.env['CAIRN_TWIN']
  })
  const clients = fork(childEntry('socket-clients'))
  try {
    const text = { name: { type: 'text' }, text: { type: 'textarea' } }
    for (const object of ['note', 'burden']) {
      const body = { type: 'object', name: object, item: { name: object, fields: text } }
      await expectOk(server, 'PUT', `/api/v1/meta/object/${object}`, body)
    }
    const next = (): Promise<unknown> => new Promise((resolve) => clients.once('message', resolve))
    const opened = next()
    clients.send({ url: server.url, clients: load.clients, perUser } satisfies ClientTask)
    await opened
    const deaf = await openDeaf(server.url)
    const waits: number[] = []
    let isOver = false
    const others = probe(server, waits, () => isOver)
    const burden = weigh(server, () => isOver)
    const writes = await write(server, load)
    isOver = true
    await Promise.all([others, burden])
    const counts = await settle(clients, writes, next)
    const buffer = existsSync(join(dataDir, 'buffer')) ? Number(readFileSync(join(dataDir, 'buffer'), 'utf8')) : 0
    const wasCut = await isCut(deaf)
    const lost = counts.filter(({ heard, unordered, closed }) => heard !== writes || unordered > 0 || closed).length
    const p99 = waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)]!
    const delivered = counts.reduce((sum, { heard }) => sum + heard, 0)
    context.log(
      `${load.clients} clients, ${Math.round(delivered / load.seconds)} messages a second for ${load.seconds} s, ` +
        `${lost} clients lost some; p99 of ${waits.length} other requests ${p99.toFixed(1)} ms; ` +
        `largest buffer ${buffer} bytes; the deaf one ${wasCut ? 'was' : 'was not'} cut; load ${loadavg()[0]!.toFixed(1)}`,
    )
    return lost === 0 && buffer <= maxBufferBytes && wasCut ? p99 : NaN
  } finally {
    clients.kill()
    await server.end('SIGTERM')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** A client that subscribes and never reads again. */
function openDeaf(url: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/realtime/ws`, ['cairn.v1'], {
    headers: { authorization: 'Bearer test-user-59' },
  })
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('open', () => {
      for (const object of ['note', 'burden']) socket.send(`{"type":"subscribe","id":1,"channel":"object:${object}"}`)
    })
    let answers = 0
    socket.on('message', () => {
      answers += 1
      if (answers !== 3) return
      socket.removeAllListeners('error')
      socket.on('error', () => undefined)
      socket.pause()
      resolve(socket)
    })
  })
}

/** Whether the host ended the connection of the client that did not read. */
async function isCut(socket: WebSocket): Promise<boolean> {
  const closed = new Promise<boolean>((resolve) => {
    socket.on('close', () => resolve(true))
  })
  if (socket.readyState === WebSocket.CLOSED) return true
  socket.resume()
  const wasCut = await Promise.race([closed, pause(3_000, false)])
  socket.terminate()
  return wasCut
}

/** Records for everybody, evenly over the time; answers how many. */
async function write(server: ChildServer, { seconds, writesPerSecond }: Load): Promise<number> {
  const began = performance.now()
  const count = seconds * writesPerSecond
  for (let at = 0; at < count; at += 1) {
    const due = began + (at * 1000) / writesPerSecond
    await pause(Math.max(0, due - performance.now()))
    await expectOk(server, 'POST', '/api/v1/data/note', { name: `note ${at}`, text: 'x'.repeat(200) })
  }
  return count
}

/** Large records that only the client that does not read has asked for. */
async function weigh(server: ChildServer, isOver: () => boolean): Promise<void> {
  for (let sent = 0; sent < enoughBurden || !isOver(); sent += 1) {
    await expectOk(server, 'POST', '/api/v1/data/burden', { name: 'heavy', text: 'y'.repeat(90_000) })
    await pause(20)
  }
}

/** Reads as somebody else makes them, one after the other. */
async function probe(server: ChildServer, waits: number[], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const began = performance.now()
    const { status } = await server.call('GET', '/api/v1/data/note?top=20&sort=-id')
    if (status !== 200) throw new Error(`a read was answered with ${status}`)
    waits.push(performance.now() - began)
    await pause(10)
  }
}

/** The counts once everybody has everything, or nothing more comes. */
async function settle(
  clients: ReturnType<typeof fork>,
  writes: number,
  next: () => Promise<unknown>,
): Promise<readonly ClientCount[]> {
  for (let tries = 0; ; tries += 1) {
    const answer = next()
    clients.send('count')
    const counts = (await answer) as readonly ClientCount[]
    if (tries >= 20 || counts.every(({ heard }) => heard >= writes)) return counts
    await pause(250)
  }
}

async function expectOk(server: ChildServer, method: string, path: string, body: unknown): Promise<void> {
  const { status, text } = await server.call(method, path, body)
  if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text}`)
}

defineCheck({
  id: 'R19',
  file: 'socket-load',
  tier: 'n',
  stage: 2,
  unit: 'ms other requests take (p99) beside 1,000 sockets of which one never reads',
  target: { atMost: 250 },
  run: (context) => measureLoad(context, ''),
  // Without the bound everything that is not read stays in memory.
  twin: (context) => measureLoad(context, 'unbounded'),
})
