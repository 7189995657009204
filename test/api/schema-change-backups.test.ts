// What deletions of fields and objects put aside, and how it comes back or goes for good: D-101.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '#main/kernel/clock.ts'
import { statement } from '#main/kernel/database.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost
let count = 0
/** A new object for each test. */
let name: string
/** Milliseconds the host's clock is ahead. */
let ahead = 0

const now = (): number => systemClock.now() + ahead
const clock = { ...systemClock, now, iso: () => new Date(now()).toISOString() }

beforeAll(async () => {
  host = await createTestHost({ clock })
})
beforeEach(() => {
  name = `kept${(count += 1)}`
})
afterAll(() => host.stop())

const save = (fields: Record<string, unknown>, query = '?confirm=true', more: Record<string, unknown> = {}) =>
  host.put(`/meta/object/${name}${query}`, { name, fields, ...more })
const backups = async (object = name) => (await host.get(`/meta/object/${object}/backups`)).body.data
const restore = (id: string, object = name) => host.post(`/meta/object/${object}/backups/${id}/restore`)
const create = async (data: Record<string, unknown>): Promise<string> =>
  (await host.post(`/data/${name}`, data)).body.id
const read = async (id: string) => (await host.get(`/data/${name}/${id}`)).body.record

const text = { type: 'text' }
const money = { type: 'currency', label: 'Price', index: true, currencyConfig: { currencyMode: 'dynamic' } }

describe('a deleted field', () => {
  it('comes back with definition, values and index, at its place, also under another name of the object', async () => {
    await host.defineObject(name, { price: money, title: text })
    const id = await create({ title: 'a', price: { value: 2, currency: 'EUR' } })
    const version = (await read(id)).updated_at
    expect((await save({ title: text })).body.plan).toMatchObject([
      { change: 'delete_field', field: 'price', records: 1, destructive: true, lossy: 1 },
      { change: 'remove_index' },
    ])
    expect(await read(id)).not.toHaveProperty('price')
    const later = await create({ title: 'b' })
    const old = name
    name = `${old}_renamed`
    expect((await save({ title: text }, '', { renamedFrom: old })).status).toBe(200)

    const [backup] = await backups()
    expect(backup).toMatchObject({ kind: 'field', field: 'price', object: name, records: 1 })
    const restored = await restore(backup.id)
    expect(restored.status).toBe(200)
    expect(await backups()).toEqual([])
    expect(await read(id)).toMatchObject({ price: { value: 2, currency: 'EUR' }, updated_at: version })
    expect((await read(later)).price).toBeNull()
    const { item } = (await host.get(`/meta/object/${name}`)).body
    expect(Object.keys(item.fields)).toEqual(['price', 'title'])
    expect(item.fields.price).toMatchObject({ label: 'Price' })
    expect(restored.body.data.version).toBe(
      (await host.get(`/meta/object/${name}/history`)).body.data.events.at(-1).version,
    )
  })

  it('leaves nothing behind when it was empty', async () => {
    await host.defineObject(name, { a: text, b: text })
    await create({ a: 'x' })
    expect((await save({ a: text })).status).toBe(200)
    expect(await backups()).toEqual([])
  })

  it('does not come back where another field has its name, nor a conversion of a field that is gone', async () => {
    await host.defineObject(name, { a: text, b: text })
    await create({ a: 'x', b: 'y' })
    await save({ a: text })
    await save({ a: text, b: { type: 'number' } })
    const [deleted] = await backups()
    expect((await restore(deleted.id)).body.error).toMatchObject({
      code: 'conflict',
      details: { reason: 'field_exists' },
    })
    await save({ a: { type: 'number' }, b: { type: 'number' } })
    await save({ b: { type: 'number' } })
    const converted = (await backups()).find(({ kind }: { kind: string }) => kind === 'conversion')
    expect((await restore(converted.id)).body.error.details).toMatchObject({ reason: 'field_deleted' })
  })

  it('goes with its records: a purged record leaves no value in the backup', async () => {
    await host.defineObject(name, { a: text, b: text })
    const id = await create({ a: 'x', b: 'gone for good' })
    await create({ a: 'x', b: 'stays' })
    await save({ a: text })
    expect((await host.delete(`/data/${name}/${id}?purge=true`)).status).toBe(200)
    const [{ id: backup }] = await backups()
    await restore(backup)
    const { records } = (await host.get(`/data/${name}`)).body
    expect(records.map((record: { b: string }) => record.b)).toEqual(['stays'])
  })
})

describe('a deleted object', () => {
  it('comes back with its records, its items, its numbers and what it had put aside itself', async () => {
    const fields = { title: text, no: { type: 'autonumber' }, note: text }
    await host.defineObject(name, fields)
    const id = await create({ title: 'findable', note: 'n' })
    const view = await host.put(`/meta/view/${name}.all`, { name: `${name}.all`, object: name, viewKind: 'list' })
    expect(view.status, JSON.stringify(view.body)).toBe(200)
    await save({ title: text, no: { type: 'autonumber' } })
    const [inner] = await backups()
    expect((await host.delete(`/meta/object/${name}?confirm=true`)).status).toBe(200)
    expect((await host.get(`/data/${name}`)).status).toBe(404)
    const [backup] = await backups()
    expect(backup).toMatchObject({ kind: 'object', records: 1, object: name })

    const restored = await restore(backup.id)
    expect(restored.status).toBe(200)
    expect(restored.body.data).not.toHaveProperty('skipped')
    expect(await read(id)).toMatchObject({ title: 'findable', no: '0001' })
    expect((await host.get(`/data/${name}?search=findable`)).body.records).toHaveLength(1)
    expect((await host.get(`/meta/view/${name}.all`)).status).toBe(200)
    expect((await host.post(`/data/${name}`, { title: 'next' })).body.record.no).toBe('0002')
    expect((await restore(inner.id)).status).toBe(200)
    expect(await read(id)).toMatchObject({ note: 'n' })
    expect(await backups()).toEqual([])
  })

  it('does not take the place of another object of its name', async () => {
    await host.defineObject(name, { a: text })
    await create({ a: 'old' })
    await host.delete(`/meta/object/${name}?confirm=true`)
    await host.defineObject(name, { a: text })
    const [backup] = await backups()
    expect((await restore(backup.id)).body.error).toMatchObject({
      code: 'conflict',
      details: { reason: 'object_exists' },
    })
  })
})

describe('schema backups', () => {
  it('expire after 30 days, columns and tables alike, over a restart', async () => {
    await host.defineObject(name, { a: text, b: text })
    await create({ a: 'x', b: 'y' })
    await save({ a: text })
    const other = `${name}_other`
    await host.defineObject(other, { a: text })
    await host.post(`/data/${other}`, { a: 'x' })
    await host.delete(`/meta/object/${other}?confirm=true`)
    ahead += 29 * 86_400_000
    await host.restart()
    expect(await backups()).toHaveLength(1)
    ahead += 2 * 86_400_000
    await host.restart()
    await expect.poll(async () => backups(), { timeout: 10_000 }).toEqual([])
    await expect.poll(async () => (await host.get(`/meta/object/${other}/backups`)).status).toBe(404)
  })

  it('of an object that is back are forgotten with its return, and take nothing of it along when they are left', async () => {
    await host.defineObject(name, { a: text })
    const id = await create({ a: 'x' })
    await host.delete(`/meta/object/${name}?confirm=true`)
    const [{ id: backup }] = await backups()
    const { database, bus } = host.host
    const sql = 'SELECT * FROM data_schema_backup WHERE id = ?'
    const row = database.read.get<Record<string, unknown>>(statement(sql, [backup]))!
    const inside: unknown[] = []
    const end = bus.on('metadata.item.saved', (_event, tx) => void inside.push(tx.get(statement(sql, [backup]))), 0)
    expect((await restore(backup)).status).toBe(200)
    end()
    // A kill after that write leaves nothing half done.
    expect(inside).toEqual([undefined])
    // As one left it that forgot the backup later on.
    const marks = Object.keys(row).map(() => '?')
    const left = `INSERT INTO data_schema_backup (${Object.keys(row).join(', ')}) VALUES (${marks.join(', ')})`
    await database.write('left', (tx) => tx.run(statement(left, Object.values(row))))
    const old = name
    name = `${old}_renamed`
    expect((await save({ a: text }, '', { renamedFrom: old })).status).toBe(200)
    ahead += 31 * 86_400_000
    await host.restart()
    await expect.poll(async () => backups(), { timeout: 10_000 }).toEqual([])
    expect(await read(id)).toMatchObject({ a: 'x' })
    expect((await host.get(`/data/${name}/${id}/changelog`)).body.data.entries).toHaveLength(1)
  })

  it('answer 404 for an unknown object or backup', async () => {
    expect((await host.get('/meta/object/nobody/backups')).status).toBe(404)
    await host.defineObject(name, { a: text })
    expect((await restore('00000000-0000-7000-8000-000000000000')).status).toBe(404)
  })
})
