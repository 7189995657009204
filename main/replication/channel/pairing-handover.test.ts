// The end of a pairing, over real links: what the new device says of itself, and a connection that breaks while it takes
// what it was handed.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import type { ListeningDevice } from '../../../test/support/channel-devices.ts'
import { listenAs, makeDevice } from '../../../test/support/channel-devices.ts'
import { jsonPairCodec } from '../../../test/support/pair-codec.ts'
import { pairChannel } from './pairing.ts'
import type { PairChannel } from './pairing.ts'
import type { Invite } from './pairing-invite.ts'
import { createInvite } from './pairing-invite.ts'
import type { Joining, JoinOptions } from './pairing-join.ts'
import { joinPairing } from './pairing-join.ts'
import { dialPeer } from './peer-dial.ts'

let home: ListeningDevice
let invite: Invite
let replies: string[]
let channel: PairChannel

const clock = createManualClock(0)
const card = (name: string) => ({ name, signKey: new Uint8Array(32).fill(1) })

beforeEach(async () => {
  replies = []
  home = await listenAs(await makeDevice(), {
    onLink: (link) => invite.accept(pairChannel(link, jsonPairCodec)),
  })
  home.invites = true
  invite = createInvite({
    card: card('Study'),
    clock,
    makePayload: () => Promise.resolve(new Uint8Array([1])),
    takeReply: (bytes, { name }) => void replies.push(`${name} ${Buffer.from(bytes).toString()}`),
  })
  const { identity } = await makeDevice()
  const link = await dialPeer({ host: '127.0.0.1', port: home.port }, { identity, peer: null, purpose: 'pairing' })
  channel = pairChannel(link, jsonPairCodec)
})

afterEach(async () => {
  await home.listener.close()
})

const states = (joining: Joining): string[] => [invite.view().state, joining.view().state]

async function confirmed(options: Partial<JoinOptions>): Promise<Joining> {
  const takePayload = (): Promise<void> => Promise.resolve()
  const joining = joinPairing({ code: invite.code, channel, card: card('Laptop'), clock, takePayload, ...options })
  await vi.waitFor(() => expect(states(joining)).toEqual(['comparing', 'comparing']))
  invite.confirm(true)
  joining.confirm(true)
  return joining
}

it('tells what the new device says of itself, once it has what it was handed', async () => {
  let hasTaken = false
  const joining = await confirmed({
    takePayload: () => Promise.resolve(void (hasTaken = true)),
    makeReply: () => Buffer.from(`reachable ${hasTaken}`),
  })
  await vi.waitFor(() => expect(states(joining)).toEqual(['done', 'done']))
  expect(replies).toEqual(['Laptop reachable true'])
})

it('is as good where the new device has nothing to say', async () => {
  const joining = await confirmed({ makeReply: () => undefined })
  await vi.waitFor(() => expect(states(joining)).toEqual(['done', 'done']))
  expect(replies).toEqual([])
})

it('hears it once, and takes a second word for a broken exchange', async () => {
  const joining = await confirmed({
    takePayload: () => {
      for (const word of ['one', 'two']) channel.send({ kind: 'payload', payload: Buffer.from(word) })
      return new Promise(() => undefined)
    },
  })
  await vi.waitFor(() => expect(invite.view()).toMatchObject({ state: 'failed', reason: 'protocol' }))
  expect(replies).toEqual(['Laptop one'])
  joining.cancel()
})

it('is done for a device that has it all when the connection breaks meanwhile', async () => {
  let finish = (): void => undefined
  const joining = await confirmed({ takePayload: () => new Promise((resolve) => (finish = resolve)) })
  await vi.waitFor(() => expect(joining.view().state).toBe('transferring'))
  home.links[0]!.close('stopping')
  await vi.waitFor(() => expect(invite.view()).toMatchObject({ state: 'failed', reason: 'connection' }))
  expect(joining.view().state).toBe('transferring')
  finish()
  await vi.waitFor(() => expect(joining.view().state).toBe('done'))
})
