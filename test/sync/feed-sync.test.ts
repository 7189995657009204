// Feeds of two real hosts over the pipe: what people write on one is on the other, with the same rows.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addItem, pageOf } from '../support/feed-calls.ts'
import type { FeedMachine, FeedMachines } from '../support/feed-hosts.ts'
import { startFeedMachines } from '../support/feed-hosts.ts'
import { exchange } from '../support/feed-pipe.ts'
import { onlyInLongRun, sized } from '../support/test-size.ts'

let both: FeedMachines
let [left, right]: FeedMachine[] = []
let record: string

beforeAll(async () => {
  both = await startFeedMachines(2)
  ;[left, right] = both.machines
}, 60_000)
afterAll(() => both.stop())

beforeEach(async () => {
  record = await both.record()
  for (const { pipe } of both.machines) {
    pipe.skew = 0
    pipe.on = true
    pipe.conflicts.length = 0
  }
})

const meet = (): Promise<void> => exchange(both.machines.map(({ pipe }) => pipe))
const ann = (machine: FeedMachine | undefined) => machine!.as(0)
const ben = (machine: FeedMachine | undefined) => machine!.as(1)
const items = async (machine: FeedMachine | undefined) =>
  (await pageOf(ann(machine), `${record}/feed?limit=100`)).items.filter(
    (item: { type: string }) => item.type !== 'record_create',
  )
const ok = (answer: { status: number; body: unknown }) => {
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
}

/** Nothing waits, documents have the same content and the rows are the same. */
afterEach(async () => {
  await meet()
  expect(both.machines.map(({ pipe }) => pipe.waiting())).toEqual([0, 0])
  expect(right!.pipe.documents()).toEqual(left!.pipe.documents())
  expect(right!.rows()).toEqual(left!.rows())
})

describe('an item', () => {
  it('comes with its words, mentions, data and who wrote it', async () => {
    const body = `Hello @[Ben](user:${ben(left).id}), the heron`
    const comment = await addItem(ann(left), record, { body, visibility: 'internal' })
    const data = { dueDate: '2026-05-01', assigneeId: ben(left).id, done: false, note: { deep: [1, null] } }
    const task = await addItem(ben(left), record, { type: 'task', data })
    await meet()
    const here = new Map((await items(right)).map((item: { id: string }) => [item.id, item]))
    expect(here.get(comment.id)).toEqual(comment)
    expect(here.get(task.id)).toMatchObject({ ...task, reactions: [] })
    expect(await right!.search(record, 'heron')).toEqual([comment.id])
  })

  it('is changed, and is found by its new words only', async () => {
    const { id } = await addItem(ann(left), record, { body: 'a heron' })
    await meet()
    ok(await ann(left).put(`/data/${record}/feed/${id}`, { body: 'a stork', visibility: 'internal' }))
    await meet()
    expect((await items(right))[0]).toMatchObject({ body: 'a stork', visibility: 'internal', isEdited: true })
    expect(await right!.search(record, 'heron')).toEqual([])
    expect(await right!.search(record, 'stork')).toEqual([id])
  })

  it('is changed back on the other machine by its author', async () => {
    const { id } = await addItem(ann(left), record, { body: 'first', data: { note: 1 } })
    await meet()
    ok(await ann(right).put(`/data/${record}/feed/${id}`, { body: 'second', data: { note: null } }))
    await meet()
    const [item] = await items(left)
    expect(item).toMatchObject({ id, body: 'second' })
    expect(item.data).toBeUndefined()
  })

  it('keeps null as a member of its data', async () => {
    const { id } = await addItem(ann(left), record, { type: 'task', data: { done: null } })
    await meet()
    ok(await ann(right).put(`/data/${record}/feed/${id}`, { data: { done: true } }))
    await meet()
    expect((await items(left))[0].data).toEqual({ done: true })
  })

  it('goes when it is deleted, and leaves a stub where it was replied to', async () => {
    const lonely = await addItem(ann(left), record, { body: 'lonely' })
    const asked = await addItem(ann(left), record, { body: 'asked' })
    await meet()
    const reply = await addItem(ben(right), record, { body: 'answered', parentId: asked.id })
    await meet()
    for (const { id } of [lonely, asked]) ok(await ann(left).delete(`/data/${record}/feed/${id}`))
    await meet()
    expect((await items(right)).map((item: { id: string; isDeleted: boolean }) => [item.id, item.isDeleted])).toEqual([
      [reply.id, false],
      [asked.id, true],
    ])
    expect(await right!.search(record, 'asked')).toEqual([])
    ok(await ben(right).delete(`/data/${record}/feed/${reply.id}`))
    await meet()
    expect(await items(left)).toEqual([])
  })

  it('leaves nothing of its text in the documents', async () => {
    const { id } = await addItem(ann(left), record, { body: 'a word that must not stay: quagga' })
    ok(await ann(left).delete(`/data/${record}/feed/${id}`))
    await meet()
    const states = left!.host.host.database.read.all<{ state: Uint8Array }>({
      sql: 'SELECT state FROM pipe_doc',
      parameters: [],
    })
    expect(states.length).toBeGreaterThan(0)
    for (const { state } of states) expect(Buffer.from(state).includes('quagga')).toBe(false)
  })

  it('has a stub again when somebody replied elsewhere before they knew that it was deleted', async () => {
    const { id } = await addItem(ann(left), record, { body: 'asked' })
    await meet()
    ok(await ann(left).delete(`/data/${record}/feed/${id}`))
    const reply = await addItem(ben(right), record, { body: 'answered', parentId: id })
    await meet()
    for (const machine of both.machines)
      expect(
        (await items(machine)).map((item: { id: string; isDeleted: boolean }) => [item.id, item.isDeleted]),
      ).toEqual([
        [reply.id, false],
        [id, true],
      ])
  })

  it('waits for its record', async () => {
    record = await both.record([left!])
    const { id } = await addItem(ann(left), record, { body: 'early' })
    await meet()
    expect(right!.pipe.waiting()).toBe(1)
    ok(await right!.host.post('/data/task', { id: record.slice(5), title: 'One' }))
    await meet()
    expect((await items(right)).map((item: { id: string }) => item.id)).toEqual([id])
  })

  it('stays here when its object does not take part', async () => {
    const before = left!.pipe.log().length
    const answer = await left!.host.post('/data/local', { title: 'x' })
    await addItem(ann(left), `local/${answer.body.id}`, { body: 'here' })
    expect(left!.pipe.log()).toHaveLength(before)
    await left!.host.delete(`/data/local/${answer.body.id}?purge=true`)
  })

  it('is gone with its record, and comes no more', async () => {
    const { id } = await addItem(ann(left), record, { body: 'a heron' })
    await meet()
    for (const { host } of both.machines) ok(await host.delete(`/data/${record}?purge=true`))
    for (const machine of both.machines) expect(JSON.stringify(machine.rows())).not.toContain(id)
    await meet()
    for (const machine of both.machines) expect(JSON.stringify(machine.rows())).not.toContain(id)
  })
})

describe('reactions and pins', () => {
  it('of several people at once all stay', async () => {
    const { id } = await addItem(ann(left), record, { body: 'x' })
    await meet()
    const path = `/data/${record}/feed/${id}/reactions`
    ok(await ann(left).post(path, { emoji: '👍' }))
    ok(await ben(left).post(path, { emoji: '👍' }))
    ok(await right!.as(2).post(path, { emoji: '👍' }))
    ok(await ben(right).post(path, { emoji: ':+1:' }))
    await meet()
    for (const machine of both.machines) {
      const [item] = await items(machine)
      const given = item.reactions.map(({ emoji, count }: { emoji: string; count: number }) => [emoji, count])
      expect(given.toSorted()).toEqual([
        [':+1:', 1],
        ['👍', 3],
      ])
    }
    ok(await ann(right).delete(`${path}/${encodeURIComponent('👍')}`))
    await meet()
    expect((await items(left))[0].reactions.find((one: { emoji: string }) => one.emoji === '👍').count).toBe(2)
  })

  it('pinned and unpinned concurrently end as the later of both', async () => {
    const { id } = await addItem(ann(left), record, { body: 'x' })
    ok(await left!.host.post(`/data/${record}/feed/${id}/pin`))
    await meet()
    expect((await items(right))[0].pinned).toBe(true)
    ok(await left!.host.delete(`/data/${record}/feed/${id}/pin`))
    right!.pipe.skew = 60_000
    ok(await right!.host.delete(`/data/${record}/feed/${id}/pin`))
    ok(await right!.host.post(`/data/${record}/feed/${id}/pin`))
    await meet()
    for (const machine of both.machines) expect((await items(machine))[0].pinned).toBe(true)
    ok(await left!.host.delete(`/data/${record}/feed/${id}/pin`))
    await meet()
    for (const machine of both.machines) expect((await items(machine))[0].pinned).toBe(false)
  })

  it('on what the platform writes stay here, as that does', async () => {
    const before = left!.pipe.log().length
    const [fact] = (await pageOf(ann(left), `${record}/feed`)).items
    ok(await ann(left).post(`/data/${record}/feed/${fact.id}/reactions`, { emoji: '👍' }))
    expect(left!.pipe.log()).toHaveLength(before)
    ok(await ann(left).delete(`/data/${record}/feed/${fact.id}/reactions/${encodeURIComponent('👍')}`))
  })
})

describe('edits on both sides', () => {
  it.each([
    ['left', 60_000, 0],
    ['right', 0, 60_000],
  ])('of one text: the later one on the %s wins, the other is reported', async (winner, ofLeft, ofRight) => {
    const { id } = await addItem(ann(left), record, { body: 'base' })
    await meet()
    left!.pipe.skew = ofLeft
    right!.pipe.skew = ofRight
    ok(await ann(left).put(`/data/${record}/feed/${id}`, { body: 'left' }))
    ok(await ann(right).put(`/data/${record}/feed/${id}`, { body: 'right' }))
    expect(both.machines.flatMap(({ pipe }) => pipe.conflicts)).toEqual([])
    await meet()
    const loser = winner === 'left' ? 'right' : 'left'
    for (const machine of both.machines) {
      expect((await items(machine))[0].body).toBe(winner)
      expect(machine.pipe.conflicts).toHaveLength(1)
      const [conflict] = machine.pipe.conflicts
      expect(conflict).toMatchObject({ recordId: record.slice(5), itemId: id, part: 'body' })
      expect(conflict!.winner[1]).toEqual({ text: winner, mentions: [] })
      expect(conflict!.loser[1]).toEqual({ text: loser, mentions: [] })
    }
    await meet()
    expect(left!.pipe.conflicts).toHaveLength(1)
    ok(await ann(left).put(`/data/${record}/feed/${id}`, { body: 'both' }))
    await meet()
    for (const machine of both.machines) expect((await items(machine))[0].body).toBe('both')
    expect(right!.pipe.conflicts).toHaveLength(1)
  })

  it('to the same text are no conflict', async () => {
    const { id } = await addItem(ann(left), record, { body: 'base' })
    await meet()
    for (const machine of both.machines) ok(await ann(machine).put(`/data/${record}/feed/${id}`, { body: 'same' }))
    await meet()
    for (const { pipe } of both.machines) expect(pipe.conflicts).toEqual([])
  })

  it('of different parts both stay', async () => {
    const { id } = await addItem(ann(left), record, { type: 'task', body: 'base', data: { done: false, note: 1 } })
    await meet()
    const path = `/data/${record}/feed/${id}`
    ok(await ann(left).put(path, { body: 'left', data: { done: true } }))
    ok(await ann(right).put(path, { visibility: 'internal', data: { dueDate: '2026-05-01' } }))
    await meet()
    for (const machine of both.machines) {
      expect((await items(machine))[0]).toMatchObject({
        body: 'left',
        visibility: 'internal',
        data: { done: true, dueDate: '2026-05-01', note: 1 },
      })
      expect(machine.pipe.conflicts).toEqual([])
    }
  })

  it('of what was deleted meanwhile: it stays deleted, the edit is reported', async () => {
    const { id } = await addItem(ann(left), record, { body: 'base' })
    await meet()
    ok(await ann(left).delete(`/data/${record}/feed/${id}`))
    right!.pipe.skew = 60_000
    ok(await ann(right).put(`/data/${record}/feed/${id}`, { body: 'too late' }))
    await meet()
    for (const machine of both.machines) {
      expect(await items(machine)).toEqual([])
      expect(machine.pipe.conflicts).toHaveLength(1)
      expect(machine.pipe.conflicts[0]!.winner[0]).toBe(`${id}#deleted`)
      expect(machine.pipe.conflicts[0]!.loser[1]).toEqual({ text: 'too late', mentions: [] })
    }
  })
})

describe('many items', () => {
  it('roll over segments of 256, and are edited where they are', async (test) => {
    onlyInLongRun(test)
    // The first of the second segment, or far in it.
    const [count, late, segmentNames] = sized<[number, number, string[]]>(
      [262, 258, ['0', '1']],
      [600, 300, ['0', '1', '2']],
    )
    const ids: string[] = []
    for (let at = 0; at < count; at += 1)
      ids.push((await addItem(left!.as(at % 3), record, { body: `number ${at}` })).id)
    ok(await ann(left).put(`/data/${record}/feed/${ids[3]}`, { body: 'changed early' }))
    await meet()
    const segments = [...right!.pipe.documents().keys()].filter((name) => name.includes(record.slice(5)))
    expect(segments.map((name) => name.split('/').at(-1)).toSorted()).toEqual(segmentNames)
    ok(await ann(right).put(`/data/${record}/feed/${ids[late]}`, { body: 'changed late' }))
    const reply = await addItem(ben(right), record, { body: 'reply', parentId: ids[5]! })
    ok(await left!.as(2).delete(`/data/${record}/feed/${ids[5]}`))
    await meet()
    expect((await pageOf(ann(right), `${record}/feed?limit=1`)).total).toBe(count + 2)
    const [stub] = (await pageOf(ann(left), `${record}/feed/search?query=changed`)).items
    expect(stub.body).toBe('changed late')
    expect((await pageOf(ann(left), `${record}/feed?parentId=${ids[5]}`)).items[0].id).toBe(reply.id)
  }, 120_000)
})

describe('what was there before', () => {
  it('becomes documents once, and goes with the first write where that is earlier', async () => {
    const parts = both.machines
    const records: string[] = []
    for (let at = 0; at < 3; at += 1) {
      const one = await both.record()
      records.push(one)
      left!.pipe.on = false
      const { id } = await addItem(ann(left), one, { body: 'of before' })
      ok(await ben(left).post(`/data/${one}/feed/${id}/reactions`, { emoji: '👍' }))
      left!.pipe.on = true
    }
    const old = (await pageOf(ann(left), `${records[0]}/feed`)).items[0]
    ok(await ann(left).post(`/data/${records[0]}/feed/${old.id}/reactions`, { emoji: '👍' }))
    expect(left!.pipe.log().filter(({ doc }) => doc.includes(records[0]!.slice(5)))).toHaveLength(1)
    const { total, done } = await left!.pipe.begin()
    expect(done).toBe(total)
    expect(left!.pipe.log().filter(({ doc }) => doc.includes(records[0]!.slice(5)))).toHaveLength(1)
    const count = left!.pipe.log().length
    await left!.pipe.begin()
    expect(left!.pipe.log()).toHaveLength(count)
    await exchange(parts.map(({ pipe }) => pipe))
    for (const [at, one] of records.entries()) {
      const [item] = (await pageOf(ann(right), `${one}/feed`)).items
      expect(item).toMatchObject({ body: 'of before', reactions: [{ emoji: '👍', count: at === 0 ? 2 : 1 }] })
    }
  })

  it('loses what somebody took back meanwhile who has said nothing else', async () => {
    const { id } = await addItem(ann(left), record, { body: 'of before' })
    const path = `/data/${record}/feed/${id}/reactions`
    ok(await ben(left).post(path, { emoji: '👍' }))
    await meet()
    expect((await items(right))[0].reactions).toMatchObject([{ emoji: '👍', count: 1 }])
    left!.pipe.on = false
    ok(await ben(left).delete(`${path}/${encodeURIComponent('👍')}`))
    left!.pipe.on = true
    await left!.pipe.begin()
    await meet()
    for (const machine of both.machines) expect((await items(machine))[0].reactions).toEqual([])
  })
})
