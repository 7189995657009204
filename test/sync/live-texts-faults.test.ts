// What breaks and what is broken on purpose in a text that is open on two machines: a host that is killed, a machine that
// sends what it may not, people who may not read (design of sync, section 8; safety S3, S5, S6).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as Y from 'yjs'
import { describe, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { cairnEntry, startChildServer } from '../safety/child-server.ts'
import type { ChildServer } from '../safety/child-server.ts'
import { createAuthHost } from '../support/auth-host.ts'
import type { Answer, TestHost } from '../support/create-test-host.ts'
import { pairHostileDevice } from '../support/hostile-device.ts'
import { askForText, editText } from '../support/live-text-client.ts'
import type { Door, Place, TextClient } from '../support/live-text-client.ts'
import { createSyncedHost, listen, pair, startFounder, until, withoutBackups } from '../support/synced-hosts.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'
import { sized } from '../support/test-size.ts'

const doorOf = ({ url, token }: { readonly url: string; readonly token: string }): Door => ({
  url,
  headers: { authorization: `Bearer ${token}` },
})

const definition = { type: 'object', name: 'page', item: { name: 'page', fields: { body: { type: 'markdown' } } } }

async function newPage(host: Pick<TestHost, 'post'>, body: string): Promise<Place> {
  const made = await host.post('/data/page', { body })
  return { object: 'page', recordId: made.body.id as string, field: 'body' }
}

/** Calls of a host in a process of its own. */
function callsOf(server: () => ChildServer): Pick<TestHost, 'get' | 'post' | 'patch'> {
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const { status, text } = await server().call(method, `/api/v1${path}`, body)
    return { status, body: text === '' ? undefined : JSON.parse(text), headers: new Headers() }
  }
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
  }
}

describe('a host that is killed', () => {
  it('loses nothing a client still has, and nothing older than 300 ms besides; the other machine goes on', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-live-'))
    const desk = await startFounder('Desk')
    const clients: TextClient[] = []
    let server = await startChildServer({ dataDir, entry: cairnEntry })
    try {
      const laptop = callsOf(() => server)
      await desk.put('/meta/object/page', definition)
      await pair(desk, laptop as TestHost)
      const place = await newPage(desk, '')
      const rowOf = async (host: Pick<TestHost, 'get'>): Promise<string> =>
        (await host.get(`/data/page/${place.recordId}`)).body.record?.body ?? ''
      await until('it is on both', async () => (await laptop.get(`/data/page/${place.recordId}`)).status === 200)
      const door = doorOf(server)
      const [here, there] = [await editText(doorOf(desk.host), place), await editText(door, place)]
      clients.push(here, there)
      const rounds = sized(1, 2)
      const typed: { word: string; at: number }[] = []
      for (let round = 0; round < rounds; round += 1) {
        const began = performance.now()
        while (performance.now() - began < 900) {
          const word = `w${typed.length} `
          there.insert(there.text().length, word)
          typed.push({ word, at: performance.now() })
          await pause(7)
        }
        const killedAt = performance.now()
        await server.end('SIGKILL')
        server = await startChildServer({ dataDir, entry: cairnEntry })
        const stored = await rowOf(laptop)
        // A write takes a moment of its own after the 300 ms.
        const old = typed.filter(({ at }) => at < killedAt - 300 - 250)
        for (const { word } of old) expect(stored, `round ${round}`).toContain(word)
        Object.assign(door, doorOf(server))
        await there.until(() => there.live.state.phase === 'open' && there.live.state.isStored, 20_000)
        for (const { word } of typed) expect(await rowOf(laptop)).toContain(word)
        await until('both have it', async () => (await rowOf(desk)) === there.text(), 30_000)
      }
      here.insert(0, 'Here ')
      await until('both have it', async () => {
        const texts = new Set([await rowOf(desk), await rowOf(laptop), here.text(), there.text()])
        return texts.size === 1 && here.text().startsWith('Here ')
      })
      // Each word once, though the other machine had letters the killed one did not.
      const words = here
        .text()
        .split(' ')
        .filter((word) => word.startsWith('w'))
      expect(words.toSorted()).toEqual(typed.map(({ word }) => word.trim()).toSorted())
    } finally {
      for (const client of clients) client.close()
      await server.end('SIGKILL')
      await desk.stop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  }, 120_000)
})

describe('letters typed on both machines while one is killed', () => {
  it('are there once each, also those the other machine has stored before their window brings them', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-live-'))
    const desk = await startFounder('Desk')
    const clients: TextClient[] = []
    let server = await startChildServer({ dataDir, entry: cairnEntry })
    try {
      const laptop = callsOf(() => server)
      await desk.put('/meta/object/page', definition)
      await pair(desk, laptop as TestHost)
      const place = await newPage(desk, '')
      const rowOf = async (host: Pick<TestHost, 'get'>): Promise<string> =>
        (await host.get(`/data/page/${place.recordId}`)).body.record?.body ?? ''
      await until('it is on both', async () => (await laptop.get(`/data/page/${place.recordId}`)).status === 200)
      const door = doorOf(server)
      const [here, there] = [await editText(doorOf(desk.host), place), await editText(door, place)]
      clients.push(here, there)
      const typed: string[] = []
      /** Types at the end of a text and now and then at its beginning, until it is told to stop. */
      const typing = (client: TextClient, mark: string): { stop(): Promise<void> } => {
        let isOver = false
        const run = async (): Promise<void> => {
          for (let count = 0; !isOver; count += 1) {
            const word = `${mark}${typed.length} `
            client.insert(count % 3 === 0 ? 0 : client.text().length, word)
            typed.push(word.trim())
            await pause(11)
          }
        }
        const running = run()
        return {
          stop() {
            isOver = true
            return running
          },
        }
      }
      const rounds = sized(1, 6)
      for (let round = 0; round < rounds; round += 1) {
        const both = [typing(here, 'h'), typing(there, 't')]
        await pause(700 + 130 * round)
        await server.end('SIGKILL')
        // The other machine stores what it had live, while the window of the killed one still holds the same.
        await pause(600)
        server = await startChildServer({ dataDir, entry: cairnEntry })
        Object.assign(door, doorOf(server))
        await there.until(() => there.live.state.phase === 'open', 20_000)
        await pause(300)
        await Promise.all(both.map((one) => one.stop()))
        await until(
          'all have one text',
          async () => new Set([await rowOf(desk), await rowOf(laptop), here.text(), there.text()]).size === 1,
          30_000,
        )
        const words = here.text().split(' ').filter(Boolean)
        const doubled = words.filter((word, at) => words.indexOf(word) !== at)
        const lost = typed.filter((word) => !words.includes(word))
        const strange = words.filter((word) => !typed.includes(word))
        expect({ round, doubled, lost, strange }).toEqual({ round, doubled: [], lost: [], strange: [] })
      }
    } finally {
      for (const client of clients) client.close()
      await server.end('SIGKILL')
      await desk.stop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  }, 300_000)
})

describe('a machine that sends what it may not', () => {
  it('changes nothing in an open text, and is not heard for a while', async () => {
    const desk = await startFounder('Desk')
    const clients: TextClient[] = []
    try {
      await desk.put('/meta/object/page', definition)
      const place = await newPage(desk, 'untouched')
      const hostile = await pairHostileDevice(desk, 'member')
      const client = await editText(doorOf(desk.host), place)
      clients.push(client)
      const schema = desk.host.plugins.service('metadata')!.objectSchema('page')!
      const field = schema.byName.get('body')!.uid
      const doc = formatDocName({ kind: 'text', object: schema.uid, record: place.recordId, field })
      const state = (): Uint8Array => {
        const sql = 'SELECT state FROM sync_doc WHERE name = ?'
        return desk.host.database.read.get(statement<{ state: Uint8Array }>(sql, [doc]))!.state
      }
      const inc = desk.host.database.read.get(statement<{ inc: number }>('SELECT inc FROM sync_workspace'))!.inc
      /** An update of the text as somebody makes it. */
      const updateAs = (clientId: number, change: (copy: Y.Doc) => void): Uint8Array => {
        const copy = new Y.Doc()
        Y.applyUpdate(copy, state())
        copy.clientID = clientId
        const before = Y.encodeStateVector(copy)
        change(copy)
        return Y.encodeStateAsUpdate(copy, before)
      }
      const type = (copy: Y.Doc): void => copy.getText('t').insert(0, 'evil ')
      const raw = await hostile.connect()
      await until('the host greets', () => raw.of('AUTH').length > 0)
      const heard = async (): Promise<void> => {
        const pongs = raw.of('PONG').length
        raw.say({ kind: 'PING', id: pongs })
        await until('the host has read it', () => raw.of('PONG').length > pongs)
      }

      raw.say({ kind: 'LIVE', doc, update: updateAs(41, (copy) => copy.getText('t').insert(9, ' by live')) })
      await client.until(() => client.text() === 'untouched by live')

      const own = client.live.session!.awareness.clientID
      const gap = (): Uint8Array => {
        const updates: Uint8Array[] = []
        const copy = new Y.Doc()
        copy.clientID = 42
        copy.on('update', (update: Uint8Array) => updates.push(update))
        copy.getText('t').insert(0, 'a')
        copy.getText('t').insert(1, 'b')
        return updates[1]!
      }
      const bad: Uint8Array[] = [
        updateAs(own, type),
        updateAs(inc, type),
        gap(),
        updateAs(43, (copy) => copy.getMap('other').set('a', 1)),
        updateAs(44, (copy) => copy.getText('t').insertEmbed(0, { image: 'x' })),
        updateAs(45, (copy) => copy.getText('t').format(0, 3, { bold: true })),
        updateAs(46, (copy) => copy.getText('t').insert(0, 'x'.repeat(200_000))).subarray(0, 150_000),
        new Uint8Array([1, 2, 3]),
      ]
      for (const update of bad) raw.say({ kind: 'LIVE', doc, update })
      raw.say({
        kind: 'LIVE',
        doc: doc.replace(place.recordId, '0190f2a4-0000-7000-8000-0000000000ff'),
        update: updateAs(47, type),
      })
      raw.say({ kind: 'LIVE', doc: 'no name', update: updateAs(47, type) })
      raw.say({ kind: 'AWARE', doc, update: new Uint8Array([255, 255, 255]) })
      await heard()
      expect(client.text()).toBe('untouched by live')

      // Twenty that are not usable in a minute: what is right is not heard either, and the log is.
      for (let at = 0; at < 30; at += 1) raw.say({ kind: 'LIVE', doc, update: new Uint8Array([1, 2, 3]) })
      raw.say({ kind: 'LIVE', doc, update: updateAs(48, type) })
      const more = updateAs(49, type)
      for (let at = 0; at < 3_000; at += 1) raw.say({ kind: 'LIVE', doc, update: more })
      await heard()
      expect(client.text()).toBe('untouched by live')

      client.insert(0, 'Still ')
      await client.until(() => client.live.state.isStored)
      const { record } = (await desk.get(`/data/page/${place.recordId}`)).body
      expect(record.body).toBe('Still untouched by live')
      const stored = new Y.Doc()
      Y.applyUpdate(stored, state())
      expect(stored.getText('t').toJSON()).toBe('Still untouched by live')
      expect(stored.store.pendingStructs).toBe(null)
    } finally {
      for (const client of clients) client.close()
      await desk.stop()
    }
  }, 60_000)

  it('of a person who may not edit here is not heard', async () => {
    const desk = await createPeopledHost({ users: [{}] }, withoutBackups)
    const clients: TextClient[] = []
    try {
      await desk.saveItem('profile', 'readonly', { label: 'Look only', objects: { '*': { allowRead: true } } })
      await listen(desk)
      await desk.post('/sync/enable', { deviceName: 'Desk' })
      await desk.put('/meta/object/page', definition)
      const place = await newPage(desk, 'untouched')
      const client = await editText(doorOf(desk.host), place)
      clients.push(client)
      const schema = desk.host.plugins.service('metadata')!.objectSchema('page')!
      const field = schema.byName.get('body')!.uid
      const doc = formatDocName({ kind: 'text', object: schema.uid, record: place.recordId, field })
      const say = async (user: string | undefined, clientId: number, text: string): Promise<void> => {
        const raw = await (await pairHostileDevice(desk, 'member', user)).connect()
        await until('the host greets', () => raw.of('AUTH').length > 0)
        const copy = new Y.Doc()
        copy.clientID = clientId
        copy.getText('t').insert(0, text)
        raw.say({ kind: 'LIVE', doc, update: Y.encodeStateAsUpdate(copy) }, { kind: 'PING', id: clientId })
        await until('the host has read it', () => raw.of('PONG').some(({ id }) => id === clientId))
      }
      await desk.assign(0, { profile: 'readonly' })
      await say(testUserId(0), 51, 'evil ')
      await say(undefined, 52, 'may ')
      await client.until(() => client.text().includes('may '))
      expect(client.text()).not.toContain('evil')
    } finally {
      for (const client of clients) client.close()
      await desk.stop()
    }
  }, 60_000)
})

describe('people of the other machine', () => {
  it('who may not read a text get none of its letters, and who may only read get them all', async () => {
    const desk = await createAuthHost()
    const laptop = await createSyncedHost()
    const clients: TextClient[] = []
    try {
      await listen(desk)
      await desk.post('/sync/enable', { deviceName: 'Desk' })
      await desk.put('/meta/object/page', definition)
      const doors: Record<string, Door> = {}
      for (const [name, fields] of [
        ['reader', undefined],
        ['blind', { 'page.body': { readable: false, editable: false } }],
      ] as const) {
        const { id } = await desk.account(name)
        const item = {
          name: `set_${name}`,
          label: name,
          objects: { page: { allowRead: true } },
          ...(fields ? { fields } : {}),
        }
        await desk.put(`/meta/permission/${item.name}`, { type: 'permission', name: item.name, item })
        const given = { profile: 'guest', roles: [], permissionSets: [item.name] }
        expect((await desk.put(`/permissions/assignments/${id}`, given)).status).toBe(200)
        doors[name] = { url: desk.host.url, headers: { authorization: `Bearer ${await desk.signIn(name)}` } }
      }
      await pair(desk, laptop)
      const place = await newPage(desk, 'Hello')
      await until('it is on both', async () => (await laptop.get(`/data/page/${place.recordId}`)).status === 200)
      const blind = await askForText(doors['blind']!, place)
      expect([blind.status, blind.body.error.code]).toEqual([404, 'sync_document_not_found'])
      const [there, reader] = [await editText(doorOf(laptop.host), place), await editText(doors['reader']!, place)]
      clients.push(there, reader)
      expect(reader.live.state.isReadOnly).toBe(true)
      there.insert(5, ' world')
      await reader.until(() => reader.text() === 'Hello world')
    } finally {
      for (const client of clients) client.close()
      await laptop.stop()
      await desk.stop()
    }
  }, 60_000)
})
