// The audit over HTTP (D-230): what becomes an entry, how entries are found, and a chain that shows when it was changed.
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { internalContext, localOwnerId } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import { cutOutdated } from '#main/plugins/audit/service/retention.ts'
import { rowOf, saveFlow } from '../support/flow-calls.ts'
import { restricted, restrictedPlugins } from '../support/restricted-permissions.ts'
import { auditKindGerman } from '../../renderer/lib/strings/de/audit-kinds.ts'
import { auditKindStrings } from '../../renderer/lib/strings/en/audit-kinds.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

interface Entry {
  seq: number
  kind: string
  outcome: string
  actor: { type: string; id: string }
  realUserId: string | null
  credential: { kind: string; digest: string | null } | null
  object: string | null
  item: { type: string; name: string } | null
  recordId: string | null
  details: Record<string, unknown>
  requestId: string
  prev: string
  hash: string
}

let host: TestHost

const entriesOf = async (query = ''): Promise<Entry[]> => {
  const { status, body } = await host.get(`/audit?limit=200${query}`)
  expect(status).toBe(200)
  return body.entries as Entry[]
}

/** Entries of requests without a change of their own are written a moment later. */
const eventually = async (query: string, count = 1): Promise<Entry[]> => {
  let found: Entry[] = []
  await expect
    .poll(async () => (found = await entriesOf(query)).length, { timeout: 5_000 })
    .toBeGreaterThanOrEqual(count)
  return found
}

beforeAll(async () => {
  host = await createTestHost({ plugins: restrictedPlugins({ hiddenObjects: ['task'], hiddenFields: [], rows: {} }) })
  await host.defineObject('task', { title: { type: 'text' }, pin: { type: 'secret' } })
})

afterAll(() => host.stop())

describe('what becomes an entry', () => {
  it('a change of an object, with who, what and the request', async () => {
    const [entry] = await entriesOf('&kind=schema.saved&object=task')
    expect(entry).toMatchObject({
      outcome: 'ok',
      actor: { type: 'user' },
      realUserId: null,
      credential: { kind: 'connection-token' },
      object: 'task',
      item: { type: 'object', name: 'task' },
      details: { version: 1 },
    })
    expect(entry!.requestId).toMatch(/^[\w-]{8,}$/)
  })

  it('permissions, settings and other items, each of their kind', async () => {
    await host.put('/meta/profile/staff', { type: 'profile', name: 'staff', item: { name: 'staff', label: 'Staff' } })
    await host.patch('/settings', { locale: 'de' })
    await host.put('/meta/role/boss', { type: 'role', name: 'boss', item: { name: 'boss', label: 'Boss' } })
    await host.delete('/meta/role/boss')
    const kinds = (await entriesOf()).map(({ kind }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['permissions.saved', 'permissions.deleted', 'settings.changed']))
    const [settings] = await entriesOf('&kind=settings.changed')
    expect(settings!.details).toEqual({ options: ['locale'] })
  })

  it('purge, restore and a look at a secret; never values of fields', async () => {
    const { body } = await host.post('/data/task', { title: 'canary-title', pin: 'canary-pin' })
    await host.post(`/data/task/${body.id}/reveal`, { field: 'pin' })
    await host.delete(`/data/task/${body.id}`)
    await host.post(`/data/task/${body.id}/restore`, {})
    await host.delete(`/data/task/${body.id}?purge=true`)
    const found = await entriesOf('&kind=record.*')
    expect(found.map(({ kind }) => kind)).toEqual(['record.purged', 'record.restored', 'record.secret_revealed'])
    for (const entry of found) expect(entry).toMatchObject({ object: 'task', recordId: body.id })
    expect(JSON.stringify(await entriesOf())).not.toContain('canary')
  })

  it('exports, imports and statements, without the values in them', async () => {
    await host.get('/data/task/export?format=ndjson')
    await host.post('/data/task/import', { format: 'json', rows: [{ title: 'canary-row' }] })
    await host.post('/analytics/sql', { sql: "SELECT id FROM task WHERE title = 'canary-sql' LIMIT 7" })
    expect(await entriesOf('&kind=export.started')).toMatchObject([{ object: 'task', details: { format: 'ndjson' } }])
    expect(await entriesOf('&kind=import.*')).toMatchObject([{ object: 'task', details: { rows: 1 } }])
    const [sql] = await entriesOf('&kind=sql.run')
    expect(sql!.details['statement']).toBe('SELECT id FROM task WHERE title = ? LIMIT ?')
    expect(JSON.stringify(await entriesOf())).not.toContain('canary')
  })

  it('where records are sent and who may call, who answers questions, flows that are switched, rules of files', async () => {
    const webhook = { name: 'leaks', url: 'https://example.com/canary-path', triggers: ['api'] }
    expect((await host.post('/webhooks', webhook)).status).toBe(201)
    await host.patch('/webhooks/leaks', { url: 'https://example.org/' })
    await host.delete('/webhooks/leaks')
    const inbox = { name: 'inbox', path: 'inbox', action: 'upsert_record', target: 'task' }
    expect((await host.post('/webhook-receivers', inbox)).status).toBe(201)
    const model = { baseUrl: 'https://models.example.com/v1', model: 'm', apiKey: 'canary-key' }
    expect((await host.put('/ai/config', { provider: 'openai_compatible', ...model })).status).toBe(200)
    await saveFlow(host, 'sends', rowOf())
    await host.post('/automation/sends/toggle', { enabled: false })
    expect((await host.put('/storage/rules', { rules: {} })).status).toBe(200)
    const kinds = ['webhooks.*', 'ai.*', 'flow.*', 'storage.*'].join(',')
    const told = (await entriesOf(`&kind=${kinds}`)).map(({ kind, details }) => ({ kind, ...details })).toReversed()
    expect(told).toMatchObject([
      { kind: 'webhooks.changed', name: 'leaks', change: 'created' },
      { kind: 'webhooks.changed', name: 'leaks', change: 'updated' },
      { kind: 'webhooks.changed', name: 'leaks', change: 'deleted' },
      { kind: 'webhooks.receiver_changed', name: 'inbox', change: 'created' },
      { kind: 'ai.configured', provider: 'openai_compatible', origin: 'https://models.example.com' },
      { kind: 'flow.switched', flow: 'sends', enabled: false },
      { kind: 'storage.rules_changed', scopes: [] },
    ])
    expect(JSON.stringify(told)).not.toContain('canary')
    await host.put('/ai/config', { provider: 'embedded' })
  })

  it('a denied request, once the answer has left, with what was missing', async () => {
    expect((await host.post('/data/task', { title: 'x' }, restricted)).status).toBe(403)
    const [entry] = await eventually('&outcome=denied')
    expect(entry).toMatchObject({
      kind: 'access.denied',
      object: 'task',
      details: { operation: 'createRecord', action: 'create' },
    })
  })

  it('a credential that does not hold, and never the credential', async () => {
    await host.anonymous('GET', '/api/v1/meta', undefined, { authorization: 'Bearer canary-token' })
    const [entry] = await eventually('&kind=access.credential_refused')
    expect(entry).toMatchObject({ outcome: 'failed', actor: { id: 'anonymous' } })
    expect(JSON.stringify(entry)).not.toContain('canary')
  })

  it('a session of the owner that a one-time code opened, and a code that did not hold', async () => {
    const open = (code: string) =>
      host.anonymous('POST', '/_console/session', { code }, { origin: host.host.url }).then(({ status }) => status)
    expect([await open('w'.repeat(32)), await open(host.host.mintCode())]).toEqual([401, 200])
    const failed = { outcome: 'failed', actor: { id: 'anonymous' }, details: { method: 'one-time-code' } }
    expect(await eventually('&kind=auth.sign_in_failed')).toMatchObject([failed])
    const opened = { outcome: 'ok', actor: { id: localOwnerId }, credential: { kind: 'console-session' } }
    expect(await eventually('&kind=auth.signed_in')).toMatchObject([opened])
  })

  it('nothing for a request without any credential', async () => {
    await host.anonymous('GET', '/api/v1/meta')
    await host.get('/meta')
    expect((await entriesOf('&kind=access.credential_refused')).length).toBe(1)
  })

  it('any event of accounts, with the user behind an impersonation and without credentials', async () => {
    const ctx: RequestContext = {
      ...internalContext('request-imp'),
      credentialId: 'session-7',
      impersonatorId: 'u-admin',
    }
    await host.host.database.write('test', (tx) => {
      tx.emit(ctx, {
        type: 'auth.user.updated',
        payload: { userId: 'u-1', token: 'canary', nested: { password: 'canary' } },
      })
      tx.emit(ctx, { type: 'auth.sign_in.failed', payload: { userId: 'u-1' } })
      tx.emit(ctx, { type: 'permissions.assigned', payload: { userId: 'u-1', roles: ['boss'] } })
    })
    const found = await entriesOf('&actorId=u-admin')
    expect(found.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['permissions.assigned', 'ok'],
      ['auth.sign_in.failed', 'failed'],
      ['auth.user.updated', 'ok'],
    ])
    expect(found[2]).toMatchObject({ realUserId: 'u-admin', details: { userId: 'u-1', nested: {} } })
    expect(found[0]!.credential!.digest).toMatch(/^[0-9a-f]{16}$/)
    expect(JSON.stringify(found)).not.toContain('canary')
  })

  it('no entry of a change that was rolled back', async () => {
    const before = (await entriesOf('&kind=auth.rolled_back')).length
    const failing = host.host.database.write('test', (tx) => {
      tx.emit(internalContext('x'), { type: 'auth.rolled_back', payload: {} })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect((await entriesOf('&kind=auth.rolled_back')).length).toBe(before)
    expect((await host.post('/audit/verify')).body.valid).toBe(true)
  })

  it('a flood of failures as a few entries and a count', async () => {
    await host.host.database.write('test', (tx) => {
      for (let count = 0; count < 500; count += 1)
        tx.emit(internalContext('flood'), { type: 'auth.flood.failed', payload: {} })
    })
    expect((await entriesOf('&kind=auth.flood.failed')).length).toBe(10)
    await host.restart()
    const summary = (await entriesOf('&kind=auth.flood.failed'))[0]
    expect(summary!.details).toEqual({ repeated: 490 })
  })
})

describe('reading', () => {
  it('pages newest first without gaps or repeats', async () => {
    const all = await entriesOf()
    const paged: number[] = []
    let cursor = ''
    for (;;) {
      const { body } = await host.get(`/audit?limit=7${cursor}`)
      paged.push(...(body.entries as Entry[]).map(({ seq }) => seq))
      if (!body.hasMore) break
      cursor = `&cursor=${body.nextCursor}`
    }
    expect(paged).toEqual(all.map(({ seq }) => seq))
    expect(paged).toEqual(paged.toSorted((a, b) => b - a))
  })

  it('narrows by time and refuses what it cannot read', async () => {
    expect(await entriesOf('&since=2999-01-01T00:00:00Z')).toEqual([])
    expect((await entriesOf('&until=2999-01-01T00:00:00%2B02:00')).length).toBeGreaterThan(5)
    // Entries were written a moment ago; a zone is 14 hours ahead at most.
    const ahead = new Date(Date.now() + 13 * 3_600_000).toISOString().slice(0, 16)
    await host.patch('/settings', { timezone: 'Pacific/Kiritimati' })
    expect(await entriesOf(`&since=${ahead}Z`)).toEqual([])
    expect((await entriesOf(`&since=${ahead}`)).length).toBeGreaterThan(5)
    await host.patch('/settings', { timezone: 'America/New_York' })
    expect((await host.get('/audit?until=9999-12-31T23:59:59')).status).toBe(400)
    await host.patch('/settings', { timezone: null })
    expect((await host.get('/audit?cursor=')).body).toEqual((await host.get('/audit')).body)
    for (const query of ['since=yesterday', 'outcome=maybe', 'limit=0', 'limit=201', 'cursor=abc']) {
      expect((await host.get(`/audit?${query}`)).status, query).toBe(400)
    }
  })

  it('has a word for every kind and every family of them, in both languages', async () => {
    const { body } = await host.get('/audit/kinds')
    // Those without a description are what the tests above made up.
    const known = (body.kinds as { kind: string; description: string }[]).filter(
      ({ description }) => description !== '',
    )
    const kinds = known.map(({ kind }) => kind)
    for (const words of [auditKindStrings, auditKindGerman] as Record<string, string>[]) {
      const missing = kinds.flatMap((kind) =>
        [`audit.is.${kind}`, `audit.family.${kind.split('.')[0]}`].filter((key) => !words[key]),
      )
      expect(missing).toEqual([])
    }
    expect(kinds.length).toBeGreaterThan(70)
  })

  it('names the kinds there are and those there can be', async () => {
    const { body } = await host.get('/audit/kinds')
    const present = body.kinds
      .filter((one: { present: boolean }) => one.present)
      .map((one: { kind: string }) => one.kind)
    expect(new Set(present)).toEqual(new Set((await entriesOf()).map(({ kind }) => kind)))
    expect(body.kinds).toContainEqual({ kind: 'key.used', description: expect.any(String), present: false })
  })

  it('exports lines, and says that it did', async () => {
    const { body, headers } = await host.get('/audit/export?kind=schema.*')
    expect(headers.get('content-type')).toContain('application/x-ndjson')
    const lines = (body as string)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry)
    expect(lines.map(({ kind }) => kind)).toEqual(['schema.saved'])
    expect(await entriesOf('&kind=audit.exported')).toMatchObject([{ details: { filter: { kind: ['schema.*'] } } }])
  })

  it('needs view_audit', async () => {
    for (const path of ['/audit', '/audit/kinds', '/audit/export'])
      expect((await host.anonymous('GET', `/api/v1${path}`)).status).toBe(401)
  })
})

describe('the chain', () => {
  it('holds, also over a restart', async () => {
    const first = (await host.post('/audit/verify')).body
    expect(first).toMatchObject({ valid: true })
    await host.restart()
    const second = (await host.post('/audit/verify')).body
    expect(second.valid).toBe(true)
    expect(second.checked).toBeGreaterThan(first.checked)
  })

  it('cannot be made again from what stands in the table', async () => {
    const [newest, before] = await entriesOf()
    expect(newest!.prev).toBe(before!.hash)
    const guesses = [newest!.prev + JSON.stringify(newest), JSON.stringify(newest)]
    for (const text of guesses) expect(createHash('sha256').update(text).digest('hex')).not.toBe(newest!.hash)
  })

  it('is private, and its table refuses every change but an addition', async () => {
    expect(statSync(join(host.dataDir, 'audit.head')).mode & 0o077).toBe(0)
    const { write } = host.host.database
    for (const sql of [
      "UPDATE audit_entry SET kind = 'x' WHERE seq = 1",
      'DELETE FROM audit_entry WHERE seq = 1',
      'DELETE FROM audit_entry',
      'INSERT OR REPLACE INTO audit_entry SELECT * FROM audit_entry WHERE seq = 1',
    ]) {
      await expect(
        write('test', (tx) => tx.run(statement(sql))),
        sql,
      ).rejects.toThrow()
    }
    expect((await host.post('/audit/verify')).body.valid).toBe(true)
  })
})

describe('retention', () => {
  it('removes a beginning by an entry that carries the chain on, and leaves the rest checkable', async () => {
    const own = await createTestHost()
    for (let count = 0; count < 8; count += 1) await own.patch('/settings', { locale: count % 2 === 0 ? 'de' : 'en' })
    const before = (await own.get('/audit?limit=200')).body.entries as Entry[]
    const { write } = own.host.database
    const { record } = own.host.plugins.service('audit')!
    const later = Date.now() + 731 * 86_400_000
    const clock = { now: () => later, iso: () => new Date(later).toISOString() }
    const parts = { clock, write, record, subject: internalContext('retention') }
    expect(await cutOutdated({ ...parts, keepDays: 0 })).toBe(0)
    expect(await cutOutdated({ ...parts, keepDays: 100_000 })).toBe(0)
    // The last entry stays, and so does the cut itself.
    expect(await cutOutdated({ ...parts, keepDays: 730 })).toBeGreaterThanOrEqual(before.length - 1)
    const after = (await own.get('/audit?limit=200')).body.entries as Entry[]
    expect(after.map(({ kind }) => kind)).toContain('audit.cut')
    expect(after.length).toBeLessThan(4)
    expect((await own.post('/audit/verify')).body.valid).toBe(true)
    await own.restart()
    expect((await own.post('/audit/verify')).body.valid).toBe(true)
    await own.stop()
  })
})

describe('tampering while no host runs', () => {
  const tamper = async (change: (file: BetterSqlite3.Database, dataDir: string) => void) => {
    const own = await createTestHost()
    await own.patch('/settings', { locale: 'de' })
    await own.patch('/settings', { locale: 'fr' })
    await own.host.stop()
    const file = new BetterSqlite3(join(own.dataDir, 'cairn.db'))
    file.exec('DROP TRIGGER audit_entry_delete; DROP TRIGGER audit_entry_update')
    change(file, own.dataDir)
    file.close()
    // Otherwise the start refuses a database that was changed after it was closed; who tampers knows that too.
    rmSync(join(own.dataDir, 'cairn.state'))
    await own.restart()
    await own.patch('/settings', { locale: 'en' })
    const { body } = await own.post('/audit/verify')
    await own.stop()
    return body
  }

  it('an end that was cut off stays visible', async () => {
    const found = await tamper((file) =>
      file.exec('DELETE FROM audit_entry WHERE seq = (SELECT max(seq) FROM audit_entry)'),
    )
    expect(found).toMatchObject({ valid: false, firstBroken: { reason: 'missing' } })
  })

  it('an end that was cut off together with the note of it too', async () => {
    const found = await tamper((file, dataDir) => {
      file.exec('DELETE FROM audit_entry WHERE seq = (SELECT max(seq) FROM audit_entry)')
      rmSync(join(dataDir, 'audit.head'))
    })
    expect(found).toMatchObject({ valid: false, firstBroken: { reason: 'anchor_lost' } })
  })

  it('an empty table and a forgotten key too', async () => {
    const found = await tamper((file) => file.exec('DELETE FROM audit_entry; DELETE FROM audit_key'))
    expect(found.valid).toBe(false)
  })

  it('a torn note of the end is no tampering', async () => {
    const own = await createTestHost()
    await own.patch('/settings', { locale: 'de' })
    await own.host.stop()
    const file = join(own.dataDir, 'audit.head')
    const bytes = readFileSync(file)
    expect(bytes.length).toBe(512)
    bytes.fill(0, 256, 456)
    writeFileSync(file, bytes)
    await own.restart()
    expect((await own.post('/audit/verify')).body.valid).toBe(true)
    await own.stop()
  })
})

describe('a restore', () => {
  it(
    'of a backup older than what is kept goes on from the cut that took its entries',
    { timeout: 120_000 },
    async () => {
      const own = await createTestHost()
      await own.patch('/settings', { locale: 'de' })
      const { body: backup } = await own.post('/backups', {})
      for (const locale of ['fr', 'en', 'de']) await own.patch('/settings', { locale })
      const later = Date.now() + 731 * 86_400_000
      const clock = { now: () => later, iso: () => new Date(later).toISOString() }
      const { write } = own.host.database
      const { record } = own.host.plugins.service('audit')!
      await cutOutdated({ clock, write, record, subject: internalContext('retention'), keepDays: 730 })
      await own.patch('/settings', { locale: 'pl' })
      const before = (await own.get('/audit?limit=200')).body.entries as Entry[]
      const { stopped } = own.host
      await own.post(`/backups/${backup.id}/restore`, { confirm: backup.id })
      expect(await stopped).toBe('restart')
      await own.restart()
      const after = (await own.get('/audit?limit=200')).body.entries as Entry[]
      expect(after.filter(({ seq }) => seq <= before[0]!.seq)).toEqual(before)
      expect(after.map(({ kind }) => kind)).toContain('backup.restored')
      expect((await own.post('/audit/verify')).body.valid).toBe(true)
      await own.stop()
    },
  )

  it('is an entry of the chain that goes on from it, and no break', async () => {
    const own = await createTestHost()
    await own.patch('/settings', { locale: 'de' })
    const { body: backup } = await own.post('/backups', {})
    await own.patch('/settings', { locale: 'fr' })
    const before = (await own.get('/audit?kind=settings.*')).body.entries
    const stopped = own.host.stopped
    expect((await own.post(`/backups/${backup.id}/restore`, { confirm: backup.id })).status).toBe(202)
    expect(await stopped).toBe('restart')
    await own.restart()
    const settings = (await own.get('/audit?kind=settings.*')).body.entries
    const { body } = await own.get('/audit?kind=backup.restored')
    expect(body.entries).toMatchObject([{ actor: { type: 'user' }, details: { backup: backup.id, offline: false } }])
    // What was done since the backup is told all the same.
    expect(settings).toEqual(before)
    expect(body.entries[0].seq).toBeGreaterThan(before[0].seq)
    expect((await own.post('/audit/verify')).body.valid).toBe(true)
    await own.restart()
    expect((await own.get('/audit?kind=backup.restored')).body.entries).toHaveLength(1)
    expect((await own.post('/audit/verify')).body.valid).toBe(true)
    await own.stop()
  })
})
