// The proxy itself: that it does what tests of the network rely on.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startFaultProxy } from './fault-proxy.ts'
import type { FaultProxy } from './fault-proxy.ts'

let echo: Server
let proxy: FaultProxy
/** Connections the echo server holds. */
const held = new Set<Socket>()
const clients: Socket[] = []

beforeEach(async () => {
  held.clear()
  echo = createServer((socket) => {
    held.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => held.delete(socket))
    socket.pipe(socket)
  })
  echo.listen(0, '127.0.0.1')
  await once(echo, 'listening')
  proxy = await startFaultProxy((echo.address() as AddressInfo).port)
})

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await proxy.close()
  for (const socket of held) socket.destroy()
  await new Promise((resolve) => echo.close(resolve))
})

/** A client with what came back to it. */
async function client(): Promise<{ socket: Socket; came: () => number }> {
  const socket = connect(proxy.port, '127.0.0.1')
  let came = 0
  socket.on('data', (bytes: Buffer) => void (came += bytes.length))
  socket.on('error', () => undefined)
  clients.push(socket)
  await once(socket, 'connect')
  return { socket, came: () => came }
}

describe('a fault proxy', () => {
  it('forwards both ways, and the end of either side', async () => {
    const { socket, came } = await client()
    socket.write(Buffer.alloc(300_000))
    await vi.waitFor(() => expect(came()).toBe(300_000))
    expect([proxy.open(), proxy.accepted()]).toEqual([1, 1])
    socket.end()
    await vi.waitFor(() => expect([held.size, proxy.open()]).toEqual([0, 0]))
  })

  it('delays each byte without narrowing the line', async () => {
    const { socket, came } = await client()
    proxy.latency(80)
    const started = performance.now()
    for (let at = 0; at < 20; at += 1) {
      socket.write(Buffer.alloc(100))
      await sleep(2)
    }
    await vi.waitFor(() => expect(came()).toBe(2_000), { interval: 5 })
    // There and back once, not twenty times.
    const took = performance.now() - started
    expect(took).toBeGreaterThan(150)
    expect(took).toBeLessThan(1_000)
  })

  it('narrows the line', async () => {
    const { socket, came } = await client()
    proxy.throttle(100_000)
    const started = performance.now()
    socket.write(Buffer.alloc(50_000))
    await vi.waitFor(() => expect(came()).toBe(50_000), { timeout: 5_000 })
    expect(performance.now() - started).toBeGreaterThan(400)
  })

  it('cuts after so many bytes, not before and not after', async () => {
    let arrived = 0
    echo.on('connection', (socket: Socket) => socket.on('data', (bytes: Buffer) => void (arrived += bytes.length)))
    const { socket } = await client()
    await vi.waitFor(() => expect(held.size).toBe(1))
    for (const one of held) one.unpipe().resume()
    proxy.cutAfter(1_234)
    socket.write(Buffer.alloc(5_000))
    await vi.waitFor(() => expect(socket.closed).toBe(true))
    await vi.waitFor(() => expect(held.size).toBe(0))
    expect(arrived).toBe(1_234)
  })

  it('holds bytes and ends back while it is half open, and gives them on when it heals', async () => {
    const first = await client()
    const second = await client()
    await vi.waitFor(() => expect(held.size).toBe(2))
    proxy.halfOpen()
    first.socket.write(Buffer.alloc(10))
    second.socket.destroy()
    await sleep(100)
    expect([first.came(), held.size, first.socket.closed]).toEqual([0, 2, false])
    proxy.heal()
    await vi.waitFor(() => expect([first.came(), held.size]).toEqual([10, 1]))
  })

  it('refuses and heals', async () => {
    const { socket } = await client()
    proxy.refuse()
    await vi.waitFor(() => expect(socket.closed).toBe(true))
    const refused = connect(proxy.port, '127.0.0.1')
    await expect(once(refused, 'end')).rejects.toThrow(/ECONNRESET/)
    proxy.heal()
    const healed = await client()
    healed.socket.write(Buffer.alloc(3))
    await vi.waitFor(() => expect(healed.came()).toBe(3))
  })

  it('leaves connections behind that only the far end knows', async () => {
    const { socket } = await client()
    await vi.waitFor(() => expect(held.size).toBe(1))
    proxy.leaveGhosts()
    await vi.waitFor(() => expect(socket.closed).toBe(true))
    await client()
    await vi.waitFor(() => expect([held.size, proxy.open()]).toEqual([2, 1]))
    proxy.heal()
    await vi.waitFor(() => expect(held.size).toBe(1))
  })

  it('holds a sender back when the other end does not read', async () => {
    const { socket } = await client()
    await vi.waitFor(() => expect(held.size).toBe(1))
    for (const one of held) one.unpipe().pause()
    // Its own memory holds little; the rest is what the system keeps on the way.
    const limit = 64 * 1024 * 1024
    let written = 0
    for (let quiet = 0; written < limit && quiet < 100;) {
      if (socket.writableLength < 1024 * 1024) {
        socket.write(Buffer.alloc(256 * 1024))
        written += 256 * 1024
        quiet = 0
      } else quiet += 1
      await sleep(2)
    }
    expect(written).toBeLessThan(limit)
  })
})
