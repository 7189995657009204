// Passwords and secrets over HTTP (D-22, D-94): what is stored, what is told, and that their text leaks nowhere.
import { readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { passwordMatches } from '#main/plugins/data/service/sealing.ts'
import { makeSecretKey } from '#main/kernel/file-secrets.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost

const canary = 'canary-7f3a-secret'
const passCanary = 'canary-91bd-password'
const mask = '********'

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('vault', {
    name: { type: 'text', required: true, unique: true },
    key: { type: 'secret', minLength: 4 },
    pass: { type: 'password' },
    pin: { type: 'secret', readonly: true },
  })
  await host.defineObject('door', { name: { type: 'text' }, vault: { type: 'lookup', reference: 'vault' } })
})

afterAll(() => host.stop())

let serial = 0
const create = async (data: Record<string, unknown> = {}): Promise<string> => {
  const { status, body } = await host.post('/data/vault', {
    name: `v${(serial += 1)}`,
    key: canary,
    pass: passCanary,
    ...data,
  })
  expect(status).toBe(201)
  return body.id
}

const stored = (id: string): { key: string | null; pass: string | null } =>
  host.host.database.read.get({ sql: 'SELECT "key", pass FROM o_vault WHERE id = ?', parameters: [id] })!

/** Puts another key in place of the file and restarts; the answer puts the first one back. */
async function lost(): Promise<() => Promise<void>> {
  const file = join(host.dataDir, 'secret.key')
  renameSync(file, `${file}.away`)
  expect(makeSecretKey(file)).toBe(true)
  await host.restart()
  return async () => {
    renameSync(`${file}.away`, file)
    await host.restart()
  }
}

describe('a secret', () => {
  it('is sealed at rest, reads as a mask, and null when it is empty', async () => {
    const id = await create()
    const { body } = await host.get(`/data/vault/${id}`)
    expect(body.record).toMatchObject({ key: mask, pass: null, pin: null })
    expect(stored(id).key).toMatch(/^f1\./)
    await host.patch(`/data/vault/${id}`, { key: null })
    expect((await host.get(`/data/vault/${id}`)).body.record.key).toBeNull()
  })

  it('is told by reveal, which raises an event that names the field and not the text', async () => {
    const id = await create()
    host.takeEvents()
    const { status, body } = await host.post(`/data/vault/${id}/reveal`, { field: 'key' })
    expect([status, body]).toEqual([200, { object: 'vault', id, field: 'key', value: canary }])
    const events = host.takeEvents()
    expect(events.map(({ type, recordId, actor, payload }) => [type, recordId, actor.type, payload])).toEqual([
      ['record.secret_revealed', id, 'user', { field: 'key' }],
    ])
    expect((await host.post(`/data/vault/${id}/reveal`, { field: 'pin' })).body.value).toBeNull()
  })

  it.each(['pass', 'name', 'nope', '__proto__'])('is all reveal tells: the field %s is refused', async (field) => {
    const id = await create()
    host.takeEvents()
    const { status, body } = await host.post(`/data/vault/${id}/reveal`, { field })
    expect([status, body.error.details.fieldErrors[0].code]).toEqual([400, 'unknown_field'])
    expect(host.takeEvents()).toEqual([])
  })

  it('stays as it is when its mask is written, alone and in a whole form', async () => {
    const id = await create()
    const before = await host.get(`/data/vault/${id}`)
    const same = await host.patch(`/data/vault/${id}`, { key: mask })
    expect(same.body.record).toEqual(before.body.record)
    await host.patch(`/data/vault/${id}`, { ...before.body.record, name: `renamed ${id}` })
    expect((await host.post(`/data/vault/${id}/reveal`, { field: 'key' })).body.value).toBe(canary)
    const masked = await host.post('/data/vault', { name: `masked ${id}`, key: mask })
    expect(masked.body.record.key).toBeNull()
  })

  it('survives a restart, a delete and a restore', async () => {
    const id = await create()
    await host.delete(`/data/vault/${id}`)
    expect((await host.post(`/data/vault/${id}/reveal`, { field: 'key' })).status).toBe(404)
    await host.restart()
    await host.post(`/data/vault/${id}/restore`)
    expect((await host.post(`/data/vault/${id}/reveal`, { field: 'key' })).body.value).toBe(canary)
  })

  it('is not told when the key of the secret store is another one; everything else works on', async () => {
    const id = await create()
    const stop = await lost()
    const { status, body } = await host.post(`/data/vault/${id}/reveal`, { field: 'key' })
    expect([status, body.error.code, body.error.details.reason]).toEqual([503, 'service_unavailable', 'secret_store'])
    expect((await host.patch(`/data/vault/${id}`, { name: `still ${id}` })).status).toBe(200)
    await stop()
    expect((await host.post(`/data/vault/${id}/reveal`, { field: 'key' })).body.value).toBe(canary)
  })

  it('is not taken over by a clone', async () => {
    const id = await create()
    const { body } = await host.post(`/data/vault/${id}/clone`, { overrides: { name: `clone of ${id}` } })
    expect(body.record).toMatchObject({ key: null, pass: null })
    expect(stored(body.id)).toEqual({ key: null, pass: null })
  })
})

describe('a password', () => {
  it('is stored as a salted scrypt hash that fits the text and no other', async () => {
    const [one, two] = [stored(await create()).pass!, stored(await create()).pass!]
    expect(one).toMatch(/^scrypt\$32768\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    expect(one).not.toBe(two)
    expect([await passwordMatches(passCanary, one), await passwordMatches(`${passCanary}x`, one)]).toEqual([
      true,
      false,
    ])
  })
})

describe('the text of a secret or password', () => {
  it('stays when a record is written back as it was read, and goes with a blank', async () => {
    const id = await create()
    const stored = (): unknown =>
      host.host.database.read.get({ sql: 'SELECT pass FROM o_vault WHERE id = ?', parameters: [id] })
    const before = stored()
    const { record } = (await host.get(`/data/vault/${id}`)).body
    expect(record.pass).toBeNull()
    const { name, key, pass, updated_at: expectedVersion } = record
    expect((await host.patch(`/data/vault/${id}`, { name, key, pass, expectedVersion })).status).toBe(200)
    expect(stored()).toEqual(before)
    expect((await host.patch(`/data/vault/${id}`, { pass: '' })).status).toBe(200)
    expect(stored()).toEqual({ pass: null })
  })

  it('is in no answer, event, error, search, batch result or replay', async () => {
    host.takeEvents()
    const seen: unknown[] = []
    const keep = async (answer: Promise<{ body: unknown }>): Promise<void> => {
      seen.push((await answer).body)
    }
    const name = 'leak test'
    const id = await create({ name })
    const door = (await host.post('/data/door', { name: 'd', vault: id })).body.id as string
    const both = { key: `${canary}-2`, pass: `${passCanary}-2` }
    await keep(host.get(`/data/vault/${id}`))
    await keep(host.get(`/data/vault?name=leak test`))
    await keep(host.get(`/data/vault?search=${canary}`))
    await keep(host.get(`/data/door/${door}?expand=vault`))
    await keep(host.get(`/data/vault?select=key,pass`))
    await keep(host.get(`/data/vault?select=name,key,pass&distinct=true`))
    await keep(host.get(`/data/vault?groupBy=key`))
    await keep(host.post('/data/vault/query', { aggregations: [{ function: 'count', field: 'key' }] }))
    for (const format of ['csv', 'json', 'ndjson', 'xlsx']) await keep(host.get(`/data/vault/export?format=${format}`))
    await keep(host.get(`/data/door/export?format=json&expand=vault`))
    await keep(host.get(`/data/vault?sort=key`))
    await keep(host.patch(`/data/vault/${id}`, both, { 'idempotency-key': 'secret-replay' }))
    await keep(host.patch(`/data/vault/${id}`, both, { 'idempotency-key': 'secret-replay' }))
    await keep(host.post('/data/vault', { name, ...both }))
    await keep(host.post('/data/vault', { name: 'x', key: [canary], pass: { text: passCanary } }))
    await keep(host.patch(`/data/vault/${id}`, { pin: canary }))
    await keep(host.patch(`/data/vault/${id}`, { key: canary.repeat(2_000), expectedVersion: 'x' }))
    await keep(host.post('/data/vault/createMany', { records: [{ name, ...both }] }))
    await keep(
      host.post('/data/vault/batch', {
        operation: 'upsert',
        records: [{ id, data: both }, { data: { key: canary } }],
        options: { atomic: false, continueOnError: true, returnRecords: true },
      }),
    )
    await keep(host.post('/batch', { operations: [{ object: 'vault', action: 'create', data: both }] }))
    await keep(host.delete(`/data/vault/${id}?expectedVersion=2000-01-01`))
    await keep(host.delete(`/data/vault/${id}`))
    await keep(host.get('/data/vault?deleted=include'))
    seen.push(host.takeEvents())
    expect(seen).toHaveLength(27)
    const text = JSON.stringify(seen)
    expect(text).not.toContain('canary')
    // Neither is what is stored in their place.
    expect(text).not.toMatch(/scrypt\$|f1\./)
  })

  it.each([
    ['filter', `filter=${JSON.stringify({ key: canary })}`],
    ['loose condition', `key=${canary}`],
    ['contains', `filter=${JSON.stringify({ pass: { $contains: 'can' } })}`],
  ])('cannot be guessed by a %s', async (_name, query) => {
    const { status, body } = await host.get(`/data/vault?${query}`)
    expect([status, body.error.code]).toEqual([400, 'invalid_query'])
  })

  it('can be asked for presence', async () => {
    const id = await create({ key: null })
    const { body } = await host.get(`/data/vault?filter=${JSON.stringify({ key: { $null: true } })}&top=1000`)
    expect(body.records.map((record: { id: string }) => record.id)).toContain(id)
  })

  it('is in no file of the data folder', async () => {
    await create()
    const files = (folder: string): string[] =>
      readdirSync(folder).flatMap((name) => {
        const path = join(folder, name)
        return statSync(path).isDirectory() ? files(path) : [path]
      })
    const found = files(host.dataDir).filter((path) => readFileSync(path).includes('canary-'))
    expect(files(host.dataDir).length).toBeGreaterThan(2)
    expect(found).toEqual([])
  })
})
