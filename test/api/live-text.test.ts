// A long text that several people edit at once: everybody ends with the same text, and so does the row, whatever happens
// to connections and whoever writes by REST meanwhile (design of sync, section 8).
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { askForText, editText, ownDoor } from '../support/live-text-client.ts'
import type { Door, Place, TextClient } from '../support/live-text-client.ts'
import { sized } from '../support/test-size.ts'

let host: TestHost
let door: Door
const open: TextClient[] = []

beforeAll(async () => {
  host = await createTestHost()
  door = ownDoor(host)
  await host.patch('/settings', { rateLimits: { write: { burst: 100_000, refillPerSecond: 10_000 } } })
  await host.defineObject('page', {
    title: { type: 'text' },
    body: { type: 'markdown', maxLength: 100_000 },
    note: { type: 'textarea', required: true },
    plain: { type: 'html' },
    fixed: { type: 'markdown', readonly: true },
  })
})

afterEach(() => {
  for (const client of open.splice(0)) client.close()
})

afterAll(() => host.stop())

async function newPage(values: Record<string, unknown> = {}): Promise<Place> {
  const made = await host.post('/data/page', { title: 'T', note: 'n', ...values })
  expect(made.status).toBe(201)
  return { object: 'page', recordId: made.body.id as string, field: 'body' }
}

async function edit(place: Place, through = door): Promise<TextClient> {
  const client = await editText(through, place)
  open.push(client)
  return client
}

const record = async ({ recordId }: Place) => (await host.get(`/data/page/${recordId}`)).body.record

/** The text of the row, once it is the wanted one or time is over. */
async function rowText(place: Place, wanted: string | null): Promise<unknown> {
  const last = performance.now() + 5_000
  for (;;) {
    const value: unknown = (await record(place))[place.field]
    if (value === wanted || performance.now() > last) return value
    await pause(20)
  }
}

/** A source of numbers that gives the same ones every time. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe('opening', () => {
  it('answers a room, a ticket and a client id of its own', async () => {
    const place = await newPage()
    const [one, two] = [await askForText(door, place), await askForText(door, place)]
    expect(one.body).toMatchObject({ ticketExpiresInSeconds: 30, readOnly: false, room: two.body.room })
    expect(one.body.epoch).toBe(two.body.epoch)
    expect(one.body.clientId).not.toBe(two.body.clientId)
    expect(one.body.url).toBe(`${host.host.url.replace('http', 'ws')}/api/v1/sync/docs`)
    const again = await askForText(door, { ...place, clientId: one.body.clientId })
    expect(again.body.clientId).toBe(one.body.clientId)
  })

  it('refuses what is no text that is stored as it is typed, and what is not there', async () => {
    const place = await newPage()
    for (const field of ['plain', 'title', 'none', 'id']) {
      const answer = await askForText(door, { ...place, field })
      expect([field, answer.status, answer.body.error.code]).toEqual([field, 404, 'sync_document_not_found'])
    }
    const gone = await askForText(door, { ...place, recordId: '0190f2a4-0000-7000-8000-0000000000ff' })
    expect([gone.status, gone.body.error.code]).toEqual([404, 'resource_not_found'])
    const object = await askForText(door, { ...place, object: 'nothing' })
    expect([object.status, object.body.error.code]).toEqual([404, 'resource_not_found'])
    expect((await askForText(door, { ...place, field: 'fixed' })).body.readOnly).toBe(true)
  })
})

describe('typing', () => {
  it('is stored as an ordinary update within half a second, and told', async () => {
    const place = await newPage({ body: 'Hello' })
    const client = await edit(place)
    expect(client.text()).toBe('Hello')
    host.takeEvents()
    client.insert(5, ' world')
    expect(client.live.state.isStored).toBe(false)
    await client.until(() => client.live.state.isStored, 1_000)
    expect((await record(place)).body).toBe('Hello world')
    const events = host.takeEvents().filter(({ type }) => type === 'record.updated')
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ recordId: place.recordId, actor: { type: 'user' }, source: 'API' })
    const { body } = await host.get(`/data/page/${place.recordId}/changelog`)
    expect(body.data.entries[0].changes[0]).toMatchObject({ field: 'body', newValue: 'Hello world' })
  })

  it('is stored at once when its reader leaves, and when the last socket closes', async () => {
    const place = await newPage({ body: '' })
    const client = await edit(place)
    client.insert(0, 'asked')
    client.live.store()
    await client.until(() => client.live.state.isStored, 250)
    client.insert(5, ', closed')
    await turn()
    await pause(10)
    client.close()
    expect(await rowText(place, 'asked, closed')).toBe('asked, closed')
  })

  it('of one person is one entry of the history, until somebody else writes', async () => {
    const place = await newPage({ body: 'a' })
    const client = await edit(place)
    for (const letter of 'bcd') {
      client.insert(client.text().length, letter)
      await client.until(() => client.live.state.isStored)
    }
    await host.patch(`/data/page/${place.recordId}`, { body: 'abcd, by REST' })
    await client.until(() => client.text().endsWith('REST'))
    client.insert(0, 'x')
    await client.until(() => client.live.state.isStored)
    const { entries } = (await host.get(`/data/page/${place.recordId}/changelog`)).body.data
    const changes = entries.flatMap((entry: { changes: unknown[] }) => entry.changes)
    expect(changes.filter(({ field }: { field: string }) => field === 'body').slice(0, 3)).toMatchObject([
      { oldValue: 'abcd, by REST', newValue: 'xabcd, by REST' },
      { oldValue: 'abcd', newValue: 'abcd, by REST' },
      { oldValue: 'a', newValue: 'abcd' },
    ])
  })

  it('leaves an empty field empty, not blank', async () => {
    const place = await newPage({ body: 'x' })
    const client = await edit(place)
    client.remove(0, 1)
    expect(await rowText(place, null)).toBe(null)
  })

  it('counts every end of a line once', async () => {
    const place = await newPage({ body: 'a\r\nb\rc' })
    const client = await edit(place)
    expect(client.text()).toBe('a\nb\nc')
    client.insert(0, 'x\r\ny\r')
    await client.until(() => client.text() === 'x\ny\na\nb\nc')
    expect(await rowText(place, 'x\ny\na\nb\nc')).toBe('x\ny\na\nb\nc')
  })

  it('of two people with writes by REST between them ends in one text for all', async () => {
    const place = await newPage({ body: 'start\n' })
    const clients = [await edit(place), await edit(place)]
    const type = async (client: TextClient, seed: number): Promise<void> => {
      const pick = numbers(seed)
      for (let done = 0; done < sized(200, 500); done += 1) {
        const { length } = client.text()
        const at = pick(length + 1)
        const run = /^[a-z ]+/.exec(client.text().slice(at))?.[0].length ?? 0
        // Only what was typed here is taken out, so that nothing written by REST may vanish.
        if (pick(4) === 0 && run > 0) client.remove(at, Math.min(run, 1 + pick(5)))
        else client.insert(at, `${'abcdefghijklmnopqrstuvwxyz'.slice(pick(20), 25)} `)
        await (pick(10) === 0 ? pause(5) : turn())
      }
    }
    const written: string[] = []
    const write = async (): Promise<void> => {
      for (let at = 0; at < sized(10, 20);) {
        const { body, updated_at: expectedVersion } = await record(place)
        const word = `REST${at}.`
        const middle = at % 2 === 0 ? 0 : body.length
        const answer = await host.patch(`/data/page/${place.recordId}`, {
          body: body.slice(0, middle) + word + body.slice(middle),
          expectedVersion,
        })
        expect([200, 409]).toContain(answer.status)
        if (answer.status === 200) {
          written.push(word)
          at += 1
        }
        await pause(15)
      }
    }
    await Promise.all([type(clients[0]!, 1), type(clients[1]!, 2), write()])
    await clients[0]!.until(() => clients.every((client) => client.live.state.isStored))
    expect(clients[0]!.text()).toBe(clients[1]!.text())
    expect(await rowText(place, clients[0]!.text())).toBe(clients[0]!.text())
    const upperCase = clients[0]!.text().replaceAll(/[^A-Z0-9.]/g, '')
    for (const word of written) {
      // Somebody may have typed into a word: its letters are there, in their order, once.
      const letters = [...word].map((letter) => letter.replace('.', String.raw`\.`)).join('[a-z \n]*')
      expect(clients[0]!.text().match(new RegExp(letters, 'g')) ?? [], word).toHaveLength(1)
    }
    expect(upperCase.length).toBe(written.join('').length)
  }, 90_000)
})

describe('a write by REST', () => {
  it('reaches the open text as the words that changed', async () => {
    const place = await newPage({ body: 'one two three' })
    const client = await edit(place)
    client.insert(13, ' typed')
    await host.patch(`/data/page/${place.recordId}`, { body: 'one 2 three' })
    await client.until(() => client.text() === 'one 2 three typed')
    expect(await rowText(place, 'one 2 three typed')).toBe('one 2 three typed')
  })

  it('of another field disturbs nothing', async () => {
    const place = await newPage({ body: 'text' })
    const client = await edit(place)
    client.insert(4, ' typed')
    expect((await host.patch(`/data/page/${place.recordId}`, { title: 'Other' })).status).toBe(200)
    expect(await rowText(place, 'text typed')).toBe('text typed')
    expect((await record(place)).title).toBe('Other')
  })

  it('that removes the record ends the room, and the text stays with its reader', async () => {
    const place = await newPage({ body: 'text' })
    const client = await edit(place)
    await host.delete(`/data/page/${place.recordId}`)
    await client.until(() => client.live.state.phase === 'ended')
    expect(client.live.state.end).toBe('gone')
    expect(client.text()).toBe('text')
  })

  it('of a definition without the field ends the room', async () => {
    await host.defineObject('leaf', { body: { type: 'markdown' }, other: { type: 'text' } })
    const made = await host.post('/data/leaf', { body: 'x' })
    const client = await edit({ object: 'leaf', recordId: made.body.id, field: 'body' })
    const definition = { type: 'object', name: 'leaf', item: { name: 'leaf', fields: { other: { type: 'text' } } } }
    const plan = await host.put('/meta/object/leaf?dryRun=true', definition)
    const saved = await host.put(`/meta/object/leaf?confirm=${plan.body.planHash}`, definition)
    expect(saved.status).toBe(200)
    await client.until(() => client.live.state.phase === 'ended', 3_000)
    expect(client.live.state.end).toBe('gone')
  })
})

describe('a text that the record refuses', () => {
  it('is told with its reason, stays in the room, and is stored when it fits', async () => {
    const place = { ...(await newPage({ note: 'needed' })), field: 'note' }
    const [client, other] = [await edit(place), await edit(place)]
    client.remove(0, 6)
    await client.until(() => client.live.state.problem !== undefined)
    expect(client.live.state.problem).toMatchObject({ code: 'validation_error', fieldErrors: [{ field: 'note' }] })
    expect((await record(place)).note).toBe('needed')
    client.close()
    other.close()
    const late = await edit(place)
    expect(late.text()).toBe('')
    await late.until(() => late.live.state.problem !== undefined)
    late.insert(0, 'again')
    expect(await rowText(place, 'again')).toBe('again')
    await late.until(() => late.live.state.isStored && late.live.state.problem === undefined)
  })
})

describe('a client that was cut off', () => {
  let isShut = false
  /** A door that is shut for a while. */
  const shutDoor = (): Door => {
    const ask: Door['ask'] = (...asked) => (isShut ? Promise.reject(new Error('shut')) : host.ask(...asked))
    return Object.assign(ownDoor(host), { ask })
  }

  it('loses nothing, typed before or meanwhile', async () => {
    const place = await newPage({ body: 'base' })
    const [one, two] = [await edit(place), await edit(place)]
    one.insert(4, ' one')
    one.cut()
    one.insert(0, 'offline ')
    two.insert(two.text().length, ' two')
    await one.until(() => one.live.state.phase === 'offline')
    await one.until(() => one.text() === two.text() && one.text().includes('two'))
    await two.until(() => two.text().includes('offline') && two.text().includes('one'))
    expect(await rowText(place, one.text())).toBe(one.text())
    expect(one.text().match(/offline|one|two|base/g)).toHaveLength(4)
  })

  it('finds a room that was begun anew and puts what is missing into it, once', async () => {
    const place = await newPage({ body: 'base' })
    const one = await edit(place, shutDoor())
    one.insert(4, ' stored')
    await one.until(() => one.live.state.isStored)
    const before = await askForText(door, place)
    one.insert(0, 'unsent ')
    isShut = true
    await host.restart()
    one.insert(one.text().length, ' meanwhile')
    isShut = false
    await one.until(() => one.live.state.phase === 'open' && one.live.state.isStored)
    expect((await askForText(door, place)).body.epoch).not.toBe(before.body.epoch)
    expect(one.text()).toBe('unsent base stored meanwhile')
    expect(await rowText(place, 'unsent base stored meanwhile')).toBe('unsent base stored meanwhile')
  })

  it('goes on after a stop of the host without a word twice, though two type faster than it is stored', async () => {
    const place = await newPage({ body: 'middle ' })
    const clients = [await edit(place), await edit(place)]
    const typed: string[][] = [[], []]
    let isOver = false
    const typing = clients.map(async (client, who) => {
      for (let at = 0; !isOver; at += 1) {
        const word = `${who === 0 ? 'one' : 'two'}${at} `
        client.insert(who === 0 ? 0 : client.text().length, word)
        typed[who]!.push(word)
        await pause(5)
      }
    })
    await clients[0]!.until(() => clients[0]!.text().includes('two20 '))
    await host.restart()
    for (const client of clients) await client.until(() => client.live.state.phase === 'open', 20_000)
    isOver = true
    await Promise.all(typing)
    const whole = [...typed[0]!.toReversed(), 'middle ', ...typed[1]!].join('')
    expect(await rowText(place, whole)).toBe(whole)
    for (const client of clients) await client.until(() => client.text() === whole)
  })

  it('brings its change to a text that others changed while its room was gone', async () => {
    const place = await newPage({ body: 'The quick fox jumps.' })
    const one = await edit(place, shutDoor())
    isShut = true
    await host.host.stop()
    one.insert(10, 'brown ')
    await one.until(() => one.live.state.phase === 'offline')
    await host.restart()
    await host.patch(`/data/page/${place.recordId}`, { body: 'The quick fox jumps over dogs.' })
    isShut = false
    await one.until(() => one.live.state.phase === 'open')
    expect(await rowText(place, 'The quick brown fox jumps over dogs.')).toBe('The quick brown fox jumps over dogs.')
  })

  it('goes on in a room that was begun anew because too much was deleted in it', async () => {
    const place = await newPage({ body: 'kept' })
    const client = await edit(place)
    const { session } = client.live
    const piece = 'x'.repeat(90_000)
    for (let round = 0; round < 100; round += 1) {
      client.insert(4, piece)
      client.remove(4, piece.length)
      // A socket may send four megabytes a second.
      if (round % 10 === 9) await pause(300)
    }
    await client.until(() => client.live.session !== session && client.live.state.phase === 'open', 20_000)
    client.insert(4, ' on')
    expect(await rowText(place, 'kept on')).toBe('kept on')
  }, 60_000)
})
