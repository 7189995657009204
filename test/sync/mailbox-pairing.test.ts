// Two real hosts that nobody can connect to, and a real relay that both can reach: they are paired in a mailbox of it, and
// every way that fails.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { findFreePort } from '../support/free-port.ts'
import type { MiddlemanRelay } from '../support/middleman-relay.ts'
import { startMiddlemanRelay } from '../support/middleman-relay.ts'
import { startRelayProcess } from '../support/relay-process.ts'
import type { RelayProcess } from '../support/relay-process.ts'
import { beginPairing, listen, pair, until } from '../support/synced-hosts.ts'

let home: TestHost
let other: TestHost
let dir: string
let port: number
let relay: RelayProcess | undefined

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-mailbox-'))
  ;[home, other, port] = await Promise.all([createTestHost(), createTestHost(), findFreePort()])
})

afterEach(async () => {
  await Promise.all([home.stop(), other.stop()])
  await relay?.end('SIGKILL')
  relay = undefined
  rmSync(dir, { recursive: true, force: true })
})

async function startRelay(): Promise<RelayProcess> {
  const started = await startRelayProcess(['--data', join(dir, 'relay'), '--port', String(port)])
  if ('error' in started) throw new Error(started.error)
  relay = started
  return started
}

/** The founder, who uses a relay and listens nowhere. */
async function found(place: { fingerprint: string; token: string; port: number }): Promise<void> {
  const settings = {
    relayUrl: `wss://127.0.0.1:${place.port}`,
    relayFingerprint: place.fingerprint,
    relayToken: place.token,
  }
  expect((await home.patch('/sync/settings', settings)).status).toBe(200)
  expect((await home.post('/sync/enable', { deviceName: 'Study' })).status).toBe(202)
}

async function foundWithRelay(): Promise<RelayProcess> {
  const started = await startRelay()
  await found({ fingerprint: started.fingerprint, token: started.token, port })
  return started
}

const stateOf = async (host: TestHost, id: string) => (await host.get(`/sync/pairing/${id}`)).body
const peersOf = async (host: TestHost) => (await host.get('/sync/peers')).body.peers
const titleAt = async (host: TestHost, id: string): Promise<string | undefined> =>
  (await host.get(`/data/task/${id}`)).body.record?.title
const wrong = (code: string): string => String((Number(code) + 1) % 10_000_000).padStart(7, '0')
const byLink = (link: string) => other.post('/sync/pairing/join', { link, deviceName: 'Laptop' })
const byCode = (code: string, address: string) =>
  other.post('/sync/pairing/join', { code, address, deviceName: 'Laptop' })
const refusalOf = ({ status, body }: { status: number; body: { error: { code: string; details: object } } }) => [
  status,
  body.error.code,
  body.error.details,
]

describe('two machines that share only a relay', () => {
  it('are paired through it, catch up, and follow each other', { timeout: 40_000 }, async () => {
    const { fingerprint } = await foundWithRelay()
    await home.defineObject('task', { title: { type: 'text' } })
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1)
      ids.push((await home.post('/data/task', { title: `before ${index}` })).body.record.id)

    const { invite, inviterId, joinerId } = await beginPairing(home, other)
    expect(invite.addresses).toEqual([])
    const [here, there] = await Promise.all([
      until('the inviter compares', async () => {
        const view = await stateOf(home, inviterId)
        return view.state === 'comparing' ? view : undefined
      }),
      stateOf(other, joinerId),
    ])
    expect(here.comparison).toMatch(/^\d{6}$/)
    expect(there.comparison).toBe(here.comparison)
    expect(here.peer.name).toBe('Laptop')
    expect(there.peer).toEqual({ name: 'Study', fingerprint: invite.fingerprint })

    await home.post(`/sync/pairing/${inviterId}/confirm`, { matches: true })
    await other.post(`/sync/pairing/${joinerId}/confirm`, { matches: true })
    await until('both are done', async () => {
      const states = [await stateOf(home, inviterId), await stateOf(other, joinerId)].map(({ state }) => state)
      return states.every((state) => state === 'done')
    })
    expect((await other.get('/sync/settings')).body.settings).toMatchObject({
      relayUrl: `wss://127.0.0.1:${port}`,
      relayFingerprint: fingerprint,
      relayToken: null,
      listen: false,
    })
    await until('all of it arrives', async () => {
      const titles = await Promise.all(ids.map((id) => titleAt(other, id)))
      return titles.every((title, index) => title === `before ${index}`)
    })
    const [study] = await peersOf(other)
    expect(study).toMatchObject({ name: 'Study', address: null, via: 'relay' })

    await other.patch(`/data/task/${ids[0]!}`, { title: 'changed there' })
    await home.patch(`/data/task/${ids[1]!}`, { title: 'changed here' })
    await until('the change comes back', async () => (await titleAt(home, ids[0]!)) === 'changed there')
    await until('the change goes over', async () => (await titleAt(other, ids[1]!)) === 'changed here')
  })

  it('are told where they meet, without a word of the code, and use it when the addresses lead nowhere', async () => {
    const { fingerprint } = await foundWithRelay()
    await listen(home)
    const invite = (await home.post('/sync/pairing')).body
    expect(invite.addresses).toHaveLength(1)
    expect(invite.relay).toMatch(new RegExp(`^wss://127\\.0\\.0\\.1:${port}/([0-9a-z]{4}-){3}[0-9a-z]{4}$`))
    const [place, secrets] = invite.link.split('#')
    const box = invite.relay.split('/').at(-1)
    expect(new URLSearchParams(secrets).get('p')).toBe(fingerprint)
    expect(new URLSearchParams(secrets).get('m')).toBe(box)
    expect(place).not.toContain(invite.code)
    expect(place).not.toContain(box)
    await home.patch('/sync/settings', { listen: false })
    const { status, body } = await byLink(invite.link)
    expect([status, body.state]).toEqual([202, 'comparing'])
  })

  it('are paired by the code and the mailbox that a person types', async () => {
    await foundWithRelay()
    const { code, relay: mailbox, pairingId } = (await home.post('/sync/pairing')).body
    const { status, body } = await byCode(code, mailbox.replace('wss://', '').toUpperCase())
    expect([status, body.state]).toEqual([202, 'comparing'])
    const here = await until('the inviter compares', async () => {
      const view = await stateOf(home, pairingId)
      return view.state === 'comparing' ? view : undefined
    })
    expect(here.comparison).toBe((await stateOf(other, body.pairingId)).comparison)
  })

  it('dial each other later where the new one can be reached', async () => {
    await foundWithRelay()
    await listen(other)
    await pair(home, other)
    const [address] = (await other.get('/sync/settings')).body.listening
    const laptop = await until('they are connected', async () => {
      const found = (await peersOf(home))[0]
      return found.via === 'direct' ? found : undefined
    })
    expect(laptop.address).toBe(address)
  })
})

describe('a pairing in a mailbox', () => {
  it('forgives two wrong codes and no third, and the mailbox is closed then', async () => {
    await foundWithRelay()
    const { code, relay: mailbox, pairingId, link } = (await home.post('/sync/pairing')).body
    for (const triesLeft of [2, 1, 0])
      expect(refusalOf(await byCode(wrong(code), mailbox))).toEqual([403, 'pairing_code_invalid', { triesLeft }])
    expect(await stateOf(home, pairingId)).toMatchObject({ state: 'failed', reason: 'too_many_tries' })
    expect(refusalOf(await byLink(link))).toEqual([410, 'pairing_expired', { reason: 'used' }])
  })

  it('is over with its invite, whoever knows the link', async () => {
    await foundWithRelay()
    const first = (await home.post('/sync/pairing')).body
    const second = (await home.post('/sync/pairing')).body
    expect(second.relay).not.toBe(first.relay)
    expect(refusalOf(await byLink(first.link))).toEqual([410, 'pairing_expired', { reason: 'used' }])
    await home.delete(`/sync/pairing/${second.pairingId}`)
    expect(refusalOf(await byLink(second.link))).toEqual([410, 'pairing_expired', { reason: 'used' }])
  })

  it('ends when sync is turned off', async () => {
    await foundWithRelay()
    const { joinerId } = await beginPairing(home, other)
    await home.post('/sync/disable')
    const view = await until('the joiner hears of it', async () => {
      const found = await stateOf(other, joinerId)
      return found.state === 'failed' ? found : undefined
    })
    expect(view.reason).toBe('connection')
    expect((await other.get('/sync/status')).body.state).toBe('off')
  })

  it('fails for both when the relay is gone, and can be begun anew', async () => {
    const first = await foundWithRelay()
    const { inviterId, joinerId } = await beginPairing(home, other)
    await first.end('SIGKILL')
    const ended = await until('both have failed', async () => {
      const views = [await stateOf(home, inviterId), await stateOf(other, joinerId)]
      return views.every(({ state }) => state === 'failed') ? views : undefined
    })
    expect(ended.map(({ reason }) => reason)).toEqual(['connection', 'connection'])
    expect((await other.get('/sync/status')).body.state).toBe('off')
    await startRelay()
    await pair(home, other)
    expect((await other.get('/sync/status')).body.workspaceId).toBe((await home.get('/sync/status')).body.workspaceId)
  })

  it('is not begun where the relay is the only way and not there', async () => {
    await (await foundWithRelay()).end('SIGKILL')
    const answer = await home.post('/sync/pairing')
    expect(refusalOf(answer)).toEqual([409, 'pairing_refused', { reason: 'relay_unreachable' }])
  })

  it('goes on when the relay was gone between the invite and the visit', async () => {
    const first = await foundWithRelay()
    const { link } = (await home.post('/sync/pairing')).body
    await first.end('SIGKILL')
    expect(refusalOf(await byLink(link))).toEqual([409, 'pairing_refused', { reason: 'unreachable' }])
    await startRelay()
    const { body } = await until('the machine waits again', async () => {
      const answer = await byLink(link)
      return answer.status === 202 ? answer : undefined
    })
    expect(body.state).toBe('comparing')
  })
})

describe('a relay that puts itself between the two', () => {
  let middleman: MiddlemanRelay

  afterEach(async () => {
    await middleman.close()
  })

  async function invite(how: 'replace' | 'flip') {
    middleman = await startMiddlemanRelay(join(dir, 'middleman'), how)
    await found({ ...middleman, token: 'not-looked-at' })
    return (await home.post('/sync/pairing')).body
  }

  it('is another device than the one of the link', async () => {
    const { link, pairingId } = await invite('replace')
    expect(refusalOf(await byLink(link))).toEqual([409, 'pairing_refused', { reason: 'wrong_peer' }])
    expect((await stateOf(home, pairingId)).state).toBe('waiting')
  })

  it('cannot show a code it was not told', async () => {
    const { code, relay: mailbox } = await invite('replace')
    expect(refusalOf(await byCode(code, mailbox)).slice(0, 2)).toEqual([403, 'pairing_code_invalid'])
  })

  it('is seen by two people that compare, even when it has found the code', async () => {
    const { code, relay: mailbox, pairingId } = await invite('replace')
    middleman.tell(code)
    const { status, body } = await byCode(code, mailbox)
    expect([status, body.state]).toEqual([202, 'comparing'])
    const here = await until('the inviter compares', async () => {
      const view = await stateOf(home, pairingId)
      return view.state === 'comparing' ? view : undefined
    })
    const there = await stateOf(other, body.pairingId)
    expect(here.comparison).toMatch(/^\d{6}$/)
    expect(there.comparison).toMatch(/^\d{6}$/)
    expect(there.comparison).not.toBe(here.comparison)
  })

  it('breaks the connection when it changes a byte', async () => {
    const { link, pairingId } = await invite('flip')
    const [status, code, details] = refusalOf(await byLink(link))
    expect([status, code]).toEqual([409, 'pairing_refused'])
    expect(['protocol', 'unreachable', 'refused']).toContain((details as { reason: string }).reason)
    expect((await stateOf(home, pairingId)).state).toBe('waiting')
  })
})
