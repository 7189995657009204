// What a peer is told to be here is on disk, also when somebody else brought it a moment before.
import { generateKeyPairSync } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openTestDatabase } from '../../../../test/support/open-test-database.ts'
import { createRelayDevice, testWorkspace } from '../../../../test/support/relay-device.ts'
import { createLogState } from '../engine/log-state.ts'
import type { LogState } from '../engine/log-state.ts'
import { syncMigrations } from '../migrations/index.ts'
import { createReceiver } from './receiver.ts'

let opened: Awaited<ReturnType<typeof openTestDatabase>>

beforeEach(async () => {
  opened = await openTestDatabase([{ id: 'sync', migrations: syncMigrations }])
})

afterEach(() => opened.close())

/** A device that is known, and makers of receivers that know it. */
function scene(unpaired?: { readonly isRevoked: true; readonly seen?: Readonly<Record<string, number>> }) {
  const { database } = opened
  const keys = generateKeyPairSync('ed25519')
  const by = { device: 'laptop', user: 'u', publicKey: keys.publicKey, role: 'admin' } as const
  const known = { ...by, isRevoked: false, ...unpaired }
  const devices = { all: () => [known], find: () => known, nameOf: () => undefined }
  const parts = { workspace: testWorkspace, epoch: 1, read: database.read, write: database.write, devices }
  const stateOf = () => createLogState([], new Uint8Array(8_192))
  const receiverOf = (state: LogState, own = { device: 'desk', inc: 1 }) =>
    createReceiver({ ...parts, own, state, stored: () => undefined })
  return { writer: createRelayDevice(7, keys), stateOf, receiverOf }
}

it('answers for what came twice once it is on disk', async () => {
  const { writer, stateOf, receiverOf } = scene()
  const { envelopes, head } = writer.write(3)
  await receiverOf(stateOf())(envelopes, head)
  // Committed by another connection a moment ago, and on its way to the disk.
  const state = stateOf()
  state.committed(7, 3, 0)
  let isAnswered = false
  const answer = receiverOf(state)(envelopes, head).then((result) => {
    isAnswered = true
    return result
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(isAnswered).toBe(false)
  state.onDisk(7, 2)
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(isAnswered).toBe(false)
  state.onDisk(7, 3)
  expect(await answer).toEqual({ ok: true, stored: 0 })
  expect(state.vector()).toEqual(new Map([[7, 3]]))
})

it('stores what is left of a run of which another peer brings the beginning at the same moment', async () => {
  const { writer, stateOf, receiverOf } = scene()
  const state = stateOf()
  const receive = receiverOf(state)
  const first = writer.write(2)
  const second = writer.write(3)
  const whole = [...first.envelopes, ...second.envelopes]
  const [short, long, same] = await Promise.all([
    receive(first.envelopes, first.head),
    receive(whole, second.head).then((result) => ({ ...result, vector: state.vector() })),
    receive(whole, second.head),
  ])
  expect(short).toEqual({ ok: true, stored: 2 })
  expect(long).toEqual({ ok: true, stored: 3, vector: new Map([[7, 5]]) })
  expect(same).toEqual({ ok: true, stored: 0 })
})

it('takes of an unpaired device what counts of its log, and nothing after that (D-386)', async () => {
  const { writer, stateOf, receiverOf } = scene({ isRevoked: true, seen: { 7: 2 } })
  const state = stateOf()
  const [before, after] = [writer.write(2), writer.write(1)]
  expect(await receiverOf(state)(before.envelopes, before.head)).toEqual({ ok: true, stored: 2 })
  expect(await receiverOf(state)(after.envelopes, after.head)).toEqual({ ok: false, reason: 'revoked' })
  expect(state.vector()).toEqual(new Map([[7, 2]]))
})

it('believes of its own number only what it has signed itself (D-232)', async () => {
  const { writer, stateOf, receiverOf } = scene()
  const state = stateOf()
  const written = [writer.write(2), writer.write(2)]
  for (const { envelopes, head } of written) await receiverOf(state)(envelopes, head)
  const receive = receiverOf(state, { device: 'laptop', inc: 7 })
  const none = { ok: true, stored: 0 }
  for (const { envelopes, head } of written)
    for (const sent of [envelopes, []]) expect(await receive(sent, head)).toEqual(none)
  const forged = createRelayDevice(7).write(3, 50)
  expect(await receive(forged.envelopes, forged.head)).toEqual({ ok: false, reason: 'invalid' })
  expect(await receive(forged.envelopes, written[1]!.head)).toEqual({ ok: false, reason: 'invalid' })
  expect(await receive([], forged.head)).toEqual({ ok: false, reason: 'bad_signature' })
  const other = createRelayDevice(7, writer.keys).write(3, 50)
  for (const { envelopes, head } of [other, writer.write(1)])
    for (const sent of [envelopes, []]) expect(await receive(sent, head)).toEqual({ ok: false, reason: 'fork' })
  expect(state.vector()).toEqual(new Map([[7, 4]]))
})
