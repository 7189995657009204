// Who gets in: real sockets on loopback against a listener, with the rules switched one by one.
import { once } from 'node:events'
import { connect as connectTcp, createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { closeDevice, connectTo, listenAs, makeDevice } from '../../../test/support/channel-devices.ts'
import type { ListeningDevice, TestDevice } from '../../../test/support/channel-devices.ts'
import { DialError, dialPeer, subprotocols } from './peer-dial.ts'
import { createPeerListener } from './peer-listener.ts'

let home: TestDevice
let friend: TestDevice
let stranger: TestDevice
const open: { close(): Promise<void> }[] = []
const sockets: Socket[] = []

beforeAll(async () => {
  ;[home, friend, stranger] = await Promise.all([makeDevice(), makeDevice(), makeDevice()])
})

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const one of open.splice(0)) await one.close()
})

async function listen(options: Parameters<typeof listenAs>[1] = {}): Promise<ListeningDevice> {
  const device = await listenAs(home, options)
  open.push({ close: () => closeDevice(device) })
  return device
}

/** A TLS connection of its own making; counts what it is sent. */
function tls(port: number, options: ConnectionOptions): { socket: TLSSocket; received: () => number } {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options })
  let received = 0
  socket.on('data', (bytes: Buffer) => void (received += bytes.length))
  socket.on('error', () => undefined)
  sockets.push(socket)
  return { socket, received: () => received }
}

function tcp(port: number): Socket {
  const socket = connectTcp(port, '127.0.0.1')
  socket.on('error', () => undefined)
  // Without a reader the end of the other side would never be seen.
  socket.resume()
  sockets.push(socket)
  return socket
}

/** Waits for the end of a socket, in whatever way it comes. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve()
    else socket.once('close', () => resolve())
  })
}

const shows = (device: TestDevice): ConnectionOptions => ({
  cert: device.identity.certificate,
  key: device.identity.privateKey,
})

const upgradeRequest = (purpose: 'peer' | 'pairing'): string =>
  `GET /channel HTTP/1.1\r\nHost: device\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n` +
  `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\nSec-WebSocket-Protocol: ${subprotocols[purpose]}\r\n\r\n`

async function expectDialError(dialled: Promise<unknown>, reason: string): Promise<DialError> {
  const error: unknown = await dialled.then(
    () => undefined,
    (failure: unknown) => failure,
  )
  expect(error).toBeInstanceOf(DialError)
  expect((error as DialError).reason).toBe(reason)
  return error as DialError
}

describe('a listener', () => {
  it('binds nothing until told, and only what it is told', async () => {
    const listener = createPeerListener({ ...home, admit: () => 'unknown', onLink: () => undefined })
    open.push(listener)
    expect(listener.listening()).toEqual([])
    const port = await listener.listen(['127.0.0.1', '127.0.0.2'], 0)
    expect(listener.listening()).toEqual([
      { address: '127.0.0.1', port },
      { address: '127.0.0.2', port },
    ])
    await listener.close()
    expect(listener.listening()).toEqual([])
    await expectDialError(
      dialPeer({ host: '127.0.0.1', port }, { identity: friend.identity, peer: home.fingerprint, purpose: 'peer' }),
      'unreachable',
    )
  })

  it.each(['0.0.0.0', '::', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', '', '*', 'localhost', '0'])(
    'refuses to bind %j, which is no address of one interface',
    async (address) => {
      const listener = createPeerListener({ ...home, admit: () => 'unknown', onLink: () => undefined })
      await expect(listener.listen([address], 0)).rejects.toThrow(/chosen interfaces/)
      expect(listener.listening()).toEqual([])
    },
  )

  it('keeps nothing bound when one address cannot be', async () => {
    const listener = createPeerListener({ ...home, admit: () => 'unknown', onLink: () => undefined })
    await expect(listener.listen(['127.0.0.1', '192.0.2.1'], 0)).rejects.toThrow(/EADDRNOTAVAIL/)
    expect(listener.listening()).toEqual([])
  })

  it('opens a link for a device it knows, and both sides have proved who they are', async () => {
    const device = await listen()
    const { near, far } = await connectTo(device, friend)
    expect(near).toMatchObject({ peer: home.fingerprint, direction: 'out', purpose: 'peer' })
    expect(far).toMatchObject({ peer: friend.fingerprint, direction: 'in', purpose: 'peer' })
    expect(device.listener.links()).toEqual([far])
  })

  it('sends a stranger away before a byte of payload', async () => {
    const device = await listen()
    const { socket, received } = tls(device.port, shows(stranger))
    socket.once('secureConnect', () => socket.write(upgradeRequest('peer')))
    await closed(socket)
    expect(received()).toBe(0)
    expect(device.links).toEqual([])
    expect(device.refusals).toMatchObject([{ reason: 'unknown', fingerprint: stranger.fingerprint }])
  })

  it('tells a stranger that dials no more than that it is refused', async () => {
    const device = await listen()
    const dialled = dialPeer(
      { host: '127.0.0.1', port: device.port },
      { identity: stranger.identity, peer: home.fingerprint, purpose: 'peer' },
    )
    expect((await expectDialError(dialled, 'refused')).isHangUp).toBe(true)
  })

  it('sends away who shows no certificate, an older TLS, or the certificate of this very device', async () => {
    const device = await listen()
    device.known.add(home.fingerprint)
    for (const options of [{}, { ...shows(friend), maxVersion: 'TLSv1.2' } as const, shows(home)]) {
      const { socket, received } = tls(device.port, options)
      await closed(socket)
      expect(received()).toBe(0)
    }
    expect(device.refusals.map(({ reason }) => reason)).toEqual(['no_certificate', 'handshake', 'own_certificate'])
    expect(device.links).toEqual([])
  })

  it('lets a known device in for nothing but its links, and a stranger for nothing but pairing', async () => {
    const device = await listen()
    device.invites = true
    device.known.add(friend.fingerprint)
    const to = { host: '127.0.0.1', port: device.port }
    const asPeer = { peer: home.fingerprint, purpose: 'peer' } as const
    const asPairing = { peer: null, purpose: 'pairing' } as const
    await expectDialError(dialPeer(to, { identity: friend.identity, ...asPairing }), 'refused')
    await expectDialError(dialPeer(to, { identity: stranger.identity, ...asPeer }), 'refused')
    const link = await dialPeer(to, { identity: stranger.identity, ...asPairing })
    device.dialled.push(link)
    expect(link.purpose).toBe('pairing')
    await vi.waitFor(() => expect(device.links).toHaveLength(1))
    expect(device.links[0]!.purpose).toBe('pairing')
  })

  it('keeps few pairing links open at once', async () => {
    const device = await listen({ maxPairing: 2 })
    device.invites = true
    const dial = () =>
      dialPeer(
        { host: '127.0.0.1', port: device.port },
        { identity: stranger.identity, peer: null, purpose: 'pairing' },
      )
    device.dialled.push(await dial(), await dial())
    await vi.waitFor(() => expect(device.links).toHaveLength(2))
    expect((await expectDialError(dial(), 'refused')).isHangUp).toBe(false)
  })

  it('answers no request but the upgrade', async () => {
    const device = await listen()
    device.known.add(friend.fingerprint)
    for (const [request, status] of [
      ['GET /api/v1/health HTTP/1.1\r\nHost: device\r\n\r\n', '404'],
      ['POST /channel HTTP/1.1\r\nHost: device\r\nContent-Length: 5\r\n\r\nhello', '404'],
      [upgradeRequest('peer').replace('/channel', '/api/v1/realtime'), '403'],
      [upgradeRequest('peer').replace(subprotocols.peer, 'other'), '403'],
    ] as const) {
      const { socket } = tls(device.port, shows(friend))
      let answer = ''
      socket.on('data', (bytes: Buffer) => void (answer += bytes.toString()))
      socket.once('secureConnect', () => socket.write(request))
      await closed(socket)
      expect(answer.split('\r\n')[0]).toContain(status)
      expect(answer.split('\r\n\r\n')[1]).toBe('')
    }
    expect(device.links).toEqual([])
  })

  it('cuts connections that do not prove themselves in time, however they spend it', async () => {
    const device = await listen({ limits: { proofMs: 400 } })
    device.known.add(friend.fingerprint)
    const started = performance.now()
    const silent = tcp(device.port)
    const dripping = tcp(device.port)
    // The first bytes of a handshake, one at a time.
    const drip = setInterval(() => dripping.write(Buffer.from([0x16])), 50)
    const stopped = tls(device.port, shows(friend)).socket
    const header = tls(device.port, shows(friend)).socket
    header.once('secureConnect', () => header.write('GET /channel HTTP/1.1\r\n'))
    const dripHeader = setInterval(() => header.write('X-A: 1\r\n'), 50)
    await Promise.all([silent, dripping, stopped, header].map(closed))
    clearInterval(drip)
    clearInterval(dripHeader)
    expect(performance.now() - started).toBeLessThan(2_000)
    expect(device.refusals.some(({ reason }) => reason === 'too_slow')).toBe(true)
    const { near } = await connectTo(device, friend)
    expect(near.ended()).toBeUndefined()
  })

  it('holds sixteen unproved connections at most, and has room again when they are cut', async () => {
    const device = await listen({ limits: { perAddress: 100, proofMs: 500 } })
    const silent = Array.from({ length: 16 }, () => tcp(device.port))
    await Promise.all(silent.map((socket) => once(socket, 'connect')))
    await sleep(50)
    const late = tcp(device.port)
    await closed(late)
    expect(device.refusals).toMatchObject([{ reason: 'too_many', address: '127.0.0.1' }])
    expect(silent.filter((socket) => socket.closed)).toEqual([])
    await Promise.all(silent.map(closed))
    const { far } = await connectTo(device, friend)
    expect(far.peer).toBe(friend.fingerprint)
  })

  it('holds eight connections of one address at most, links included', async () => {
    const device = await listen()
    await connectTo(device, friend)
    await connectTo(device, await makeDevice())
    const silent = Array.from({ length: 6 }, () => tcp(device.port))
    await Promise.all(silent.map((socket) => once(socket, 'connect')))
    await sleep(50)
    await closed(tcp(device.port))
    expect(device.refusals).toMatchObject([{ reason: 'too_many' }])
    silent[0]!.destroy()
    await vi.waitFor(async () => expect((await connectTo(device, friend)).near.ended()).toBeUndefined())
  })

  it('ends the links of one device alone', async () => {
    const device = await listen()
    const other = await makeDevice()
    const first = await connectTo(device, friend)
    const second = await connectTo(device, other)
    first.near.onMessage(() => undefined)
    device.listener.disconnect(friend.fingerprint, 'unpaired')
    await vi.waitFor(() => expect(first.near.ended()).toEqual({ reason: 'unpaired', here: false }))
    expect(second.near.ended()).toBeUndefined()
  })

  it('says why when it closes, and closes although somebody does not answer', async () => {
    const device = await listen()
    const { near } = await connectTo(device, friend)
    near.onMessage(() => undefined)
    const silent = tcp(device.port)
    await once(silent, 'connect')
    await sleep(20)
    await device.listener.close()
    await vi.waitFor(() => expect(near.ended()).toEqual({ reason: 'stopping', here: false }))
    await vi.waitFor(() => expect(silent.closed).toBe(true))
  })
})

describe('a dialler', () => {
  it('sends nothing to a device that shows another certificate', async () => {
    let received = 0
    const impostor = createTlsServer(
      {
        cert: stranger.identity.certificate,
        key: stranger.identity.privateKey,
        requestCert: true,
        rejectUnauthorized: false,
      },
      (socket) => {
        socket.on('error', () => undefined)
        socket.on('data', (bytes: Buffer) => void (received += bytes.length))
      },
    )
    impostor.listen(0, '127.0.0.1')
    await once(impostor, 'listening')
    const { port } = impostor.address() as AddressInfo
    const error = await expectDialError(
      dialPeer({ host: '127.0.0.1', port }, { identity: friend.identity, peer: home.fingerprint, purpose: 'peer' }),
      'wrong_peer',
    )
    expect(error.fingerprint).toBe(stranger.fingerprint)
    await sleep(50)
    expect(received).toBe(0)
    impostor.close()
  })

  it('says what is wrong with an address', async () => {
    const deaf = createTcpServer((socket) => void sockets.push(socket))
    deaf.listen(0, '127.0.0.1')
    await once(deaf, 'listening')
    const { port } = deaf.address() as AddressInfo
    const options = { identity: friend.identity, peer: home.fingerprint, purpose: 'peer', timeoutMs: 300 } as const
    await expectDialError(dialPeer({ host: '127.0.0.1', port }, options), 'timeout')
    for (const socket of sockets.splice(0)) socket.destroy()
    await new Promise((resolve) => deaf.close(resolve))
    await expectDialError(dialPeer({ host: '127.0.0.1', port }, options), 'unreachable')
  })

  it('takes whoever answers for pairing only', () => {
    const options = { identity: friend.identity, peer: null, purpose: 'peer' } as const
    expect(() => dialPeer({ host: '127.0.0.1', port: 9 }, options)).toThrow(/Only pairing/)
  })
})
