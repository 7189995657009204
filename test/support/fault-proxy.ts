// A network between two ends of a TCP connection that fails on command: slow, narrow, cut in the middle of something,
// silent, closed, or with connections only one end knows the end of. Knows no protocol above TCP.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A failing network in front of one address. */
export interface FaultProxy {
  /** Where to connect to, on 127.0.0.1. */
  readonly port: number
  /** Each byte arrives `ms` later, in both directions. */
  latency(ms: number): void
  /** At most so many bytes in a second, in each direction; undefined for no bound. */
  throttle(bytesPerSecond: number | undefined): void
  /** Forwards so many more bytes in all, then cuts the connection in which the last of them came. */
  cutAfter(bytes: number): void
  /** Nothing is forwarded any more, and neither end is told of the other one's end. */
  halfOpen(): void
  /** Cuts every connection and every new one. */
  refuse(): void
  /** Cuts every connection. */
  cut(): void
  /** Ends the connections of clients; the other ends are not told, as after a reconnect that nobody noticed. */
  leaveGhosts(): void
  /** Everything works again; bytes held back arrive, and ends nobody was told of are told. */
  heal(): void
  /** Connections of clients that are open. */
  open(): number
  /** Connections clients have made so far. */
  accepted(): number
  close(): Promise<void>
}

/** Bytes the proxy keeps in one direction before it stops reading. */
const maxHeld = 64 * 1024

/** What every direction of every connection asks before it forwards. */
interface Weather {
  latencyMs: number
  bytesPerSecond: number | undefined
  /** Bytes until the cut; undefined for none. */
  untilCut: number | undefined
  /** Resolves when bytes may pass; undefined while they may. */
  silence: Promise<void> | undefined
}

/** Starts a proxy in front of a port of 127.0.0.1. */
export async function startFaultProxy(targetPort: number): Promise<FaultProxy> {
  const weather: Weather = { latencyMs: 0, bytesPerSecond: undefined, untilCut: undefined, silence: undefined }
  const pairs = new Set<{ client: Socket; target: Socket }>()
  const unnoticed = new WeakSet<Socket>()
  let endSilence = (): void => undefined
  let refuses = false
  let accepted = 0

  const server = createServer((client) => {
    if (refuses) {
      client.resetAndDestroy()
      return
    }
    accepted += 1
    const target = connect(targetPort, '127.0.0.1')
    const pair = { client, target }
    pairs.add(pair)
    join(client, target)
    join(target, client)
    const forget = (): void => {
      if (client.destroyed && target.destroyed) pairs.delete(pair)
    }
    client.on('close', forget)
    target.on('close', forget)
  })

  function join(from: Socket, to: Socket): void {
    from.setNoDelay(true)
    from.on('error', () => from.destroy())
    forward(from, to, weather)
    from.on('close', () => {
      if (unnoticed.has(from)) return
      if (weather.silence === undefined) to.destroy()
      else void weather.silence.then(() => to.destroy())
    })
  }

  function cut(): void {
    for (const { client, target } of pairs) {
      client.destroy()
      target.destroy()
    }
  }

  function silence(): void {
    if (weather.silence !== undefined) return
    weather.silence = new Promise((resolve) => {
      endSilence = resolve
    })
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    latency: (ms) => void (weather.latencyMs = ms),
    throttle: (bytesPerSecond) => void (weather.bytesPerSecond = bytesPerSecond),
    cutAfter: (bytes) => void (weather.untilCut = bytes),
    halfOpen: silence,
    refuse() {
      refuses = true
      cut()
    },
    cut,
    leaveGhosts() {
      for (const { client, target } of pairs) {
        unnoticed.add(client)
        client.destroy()
        target.pause()
      }
    },
    heal() {
      refuses = false
      Object.assign(weather, { latencyMs: 0, bytesPerSecond: undefined, untilCut: undefined, silence: undefined })
      endSilence()
      for (const { client, target } of pairs) if (client.destroyed) target.destroy()
    },
    open: () => [...pairs].filter(({ client }) => !client.destroyed).length,
    accepted: () => accepted,
    async close() {
      weather.silence = undefined
      endSilence()
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Carries the bytes of one direction, each piece when the weather lets it pass. */
function forward(from: Socket, to: Socket, weather: Weather): void {
  const held: { bytes: Buffer; due: number }[] = []
  let heldBytes = 0
  let isBusy = false

  from.on('data', (bytes: Buffer) => {
    held.push({ bytes, due: performance.now() + weather.latencyMs })
    heldBytes += bytes.length
    if (heldBytes > maxHeld) from.pause()
    if (!isBusy) void carry()
  })
  from.on('end', () => void finish())

  async function finish(): Promise<void> {
    while (isBusy) await sleep(1)
    await weather.silence
    to.end()
  }

  async function carry(): Promise<void> {
    isBusy = true
    for (let piece = held.shift(); piece !== undefined; piece = held.shift()) {
      const wait = piece.due - performance.now()
      if (wait > 0) await sleep(wait)
      await write(piece.bytes)
      heldBytes -= piece.bytes.length
      if (heldBytes <= maxHeld / 2 && from.isPaused()) from.resume()
    }
    isBusy = false
  }

  async function write(bytes: Buffer): Promise<void> {
    const { bytesPerSecond } = weather
    // A twentieth of a second at a time: fine enough to look like a narrow line.
    const step = bytesPerSecond === undefined ? bytes.length : Math.max(1, Math.floor(bytesPerSecond / 20))
    for (let at = 0; at < bytes.length; at += step) {
      await weather.silence
      if (to.destroyed) return
      if (!(await pass(bytes.subarray(at, at + step)))) return
      if (bytesPerSecond !== undefined) await sleep((1000 * Math.min(step, bytes.length - at)) / bytesPerSecond)
    }
  }

  /** @returns false: the connection was cut inside these bytes */
  async function pass(bytes: Buffer): Promise<boolean> {
    const left = weather.untilCut
    if (left !== undefined && bytes.length >= left) {
      weather.untilCut = undefined
      to.write(bytes.subarray(0, left), () => {
        to.destroy()
        from.destroy()
      })
      return false
    }
    if (left !== undefined) weather.untilCut = left - bytes.length
    if (!to.write(bytes)) await Promise.race([once(to, 'drain'), once(to, 'close')]).catch(() => undefined)
    return true
  }
}
