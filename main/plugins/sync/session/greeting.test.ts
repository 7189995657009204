// Whom a machine speaks to: the same workspace, the same epoch, a device of the roster that holds its key on this very
// connection. Everybody else is told why, and nothing of the log leaves or comes.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { generateKeyPairSync } from 'node:crypto'
import type { TestWorkspace } from '../../../../test/support/memory-replica.ts'
import { createMemoryReplica, createTestWorkspace } from '../../../../test/support/memory-replica.ts'
import type { TestMachine } from '../../../../test/support/session-pair.ts'
import { joinMachines, meetRawPeer, startMachine } from '../../../../test/support/session-pair.ts'
import { formerGreeting } from '../../../../test/support/wire-arbitraries.ts'
import { createManualTimers } from '#main/replication/channel/timers.ts'
import { signerOf } from '#main/replication/wire/device-key.ts'
import { proveChannel } from '#main/replication/wire/proofs.ts'

let workspace: TestWorkspace
let honest: TestMachine
let other: TestMachine

beforeEach(async () => {
  workspace = createTestWorkspace()
  honest = await startMachine(workspace, 1)
  other = await startMachine(workspace, 2)
  honest.replica.write('r/a/1', 'secret')
})

afterEach(async () => {
  await honest.channel.listener.close()
  await other.channel.listener.close()
})

const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 5_000, interval: 5 })

describe('a greeting', () => {
  it.each([
    ['workspace', { ws: new Uint8Array(16).fill(9) }],
    ['sync_epoch_mismatch', { epoch: 2 }],
    ['protocol_unsupported', { protoMin: 3, protoMax: 4 }],
    ['device_unknown', { device: 'somebody' }],
  ])('of another kind is refused: %s', async (code, change) => {
    const { raw, session } = await meetRawPeer(other, honest)
    raw.say(raw.hello(change), raw.auth())
    await until(() => expect(raw.link.ended()).toBeDefined())
    expect(raw.of('ERR').map((frame) => frame.code)).toEqual([code])
    expect(session.status()).toMatchObject({ state: 'refused', lastError: code })
    expect(raw.of('ENV')).toEqual([])
  })

  it('of the former protocol, which had other bytes, is refused by that name', async () => {
    const { raw, session } = await meetRawPeer(other, honest)
    raw.sayBytes(formerGreeting)
    await until(() => expect(raw.link.ended()).toBeDefined())
    expect(raw.of('ERR').map((frame) => frame.code)).toEqual(['protocol_unsupported'])
    expect(session.status()).toMatchObject({ state: 'refused', lastError: 'protocol_unsupported' })
  })

  it('with a key the roster does not have for the device is refused', async () => {
    const { raw, session } = await meetRawPeer(other, honest)
    const stranger = signerOf(generateKeyPairSync('ed25519').privateKey)
    raw.say(raw.hello(), proveChannel(stranger, raw.link.secret('cairn-sync-auth'), 'client'))
    await until(() => expect(session.status()).toMatchObject({ state: 'refused', lastError: 'signature_invalid' }))
    expect(raw.of('ENV')).toEqual([])
  })

  it('with the proof of the other side, of another connection or of nobody is refused', async () => {
    const proofs = [
      (secret: Uint8Array) => proveChannel(other.replica.signer, secret, 'server'),
      () => proveChannel(other.replica.signer, new Uint8Array(32), 'client'),
      (secret: Uint8Array) => ({
        ...proveChannel(other.replica.signer, secret, 'client'),
        sig: new Uint8Array(64),
      }),
    ]
    for (const proof of proofs) {
      const { raw, session } = await meetRawPeer(other, honest)
      raw.say(raw.hello(), proof(raw.link.secret('cairn-sync-auth')))
      await until(() => expect(session.status()).toMatchObject({ state: 'refused', lastError: 'signature_invalid' }))
    }
  })

  it('over the certificate of another device is refused', async () => {
    const third = createMemoryReplica(workspace, 3, { fingerprint: 'f'.repeat(64) })
    const { raw, session } = await meetRawPeer(other, honest, { peer: third.device })
    raw.say(
      raw.hello({ device: third.device }),
      proveChannel(third.signer, raw.link.secret('cairn-sync-auth'), 'client'),
    )
    await until(() => expect(session.status()).toMatchObject({ state: 'refused', lastError: 'signature_invalid' }))
  })

  it('of a revoked device is refused', async () => {
    const entry = workspace.devices.get(other.replica.device)!
    workspace.devices.set(other.replica.device, { ...entry, isRevoked: true })
    const { raw, session } = await meetRawPeer(other, honest)
    raw.say(raw.hello(), raw.auth())
    await until(() => expect(raw.link.ended()).toEqual({ reason: 'unpaired', here: false }))
    expect(session.status()).toMatchObject({ state: 'refused', lastError: 'device_revoked' })
  })

  it('comes first, once and whole', async () => {
    const orders = [
      (raw: Awaited<ReturnType<typeof meetRawPeer>>['raw']) => raw.say({ kind: 'ACK', vector: new Map() }),
      (raw: Awaited<ReturnType<typeof meetRawPeer>>['raw']) => raw.say(raw.auth()),
      (raw: Awaited<ReturnType<typeof meetRawPeer>>['raw']) => raw.say(raw.hello(), raw.hello()),
      (raw: Awaited<ReturnType<typeof meetRawPeer>>['raw']) => raw.sayBytes(new Uint8Array([3, 2, 1])),
    ]
    for (const order of orders) {
      const { raw, session } = await meetRawPeer(other, honest)
      order(raw)
      await until(() => expect(session.status()).toMatchObject({ state: 'refused', lastError: 'out_of_order' }))
    }
  })

  it('that does not come ends the link', async () => {
    const timers = createManualTimers()
    const { raw, session } = await meetRawPeer(other, honest, { timers })
    timers.advance(9_000)
    expect(session.status().state).toBe('opening')
    timers.advance(1_500)
    await until(() => expect(raw.link.ended()).toBeDefined())
    expect(session.status()).toMatchObject({ state: 'refused', lastError: 'silent' })
  })

  it('of this machine by another one is reported', async () => {
    const onFork = vi.fn<(peer: string, inc: number) => void>()
    const { raw, session } = await meetRawPeer(other, honest, { hooks: { onFork } })
    raw.say(raw.hello({ inc: 1 }), raw.auth())
    await until(() => expect(session.status().lastError).toBe('collision'))
    expect(onFork).not.toHaveBeenCalled()
  })

  it('that knows more of this machine than the machine itself is reported', async () => {
    const onFork = vi.fn<(peer: string, inc: number) => void>()
    const { raw, session } = await meetRawPeer(other, honest, { hooks: { onFork } })
    raw.say(raw.hello({ vector: new Map([[1, 5]]) }), raw.auth())
    await until(() => expect(session.status().lastError).toBe('collision'))
    expect(session.acked().get(1)).toBe(0)
    expect(onFork).not.toHaveBeenCalled()
  })

  it('that knows less of its own log than is here is shown what it signed (D-232)', async () => {
    other.replica.write('r/b/1', 'before the copy was put back')
    const head = other.replica.heads(2).at(-1)!
    await honest.replica.receive(other.replica.stored(2), head)
    const { raw } = await meetRawPeer(other, honest)
    raw.say(raw.hello({ vector: new Map() }), raw.auth())
    await until(() => expect(raw.of('ENV').filter(({ envelopes }) => envelopes.length === 0)).toMatchObject([{ head }]))
  })

  it('of two honest machines tells each the version and the clock of the other', async () => {
    const { near, far } = await joinMachines(other, honest)
    await until(() => {
      for (const session of [near, far]) {
        expect(session.status()).toMatchObject({ appVersion: '1.0.0', protocol: 2 })
        expect(Math.abs(session.status().clockOffsetMs ?? Infinity)).toBeLessThan(500)
      }
    })
  })

  it('in another epoch merges nothing on either side', async () => {
    const elsewhere = createTestWorkspace()
    elsewhere.epoch = 2
    const away = await startMachine(elsewhere, 9)
    for (const [device, entry] of workspace.devices) elsewhere.devices.set(device, entry)
    workspace.devices.set(away.replica.device, elsewhere.devices.get(away.replica.device)!)
    away.replica.write('r/b/1', 'x')
    const { near, far } = await joinMachines(away, honest)
    await until(() => {
      expect(near.status().state).toBe('refused')
      expect(far.status().state).toBe('refused')
    })
    expect([near.status().lastError, far.status().lastError]).toContain('sync_epoch_mismatch')
    expect([...away.replica.vector().keys(), ...honest.replica.vector().keys()]).toEqual([9, 1])
    await away.channel.listener.close()
  })
})
