// Refusals between programs that only meet at a relay, and never at the same time: what was written without a right is listed
// where it was written, whichever of the two is killed in between.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startChildServer } from '../safety/child-server.ts'
import type { ChildServer } from '../safety/child-server.ts'
import { findFreePort } from '../support/free-port.ts'
import { startRelayProcess } from '../support/relay-process.ts'
import type { RelayProcess } from '../support/relay-process.ts'
import type { PairingHost } from '../support/synced-hosts.ts'
import { pair, until as untilShort } from '../support/synced-hosts.ts'

/** Programs are started anew meanwhile, beside other work. */
const until: typeof untilShort = (what, look) => untilShort(what, look, 60_000)

type Program = ReturnType<typeof createProgram>

let root: string
let relay: RelayProcess
let desk: Program
let laptop: Program
let ann: string

function createProgram(dataDir: string) {
  let server: ChildServer | undefined
  const call = async (method: string, path: string, body?: unknown) => {
    const { status, text } = await server!.call(method, `/api/v1${path}`, body)
    return { status, body: text === '' ? undefined : JSON.parse(text) }
  }
  return {
    call,
    get: (path: string) => call('GET', path),
    post: (path: string, body?: unknown) => call('POST', path, body ?? {}),
    async start() {
      server = await startChildServer({ dataDir })
    },
    async kill() {
      await server?.end('SIGKILL')
      server = undefined
    },
  } satisfies PairingHost & Record<string, unknown>
}

async function done(program: Program, method: string, path: string, body?: unknown) {
  const answer = await program.call(method, path, body)
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
  return answer.body
}

const refused = async () => (await laptop.get('/sync/conflicts?kind=refused')).body.conflicts
const atRelay = (program: Program) =>
  until('the relay has it all', async () => {
    const { body } = await program.post('/sync/barrier', { on: 'relay', timeoutMs: 10_000 })
    return body.reached === true
  })

/** Lets the person of the laptop edit parts at the desk, or only read them. */
const allow = (allowEdit: boolean) =>
  done(desk, 'PUT', '/meta/profile/works', {
    type: 'profile',
    name: 'works',
    item: {
      name: 'works',
      label: 'Works',
      objects: { '*': { allowRead: true, allowEdit, modifyAllRecords: allowEdit } },
    },
  })

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cairn-refused-'))
  const port = await findFreePort()
  const started = await startRelayProcess(['--data', join(root, 'relay'), '--port', String(port)])
  if ('error' in started) throw new Error(started.error)
  relay = started
  desk = createProgram(join(root, 'desk'))
  laptop = createProgram(join(root, 'laptop'))
  await Promise.all([desk.start(), laptop.start()])
  await allow(true)
  const item = { name: 'part', label: 'Part', fields: { title: { type: 'text' } } }
  await done(desk, 'PUT', '/meta/object/part', { type: 'object', name: 'part', item })
  const { user } = await done(desk, 'POST', '/auth/admin/create-user', {
    ...{ name: 'Ann', email: 'ann@example.org', password: 'a long enough pass phrase' },
  })
  ann = user.id
  await done(desk, 'PUT', `/permissions/assignments/${ann}`, { profile: 'works', roles: [], permissionSets: [] })
  await done(desk, 'PATCH', '/sync/settings', {
    ...{ relayUrl: `wss://127.0.0.1:${port}`, relayFingerprint: relay.fingerprint, relayToken: relay.token },
  })
  await done(desk, 'POST', '/sync/enable', { deviceName: 'Desk' })
  await until('the relay is there', async () => {
    const { peers } = (await desk.get('/sync/peers')).body
    return peers.some(({ id, state }: { id: string; state: string }) => id === 'relay' && state === 'connected')
  })
  await pair(desk, laptop, 'Laptop', { user: ann, role: 'member' })
}, 240_000)

afterAll(async () => {
  await desk?.kill()
  await laptop?.kill()
  await relay?.end('SIGKILL')
  rmSync(root, { recursive: true, force: true })
}, 60_000)

it('reach the writer through a relay, with kills in between, and go once the right is there', async () => {
  const { id } = await done(desk, 'POST', '/data/part', { title: 'Bolt' })
  await until('the laptop has it', async () => (await laptop.get(`/data/part/${id}`)).status === 200)
  await allow(false)
  await desk.kill()
  await done(laptop, 'PATCH', `/data/part/${id}`, { title: 'Nut' })
  await laptop.kill()
  await laptop.start()
  await atRelay(laptop)
  await laptop.kill()
  await desk.start()
  await until('it lies aside', async () => (await desk.get('/sync/problems')).body.total === 1)
  await desk.kill()
  await desk.start()
  await atRelay(desk)
  await desk.kill()
  await laptop.start()
  const [conflict] = await until('it is listed', async () => {
    const found = await refused()
    return found.length > 0 && found
  })
  expect(conflict).toMatchObject({
    ...{ recordId: id, winner: { value: { title: 'Bolt' }, device: { name: 'Desk' } } },
    ...{ losers: [{ value: { title: 'Nut' } }], refusal: { code: 'edit' } },
  })
  expect((await laptop.get('/sync/status')).body).toMatchObject({ reason: 'not_accepted', counts: { refused: 1 } })
  await laptop.kill()
  await laptop.start()
  expect(await refused()).toHaveLength(1)
  await laptop.kill()
  await desk.start()
  await allow(true)
  await until('it is accepted', async () => (await desk.get(`/data/part/${id}`)).body.record.title === 'Nut')
  // What a read shows may not be on disk yet, and is not sent before; an acknowledged write comes after it.
  await done(desk, 'POST', '/data/part', { title: 'Another' })
  await atRelay(desk)
  await desk.kill()
  await laptop.start()
  await until('nothing is refused any more', async () => (await refused()).length === 0)
}, 240_000)
