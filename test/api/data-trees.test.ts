// Trees, owning records and links to records of any object over HTTP (D-61, D-94): what may be stored, what a delete
// does and what a restore undoes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('category', { name: { type: 'text' }, parent: { type: 'tree' } })
  await host.defineObject('folder', { name: { type: 'text' }, parent: { type: 'tree', deleteBehavior: 'cascade' } })
  await host.defineObject('invoice', { name: { type: 'text' } })
  await host.defineObject('position', {
    invoice: { type: 'master_detail', reference: 'invoice' },
    code: { type: 'text', unique: true },
  })
  await host.defineObject('lock', {
    invoice: { type: 'master_detail', reference: 'invoice', deleteBehavior: 'restrict' },
  })
  await host.defineObject('note', { text: { type: 'text' }, about: { type: 'record' } })
  await host.defineObject('pin', { about: { type: 'record', references: ['invoice', 'category'] } })
})

afterAll(() => host.stop())

const create = async (object: string, data: unknown): Promise<string> => {
  const { status, body } = await host.post(`/data/${object}`, data)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

const record = async (object: string, id: string) => (await host.get(`/data/${object}/${id}`)).body.record

const problem = (body: { error: { details: { fieldErrors: { field: string; code: string }[] } } }) =>
  body.error.details.fieldErrors.map(({ field, code }) => [field, code])

describe('a tree', () => {
  it('refuses a record that would stand above itself, near and far', async () => {
    const root = await create('category', { name: 'root' })
    const middle = await create('category', { name: 'middle', parent: root })
    const leaf = await create('category', { name: 'leaf', parent: middle })
    for (const parent of [root, middle, leaf]) {
      const { status, body } = await host.patch(`/data/category/${root}`, { parent })
      expect([status, problem(body)]).toEqual([400, [['parent', 'invalid_reference']]])
    }
    const own = '01900000-0000-7000-8000-0000000000aa'
    const self = await host.post('/data/category', { id: own, parent: own })
    expect([self.status, problem(self.body)]).toEqual([400, [['parent', 'invalid_reference']]])
    expect((await host.patch(`/data/category/${leaf}`, { parent: root })).status).toBe(200)
  })

  it('refuses the second of two moves in one batch that close a ring together', async () => {
    const a = await create('category', { name: 'a' })
    const b = await create('category', { name: 'b' })
    const { body } = await host.post('/data/category/updateMany', {
      records: [
        { id: a, data: { parent: b } },
        { id: b, data: { parent: a } },
      ],
    })
    expect(body.results.map((result: { rolledBack?: boolean }) => result.rolledBack ?? false)).toEqual([true, false])
    expect([(await record('category', a)).parent, (await record('category', b)).parent]).toEqual([null, null])
  })

  it('lets go of children when their parent is deleted and takes them back when it is restored', async () => {
    const root = await create('category', { name: 'root' })
    const child = await create('category', { name: 'child', parent: root })
    await host.delete(`/data/category/${root}`)
    expect((await record('category', child)).parent).toBeNull()
    await host.post(`/data/category/${root}/restore`)
    expect((await record('category', child)).parent).toBe(root)
  })

  it('does not take a child back where that would close a ring', async () => {
    const top = await create('category', { name: 'top' })
    const middle = await create('category', { name: 'middle', parent: top })
    const child = await create('category', { name: 'child', parent: middle })
    await host.delete(`/data/category/${middle}`)
    expect((await host.patch(`/data/category/${top}`, { parent: child })).status).toBe(200)
    expect((await host.post(`/data/category/${middle}/restore`)).status).toBe(200)
    expect((await record('category', child)).parent).toBeNull()
    expect((await record('category', middle)).parent).toBe(top)
  })

  it('goes with its root along a cascade and comes back whole, ten levels deep', async () => {
    const ids: string[] = []
    for (let level = 0; level < 11; level += 1)
      ids.push(await create('folder', { name: `${level}`, ...(level === 0 ? {} : { parent: ids[level - 1] }) }))
    expect((await host.delete(`/data/folder/${ids[0]}`)).status).toBe(200)
    expect((await host.get(`/data/folder/${ids[10]}`)).status).toBe(404)
    expect((await host.post(`/data/folder/${ids[0]}/restore`)).status).toBe(200)
    expect((await record('folder', ids[10]!)).parent).toBe(ids[9])
    ids.push(await create('folder', { name: '11', parent: ids[10] }))
    const tooDeep = await host.delete(`/data/folder/${ids[0]}`)
    expect([tooDeep.status, tooDeep.body.error.code]).toEqual([409, 'delete_restricted'])
    expect((await host.get(`/data/folder/${ids[0]}`)).status).toBe(200)
  })
})

describe('a record that owns others', () => {
  it('is required on create and cannot be taken away', async () => {
    const without = await host.post('/data/position', { code: 'x' })
    expect([without.status, problem(without.body)]).toEqual([400, [['invoice', 'required']]])
    const id = await create('position', { invoice: await create('invoice', {}), code: 'own' })
    const taken = await host.patch(`/data/position/${id}`, { invoice: null })
    expect([taken.status, problem(taken.body)]).toEqual([400, [['invoice', 'required']]])
  })

  it('takes its details into the trash and brings them back', async () => {
    const invoice = await create('invoice', { name: 'i' })
    const position = await create('position', { invoice, code: 'a' })
    await host.delete(`/data/invoice/${invoice}`)
    expect((await host.get(`/data/position/${position}`)).status).toBe(404)
    await host.post(`/data/invoice/${invoice}/restore`)
    expect((await record('position', position)).invoice).toBe(invoice)
  })

  it('is kept by details that restrict', async () => {
    const invoice = await create('invoice', {})
    await create('lock', { invoice })
    const refused = await host.delete(`/data/invoice/${invoice}`)
    expect([refused.status, refused.body.error.details]).toMatchObject([
      409,
      { dependentObject: 'lock', dependentField: 'invoice', dependentCount: 1 },
    ])
  })

  it('must come back before a detail does', async () => {
    const invoice = await create('invoice', {})
    const position = await create('position', { invoice, code: 'b' })
    await host.delete(`/data/position/${position}`)
    await host.delete(`/data/invoice/${invoice}`)
    const early = await host.post(`/data/position/${position}/restore`)
    expect([early.status, early.body.error.details.reason]).toEqual([409, 'master_deleted'])
    await host.post(`/data/invoice/${invoice}/restore`)
    expect((await host.post(`/data/position/${position}/restore`)).status).toBe(200)
  })

  it('takes the details in the trash along when it is purged', async () => {
    const invoice = await create('invoice', {})
    const position = await create('position', { invoice, code: 'c' })
    await host.delete(`/data/invoice/${invoice}`)
    await host.delete(`/data/invoice/${invoice}?purge=true`)
    expect((await host.post(`/data/position/${position}/restore`)).status).toBe(404)
    const left = host.host.database.read.all<{ n: number }>({
      sql: 'SELECT count(*) AS n FROM data_delete_effect WHERE root_id = ? OR record_id IN (?, ?)',
      parameters: [invoice, invoice, position],
    })
    expect(left).toEqual([{ n: 0 }])
  })

  it('gives nothing back when a detail clashes with one made meanwhile', async () => {
    const invoice = await create('invoice', {})
    await create('position', { invoice, code: 'taken' })
    await host.delete(`/data/invoice/${invoice}`)
    await create('position', { invoice: await create('invoice', {}), code: 'taken' })
    const refused = await host.post(`/data/invoice/${invoice}/restore`)
    expect([refused.status, problem(refused.body)]).toEqual([409, [['code', 'not_unique']]])
    expect((await host.get(`/data/invoice/${invoice}`)).status).toBe(404)
  })
})

describe('a link to a record of any object', () => {
  it('names a live record of an object the field permits', async () => {
    const invoice = await create('invoice', {})
    const note = await create('note', { about: { object: 'invoice', id: invoice } })
    expect((await record('note', note)).about).toEqual({ object: 'invoice', id: invoice })
    for (const about of [
      { object: 'invoice', id: '01900000-0000-7000-8000-00000000dead' },
      { object: 'nowhere', id: invoice },
      { object: 'category', id: invoice },
    ]) {
      const { status, body } = await host.post('/data/note', { about })
      expect([status, problem(body)]).toEqual([400, [['about', 'invalid_reference']]])
    }
    const refused = await host.post('/data/pin', { about: { object: 'note', id: note } })
    expect([refused.status, problem(refused.body)]).toEqual([400, [['about.object', 'not_allowed']]])
  })

  it('is emptied by an update of the system when its record goes, and filled again when it comes back', async () => {
    const invoice = await create('invoice', {})
    const link = { object: 'invoice', id: invoice }
    const note = await create('note', { about: link })
    const pin = await create('pin', { about: link })
    host.takeEvents()
    await host.delete(`/data/invoice/${invoice}`)
    expect([(await record('note', note)).about, (await record('pin', pin)).about]).toEqual([null, null])
    const updates = host.takeEvents().filter((event) => event.type === 'record.updated')
    expect(updates.map((event) => [event.object, event.actor.type]).toSorted()).toEqual([
      ['note', 'system'],
      ['pin', 'system'],
    ])
    await host.post(`/data/invoice/${invoice}/restore`)
    expect([(await record('note', note)).about, (await record('pin', pin)).about]).toEqual([link, link])
  })

  it('is found by an index when a record of any object goes', async () => {
    const plan = host.host.database.read.all<{ detail: string }>({
      sql: 'EXPLAIN QUERY PLAN SELECT id FROM o_note WHERE about = ? AND deleted_at IS NULL',
      parameters: ['x'],
    })
    expect(plan.map((row) => row.detail).join()).toContain('USING')
  })
})

describe('a restored record', () => {
  it('has no reference to a record that was purged meanwhile', async () => {
    const invoice = await create('invoice', {})
    const note = await create('note', { text: 'n', about: { object: 'invoice', id: invoice } })
    await host.delete(`/data/note/${note}`)
    await host.delete(`/data/invoice/${invoice}?purge=true`)
    const { body } = await host.post(`/data/note/${note}/restore`)
    expect(body.record).toMatchObject({ text: 'n', about: null })
  })
})

describe('a table of an early version, whose row number has another name', () => {
  it('keeps its search index through update, delete, deleteMany and restore', async () => {
    await host.defineObject('old', { name: { type: 'text' } })
    await host.host.database.write('test.old-table', (tx) => {
      const columns = tx
        .all<{ name: string }>({
          sql: "SELECT name FROM pragma_table_info('o_old') WHERE name <> 'rowid'",
          parameters: [],
        })
        .map(({ name }) => `"${name}"`)
      tx.ddl('ALTER TABLE o_old RENAME TO o_old_new')
      const definitions = columns.map((name) => (name === '"id"' ? '"id" TEXT NOT NULL UNIQUE' : `${name} TEXT`))
      tx.ddl(`CREATE TABLE o_old ("_row" INTEGER PRIMARY KEY, ${definitions.join(', ')}) STRICT`)
      tx.ddl('DROP TABLE o_old_new')
    })
    const ids = [await create('old', { name: 'alpha one' }), await create('old', { name: 'alpha two' })]
    await host.patch(`/data/old/${ids[0]}`, { name: 'alpha three' })
    const found = async (): Promise<number> => (await host.get('/data/old?search=alpha')).body.records.length
    expect(await found()).toBe(2)
    const { body } = await host.post('/data/old/deleteMany', { ids })
    expect([body.succeeded, await found()]).toEqual([2, 0])
    await host.post(`/data/old/${ids[1]}/restore`)
    expect(await found()).toBe(1)
  })
})

describe('a definition of masters (D-94)', () => {
  const save = (name: string, fields: Record<string, unknown>) =>
    host.put(`/meta/object/${name}`, { type: 'object', name, item: { name, fields } })
  const owned = (reference: string) => ({ type: 'master_detail', reference })

  it('names at most two, over at most three levels, and never itself', async () => {
    for (const name of ['level_0', 'other_a', 'other_b'])
      expect((await save(name, { n: { type: 'text' } })).status).toBe(200)
    expect((await save('level_1', { m: owned('level_0') })).status).toBe(200)
    expect((await save('level_2', { m: owned('level_1') })).status).toBe(200)
    expect((await save('level_3', { m: owned('level_2') })).status).toBe(200)
    const deep = await save('level_4', { m: owned('level_3') })
    expect([deep.status, problem(deep.body)]).toEqual([400, [['fields.m.reference', 'not_allowed']]])
    const above = await save('level_0', { n: { type: 'text' }, m: owned('other_a') })
    expect([above.status, problem(above.body)]).toEqual([400, [['fields.m.reference', 'not_allowed']]])
    const ring = await save('level_0', { n: { type: 'text' }, m: owned('level_1') })
    expect([ring.status, problem(ring.body)]).toEqual([400, [['fields.m.reference', 'not_allowed']]])
    const own = await save('own', { m: owned('own') })
    expect(own.status).toBe(400)
    const three = await save('three', { a: owned('other_a'), b: owned('other_b'), c: owned('level_0') })
    expect([three.status, problem(three.body)]).toEqual([400, [['fields.c.type', 'max_items']]])
    expect((await save('two', { a: owned('other_a'), b: owned('other_b') })).status).toBe(200)
  })
})
