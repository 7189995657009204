// A leader of a hub whose disk is full refuses with words, and another node can be let lead.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { expectStatus } from '../support/api-call.ts'
import { findFreePort } from '../support/free-port.ts'
import { HubMachine, leaderOf, runCairn } from '../support/hub-machine.ts'
import { hasPostgres, startPostgres } from '../support/postgres-cluster.ts'
import { makeSmallDisk } from '../support/small-disk.ts'

// reason: there is no PostgreSQL to test with on every machine
it.skipIf(!hasPostgres)(
  'a leader on a full disk hands over to one that has room',
  { timeout: 120_000 },
  async (test) => {
    const disk = makeSmallDisk(60)
    if (typeof disk === 'string') return test.skip(disk) // reason: not everybody can make a disk
    onTestFinished(() => disk.remove())
    const cluster = await startPostgres()
    onTestFinished(() => cluster.remove())
    const folder = mkdtempSync(join(tmpdir(), 'cairn-hub-disk-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    expect(await runCairn(['hub', 'init', cluster.url, '--data', join(disk.path, 'a')])).toMatchObject({ code: 0 })
    mkdirSync(join(folder, 'b'), { mode: 0o700 })
    copyFileSync(join(disk.path, 'a', 'hub.key'), join(folder, 'b', 'hub.key'))
    const args = ['--hub', cluster.url]
    const first = new HubMachine({ folder: disk.path, name: 'a', port: await findFreePort(), args })
    const second = new HubMachine({ folder, name: 'b', port: await findFreePort(), args })
    for (const machine of [first, second]) onTestFinished(() => void machine.stop('SIGKILL').catch(() => undefined))
    first.start()
    const { call } = await leaderOf([first])
    const item = { name: 'note', label: 'Note', fields: { title: { type: 'text', label: 'Title' } } }
    await expectStatus(call, 200, 'PUT', '/api/v1/meta/object/note', { type: 'object', name: 'note', item })
    second.start()
    await second.follows()

    disk.fill()
    const write = async () => (await call('POST', '/api/v1/data/note', { title: 'n' })).body
    await expect.poll(write, { timeout: 20_000 }).toMatchObject({ error: { details: { reason: 'disk_full' } } })
    expect(first.errors).toContain('is full. Everything stored is kept')
    const handOver = () => runCairn(['hub', 'handover', cluster.url, '--data', join(folder, 'b')])
    await expect.poll(handOver, { timeout: 30_000 }).toMatchObject({ code: 0 })
    const next = await leaderOf([first, second])
    expect(next.name).toBe('b')
    await expectStatus(next.call, 201, 'POST', '/api/v1/data/note', { title: 'after' })
  },
)
