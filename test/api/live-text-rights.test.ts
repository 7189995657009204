// Who may open a text that is edited live, and what becomes of open ones when rights or credentials end (safety W8, S3, D5).
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import * as Y from 'yjs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createAuthHost } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'
import { askForText, editText, openRawText, ownDoor, updateFrame } from '../support/live-text-client.ts'
import type { Door, Place, TextClient } from '../support/live-text-client.ts'

let host: AuthHost
let place: Place
const ids: Record<string, string> = {}
const open: TextClient[] = []

/** What the people of this file may do with an object. */
const grants: Record<string, { object: object; fields?: object }> = {
  editor: { object: { allowRead: true, allowEdit: true } },
  reader: { object: { allowRead: true } },
  blind: {
    object: { allowRead: true, allowEdit: true },
    fields: { 'sheet.body': { readable: false, editable: false } },
  },
  nobody: { object: {} },
}

beforeAll(async () => {
  host = await createAuthHost()
  const wide = { burst: 100_000, refillPerSecond: 10_000 }
  await host.patch('/settings', { rateLimits: { write: wide, auth: wide, read: wide } })
  await host.defineObject('sheet', { title: { type: 'text' }, body: { type: 'markdown' } })
  for (const [name, { object, fields }] of Object.entries(grants)) {
    ids[name] = (await host.account(name)).id
    const item = { name: `set_${name}`, label: name, objects: { sheet: object }, ...(fields ? { fields } : {}) }
    const saved = await host.put(`/meta/permission/set_${name}`, { type: 'permission', name: item.name, item })
    expect(saved.status, JSON.stringify(saved.body)).toBe(200)
    await give(name, [item.name])
  }
  const made = await host.post('/data/sheet', { title: 'T', body: 'Hello' })
  place = { object: 'sheet', recordId: made.body.id, field: 'body' }
})

afterEach(() => {
  for (const client of open.splice(0)) client.close()
})

afterAll(() => host.stop())

async function give(name: string, permissionSets: string[]): Promise<void> {
  const answer = await host.put(`/permissions/assignments/${ids[name]}`, {
    profile: 'guest',
    roles: [],
    permissionSets,
  })
  expect(answer.status).toBe(200)
}

async function doorOf(name: string): Promise<Door & { token: string }> {
  const token = await host.signIn(name)
  return { url: host.host.url, headers: { authorization: `Bearer ${token}` }, token }
}

async function edit(door: Door): Promise<TextClient> {
  const client = await editText(door, place)
  open.push(client)
  return client
}

const stored = async (): Promise<string> => (await host.get(`/data/sheet/${place.recordId}`)).body.record.body

describe('opening', () => {
  it('is answered as the data service answers', async () => {
    const answers = await Promise.all(
      ['editor', 'reader', 'blind', 'nobody'].map(async (name) => {
        const { status, body } = await askForText(await doorOf(name), place)
        return [name, status, body.readOnly ?? body.error.code]
      }),
    )
    expect(answers).toEqual([
      ['editor', 200, false],
      ['reader', 200, true],
      ['blind', 404, 'sync_document_not_found'],
      ['nobody', 403, 'permission_denied'],
    ])
    const missing = await askForText(await doorOf('blind'), { ...place, field: 'nothing' })
    const hidden = await askForText(await doorOf('blind'), place)
    expect(hidden.body.error).toEqual({
      ...missing.body.error,
      requestId: expect.any(String),
      details: { field: 'body' },
    })
  })

  it('needs a credential', async () => {
    const answer = await askForText({ url: host.host.url, headers: {} }, place)
    expect([answer.status, answer.body.error.code]).toEqual([401, 'unauthenticated'])
  })

  it('with a key that may only read is read-only', async () => {
    const made = await host.post('/keys', { name: 'k', readOnly: true })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const answer = await askForText({ url: host.host.url, headers: { 'x-api-key': made.body.key } }, place)
    expect([answer.status, answer.body.readOnly]).toEqual([200, true])
  })
})

describe('a socket', () => {
  it('opens with a ticket once, in its room, and for the credential that asked', async () => {
    const [editor, reader] = [await doorOf('editor'), await doorOf('reader')]
    const { body } = await askForText(editor, place)
    const first = await openRawText(body)
    const second = await openRawText(body)
    expect(await second.closed).toBe(4401)
    expect(second.heard).toEqual([])
    first.socket.close()

    const foreign = await openRawText((await askForText(editor, place)).body, { headers: reader.headers })
    expect(await foreign.closed).toBe(4401)
    const elsewhere = { ...(await askForText(editor, place)).body, room: 'another' }
    expect(await (await openRawText(elsewhere)).closed).toBe(4401)
    const none = await openRawText(body, { protocols: ['cairn.v1'] })
    expect(await none.closed).toBe(4401)
    const bearer = await openRawText(body, { protocols: ['cairn.v1'], headers: editor.headers })
    expect(await bearer.closed).toBe(4401)
    expect([...foreign.heard, ...none.heard, ...bearer.heard]).toEqual([])
  })

  it('is refused to other hosts and origins before the upgrade', async () => {
    const { body } = await askForText(await doorOf('editor'), place)
    const foreign: Record<string, string>[] = [
      { origin: 'https://example.org' },
      { origin: 'null' },
      { host: 'example.org' },
    ]
    for (const headers of foreign) {
      await expect(openRawText(body, { headers }), JSON.stringify(headers)).rejects.toThrow('403')
    }
    const own = await openRawText(body, { headers: { origin: host.host.url } })
    expect(own.socket.readyState).toBe(WebSocket.OPEN)
    own.socket.close()
  })

  it('of a reader hears the text and may not change it', async () => {
    const reader = await edit(await doorOf('reader'))
    expect(reader.text()).toBe(await stored())
    expect(reader.live.state.isReadOnly).toBe(true)
    const { body } = await askForText(await doorOf('reader'), place)
    const raw = await openRawText(body)
    const doc = new Y.Doc()
    doc.clientID = body.clientId
    doc.getText('t').insert(0, 'forbidden')
    raw.socket.send(updateFrame(Y.encodeStateAsUpdate(doc)))
    expect(await raw.closed).toBe(4403)
    expect(Buffer.concat(raw.heard).toString()).toContain('read only')
    await pause(400)
    expect(await stored()).not.toContain('forbidden')
    expect(reader.text()).not.toContain('forbidden')
  })

  it('may write in no other name than its own', async () => {
    const { body } = await askForText(await doorOf('editor'), place)
    const raw = await openRawText(body)
    const doc = new Y.Doc()
    doc.clientID = body.clientId + 1
    doc.getText('t').insert(0, 'forged')
    raw.socket.send(updateFrame(Y.encodeStateAsUpdate(doc)))
    expect(await raw.closed).toBe(4400)
    const other = await openRawText((await askForText(await doorOf('editor'), place)).body)
    const map = new Y.Doc()
    map.getMap('secrets').set('a', 1)
    other.socket.send(updateFrame(Y.encodeStateAsUpdate(map)))
    expect(await other.closed).toBe(4400)
    expect(await stored()).not.toContain('forged')
  })
})

describe('what is typed', () => {
  it('is stored in the name of who typed it, and cursors carry the name the host knows', async () => {
    const [editor, owner] = [await edit(await doorOf('editor')), await edit(ownDoor(host))]
    editor.live.session!.awareness.setLocalState({ cursor: { anchor: 1 }, user: { id: 'x', name: 'Somebody else' } })
    const others = () => [...owner.live.session!.awareness.getStates().values()].map((state) => state['user']?.name)
    await owner.until(() => others().includes('editor'))
    expect(others()).not.toContain('Somebody else')
    editor.insert(0, 'typed ')
    await editor.until(() => editor.live.state.isStored)
    const { record } = (await host.get(`/data/sheet/${place.recordId}`)).body
    expect([record.body, record.updated_by]).toEqual(['typed Hello', ids['editor']])
    editor.close()
    await owner.until(() => !others().includes('editor'))
  })
})

describe('within a second', () => {
  /** Milliseconds until a client is out, and how it ended. */
  async function timeToEnd(
    client: TextClient,
    end: () => Promise<unknown>,
  ): Promise<[ms: number, why: string | undefined]> {
    await end()
    const began = performance.now()
    await client.until(() => client.live.state.phase === 'ended', 3_000)
    return [performance.now() - began, client.live.state.end]
  }

  it('is out who signed out, who was shut out, and who lost the right', async () => {
    const door = await doorOf('editor')
    const signedOut = await edit(door)
    const [ms, why] = await timeToEnd(signedOut, () => host.as(door.token, 'POST', '/auth/sign-out', {}))
    expect(why).toBe('forbidden')
    expect(ms).toBeLessThan(1_000)
    const taken = await edit(await doorOf('editor'))
    const [takenMs, takenWhy] = await timeToEnd(taken, () => give('editor', []))
    expect(takenWhy).toBe('forbidden')
    expect(takenMs).toBeLessThan(1_000)
    await give('editor', ['set_editor'])
    const banned = await edit(await doorOf('editor'))
    const ban = () => host.post('/auth/admin/ban-user', { userId: ids['editor'] })
    expect((await timeToEnd(banned, ban))[0]).toBeLessThan(1_000)
    await host.post('/auth/admin/unban-user', { userId: ids['editor'] })
  })

  it('may only read who lost the right to edit, and may edit again who got it', async () => {
    const client = await edit(await doorOf('editor'))
    await give('editor', ['set_reader'])
    await client.until(() => client.live.state.isReadOnly && client.live.state.phase === 'open', 2_000)
    await give('editor', ['set_editor'])
    await client.until(() => !client.live.state.isReadOnly && client.live.state.phase === 'open', 2_000)
    client.insert(0, 'again ')
    await client.until(() => client.live.state.isStored)
    expect(await stored()).toContain('again ')
  })
})
