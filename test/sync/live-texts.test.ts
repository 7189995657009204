// One text that people edit on two machines at once, over real connections: letters and cursors come at once, everything
// typed is in both rows in the end, whatever happens to the connection between (design of sync, section 8).
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { editText } from '../support/live-text-client.ts'
import type { Door, Place, TextClient } from '../support/live-text-client.ts'
import { createSyncedHost, pair, startFounder, until } from '../support/synced-hosts.ts'

let desk: TestHost
let laptop: TestHost
/** By how much the clock of the laptop is ahead. */
let ahead = 0
const open: TextClient[] = []

beforeAll(async () => {
  desk = await startFounder('Desk')
  const wide = { rateLimits: { write: { burst: 100_000, refillPerSecond: 10_000 } } }
  await desk.patch('/settings', wide)
  await desk.defineObject('page', {
    title: { type: 'text' },
    body: { type: 'markdown' },
    short: { type: 'textarea', maxLength: 10 },
  })
  const now = (): number => Date.now() + ahead
  laptop = await createSyncedHost({ clock: { now, iso: () => new Date(now()).toISOString() } })
  await pair(desk, laptop)
  await laptop.patch('/settings', wide)
}, 60_000)

afterEach(() => {
  for (const client of open.splice(0)) client.close()
})

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
})

const doorOf = ({ host }: TestHost): Door => ({ url: host.url, headers: { authorization: `Bearer ${host.token}` } })

async function edit(host: TestHost, place: Place): Promise<TextClient> {
  const client = await editText(doorOf(host), place)
  open.push(client)
  return client
}

/** A record that is on both machines. */
async function newPage(body: string): Promise<Place> {
  const made = await desk.post('/data/page', { title: 'T', body })
  const recordId = made.body.id as string
  await until('the record is on both', async () => (await laptop.get(`/data/page/${recordId}`)).status === 200)
  return { object: 'page', recordId, field: 'body' }
}

const rowOf = async (host: TestHost, { recordId, field }: Place): Promise<string> =>
  (await host.get(`/data/page/${recordId}`)).body.record[field] ?? ''

/** Waits until all rows and all clients have one text; answers it. */
async function settled(place: Place, clients: readonly TextClient[], ms = 20_000): Promise<string> {
  const look = async (): Promise<string[]> => [
    ...clients.map((client) => client.text()),
    await rowOf(desk, place),
    await rowOf(laptop, place),
  ]
  let texts: string[] = []
  const end = performance.now() + ms
  for (let same = 0; same < 5;) {
    texts = await look()
    same = new Set(texts).size === 1 ? same + 1 : 0
    if (performance.now() > end) throw new Error(`The texts stay different: ${JSON.stringify(texts).slice(0, 3_000)}`)
    await pause(60)
  }
  for (const host of [desk, laptop])
    await until('the digests agree', async () => (await host.get('/sync/status')).body.state === 'up_to_date')
  return texts[0]!
}

/** A source of numbers that gives the same ones every time. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Waits until letters go live both ways between two clients. */
async function linked(one: TextClient, two: TextClient): Promise<void> {
  for (const [from, to] of [
    [one, two],
    [two, one],
  ] as const)
    await until('letters come', async () => {
      from.insert(from.text().length, '.')
      await pause(30)
      return to.text() === from.text()
    })
}

interface Seen {
  readonly user: { readonly id: string; readonly name: string }
  readonly cursor: unknown
}

/** Those whose cursors a client shows, without itself. */
const others = (client: TextClient): Seen[] => {
  const { awareness } = client.live.session!
  return [...awareness.getStates()].filter(([id]) => id !== awareness.clientID).map(([, state]) => state as Seen)
}

describe('a text that is open on two machines', () => {
  it('has the letters of each on the other though they are never stored', async () => {
    const place = { ...(await newPage('Hello')), field: 'short' }
    const [one, two] = [await edit(desk, place), await edit(laptop, place)]
    one.insert(0, 'fits')
    await two.until(() => two.text() === 'fits' && two.live.state.isStored)
    one.insert(4, ' and does not fit')
    await one.until(() => one.live.state.problem !== undefined)
    await two.until(() => two.text() === 'fits and does not fit')
    two.insert(0, 'It ')
    await one.until(() => one.text() === 'It fits and does not fit')
    expect(await rowOf(desk, place)).toBe('fits')
    expect(await rowOf(laptop, place)).toBe('fits')
    one.remove(7, 17)
    await two.until(() => two.text() === 'It fits')
    expect(await settled(place, [one, two])).toBe('It fits')
  })

  it('has the same letters, not the same words: neighbours in one word do not meet twice', async () => {
    const place = await newPage('abcdef')
    const [one, two] = [await edit(desk, place), await edit(laptop, place)]
    await linked(one, two)
    one.insert(3, 'XX')
    two.insert(3, 'YY')
    one.remove(0, 1)
    two.remove(two.text().indexOf('f'), 1)
    const text = await settled(place, [one, two])
    expect(text.replaceAll('.', '')).toMatch(/^bc(XXYY|YYXX)de$/)
    expect((await desk.get('/sync/conflicts')).body.total).toBe(0)
  })

  it('ends in one text for all when both type at once and others write the rows between', async () => {
    const place = await newPage('start\n')
    const [one, two] = [await edit(desk, place), await edit(laptop, place)]
    const type = async (client: TextClient, seed: number): Promise<void> => {
      const pick = numbers(seed)
      for (let done = 0; done < 200; done += 1) {
        const at = pick(client.text().length + 1)
        // Only what was typed is taken out, so that nothing written by REST may vanish.
        if (pick(4) === 0 && /[a-z ]/.test(client.text().charAt(at))) client.remove(at, 1)
        else client.insert(at, `${'abcdefghijklmnopqrstuvwxyz'.slice(pick(20), 25)} `)
        await (pick(5) === 0 ? pause(15) : turn())
      }
    }
    const written: string[] = []
    const write = async (host: TestHost, mark: string): Promise<void> => {
      for (let at = 0; at < 6;) {
        const { body, updated_at: expectedVersion } = (await host.get(`/data/page/${place.recordId}`)).body.record
        const word = `${mark}${at}`
        const answer = await host.patch(`/data/page/${place.recordId}`, { body: `${word}${body}`, expectedVersion })
        if (answer.status === 200) {
          written.push(word)
          at += 1
        }
        await pause(40)
      }
    }
    await Promise.all([type(one, 1), type(two, 2), write(desk, 'D'), write(laptop, 'L')])
    const text = await settled(place, [one, two], 40_000)
    const kept = text.replaceAll(/[^A-Z0-9]/g, '')
    expect([...kept].toSorted()).toEqual([...written.join('')].toSorted())
    expect((await desk.get('/sync/problems')).body.problems).toEqual([])
    expect((await laptop.get('/sync/problems')).body.problems).toEqual([])
  }, 90_000)

  it('takes what others write by REST, on either machine, into what is being typed', async () => {
    const place = await newPage('one two three')
    const [one, two] = [await edit(desk, place), await edit(laptop, place)]
    one.insert(13, ' typed')
    expect((await laptop.patch(`/data/page/${place.recordId}`, { body: 'one 2 three' })).status).toBe(200)
    two.insert(0, 'Typed ')
    expect(await settled(place, [one, two])).toBe('Typed one 2 three typed')
  })

  it('begins empty on both, and what both begin with is there once', async () => {
    const place = await newPage('')
    const [one, two] = [await edit(desk, place), await edit(laptop, place)]
    one.insert(0, 'first ')
    await two.until(() => two.text() === 'first ')
    two.insert(6, 'second')
    expect(await settled(place, [one, two])).toBe('first second')
    expect((await desk.get('/sync/conflicts')).body.total).toBe(0)
  })

  it('keeps a letter out that was taken out before it was stored where it was typed', async () => {
    const place = await newPage('ab')
    const [one, two] = [await edit(desk, place), await edit(laptop, place)]
    await linked(one, two)
    const before = await settled(place, [one, two])
    one.insert(1, 'X')
    await two.until(() => two.text() === `aXb${before.slice(2)}`)
    two.remove(1, 1)
    expect(await settled(place, [one, two])).toBe(before)
  })
})

describe('machines that are apart', () => {
  it('have the words of both, whole, when they meet again', async () => {
    const place = await newPage('The fox jumps.')
    const [one, two] = [await edit(desk, place), await edit(laptop, place)]
    await linked(one, two)
    await laptop.patch('/sync/settings', { paused: true })
    for (const letter of 'quick ') one.insert(one.text().indexOf('fox'), letter)
    for (const [at, letter] of [...' high'].entries()) two.insert(13 + at, letter)
    for (const client of [one, two]) await client.until(() => client.live.state.isStored)
    expect(one.text()).not.toBe(two.text())
    await laptop.patch('/sync/settings', { paused: false })
    const text = await settled(place, [one, two])
    expect(text).toContain(' high')
    expect([...text].filter((letter) => letter !== '.').join('')).toBe('The quick fox jumps high')
  })
})

it('ends a conflict about the text on both machines, as any other write of it', async () => {
  const place = await newPage('')
  await laptop.patch('/sync/settings', { paused: true })
  for (const [host, body] of [
    [desk, 'Desk began.'],
    [laptop, 'Laptop began.'],
  ] as const)
    await host.patch(`/data/page/${place.recordId}`, { body })
  await laptop.patch('/sync/settings', { paused: false })
  const openOn = async (host: TestHost) => (await host.get('/sync/conflicts')).body.total
  for (const host of [desk, laptop]) await until('both list it', async () => (await openOn(host)) === 1)
  const client = await edit(desk, place)
  client.insert(client.text().length, ' Both stay.')
  await settled(place, [client])
  expect([await openOn(desk), await openOn(laptop)]).toEqual([0, 0])
})

describe('cursors', () => {
  it('come with a name, move, and go when their reader leaves or the machine is away', async () => {
    const place = await newPage('Hello')
    const [one, two] = [await edit(desk, place), await edit(laptop, place)]
    const move = (client: TextClient, anchor: unknown): void => {
      client.live.session!.awareness.setLocalStateField('cursor', { anchor })
    }
    move(one, 1)
    await until('the cursor is seen', () =>
      others(two).some(({ cursor }) => (cursor as { anchor?: number })?.anchor === 1),
    )
    expect(others(two)).toMatchObject([{ user: { id: expect.any(String), name: expect.stringMatching(/./) } }])
    move(one, 3)
    await until('it moves', () => others(two).some(({ cursor }) => (cursor as { anchor?: number })?.anchor === 3))
    move(two, 2)
    await until('both see each other', () => others(one).length === 1)
    one.close()
    await until('it is gone', () => others(two).length === 0)
    const back = await edit(desk, place)
    move(back, 0)
    await until('it is back', () => others(two).length === 1)
    await laptop.patch('/sync/settings', { paused: true })
    await until('both have lost each other', () => others(two).length === 0 && others(back).length === 0)
    await laptop.patch('/sync/settings', { paused: false })
    await until('both are back', () => others(two).length === 1 && others(back).length === 1)
  })

  it('stay where a clock is put forward', async () => {
    const place = await newPage('Hello')
    const [one, two] = [await edit(desk, place), await edit(laptop, place)]
    one.live.session!.awareness.setLocalStateField('cursor', { anchor: 1 })
    await until('the cursor is seen', () => others(two).length === 1)
    ahead = 60_000
    try {
      // The rooms look about once a second.
      for (let look = 0; look < 26; look += 1) {
        await pause(50)
        expect(others(two)).toHaveLength(1)
      }
    } finally {
      ahead = 0
    }
  })
})

describe('turning sync off and on', () => {
  it('begins an open text anew and loses nothing of it', async () => {
    const place = await newPage('kept')
    const two = await edit(laptop, place)
    const { session } = two.live
    two.insert(4, ' typed')
    await laptop.post('/sync/disable')
    await two.until(() => two.live.session !== session && two.live.state.phase === 'open')
    two.insert(two.text().length, ' alone')
    await two.until(() => two.live.state.isStored)
    expect(await rowOf(laptop, place)).toBe('kept typed alone')
    const alone = two.live.session
    await laptop.post('/sync/enable', {})
    await two.until(() => two.live.session !== alone && two.live.state.phase === 'open')
    two.insert(two.text().length, ' together')
    expect(await settled(place, [two])).toBe('kept typed alone together')
  })
})
