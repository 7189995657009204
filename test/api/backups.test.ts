// Backups over HTTP (D-207): made while the host runs, checked, downloaded, put back, deleted.
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startHost } from '#main/index.ts'
import { statement } from '#main/kernel/database.ts'
import { forkSpawner } from '#main/workers/fork-spawner.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let test: TestHost
/** Processes that the host has started. */
const started: number[] = []
const unknown = '00000000-0000-7000-8000-00000000dead'
const fileOf = (id: string): string => join(test.dataDir, 'backups', id, 'cairn.db')

beforeAll(async () => {
  const spawn: typeof forkSpawner = (entry, options) => {
    const child = forkSpawner(entry, options)
    started.push(child.pid!)
    return child
  }
  test = await createTestHost({ ports: { spawn } })
  await test.defineObject('note', { title: { type: 'text', required: true } })
  await test.post('/data/note', { title: 'in the backup' })
})

afterAll(() => test.stop())

describe('POST /backups', () => {
  it('makes a verified backup with 201 and lists it first', async () => {
    const made = await test.post('/backups', { note: 'before the fair' })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: 'manual',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      sizeBytes: expect.any(Number),
      sha256: createHash('sha256')
        .update(readFileSync(fileOf(made.body.id)))
        .digest('hex'),
      verified: true,
      appVersion: expect.any(String),
      note: 'before the fair',
    })
    const list = await test.get('/backups')
    expect(list.status).toBe(200)
    expect(list.body.backups[0]).toEqual(made.body)
  })

  it('needs no body', async () => {
    expect((await test.post('/backups')).status).toBe(201)
  })

  it('refuses a note of more than 500 characters with validation_error', async () => {
    const answer = await test.post('/backups', { note: 'x'.repeat(501) })
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBe('validation_error')
  })

  it('asks for a credential', async () => {
    expect((await test.anonymous('POST', '/backups')).status).toBe(401)
    expect((await test.anonymous('GET', '/backups')).status).toBe(401)
  })
})

describe('GET /backups/:id/download', () => {
  it('sends the database file of the backup', async () => {
    const { body: backup } = await test.post('/backups')
    const response = await fetch(`${test.host.url}/api/v1/backups/${backup.id}/download`, {
      headers: { authorization: `Bearer ${test.host.token}` },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/vnd.sqlite3')
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="cairn-[0-9T-]+\.db"$/)
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(backup.sha256)
  })
})

describe('POST /backups/:id/verify', () => {
  it('finds nothing in a sound backup and the changed byte in a damaged one', async () => {
    const { body: backup } = await test.post('/backups')
    expect((await test.post(`/backups/${backup.id}/verify`)).body).toEqual({
      id: backup.id,
      verified: true,
      problems: [],
    })
    const bytes = readFileSync(fileOf(backup.id))
    bytes[bytes.length - 1]! ^= 1
    writeFileSync(fileOf(backup.id), bytes)
    const damaged = await test.post(`/backups/${backup.id}/verify`)
    expect(damaged.body).toEqual({
      id: backup.id,
      verified: false,
      // What the page held that byte is in may be told besides.
      problems: expect.arrayContaining(['cairn.db differs from its checksum.']),
    })
    const listed = (await test.get('/backups')).body.backups.find((entry: { id: string }) => entry.id === backup.id)
    expect(listed.verified).toBe(false)
    const refused = await test.post(`/backups/${backup.id}/restore`, { confirm: backup.id })
    expect(refused.status).toBe(409)
    expect(refused.body.error).toMatchObject({ code: 'conflict', details: { reason: 'backup_damaged' } })
  })
})

describe('calls at once', () => {
  it('are refused where their turn does not come, without effect (D-409)', async () => {
    const { body: backup } = await test.post('/backups')
    const signalAll = (signal: NodeJS.Signals): void => {
      for (const pid of started) {
        try {
          process.kill(pid, signal)
        } catch {
          // It has ended.
        }
      }
    }
    // The process that checks files stands still, and with it whoever has the turn.
    signalAll('SIGSTOP')
    try {
      const first = test.post(`/backups/${backup.id}/verify`)
      const late = await test.delete(`/backups/${backup.id}`)
      expect([late.status, late.body.error.code, late.body.error.retryable]).toEqual([503, 'service_unavailable', true])
      expect(late.body.error.details.reason).toBe('backups_busy')
      expect(late.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      signalAll('SIGCONT')
      expect((await first).body).toEqual({ id: backup.id, verified: true, problems: [] })
    } finally {
      signalAll('SIGCONT')
    }
    const { backups } = (await test.get('/backups')).body
    expect(backups.map(({ id }: { id: string }) => id)).toContain(backup.id)
  })
})

describe('DELETE /backups/:id', () => {
  it('deletes the backup', async () => {
    const { body: backup } = await test.post('/backups')
    expect((await test.delete(`/backups/${backup.id}`)).body).toEqual({ id: backup.id, success: true })
    expect((await test.delete(`/backups/${backup.id}`)).status).toBe(404)
  })
})

describe('an unknown backup', () => {
  it.each([
    ['GET', `/backups/${unknown}/download`],
    ['POST', `/backups/${unknown}/verify`],
    ['POST', `/backups/${unknown}/restore`],
    ['POST', '/backups/..%2F..%2Fetc/verify'],
  ])('answers %s %s with resource_not_found', async (method, path) => {
    const body = path.endsWith('restore') ? { confirm: unknown } : undefined
    const answer = method === 'GET' ? await test.get(path) : await test.post(path, body)
    expect(answer.status).toBe(404)
    expect(answer.body.error.code).toBe('resource_not_found')
  })
})

describe('GET /backups/:id/changes', () => {
  it('tells records and definitions that come back, go, or become what they were', async () => {
    const own = await createTestHost()
    try {
      await own.defineObject('note', { title: { type: 'text' } })
      await own.defineObject('doomed', { title: { type: 'text' } })
      const [kept, changed, removed] = await Promise.all(
        ['kept', 'changed', 'removed'].map(async (title) => (await own.post('/data/note', { title })).body.id),
      )
      await own.post('/data/doomed', { title: 'goes with its object' })
      const { body: backup } = await own.post('/backups')
      expect((await own.get(`/backups/${backup.id}/changes`)).body).toMatchObject({
        objects: [
          { object: 'doomed', now: 1, then: 1, returning: 0, going: 0, reverting: 0 },
          { object: 'note', now: 3, then: 3, returning: 0, going: 0, reverting: 0 },
        ],
        definitions: { returning: 0, going: 0, reverting: 0, items: [] },
      })
      await own.patch(`/data/note/${changed}`, { title: 'another' })
      await own.delete(`/data/note/${removed}`)
      await own.post('/data/note', { title: 'new' })
      await own.delete('/meta/object/doomed?confirm=true')
      await own.defineObject('note', { title: { type: 'text' }, more: { type: 'text' } })
      await own.defineObject('young', { title: { type: 'text' } })
      const { status, body } = await own.get(`/backups/${backup.id}/changes`)
      expect(status).toBe(200)
      expect(body.objects).toEqual([
        { object: 'doomed', now: null, then: 1, returning: 1, going: 0, reverting: 0 },
        { object: 'note', now: 3, then: 3, returning: 1, going: 1, reverting: 1 },
        { object: 'young', now: 0, then: null, returning: 0, going: 0, reverting: 0 },
      ])
      expect(body.definitions.items).toEqual(
        expect.arrayContaining([
          { type: 'object', name: 'doomed', change: 'returning' },
          { type: 'object', name: 'young', change: 'going' },
          { type: 'object', name: 'note', change: 'reverting' },
        ]),
      )
      expect((await own.get(`/data/note/${kept}`)).status).toBe(200)
    } finally {
      await own.stop()
    }
  })

  it('says that a damaged backup cannot be read', async () => {
    const { body: backup } = await test.post('/backups')
    writeFileSync(fileOf(backup.id), 'no database')
    const answer = await test.get(`/backups/${backup.id}/changes`)
    expect(answer.status).toBe(409)
    expect(answer.body.error.details.reason).toBe('backup_damaged')
  })
})

describe('POST /backups/:id/restore', () => {
  it('refuses a restore that is not confirmed with the id', async () => {
    const { body: backup } = await test.post('/backups')
    for (const body of [{}, { confirm: 'yes' }]) {
      const answer = await test.post(`/backups/${backup.id}/restore`, body)
      expect(answer.status).toBe(400)
      expect(answer.body.error).toMatchObject({
        code: 'validation_error',
        details: { fieldErrors: [{ field: 'confirm' }] },
      })
    }
  })

  it('answers 202, ends the host for a restart and brings the old records back under a new token', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-restore-'))
    const own = await createTestHost({ dataDir })
    await own.defineObject('note', { title: { type: 'text', required: true } })
    await own.post('/data/note', { title: 'in the backup' })
    const { body: backup } = await own.post('/backups')
    await own.post('/data/note', { title: 'written later' })
    const { host } = own
    const answer = await own.post(`/backups/${backup.id}/restore`, { confirm: backup.id })
    expect(answer.status).toBe(202)
    expect(answer.body).toEqual({ id: backup.id, restarting: true })
    expect(await host.stopped).toBe('restart')

    const next = await startHost({ dataDir, port: 0, durable: false })
    try {
      expect(next.token).not.toBe(host.token)
      const get = async (path: string) =>
        (await fetch(`${next.url}/api/v1${path}`, { headers: { authorization: `Bearer ${next.token}` } })).json()
      const list = (await get('/data/note')) as { records: { title: string }[] }
      expect(list.records.map((record) => record.title)).toEqual(['in the backup'])
      const { backups } = (await get('/backups')) as { backups: { note?: string }[] }
      expect(backups[0]?.note).toBe(`before the restore of ${backup.id}`)
    } finally {
      await next.stop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  })

  it('saves every write that was accepted before it; from then on none is taken', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-restore-'))
    const own = await createTestHost({ dataDir })
    try {
      await own.defineObject('note', { title: { type: 'text', required: true } })
      const { body: backup } = await own.post('/backups')
      const { body: long } = await own.post('/data/note', { title: 'before' })
      const copies = (): string[] => readdirSync(join(dataDir, 'backups')).filter((name) => !name.startsWith(backup.id))
      // Ends once the copy is there, which has to wait for it.
      const accepted = own.host.database.writeStepwise('long', function* (tx) {
        const until = performance.now() + 700
        while (
          performance.now() < until &&
          !copies().some((name) => existsSync(join(dataDir, 'backups', name, 'cairn.db')))
        )
          yield
        tx.run(statement('UPDATE o_note SET title = ? WHERE id = ?', ['long', long.id]))
      })
      const restoring = own.post(`/backups/${backup.id}/restore`, { confirm: backup.id })
      let isOver = false
      void own.host.stopped.then(() => (isOver = true))
      const kept: string[] = [long.id]
      const refused = new Set<unknown>()
      while (!isOver) {
        const answer = await own.post('/data/note', { title: 'meanwhile' }).catch(() => undefined)
        if (answer?.status === 201) kept.push(answer.body.id)
        else if (answer !== undefined) refused.add(answer.body.error.details.reason)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      await accepted
      expect((await restoring).status).toBe(202)
      const database = new BetterSqlite3(join(dataDir, 'backups', copies()[0]!, 'cairn.db'), { readonly: true })
      const found = database.prepare('SELECT id, title FROM o_note ORDER BY id').all() as {
        id: string
        title: string
      }[]
      database.close()
      expect(found.map(({ id }) => id)).toEqual(kept.toSorted())
      expect(found.find(({ id }) => id === long.id)?.title).toBe('long')
      expect([...refused]).toContain('restarting')
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
