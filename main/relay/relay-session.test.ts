// Devices and a relay on a real file, with every frame through its bytes, and nothing but the socket left out.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RelayDevice, WrittenRun } from '../../test/support/relay-device.ts'
import { createRelayDevice, testChannel, testWorkspace } from '../../test/support/relay-device.ts'
import { arbitraryFrame, arbitraryUnknownFrame, laterFrame } from '../../test/support/wire-arbitraries.ts'
import type { SealedEnvelope, Vector } from '#main/replication/core/types.ts'
import { encodeBody, envelopeSize } from '#main/replication/wire/envelope-codec.ts'
import { decodeFrame, encodeFrame } from '#main/replication/wire/frame-codec.ts'
import type { Frame, FrameOf } from '#main/replication/wire/frames.ts'
import { windowLimit } from '#main/replication/wire/limits.ts'
import { packRun } from '#main/replication/wire/pack-run.ts'
import { proveChannel, sayAdmission } from '#main/replication/wire/proofs.ts'
import { mergeVectors } from '#main/replication/wire/vector-codec.ts'
import { hashToken } from './admission.ts'
import type { Relay } from './relay.ts'
import { openRelay } from './relay.ts'
import type { RelaySession } from './relay-session.ts'
import { createRelaySession } from './relay-session.ts'
import { sized } from '../../test/support/test-size.ts'

let dir: string
let relay: Relay
let clock: number
let failures: unknown[]
let timers: { at: number; job: () => void }[]

function open(envelopesPerSecond = 100_000): void {
  relay = openRelay({
    file: join(dir, 'relay.db'),
    adminTokenHash: hashToken('secret'),
    version: '1.0.0',
    envelopesPerSecond,
    monotonic: () => clock,
    onFailure: (error) => failures.push(error),
  })
}

/** A device's end of a connection: keeps what it was sent, in order. */
interface Line {
  readonly session: RelaySession
  readonly got: Frame[]
  closed: string | undefined
  send(...frames: Frame[]): void
  of<K extends Frame['kind']>(kind: K): Extract<Frame, { kind: K }>[]
}

function dial(): Line {
  const got: Frame[] = []
  const keep = (frames: readonly Frame[]): void => {
    for (const frame of frames) got.push(decodeFrame(encodeFrame(frame)))
  }
  const session = createRelaySession(relay, {
    channelHash: testChannel,
    send: keep,
    close: (code) => void (line.closed = code),
    later: (wait, job) => void timers.push({ at: clock + wait, job }),
  })
  const line: Line = {
    session,
    got,
    closed: undefined,
    send(...frames) {
      for (const frame of frames) keep(session.receive(decodeFrame(encodeFrame(frame))))
    },
    of: (kind) => got.filter((frame) => frame.kind === kind) as never,
  }
  return line
}

function connect(device: RelayDevice, change: Partial<FrameOf<'HELLO'>> & { token?: string } = {}): Line {
  const line = dial()
  line.send(...device.greeting(change))
  return line
}

const send = (line: Line, ...runs: WrittenRun[]): void => {
  for (const { envelopes, head } of runs) line.send(...packRun(envelopes, [head]))
}
const received = (line: Line): SealedEnvelope[] => line.of('ENV').flatMap(({ envelopes }) => envelopes)
const acked = (line: Line): Vector =>
  line.of('ACK').reduce<Vector>((sum, { vector }) => mergeVectors(sum, vector), new Map())
const codes = (line: Line): string[] => line.of('ERR').map(({ code }) => code)

/** Two devices of one workspace, both let in. */
function admitTwo(): [RelayDevice, RelayDevice] {
  const [one, two] = [createRelayDevice(1), createRelayDevice(2)]
  const line = connect(one, { token: 'secret' })
  line.send(sayAdmission('GRANT', { ...word(one), key: two.key, at: 10 }))
  expect(line.got.at(-1)).toMatchObject({ kind: 'GRANT' })
  line.session.close()
  return [one, two]
}
const word = (by: RelayDevice) => ({ signer: by.signer, workspace: testWorkspace })

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-session-'))
  failures = []
  timers = []
  clock = 0
  open()
})

afterEach(() => {
  relay.close()
  rmSync(dir, { recursive: true })
  expect(failures).toEqual([])
})

describe('a connection', () => {
  it('opens with HELLO and AUTH, and is told what the relay has and that it was all', () => {
    const line = connect(createRelayDevice(1), { token: 'secret' })
    expect(line.got.map(({ kind }) => kind)).toEqual(['HELLO', 'DONE'])
    expect(line.of('HELLO')[0]).toMatchObject({ ws: testWorkspace, epoch: 1, vector: new Map() })
  })

  it('ends on a wrong order, protocol, proof, epoch or a device nobody let in, and answers nothing more', () => {
    const [one] = admitTwo()
    const stranger = createRelayDevice(9)
    const [hello, auth] = one.greeting()
    const attempts: Record<string, Frame[]> = {
      out_of_order: [auth],
      protocol_unsupported: [{ ...hello, protoMin: 3, protoMax: 4 }],
      signature_invalid: [hello, proveChannel(one.signer, new Uint8Array(32), 'client')],
      epoch_mismatch: [{ ...hello, epoch: 2 }, auth],
      not_admitted: stranger.greeting(),
      workspace_unknown: stranger.greeting({ ws: new Uint8Array(16) }),
      token_invalid: stranger.greeting({ ws: new Uint8Array(16), token: 'guess' }),
    }
    for (const [code, frames] of Object.entries(attempts)) {
      const line = dial()
      line.send(...frames)
      expect([code, line.closed, codes(line)]).toEqual([code, code, [code]])
      const count = line.got.length
      line.send(hello, auth, { kind: 'PING', id: 1 })
      expect(line.got).toHaveLength(count)
    }
  })

  it('answers a PING at any time, and lets frames of a later version pass', () => {
    const line = dial()
    line.send({ kind: 'PING', id: 5 })
    line.send(...createRelayDevice(1).greeting({ token: 'secret' }))
    line.send(laterFrame, { kind: 'PING', id: 6 })
    expect(line.of('PONG').map(({ id }) => id)).toEqual([5, 6])
    expect(line.closed).toBeUndefined()
  })
})

describe('envelopes', () => {
  it('are acknowledged after the commit and never before it', () => {
    const device = createRelayDevice(1)
    const line = connect(device, { token: 'secret' })
    send(line, device.write(3))
    line.send({ kind: 'BARRIER', id: 8, reply: false })
    expect(line.of('ACK')).toEqual([])
    relay.store.commit()
    expect(acked(line)).toEqual(new Map([[1, 3]]))
    expect(line.of('BARRIER')).toEqual([{ kind: 'BARRIER', id: 8, reply: true }])
  })

  it('are committed at the end of the turn by themselves', async () => {
    const device = createRelayDevice(1)
    const line = connect(device, { token: 'secret' })
    send(line, device.write(1), device.write(1))
    await new Promise((resolve) => void setImmediate(resolve))
    expect(acked(line)).toEqual(new Map([[1, 2]]))
  })

  it('reach the others at once, unchanged, and not the one who sent them', () => {
    const [one, two] = admitTwo()
    const [from, to] = [connect(one), connect(two)]
    const run = one.write(3)
    send(from, run)
    relay.store.commit()
    expect(received(to)).toEqual(run.envelopes)
    expect(to.of('ENV').at(-1)?.head).toEqual(run.head)
    expect(to.got.at(-1)).toEqual({ kind: 'DONE', vector: new Map([[1, 3]]) })
    expect(received(from)).toEqual([])
  })

  it('of which a device sends a part that others have sent already are not taken for all it has', () => {
    const [one, two] = admitTwo()
    const [from, to] = [connect(one), connect(two)]
    const [first, second] = [one.write(1), one.write(3)]
    send(from, first, second)
    send(to, first)
    relay.store.commit()
    expect(received(to).map(({ seq }) => seq)).toEqual([2, 3, 4])
  })

  it('reach a device that was away when it comes back, after a restart too, and only those it lacks', () => {
    const [one, two] = admitTwo()
    const from = connect(one)
    send(from, one.write(3), one.write(4))
    relay.close()
    open()
    const to = connect(two, { vector: new Map([[1, 3]]) })
    expect(received(to).map(({ seq }) => seq)).toEqual([4, 5, 6, 7])
    expect(to.of('HELLO')[0]!.vector).toEqual(new Map([[1, 7]]))
  })

  it('above a frame come through in pieces', () => {
    const [one, two] = admitTwo()
    const [from, to] = [connect(one), connect(two)]
    send(from, one.write(1, 700_000))
    expect(from.closed).toBeUndefined()
    relay.store.commit()
    expect(acked(from)).toEqual(new Map([[1, 1]]))
    expect(to.of('ENVPART').length).toBeGreaterThan(2)
    expect(to.of('ENV')).toMatchObject([{ envelopes: [], head: { seq: 1 } }])
  })

  it('of a kind nobody knows, and of bytes that are no body, are stored and passed on unchanged', () => {
    const [one, two] = admitTwo()
    const [from, to] = [connect(one), connect(two)]
    const hlc = { ms: 1, ctr: 0 }
    const rest = { hlc, group: { first: 1, count: 1 }, author: 'u', aclRev: 0, schemaRev: 0, facts: [] }
    const plain = encodeBody({ doc: 'r/a/b', kind: 'update', update: new Uint8Array(4), ...rest })
    const later = plain.with(6, 200)
    const device = createRelayDevice(1, one.keys)
    const run = device.write(1, later.length)
    send(from, run)
    relay.store.commit()
    expect(received(to)).toEqual(run.envelopes)
  })

  it('with a gap are asked for, and what was refused for good is not asked for again and again', () => {
    const [one] = admitTwo()
    const line = connect(one)
    const [first, second] = [one.write(1), one.write(1)]
    send(line, second)
    relay.store.commit()
    expect(line.of('WANT')).toEqual([{ kind: 'WANT', inc: 1, from: 1, to: 2 }])
    send(line, first, second)
    relay.store.commit()
    expect(acked(line)).toEqual(new Map([[1, 2]]))
    const old = { ...one.write(1).envelopes[0]!, epoch: 0 }
    line.send({ kind: 'ENV', envelopes: [old] })
    relay.store.commit()
    send(line, one.write(1), one.write(1))
    relay.store.commit()
    expect(codes(line)).toEqual(['epoch_mismatch'])
    expect(line.of('WANT')).toHaveLength(1)
  })

  it('under a number that was used twice are refused with what its device signed before (D-232)', () => {
    const [one] = admitTwo()
    const line = connect(one)
    const { head } = one.write(3)
    send(line, ...one.log)
    send(line, createRelayDevice(1, one.keys).write(5, 50))
    relay.store.commit()
    expect(line.got.slice(-2)).toMatchObject([
      { kind: 'ERR', code: 'fork', item: { inc: 1, seq: 1 } },
      { kind: 'ENV', envelopes: [], head },
    ])
  })

  it('that a device asks for again are sent again', () => {
    const [one, two] = admitTwo()
    const [from, to] = [connect(one), connect(two)]
    send(from, one.write(2), one.write(2))
    relay.store.commit()
    to.send({ kind: 'ACK', vector: new Map([[1, 4]]) })
    to.got.length = 0
    to.send({ kind: 'WANT', inc: 1, from: 2, to: 3 })
    expect(received(to).map(({ seq }) => seq)).toEqual([2, 3, 4])
    to.send({ kind: 'WANT', inc: 77, from: 1, to: 3 })
    expect(to.closed).toBeUndefined()
  })
})

describe('the window', () => {
  it('holds what is sent until it is acknowledged, and everything comes through in the end', () => {
    const [one, two] = admitTwo()
    const from = connect(one)
    const runs = Array.from({ length: 40 }, () => one.write(2, 50_000))
    for (const run of runs) {
      send(from, run)
      relay.store.commit()
    }
    const to = connect(two)
    const seen = (): number => received(to).reduce((sum, envelope) => sum + envelopeSize(envelope), 0)
    expect(seen()).toBeLessThanOrEqual(windowLimit)
    expect(to.of('DONE')).toEqual([])
    for (let round = 0; round < 20; round += 1) {
      const before = seen()
      to.send({ kind: 'ACK', vector: new Map([[1, received(to).at(-1)!.seq]]) })
      expect(seen() - before).toBeLessThanOrEqual(windowLimit)
    }
    expect(received(to).map(({ seq }) => seq)).toEqual(Array.from({ length: 80 }, (_, index) => index + 1))
    expect(to.of('DONE')).toHaveLength(1)
  })

  it('of a device that does not wait for acknowledgements ends its connection', () => {
    const device = createRelayDevice(1)
    const line = connect(device, { token: 'secret' })
    for (let index = 0; index < 80; index += 1) send(line, device.write(1, 100_000))
    expect(line.closed).toBe('window_exceeded')
  })
})

describe('the rate of a device', () => {
  it('slows it to 200 envelopes a second, over connections, and loses nothing', () => {
    const [one] = admitTwo()
    relay.close()
    open(200)
    const again = createRelayDevice(3, one.keys)
    const lines = [connect(one), connect(again)] as const
    send(lines[0], one.write(250))
    for (let index = 0; index < 20; index += 1) send(lines[1], again.write(5))
    relay.store.commit()
    expect([acked(lines[0]), acked(lines[1])]).toEqual([new Map([[1, 250]]), new Map()])
    for (let timer = timers.shift(); timer; timer = timers.shift()) {
      clock = Math.max(clock, timer.at)
      timer.job()
      relay.store.commit()
    }
    expect(acked(lines[1])).toEqual(new Map([[3, 100]]))
    expect([lines[0].closed, lines[1].closed]).toEqual([undefined, undefined])
    // 350 envelopes, of which the first second's 200 go at once.
    expect(clock).toBeGreaterThan(700)
    expect(clock).toBeLessThan(800)
  })
})

describe('a relay', () => {
  it('passes on what is live to the others, as fast as the rate allows', () => {
    const [one, two] = admitTwo()
    const [from, to] = [connect(one), connect(two)]
    from.send(
      { kind: 'LIVE', doc: 'd', update: new Uint8Array(3) },
      { kind: 'AWARE', doc: 'd', update: new Uint8Array(3) },
    )
    expect([to.of('LIVE'), to.of('AWARE'), from.of('LIVE')].map(({ length }) => length)).toEqual([1, 1, 0])
  })

  it('says that it has no documents when it is asked for one', () => {
    const line = connect(createRelayDevice(1), { token: 'secret' })
    line.send({ kind: 'BUCKET', bucket: 1 })
    expect(codes(line)).toEqual(['unsupported'])
    expect(line.closed).toBeUndefined()
  })

  it('lets in who is granted, and ends every connection of who is closed out at once', () => {
    const [one, two] = admitTwo()
    const [admin, other, same] = [connect(one), connect(two), connect(two)]
    admin.send(sayAdmission('REVOKE', { ...word(one), key: two.key, at: 20 }))
    expect([other.closed, same.closed, admin.closed]).toEqual(['revoked', 'revoked', undefined])
    send(other, two.write(1))
    relay.store.commit()
    expect(relay.store.vector(1)).toEqual(new Map())
    expect(connect(two).closed).toBe('not_admitted')
    admin.send(sayAdmission('GRANT', { ...word(two), key: two.key, at: 30 }))
    expect(codes(admin)).toEqual(['signature_invalid'])
    expect(relay.rooms.size(1)).toBe(1)
  })

  it('keeps workspaces apart', () => {
    const [one] = admitTwo()
    const line = connect(one)
    send(line, one.write(2))
    relay.store.commit()
    const other = connect(createRelayDevice(5), { ws: new Uint8Array(16).fill(9), token: 'secret' })
    expect(other.of('HELLO')[0]!.vector).toEqual(new Map())
    expect(received(other)).toEqual([])
  })

  it('ends a connection whose pieces do not fit, and keeps nothing of them', () => {
    const device = createRelayDevice(1)
    const line = connect(device, { token: 'secret' })
    line.send({ kind: 'ENVPART', part: 1, parts: 2, size: 10, bytes: new Uint8Array(5) })
    expect(line.closed).toBe('wire_malformed')
  })

  it('throws nothing at any frames in any order, before AUTH and after it', () => {
    const [one] = admitTwo()
    const frames = fc.array(fc.oneof(arbitraryFrame, arbitraryUnknownFrame), { maxLength: 12 })
    fc.assert(
      fc.property(frames, fc.boolean(), (list, isOpen) => {
        const line = isOpen ? connect(one) : dial()
        line.send(...list)
        relay.store.commit()
        line.session.close()
      }),
      { numRuns: sized(60, 300) },
    )
    expect(failures).toEqual([])
    expect(relay.rooms.size(1)).toBe(0)
    const line = connect(one)
    send(line, one.write(1))
    relay.store.commit()
    expect(acked(line)).toEqual(new Map([[1, 1]]))
  })

  it('that cannot write ends the connection without an acknowledgement', () => {
    const device = createRelayDevice(1)
    const line = connect(device, { token: 'secret' })
    send(line, device.write(1))
    // A workspace that is not in the file: the whole turn fails with it, as it does on a full disk.
    const { envelopes } = createRelayDevice(5).write(1)
    relay.store.append({ workspace: { id: 99, ws: testWorkspace, epoch: 1 }, envelopes }, () => undefined)
    relay.store.commit()
    expect(failures.splice(0)).toHaveLength(1)
    expect([line.closed, line.of('ACK')]).toEqual(['unavailable', []])
  })
})
