// Where definitions, numbers and edits meet while two hosts do not see each other: what was acknowledged is there afterwards,
// on both and in rows as in documents.
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { addItem, pageOf } from '../support/feed-calls.ts'
import type { CutHosts } from '../support/cut-hosts.ts'
import { startCutHosts } from '../support/cut-hosts.ts'
import { changed, made } from '../support/record-calls.ts'
import { until } from '../support/synced-hosts.ts'

let hosts: CutHosts
let desk: TestHost
let laptop: TestHost

beforeAll(async () => {
  hosts = await startCutHosts(async (host) => {
    await host.defineObject('ticket', {
      title: { type: 'text' },
      no: { type: 'autonumber', autonumberFormat: 'T-{0000}' },
      notes: { type: 'markdown' },
    })
    await host.defineObject('crate', {
      title: { type: 'text' },
      total: { type: 'summary', summaryOperations: { object: 'item', field: 'size', function: 'sum' } },
    })
    await host.defineObject('item', {
      crate: { type: 'master_detail', reference: 'crate' },
      size: { type: 'number' },
    })
    await host.defineObject('stock', {
      title: { type: 'text' },
      count: { type: 'number', merge: 'sum' },
      share: { type: 'percent', merge: 'sum' },
    })
  })
  ;({ desk, laptop } = hosts)
  await hosts.agree()
}, 90_000)

afterAll(async () => hosts?.stop())

/** A record as both hosts show it, which must be the same. */
async function sharedRecord(object: string, id: string): Promise<Record<string, unknown>> {
  const [here, there] = await Promise.all(
    [desk, laptop].map(async (host) => (await host.get(`/data/${object}/${id}`)).body.record),
  )
  const own = { updated_at: '', updated_by: '' }
  expect({ ...there, ...own }).toEqual({ ...here, ...own })
  return here
}

/** Saves an object on the first host, whatever is lost by it. */
async function define(name: string, item: object): Promise<void> {
  const save = async (query = '') => desk.put(`/meta/object/${name}${query}`, { type: 'object', name, item })
  const first = await save()
  const plan = first.body.error?.details?.planHash
  const answer = plan === undefined ? first : await save(`?confirm=${plan}`)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}

describe('numbers that another machine issues', () => {
  it('take no value back that was written after the record was made', async () => {
    await hosts.part()
    const ids: string[] = []
    for (let index = 0; index < 20; index += 1) {
      const id = await made(laptop, 'ticket', { title: 'first' })
      await changed(laptop, 'ticket', id, { title: 'second' })
      ids.push(id)
    }
    await hosts.join()
    const numbers = new Set<unknown>()
    for (const id of ids) {
      await until('it has its number', async () => {
        const record = (await laptop.get(`/data/ticket/${id}`)).body.record
        return /^T-\d{4}$/.test(record.no)
      })
      await hosts.agree()
      const record = await sharedRecord('ticket', id)
      expect(record).toMatchObject({ title: 'second' })
      numbers.add(record['no'])
    }
    expect(numbers.size).toBe(ids.length)
  })
})

describe('a long text of a record that is deleted elsewhere', () => {
  const openConflicts = async (host: TestHost) => (await host.get('/sync/conflicts')).body.conflicts

  it.each([
    ['deleted first', true],
    ['edited first', false],
  ])('is listed as edited after the deletion: %s', async (_order, isDeletedFirst) => {
    const id = await made(desk, 'ticket', { title: 'Leak', notes: 'It drips.' })
    await hosts.agree()
    await hosts.part()
    const remove = async () => expect((await desk.delete(`/data/ticket/${id}`)).status).toBe(200)
    if (isDeletedFirst) await remove()
    await changed(laptop, 'ticket', id, { notes: 'It drips. The valve is open.' })
    if (!isDeletedFirst) await remove()
    await hosts.join()
    for (const host of [desk, laptop]) {
      const [conflict, ...others] = await openConflicts(host)
      expect(others).toEqual([])
      expect(conflict).toMatchObject({
        kind: 'delete_edit',
        recordId: id,
        losers: [{ value: { notes: 'It drips. The valve is open.' }, device: { name: 'Laptop' } }],
      })
    }
    const [{ id: conflict }] = await openConflicts(laptop)
    const choice = isDeletedFirst ? 'restore' : 'delete'
    expect((await laptop.post(`/sync/conflicts/${conflict}/resolve`, { choice })).status).toBe(200)
    await hosts.agree()
    for (const host of [desk, laptop]) {
      await until('nothing is open', async () => (await openConflicts(host)).length === 0)
      const answer = await host.get(`/data/ticket/${id}`)
      if (isDeletedFirst) expect(answer.body.record.notes).toBe('It drips. The valve is open.')
      else expect(answer.status).toBe(404)
    }
  })

  it('is nothing to decide when it was seen by whoever deleted it', async () => {
    const id = await made(laptop, 'ticket', { title: 'Leak', notes: 'It drips.' })
    await changed(laptop, 'ticket', id, { notes: 'It drips a lot.' })
    await hosts.agree()
    await hosts.part()
    await changed(laptop, 'ticket', id, { notes: 'It pours.' })
    expect((await laptop.delete(`/data/ticket/${id}`)).status).toBe(200)
    await hosts.join()
    for (const host of [desk, laptop]) expect(await openConflicts(host)).toEqual([])
  })
})

describe('a field that becomes a long text, or stops being one', () => {
  let count = 0

  /** Both have a record; then one changes the type of its field and the other one its value, without knowing of each other. */
  async function retyped(from: string, to: string, isValueFirst: boolean): Promise<{ object: string; id: string }> {
    const object = `memo_${(count += 1)}`
    await desk.defineObject(object, { text: { type: from } })
    const id = await made(desk, object, { text: 'old' })
    await made(desk, object, { text: 'untouched' })
    await hosts.agree()
    await hosts.part()
    const edit = async () => changed(laptop, object, id, { text: 'new' })
    if (isValueFirst) await edit()
    const { item } = (await desk.get(`/meta/object/${object}`)).body
    const fields = { ...item.fields, text: { ...item.fields.text, type: to } }
    await define(object, { ...item, fields })
    if (!isValueFirst) await edit()
    await hosts.join()
    for (const host of [desk, laptop])
      await until('the type has arrived', async () => {
        const { item: there } = (await host.get(`/meta/object/${object}`)).body
        return there.fields.text.type === to
      })
    await hosts.agree()
    return { object, id }
  }

  it.each([
    ['text', 'markdown', true],
    ['text', 'markdown', false],
    ['markdown', 'text', true],
    ['markdown', 'text', false],
    ['text', 'textarea', false],
    ['textarea', 'markdown', true],
  ])('keeps what was written elsewhere meanwhile: %s to %s, value first %s', async (from, to, isValueFirst) => {
    const { object, id } = await retyped(from, to, isValueFirst)
    const { text } = (await sharedRecord(object, id)) as { text: string }
    const open = async (host: TestHost) => (await host.get(`/sync/conflicts?object=${object}`)).body.conflicts
    await until('both list the same', async () => (await open(desk)).length === (await open(laptop)).length)
    const [conflict, ...others] = await open(desk)
    expect(others).toEqual([])
    if (text === 'new') {
      expect(conflict).toBeUndefined()
      return
    }
    expect(conflict).toMatchObject({
      kind: 'field',
      recordId: id,
      field: 'text',
      winner: { value: 'old' },
      losers: [{ value: 'new', device: { name: 'Laptop' } }],
    })
    const [there] = await open(laptop)
    expect(there.losers).toEqual(conflict.losers)
    const answer = await laptop.post(`/sync/conflicts/${conflict.id}/resolve`, { choice: 'loser' })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    await hosts.agree()
    expect(await sharedRecord(object, id)).toMatchObject({ text: 'new' })
    for (const host of [desk, laptop]) await until('nothing is open', async () => (await open(host)).length === 0)
    await changed(desk, object, id, { text: 'newer' })
    await hosts.agree()
    expect(await sharedRecord(object, id)).toMatchObject({ text: 'newer' })
    for (const host of [desk, laptop]) expect(await open(host)).toEqual([])
  })
})

describe('what was removed while somebody wrote to it', () => {
  it('keeps the values of a field aside, and the rest of the records arrives at once', async () => {
    await desk.defineObject('sheet', { title: { type: 'text' }, size: { type: 'number' }, notes: { type: 'markdown' } })
    const edited = await made(desk, 'sheet', { title: 'Old', size: 1, notes: 'Start' })
    await hosts.agree()
    await hosts.part()
    const { item } = (await desk.get('/meta/object/sheet')).body
    const { size: _size, notes: _notes, ...fields } = item.fields
    await define('sheet', { ...item, fields })
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1)
      ids.push(await made(laptop, 'sheet', { title: `New ${index}`, size: index, notes: `Text ${index}` }))
    await changed(laptop, 'sheet', edited, { size: 2, notes: 'Words' })
    await changed(laptop, 'sheet', edited, { title: 'Changed' })
    await hosts.join()
    for (const [index, id] of ids.entries())
      expect(await sharedRecord('sheet', id)).toMatchObject({ title: `New ${index}` })
    expect(await sharedRecord('sheet', edited)).toMatchObject({ title: 'Changed' })
    const { problems, waiting } = (await desk.get('/sync/problems')).body
    expect(problems).toEqual([])
    expect(waiting).toContainEqual(
      expect.objectContaining({ kind: 'records', name: 'sheet', reason: 'field_removed', count: 6 }),
    )
    for (const { id } of (await desk.get('/meta/object/sheet/backups')).body.data) {
      const answer = await desk.post(`/meta/object/sheet/backups/${id}/restore`)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    }
    await hosts.agree()
    for (const [index, id] of ids.entries())
      await until('the values are back', async () => {
        const record = (await desk.get(`/data/sheet/${id}`)).body.record
        return record.size === index && record.notes === `Text ${index}`
      })
    expect(await sharedRecord('sheet', edited)).toMatchObject({ title: 'Changed', size: 2, notes: 'Words' })
  })
})

describe('a comment that both edit', () => {
  it.each([
    ['loser', 'From the desk'],
    ['both', 'From the laptop\n\nFrom the desk'],
    ['winner', 'From the laptop'],
  ] as const)('is decided by a person: %s', async (choice, expected) => {
    const record = await made(desk, 'ticket', { title: 'Talked about' })
    await hosts.agree()
    const { id } = await addItem(desk, `ticket/${record}`, { body: 'First' })
    await hosts.agree()
    await hosts.part()
    const edit = async (host: TestHost, body: string): Promise<void> => {
      expect((await host.put(`/data/ticket/${record}/feed/${id}`, { body })).status).toBe(200)
    }
    await edit(desk, 'From the desk')
    await edit(laptop, 'From the laptop')
    await hosts.join()
    const open = async (host: TestHost) => (await host.get('/sync/conflicts?object=ticket')).body.conflicts
    const [conflict, ...others] = await open(desk)
    expect(others).toEqual([])
    expect(conflict).toMatchObject({
      ...{ kind: 'text', recordId: record, feedItem: { id, part: 'body' }, base: 'First' },
      ...{ winner: { value: 'From the laptop' }, losers: [{ value: 'From the desk' }] },
    })
    const answer = await desk.post(`/sync/conflicts/${conflict.id}/resolve`, { choice })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    await hosts.agree()
    for (const host of [desk, laptop]) {
      const { items } = await pageOf(host, `ticket/${record}/feed?type=comments_only`)
      expect(items.map(({ body }: { body: string }) => body)).toEqual([expected])
    }
    expect(await open(desk)).toEqual([])
    await until('it is decided on the other one', async () => (await open(laptop)).length === 0)
  })
})

describe('a task that both edit', () => {
  it('keeps what is written to it while one of its parts is decided', async () => {
    const record = await made(desk, 'ticket', { title: 'To be done' })
    const data = { dueDate: '2026-03-01', done: false }
    const { id } = await addItem(desk, `ticket/${record}`, { type: 'task', body: 'Once', data })
    await hosts.agree()
    await hosts.part()
    const place = `/data/ticket/${record}/feed/${id}`
    for (const [host, dueDate] of [
      [desk, '2026-03-02'],
      [laptop, '2026-03-03'],
    ] as const)
      expect((await host.put(place, { data: { dueDate } })).status).toBe(200)
    await hosts.join()
    const [conflict] = (await desk.get('/sync/conflicts?object=ticket')).body.conflicts
    expect(conflict).toMatchObject({ feedItem: { id, part: 'data.dueDate' } })
    let isHeld = true
    const held = desk.host.database.writeStepwise('test.hold', function* () {
      while (isHeld) yield
    })
    const written = desk.put(place, { data: { done: true } })
    await pause(40)
    const decided = desk.post(`/sync/conflicts/${conflict.id}/resolve`, { choice: 'loser' })
    await pause(40)
    isHeld = false
    await held
    expect([(await written).status, (await decided).status]).toEqual([200, 200])
    const { items } = await pageOf(desk, `ticket/${record}/feed?type=tasks_only`)
    expect(items[0]!.data).toMatchObject({ done: true, dueDate: '2026-03-02' })
  })
})

describe('a row that is not what its documents say', () => {
  it('comes back whole with the next change of its record, where it is not there at all', async () => {
    const id = await made(desk, 'ticket', { title: 'As it was written', notes: 'Words' })
    await hosts.agree()
    const { plugins, database } = laptop.host
    const { table } = plugins.service('metadata')!.objectSchema('ticket')!
    await database.write('test', (tx) => void tx.run(statement(`DELETE FROM "${table}" WHERE id = ?`, [id])))
    await changed(desk, 'ticket', id, { title: 'Written anew' })
    await until('it is there', async () => (await laptop.get(`/data/ticket/${id}`)).status === 200)
    await hosts.agree()
    expect(await sharedRecord('ticket', id)).toMatchObject({ title: 'Written anew', notes: 'Words' })
  })

  it('is found and made so by comparing', async () => {
    const id = await made(desk, 'ticket', { title: 'As it was written', notes: 'Words' })
    const whole = await made(desk, 'ticket', { title: 'Another' })
    await hosts.agree()
    const { plugins, database } = laptop.host
    const schema = plugins.service('metadata')!.objectSchema('ticket')!
    const columnOf = (field: string): string => schema.byName.get(field)!.column
    await database.write('test', (tx) => {
      const sql = `UPDATE "${schema.table}" SET "${columnOf('title')}" = ?, "${columnOf('notes')}" = ? WHERE id = ?`
      tx.run(statement(sql, ['Something else', 'Other words', id]))
      tx.run(statement(`DELETE FROM "${schema.table}" WHERE id = ?`, [whole]))
    })
    const repairs = async (): Promise<number> => (await laptop.get('/sync/status')).body.counts.repairs
    const before = await repairs()
    expect((await laptop.post('/sync/verify')).status).toBe(202)
    await until('they are found', async () => (await repairs()) >= before + 2)
    await hosts.agree()
    expect(await sharedRecord('ticket', id)).toMatchObject({ title: 'As it was written', notes: 'Words' })
    expect(await sharedRecord('ticket', whole)).toMatchObject({ title: 'Another' })
    // What is right is left alone.
    const then = await repairs()
    for (const host of [desk, laptop]) expect((await host.post('/sync/verify')).status).toBe(202)
    await until('it is compared', async () => {
      const { proof } = (await laptop.get('/sync/status')).body
      return proof !== undefined
    })
    expect(await repairs()).toBe(then)
  })
})

describe('an object that is removed while somebody writes to its records', () => {
  const removalOf = async (host: TestHost) => (await host.get('/sync/conflicts')).body.conflicts

  it.each(['restore', 'delete'] as const)('is listed on both, and a person decides: %s', async (choice) => {
    const name = `shelf_${choice}`
    await desk.defineObject(name, { title: { type: 'text' }, notes: { type: 'markdown' } }, { label: 'Shelf' })
    const id = await made(desk, name, { title: 'Left', notes: 'Old' })
    const quiet = await made(desk, name, { title: 'Right' })
    await hosts.agree()
    await hosts.part()
    // Before the removal as well as after it: whoever removes knows of neither.
    await changed(laptop, name, id, { title: 'Left, painted' })
    expect((await desk.delete(`/meta/object/${name}?confirm=true`)).status).toBe(200)
    const added = await made(laptop, name, { title: 'Middle', notes: 'New' })
    const many = Array.from({ length: 30 }, (_, index) => ({ title: `Zed ${index}` }))
    expect((await laptop.post(`/data/${name}/createMany`, many)).status).toBeLessThan(300)
    await hosts.join()
    for (const host of [desk, laptop]) {
      const [conflict, ...others] = await until('the removal is listed', async () => {
        const found = await removalOf(host)
        return found.length > 0 ? found : undefined
      })
      expect(others).toEqual([])
      expect(conflict).toMatchObject({
        ...{ kind: 'delete_edit', object: '', recordId: '', winner: { value: null, device: { name: 'Desk' } } },
        item: { type: 'object', name, label: 'Shelf', property: '' },
      })
      expect(conflict.losers).toMatchObject([{ device: { name: 'Laptop' }, value: { count: 32 } }])
      const titles = conflict.losers[0].value.records.map(({ title }: { title: string }) => title)
      expect(titles).toHaveLength(20)
      expect(titles.slice(0, 2)).toEqual(['Left, painted', 'Middle'])
      await until('nothing else is wrong', async () => {
        const { state, reason, counts } = (await host.get('/sync/status')).body
        return state === 'attention' && reason === 'conflicts' && counts.parked + counts.quarantined === 0
      })
    }
    const [{ id: conflict }] = await removalOf(laptop)
    const wrong = await laptop.post(`/sync/conflicts/${conflict}/resolve`, { choice: 'winner' })
    expect(wrong.body.error.details.fieldErrors).toMatchObject([{ field: 'choice', code: 'invalid_option' }])
    const answer = await laptop.post(`/sync/conflicts/${conflict}/resolve`, { choice })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    await hosts.agree()
    for (const host of [desk, laptop]) {
      await until('nothing is open', async () => (await removalOf(host)).length === 0)
      if (choice === 'delete') expect((await host.get(`/meta/object/${name}`)).status).toBe(404)
      else
        await until('the records are back', async () => {
          const list = (await host.get(`/data/${name}?sort=title&top=100`)).body.records
          return (
            list?.length === 33 &&
            JSON.stringify(list.slice(0, 3).map((record: { title: string }) => record.title)) ===
              JSON.stringify(['Left, painted', 'Middle', 'Right'])
          )
        })
    }
    if (choice === 'restore')
      for (const [record, notes] of [
        [id, 'Old'],
        [added, 'New'],
        [quiet, null],
      ] as const)
        expect(await sharedRecord(name, record)).toMatchObject({ notes })
  })

  it('is nothing to decide when all was seen by whoever removed it', async () => {
    await desk.defineObject('rack', { title: { type: 'text' } })
    await hosts.agree()
    await made(laptop, 'rack', { title: 'Seen' })
    await hosts.agree()
    expect((await desk.delete('/meta/object/rack?confirm=true')).status).toBe(200)
    await hosts.agree()
    for (const host of [desk, laptop]) expect(await removalOf(host)).toEqual([])
  })
})

describe('a field that becomes unique while somebody makes a duplicate', () => {
  it('is unique on both, with what else was changed, and the clash is listed on both', async () => {
    await desk.defineObject('badge', { code: { type: 'text' } })
    const first = await made(desk, 'badge', { code: 'A1' })
    await hosts.agree()
    await hosts.part()
    const { item } = (await desk.get('/meta/object/badge')).body
    const code = { ...item.fields.code, unique: true }
    await define('badge', { ...item, label: 'Badges', fields: { ...item.fields, code, color: { type: 'text' } } })
    const second = await made(laptop, 'badge', { code: 'A1' })
    await hosts.join()
    for (const host of [desk, laptop]) {
      await until('the definition is there', async () => {
        const { item: there } = (await host.get('/meta/object/badge')).body
        return there.label === 'Badges' && there.fields.code.unique === true && there.fields.color !== undefined
      })
      const conflicts = await until('the clash is listed', async () => {
        const { conflicts: open } = (await host.get('/sync/conflicts?object=badge')).body
        return open.length > 0 ? open : undefined
      })
      expect(conflicts).toMatchObject([{ kind: 'unique', field: 'code', recordId: second, winner: { record: first } }])
      expect((await host.post('/data/badge', { code: 'A1' })).status).toBe(409)
    }
    const [{ id }] = (await laptop.get('/sync/conflicts?object=badge')).body.conflicts
    const answer = await laptop.post(`/sync/conflicts/${id}/resolve`, { choice: 'value', value: 'A2' })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    await hosts.agree()
    expect(await sharedRecord('badge', second)).toMatchObject({ code: 'A2' })
    for (const host of [desk, laptop])
      await until(
        'nothing is open',
        async () => (await host.get('/sync/conflicts?object=badge')).body.conflicts.length === 0,
      )
  })

  it('is listed no more when the field need not be unique', async () => {
    await desk.defineObject('locker', { code: { type: 'text' } })
    await made(desk, 'locker', { code: 'L1' })
    await hosts.agree()
    const asUnique = async (unique: boolean) => {
      const { item } = (await desk.get('/meta/object/locker')).body
      await define('locker', { ...item, fields: { ...item.fields, code: { ...item.fields.code, unique } } })
    }
    await hosts.part()
    await asUnique(true)
    await made(laptop, 'locker', { code: 'L1' })
    await hosts.join()
    const listed = async (count: number): Promise<boolean> => {
      for (const host of [desk, laptop])
        await until(`${count} of them`, async () => {
          return (await host.get('/sync/conflicts?object=locker')).body.conflicts.length === count
        })
      return true
    }
    expect(await listed(1)).toBe(true)
    await asUnique(false)
    expect(await listed(0)).toBe(true)
  })
})

describe('what the machine itself writes', () => {
  it('is by the same on both, and summaries are equal', async () => {
    const crate = await made(desk, 'crate', { title: 'A' })
    const other = await made(desk, 'crate', { title: 'B' })
    await hosts.agree()
    const item = await made(laptop, 'item', { crate, size: 3 })
    await hosts.agree()
    await hosts.part()
    await changed(laptop, 'item', item, { size: 5 })
    await made(desk, 'item', { crate, size: 4 })
    await made(desk, 'item', { crate: other, size: 7 })
    expect((await laptop.delete(`/data/crate/${other}`)).status).toBe(200)
    await hosts.join()
    expect(await sharedRecord('crate', crate)).toMatchObject({ total: 9 })
    // In the trash each keeps the sum of the last moment the record was live there.
    const [conflict] = (await laptop.get('/sync/conflicts')).body.conflicts
    expect(conflict).toMatchObject({ kind: 'orphan' })
    expect((await laptop.post(`/sync/conflicts/${conflict.id}/resolve`, { choice: 'adopt' })).status).toBe(200)
    await hosts.agree()
    expect(await sharedRecord('crate', other)).toMatchObject({ total: 7 })
  })
})

describe('a field that is summed up', () => {
  /** Both change a field while they do not see each other. */
  async function apart(here: object, there: object, start: object = { count: 10 }): Promise<string> {
    const id = await made(desk, 'stock', { title: 'Bolts', ...start })
    await hosts.agree()
    await hosts.part()
    await changed(desk, 'stock', id, here)
    await changed(laptop, 'stock', id, there)
    await hosts.join()
    return id
  }

  const openConflicts = async () => (await desk.get('/sync/conflicts')).body.conflicts

  it('has what both machines added', async () => {
    const id = await apart({ count: 13 }, { count: 14 })
    expect(await sharedRecord('stock', id)).toMatchObject({ count: 17 })
    expect(await openConflicts()).toEqual([])
    await changed(laptop, 'stock', id, { count: 5 })
    await hosts.agree()
    expect(await sharedRecord('stock', id)).toMatchObject({ count: 5 })
  })

  it('adds fractions of percentages, beginning with nothing', async () => {
    const id = await apart({ share: 0.1 }, { share: 0.2 }, {})
    expect(await sharedRecord('stock', id)).toMatchObject({ share: 0.3 })
  })

  it('shows who emptied it beside what somebody else added', async () => {
    const id = await made(desk, 'stock', { title: 'Nuts', count: 1 })
    await hosts.agree()
    await changed(laptop, 'stock', id, { count: 3 })
    await hosts.agree()
    await hosts.part()
    await changed(laptop, 'stock', id, { count: 8 })
    await changed(desk, 'stock', id, { count: null })
    await hosts.join()
    expect(await sharedRecord('stock', id)).toMatchObject({ count: null })
    const [conflict, ...others] = await openConflicts()
    expect(others).toEqual([])
    expect(conflict).toMatchObject({ kind: 'field', recordId: id, field: 'count', winner: { value: null } })
    expect((await desk.post(`/sync/conflicts/${conflict.id}/resolve`, { choice: 'value', value: 7 })).status).toBe(200)
    await hosts.agree()
    expect(await sharedRecord('stock', id)).toMatchObject({ count: 7 })
    expect(await openConflicts()).toEqual([])
  })

  it('keeps its value when it is summed up no more, and again after that', async () => {
    const id = await apart({ count: 11 }, { count: 12 })
    const mergedBy = async (merge: object) => {
      const item = (await desk.get('/meta/object/stock')).body.item
      const { merge: _old, ...count } = item.fields.count
      await define('stock', { ...item, fields: { ...item.fields, count: { ...count, ...merge } } })
      await hosts.agree()
    }
    await mergedBy({})
    expect(await sharedRecord('stock', id)).toMatchObject({ count: 13 })
    await changed(laptop, 'stock', id, { count: 20 })
    await hosts.agree()
    expect(await sharedRecord('stock', id)).toMatchObject({ count: 20 })
    await mergedBy({ merge: 'sum' })
    await hosts.part()
    await changed(desk, 'stock', id, { count: 21 })
    await changed(laptop, 'stock', id, { count: 25 })
    await hosts.join()
    expect(await sharedRecord('stock', id)).toMatchObject({ count: 26 })
  })
})
