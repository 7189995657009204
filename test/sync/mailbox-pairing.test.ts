// Two real hosts that nobody can connect to, and a real relay that both can reach: they are paired in a mailbox of it, and
// every way that fails.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { findFreePort } from '../support/free-port.ts'
import type { MiddlemanRelay } from '../support/middleman-relay.ts'
import { startMiddlemanRelay } from '../support/middleman-relay.ts'
import { startRelayProcess } from '../support/relay-process.ts'
import type { RelayProcess } from '../support/relay-process.ts'
import { beginPairing, createSyncedHost, listen, pair, until } from '../support/synced-hosts.ts'

/** Where a relay is, and what lets a founder in. */
interface RelayPlace {
  readonly port: number
  readonly fingerprint: string
  readonly token: string
}

/** What a test works with; nothing of it is another one's. */
interface Scene {
  readonly home: TestHost
  readonly other: TestHost
  readonly dir: string
}

let sharedDir: string
let sharedRelay: RelayProcess
/** The relay of all tests that leave it alone. */
let shared: RelayPlace

beforeAll(async () => {
  sharedDir = mkdtempSync(join(tmpdir(), 'cairn-mailbox-'))
  const port = await findFreePort()
  sharedRelay = await startRelay(sharedDir, port)
  shared = { port, fingerprint: sharedRelay.fingerprint, token: sharedRelay.token }
})

afterAll(async () => {
  await sharedRelay?.end('SIGKILL')
  rmSync(sharedDir, { recursive: true, force: true })
})

async function startRelay(dir: string, port: number): Promise<RelayProcess> {
  const started = await startRelayProcess(['--data', join(dir, 'relay'), '--port', String(port)])
  if ('error' in started) throw new Error(started.error)
  return started
}

/** Gives a test two hosts of its own. */
const inScene =
  (work: (scene: Scene) => Promise<void>): (() => Promise<void>) =>
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'cairn-mailbox-'))
    const [home, other] = await Promise.all([createSyncedHost(), createSyncedHost()])
    try {
      await work({ home, other, dir })
    } finally {
      await Promise.all([home.stop(), other.stop()])
      rmSync(dir, { recursive: true, force: true })
    }
  }

/** Gives a test a relay that it may end and start again, and has the founder use it. */
const withOwnRelay = (
  work: (scene: Scene, relay: { end(): Promise<unknown>; start(): Promise<void> }) => Promise<void>,
): (() => Promise<void>) =>
  inScene(async (scene) => {
    const port = await findFreePort()
    let relay = await startRelay(scene.dir, port)
    try {
      await found(scene, { port, fingerprint: relay.fingerprint, token: relay.token })
      await work(scene, {
        end: () => relay.end('SIGKILL'),
        async start() {
          relay = await startRelay(scene.dir, port)
        },
      })
    } finally {
      await relay.end('SIGKILL')
    }
  })

/** The founder, who uses a relay and listens nowhere. */
async function found({ home }: Scene, place = shared): Promise<void> {
  const settings = {
    relayUrl: `wss://127.0.0.1:${place.port}`,
    relayFingerprint: place.fingerprint,
    relayToken: place.token,
  }
  expect((await home.patch('/sync/settings', settings)).status).toBe(200)
  expect((await home.post('/sync/enable', { deviceName: 'Study' })).status).toBe(202)
}

const stateOf = async (host: TestHost, id: string) => (await host.get(`/sync/pairing/${id}`)).body
const peersOf = async (host: TestHost) => (await host.get('/sync/peers')).body.peers
const titleAt = async (host: TestHost, id: string): Promise<string | undefined> =>
  (await host.get(`/data/task/${id}`)).body.record?.title
const wrong = (code: string): string => String((Number(code) + 1) % 10_000_000).padStart(7, '0')
const byLink = ({ other }: Scene, link: string) => other.post('/sync/pairing/join', { link, deviceName: 'Laptop' })
const byCode = ({ other }: Scene, code: string, address: string) =>
  other.post('/sync/pairing/join', { code, address, deviceName: 'Laptop' })
const refusalOf = ({ status, body }: { status: number; body: { error: { code: string; details: object } } }) => [
  status,
  body.error.code,
  body.error.details,
]

describe.concurrent('two machines that share only a relay', () => {
  it(
    'are paired through it, catch up, and follow each other',
    inScene(async (scene) => {
      const { home, other } = scene
      const { port, fingerprint } = shared
      await found(scene)
      await home.defineObject('task', { title: { type: 'text' } })
      const ids: string[] = []
      for (let index = 0; index < 5; index += 1)
        ids.push((await home.post('/data/task', { title: `before ${index}` })).body.record.id)

      const { invite, inviterId, joinerId } = await beginPairing(home, other)
      expect(invite.addresses).toEqual([])
      const [here, there] = await Promise.all([stateOf(home, inviterId), stateOf(other, joinerId)])
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
    }),
  )

  it(
    'are told where they meet, without a word of the code, and use it when the addresses lead nowhere',
    inScene(async (scene) => {
      const { home } = scene
      const { port, fingerprint } = shared
      await found(scene)
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
      const { status, body } = await byLink(scene, invite.link)
      expect([status, body.state]).toEqual([202, 'comparing'])
    }),
  )

  it(
    'are paired by the code and the mailbox that a person types',
    inScene(async (scene) => {
      const { home, other } = scene
      await found(scene)
      const { code, relay: mailbox, pairingId } = (await home.post('/sync/pairing')).body
      const { status, body } = await byCode(scene, code, mailbox.replace('wss://', '').toUpperCase())
      expect([status, body.state]).toEqual([202, 'comparing'])
      const here = await until('the inviter compares', async () => {
        const view = await stateOf(home, pairingId)
        return view.state === 'comparing' ? view : undefined
      })
      expect(here.comparison).toBe((await stateOf(other, body.pairingId)).comparison)
    }),
  )

  it(
    'dial each other later where the new one can be reached',
    inScene(async (scene) => {
      const { home, other } = scene
      await found(scene)
      await listen(other)
      await pair(home, other)
      const [address] = (await other.get('/sync/settings')).body.listening
      const laptop = await until('they are connected', async () => {
        const found = (await peersOf(home))[0]
        return found.via === 'direct' ? found : undefined
      })
      expect(laptop.address).toBe(address)
    }),
  )
})

describe.concurrent('a pairing in a mailbox', () => {
  it(
    'forgives two wrong codes and no third, and the mailbox is closed then',
    inScene(async (scene) => {
      const { home } = scene
      await found(scene)
      const { code, relay: mailbox, pairingId, link } = (await home.post('/sync/pairing')).body
      for (const triesLeft of [2, 1, 0])
        expect(refusalOf(await byCode(scene, wrong(code), mailbox))).toEqual([
          403,
          'pairing_code_invalid',
          { triesLeft },
        ])
      expect(await stateOf(home, pairingId)).toMatchObject({ state: 'failed', reason: 'too_many_tries' })
      expect(refusalOf(await byLink(scene, link))).toEqual([410, 'pairing_expired', { reason: 'used' }])
    }),
  )

  it(
    'is over with its invite, whoever knows the link',
    inScene(async (scene) => {
      const { home } = scene
      await found(scene)
      const first = (await home.post('/sync/pairing')).body
      const second = (await home.post('/sync/pairing')).body
      expect(second.relay).not.toBe(first.relay)
      expect(refusalOf(await byLink(scene, first.link))).toEqual([410, 'pairing_expired', { reason: 'used' }])
      await home.delete(`/sync/pairing/${second.pairingId}`)
      expect(refusalOf(await byLink(scene, second.link))).toEqual([410, 'pairing_expired', { reason: 'used' }])
    }),
  )

  it(
    'ends when sync is turned off',
    inScene(async (scene) => {
      const { home, other } = scene
      await found(scene)
      const { joinerId } = await beginPairing(home, other)
      await home.post('/sync/disable')
      const view = await until('the joiner hears of it', async () => {
        const found = await stateOf(other, joinerId)
        return found.state === 'failed' ? found : undefined
      })
      expect(view.reason).toBe('connection')
      expect((await other.get('/sync/status')).body.state).toBe('off')
    }),
  )

  it(
    'fails for both when the relay is gone, and can be begun anew',
    withOwnRelay(async (scene, relay) => {
      const { home, other } = scene
      const { inviterId, joinerId } = await beginPairing(home, other)
      await relay.end()
      const ended = await until('both have failed', async () => {
        const views = [await stateOf(home, inviterId), await stateOf(other, joinerId)]
        return views.every(({ state }) => state === 'failed') ? views : undefined
      })
      expect(ended.map(({ reason }) => reason)).toEqual(['connection', 'connection'])
      expect((await other.get('/sync/status')).body.state).toBe('off')
      await relay.start()
      await pair(home, other)
      expect((await other.get('/sync/status')).body.workspaceId).toBe((await home.get('/sync/status')).body.workspaceId)
    }),
  )

  it(
    'is not begun where the relay is the only way and not there',
    withOwnRelay(async (scene, relay) => {
      const { home } = scene
      await relay.end()
      const answer = await home.post('/sync/pairing')
      expect(refusalOf(answer)).toEqual([409, 'pairing_refused', { reason: 'relay_unreachable' }])
    }),
  )

  it(
    'goes on when the relay was gone between the invite and the visit',
    withOwnRelay(async (scene, relay) => {
      const { home } = scene
      const { link } = (await home.post('/sync/pairing')).body
      await relay.end()
      expect(refusalOf(await byLink(scene, link))).toEqual([409, 'pairing_refused', { reason: 'unreachable' }])
      await relay.start()
      const { body } = await until('the machine waits again', async () => {
        const answer = await byLink(scene, link)
        return answer.status === 202 ? answer : undefined
      })
      expect(body.state).toBe('comparing')
    }),
  )

  it(
    'goes on with whoever comes before the inviting machine is back at a relay that was started anew',
    withOwnRelay(async (scene, relay) => {
      const { link, relay: mailbox, code } = (await scene.home.post('/sync/pairing')).body
      await relay.end()
      // By then the inviting machine waits some seconds before it tries again.
      await pause(5_000)
      await relay.start()
      // A wrong code first: by link and by code they wait alike.
      const [early, later] = [await byCode(scene, wrong(code), mailbox), await byLink(scene, link)]
      expect(refusalOf(early)).toEqual([403, 'pairing_code_invalid', { triesLeft: 2 }])
      expect([later.status, later.body.state]).toEqual([202, 'comparing'])
    }),
  )

  it(
    'is over after a short wait where the inviting machine has given it up while the relay was gone',
    withOwnRelay(async (scene, relay) => {
      const { link, pairingId } = (await scene.home.post('/sync/pairing')).body
      await relay.end()
      await scene.home.delete(`/sync/pairing/${pairingId}`)
      await relay.start()
      expect(refusalOf(await byLink(scene, link))).toEqual([410, 'pairing_expired', { reason: 'used' }])
    }),
  )
})

describe.concurrent('a relay that puts itself between the two', () => {
  /** Gives a test such a relay, and an invite that is kept there. */
  const withMiddleman = (
    how: 'replace' | 'flip',
    work: (
      scene: Scene,
      invite: { readonly code: string; readonly link: string; readonly relay: string; readonly pairingId: string },
      middleman: MiddlemanRelay,
    ) => Promise<void>,
  ): (() => Promise<void>) =>
    inScene(async (scene) => {
      const middleman = await startMiddlemanRelay(join(scene.dir, 'middleman'), how)
      try {
        await found(scene, { ...middleman, token: 'not-looked-at' })
        await work(scene, (await scene.home.post('/sync/pairing')).body, middleman)
      } finally {
        await middleman.close()
      }
    })

  it(
    'is another device than the one of the link',
    withMiddleman('replace', async (scene, { link, pairingId }) => {
      const { home } = scene
      expect(refusalOf(await byLink(scene, link))).toEqual([409, 'pairing_refused', { reason: 'wrong_peer' }])
      expect((await stateOf(home, pairingId)).state).toBe('waiting')
    }),
  )

  it(
    'cannot show a code it was not told',
    withMiddleman('replace', async (scene, { code, relay: mailbox }) => {
      expect(refusalOf(await byCode(scene, code, mailbox)).slice(0, 2)).toEqual([403, 'pairing_code_invalid'])
    }),
  )

  it(
    'is seen by two people that compare, even when it has found the code',
    withMiddleman('replace', async (scene, { code, relay: mailbox, pairingId }, middleman) => {
      const { home, other } = scene
      middleman.tell(code)
      const { status, body } = await byCode(scene, code, mailbox)
      expect([status, body.state]).toEqual([202, 'comparing'])
      const here = await until('the inviter compares', async () => {
        const view = await stateOf(home, pairingId)
        return view.state === 'comparing' ? view : undefined
      })
      const there = await stateOf(other, body.pairingId)
      expect(here.comparison).toMatch(/^\d{6}$/)
      expect(there.comparison).toMatch(/^\d{6}$/)
      expect(there.comparison).not.toBe(here.comparison)
    }),
  )

  it(
    'breaks the connection when it changes a byte',
    withMiddleman('flip', async (scene, { link, pairingId }) => {
      const { home } = scene
      const [status, code, details] = refusalOf(await byLink(scene, link))
      expect([status, code]).toEqual([409, 'pairing_refused'])
      expect(['protocol', 'unreachable', 'refused']).toContain((details as { reason: string }).reason)
      expect((await stateOf(home, pairingId)).state).toBe('waiting')
    }),
  )
})
