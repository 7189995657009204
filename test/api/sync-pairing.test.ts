// Two real hosts are paired over the API and over TLS on loopback: the whole way, and every way it is refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { beginPairing, listen, pair, startFounder, until } from '../support/synced-hosts.ts'

let home: TestHost
let other: TestHost

/** Two machines for all tests of a group, which follow one another. */
function together(): void {
  beforeAll(async () => {
    ;[home, other] = await Promise.all([startFounder(), createTestHost()])
  })
  afterAll(async () => {
    await Promise.all([home.stop(), other.stop()])
  })
}

const absent = '01900000-0000-7000-8000-000000000000'

const joining = (code: string, address: string) => other.post('/sync/pairing/join', { code, address, deviceName: 'L' })
const byLink = (link: string) => other.post('/sync/pairing/join', { link, deviceName: 'L' })
const over = [410, 'pairing_expired', { reason: 'used' }]
const wrong = (code: string): string => String((Number(code) + 1) % 10_000_000).padStart(7, '0')
const refusalOf = ({ status, body }: { status: number; body: { error: { code: string; details: object } } }) => [
  status,
  body.error.code,
  body.error.details,
]
const peersOf = async (host: TestHost) => (await host.get('/sync/peers')).body.peers
const stateOf = async (host: TestHost, id: string) => (await host.get(`/sync/pairing/${id}`)).body

describe('pairing that comes to nothing', () => {
  together()

  it('takes code and address too', async () => {
    const invite = (await home.post('/sync/pairing')).body
    const { status, body } = await joining(`${invite.code.slice(0, 3)} ${invite.code.slice(3)}`, invite.addresses[0])
    expect([status, body.state]).toEqual([202, 'comparing'])
  })

  it('shows names without what is not seen in them', async () => {
    await home.patch('/sync/settings', { deviceName: 'B\u00fcro \u{1f469}\u200d\u{1f4bb}' })
    const { link, pairingId } = (await home.post('/sync/pairing')).body
    const { status, body } = await other.post('/sync/pairing/join', { link, deviceName: '\u200eL\ud83d' })
    expect(status).toBe(202)
    expect((await stateOf(other, body.pairingId)).peer.name).toBe('B\u00fcro \u{1f469}\u{1f4bb}')
    expect((await stateOf(home, pairingId)).peer.name).toBe('L')
  })

  it('forgives two wrong codes and no third', async () => {
    const { code, addresses, pairingId } = (await home.post('/sync/pairing')).body
    for (const triesLeft of [2, 1, 0])
      expect(refusalOf(await joining(wrong(code), addresses[0]))).toEqual([403, 'pairing_code_invalid', { triesLeft }])
    expect(await stateOf(home, pairingId)).toMatchObject({ state: 'failed', reason: 'too_many_tries' })
    expect(refusalOf(await joining(code, addresses[0]))).toEqual(over)
  })

  it('is over for who comes late, whether it was given up, denied or is too old', async () => {
    const givenUp = (await home.post('/sync/pairing')).body
    await home.delete(`/sync/pairing/${givenUp.pairingId}`)
    expect(refusalOf(await joining(givenUp.code, givenUp.addresses[0]))).toEqual(over)
    expect(refusalOf(await byLink(givenUp.link))).toEqual(over)

    const { invite, inviterId } = await beginPairing(home, other)
    await home.post(`/sync/pairing/${inviterId}/confirm`, { matches: false })
    expect(refusalOf(await byLink(invite.link))).toEqual(over)

    const clock = createManualClock(Date.now())
    const late = await createTestHost({ clock })
    try {
      await listen(late)
      await late.post('/sync/enable', { deviceName: 'Late' })
      const { link } = (await late.post('/sync/pairing')).body
      clock.advance(5 * 60_000)
      expect(refusalOf(await byLink(link)).slice(0, 2)).toEqual([410, 'pairing_expired'])
      expect(refusalOf(await byLink(link)).slice(0, 2)).toEqual([410, 'pairing_expired'])
    } finally {
      await late.stop()
    }
  })

  it('is refused, and not over, where this machine calls itself', async () => {
    const { code, addresses } = (await home.post('/sync/pairing')).body
    const own = await home.post('/sync/pairing/join', { code, address: addresses[0], deviceName: 'L' })
    expect(refusalOf(own)).toEqual([409, 'pairing_refused', { reason: 'refused' }])
  })

  it('begins once when somebody joins twice at the same time', async () => {
    const { link } = (await home.post('/sync/pairing')).body
    const answers = await Promise.all([byLink(link), byLink(link)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409])
    const { body } = answers.find(({ status }) => status === 202)!
    expect((await stateOf(other, body.pairingId)).state).toBe('comparing')
  })

  it('ends for both when one person says that the numbers differ', async () => {
    const { inviterId, joinerId } = await beginPairing(home, other)
    expect((await other.post(`/sync/pairing/${joinerId}/confirm`, { matches: false })).body.state).toBe('failed')
    await until('the inviter hears of it', async () => (await stateOf(home, inviterId)).reason === 'not_matching')
    expect(await peersOf(home)).toEqual([])
    expect((await other.get('/sync/status')).body.state).toBe('off')
    const late = await home.post(`/sync/pairing/${inviterId}/confirm`, { matches: true })
    expect(refusalOf(late).slice(0, 2)).toEqual([410, 'pairing_expired'])
  })

  it('can be given up by either side', async () => {
    const { inviterId, joinerId } = await beginPairing(home, other)
    expect((await home.delete(`/sync/pairing/${inviterId}`)).body).toEqual({ pairingId: inviterId, state: 'failed' })
    await until('the joiner hears of it', async () => (await stateOf(other, joinerId)).reason === 'cancelled')
    const codes = await Promise.all([
      home.get(`/sync/pairing/${absent}`),
      home.delete(`/sync/pairing/${absent}`),
      home.post(`/sync/pairing/${absent}/confirm`, { matches: true }),
    ])
    expect(codes.map(({ status, body }) => `${status} ${body.error.code}`)).toEqual(
      codes.map(() => '404 pairing_not_found'),
    )
  })

  it('has one open invite: a new one ends the one before', async () => {
    const first = (await home.post('/sync/pairing')).body
    await home.post('/sync/pairing')
    expect(await stateOf(home, first.pairingId)).toMatchObject({ state: 'failed', reason: 'cancelled' })
    expect(refusalOf(await joining(first.code, first.addresses[0])).slice(0, 2)).toEqual([403, 'pairing_code_invalid'])
  })

  it('names fields of a join that are wrong, and says why nobody answered', async () => {
    const { body } = await joining('12', 'nowhere')
    expect(body.error.details.fieldErrors.map(({ field }: { field: string }) => field)).toEqual(['code', 'address'])
    const nothing = await other.post('/sync/pairing/join', {})
    const found = nothing.body.error.details.fieldErrors.map(({ field, code }: Record<string, string>) => [field, code])
    expect(new Map(found)).toEqual(
      new Map([
        ['deviceName', 'required'],
        ['code', 'required'],
        ['address', 'required'],
      ]),
    )
    const link = await other.post('/sync/pairing/join', { link: 'https://example.org/', deviceName: 'L' })
    expect(link.body.error.details.fieldErrors[0].field).toBe('link')
    expect(refusalOf(await joining('1234567', '127.0.0.1:1'))).toEqual([
      409,
      'pairing_refused',
      { reason: 'unreachable' },
    ])
  })

  it('needs a peer that is there', async () => {
    expect((await home.delete('/sync/peers/relay')).status).toBe(404)
    expect((await home.patch(`/sync/peers/${'a'.repeat(32)}`, { paused: true })).status).toBe(404)
  })

  it('is not a machine whose own workspace is empty and has nobody else', async () => {
    await other.post('/sync/enable')
    const before = (await other.get('/sync/status')).body.workspaceId
    await pair(home, other)
    const after = (await other.get('/sync/status')).body.workspaceId
    expect(after).toBe((await home.get('/sync/status')).body.workspaceId)
    expect(after).not.toBe(before)
  })
})

describe('pairing', () => {
  together()

  it('shows one number on both sides, and after both people confirmed two machines of one workspace', async () => {
    const { inviterId, joinerId, invite } = await beginPairing(home, other)
    const [here, there] = await Promise.all([stateOf(home, inviterId), stateOf(other, joinerId)])
    expect(here.comparison).toMatch(/^\d{6}$/)
    expect(there.comparison).toBe(here.comparison)
    expect([here.side, there.side]).toEqual(['inviter', 'joiner'])
    expect(here.peer.name).toBe('Laptop')
    expect(there.peer).toEqual({ name: 'Study', fingerprint: invite.fingerprint })

    await home.post(`/sync/pairing/${inviterId}/confirm`, { matches: true })
    expect((await peersOf(home)).length).toBe(0)
    await other.post(`/sync/pairing/${joinerId}/confirm`, { matches: true })
    await until('both are done', async () => {
      const states = [await stateOf(home, inviterId), await stateOf(other, joinerId)].map(({ state }) => state)
      return states.every((state) => state === 'done')
    })

    const [laptop] = await peersOf(home)
    const [study] = await peersOf(other)
    expect(laptop).toMatchObject({ kind: 'device', name: 'Laptop', role: 'admin', state: 'connected', via: 'direct' })
    expect(study).toMatchObject({ name: 'Study', fingerprint: invite.fingerprint, address: invite.addresses[0] })
    const [one, two] = [(await home.get('/sync/status')).body, (await other.get('/sync/status')).body]
    expect(two.workspaceId).toBe(one.workspaceId)
    expect(two.device.id).toBe(laptop.id)
    // Equal positions are not enough: the digests were compared.
    const proved = await until('both are equal', async () => {
      const { body } = await other.get('/sync/status')
      return body.state === 'up_to_date' ? body : undefined
    })
    expect(proved.proof.with).toEqual([{ id: study.id, name: 'Study' }])
  })

  it('is a machine of a workspace with others', async () => {
    const again = await joining('1234567', '127.0.0.1:1')
    expect(refusalOf(again)).toEqual([409, 'pairing_refused', { reason: 'workspace_not_empty' }])
  })

  it('connects again after both were started anew, and catches up', async () => {
    await Promise.all([home.restart(), other.restart()])
    // The system chose another port for the inviting machine.
    const { listening } = (await home.get('/sync/settings')).body
    const [study] = await peersOf(other)
    await other.patch(`/sync/peers/${study.id}`, { address: listening[0] })
    await until('they are connected', async () => (await peersOf(other))[0].state === 'connected')
    const barrier = await home.post('/sync/barrier', { on: 'all', timeoutMs: 10_000 })
    expect(barrier.body).toMatchObject({ reached: true, durableOn: [(await other.get('/sync/status')).body.device.id] })
  })

  it('is renamed everywhere, paused and connected again', async () => {
    const [laptop] = await peersOf(home)
    const renamed = await home.patch(`/sync/peers/${laptop.id}`, { name: 'Travelling' })
    expect(renamed.body.peer.name).toBe('Travelling')
    await until('the other one knows its name', async () => {
      const { device } = (await other.get('/sync/status')).body
      return device.name === 'Travelling'
    })
    expect((await home.patch(`/sync/peers/${laptop.id}`, { paused: true })).body.peer.state).toBe('paused')
    await until('the link ends', async () => (await peersOf(other))[0].state !== 'connected')
    expect((await home.get('/sync/status')).body.state).toBe('offline')
    await home.patch(`/sync/peers/${laptop.id}`, { paused: false })
    const [study] = await peersOf(other)
    await other.post(`/sync/peers/${study.id}/reconnect`)
    await until('they are connected', async () => (await peersOf(other))[0].state === 'connected')
    const bad = await other.patch(`/sync/peers/${study.id}`, { address: 'no port' })
    expect(bad.body.error.details.fieldErrors[0].field).toBe('address')
  })

  it('ends the connection and lets the machine in no more', async () => {
    const [laptop] = await peersOf(home)
    const { status, body } = await home.delete(`/sync/peers/${laptop.id}`)
    expect([status, body]).toEqual([200, { id: laptop.id, success: true }])
    expect((await peersOf(home))[0]).toMatchObject({ state: 'unpaired', via: null })
    const told = await until('the other one hears of it', async () => {
      const view = (await other.get('/sync/status')).body
      return view.state === 'attention' ? view : undefined
    })
    expect(told.reason).toBe('unpaired')
    const [study] = await peersOf(other)
    await other.post(`/sync/peers/${study.id}/reconnect`)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect((await peersOf(home))[0].state).toBe('unpaired')
    expect((await home.delete(`/sync/peers/${laptop.id}`)).status).toBe(404)
  })
})

describe('pairing of a machine', () => {
  together()

  it('goes on when somebody joins by the same link again', async () => {
    const { invite, inviterId, joinerId } = await beginPairing(home, other)
    const { comparison } = await stateOf(other, joinerId)
    const backups = (await other.get('/backups')).body.backups.length
    expect(refusalOf(await byLink(invite.link))).toEqual([409, 'pairing_refused', { reason: 'under_way' }])
    expect((await other.get('/backups')).body.backups).toHaveLength(backups)
    expect(await stateOf(other, joinerId)).toMatchObject({ state: 'comparing', comparison })
    expect((await stateOf(home, inviterId)).state).toBe('comparing')
    await home.post(`/sync/pairing/${inviterId}/confirm`, { matches: true })
    await other.post(`/sync/pairing/${joinerId}/confirm`, { matches: true })
    await until('both are done', async () => {
      const states = [await stateOf(home, inviterId), await stateOf(other, joinerId)].map(({ state }) => state)
      return states.every((state) => state === 'done')
    })
  })
})

describe('who may not be paired', () => {
  together()

  it('is a machine with an object or a record of its own', async () => {
    await other.defineObject('task', { title: { type: 'text' } })
    const invite = (await home.post('/sync/pairing')).body
    const answer = await joining(invite.code, invite.addresses[0])
    expect(refusalOf(answer)).toEqual([409, 'pairing_refused', { reason: 'workspace_not_empty' }])
  })

  it('is anybody while nobody may connect', async () => {
    await home.patch('/sync/settings', { listen: false })
    expect(refusalOf(await home.post('/sync/pairing'))).toEqual([409, 'pairing_refused', { reason: 'not_listening' }])
  })
})
