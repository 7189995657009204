// A machine whose database is of the version before: its tables are brought up when it starts, and it goes on with the others
// as the machine it was. And what such a table is for: bytes of deleted files stay for thirty days (D-391).
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, expect, it } from 'vitest'
import { describeClosed, openStateFile } from '#main/database/state-file.ts'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { made } from '../support/record-calls.ts'
import { fileTold, readBytes, uploadBytes } from '../support/storage-calls.ts'
import { inStep, listen, pair, pause, startFounder, until, withoutBackups } from '../support/synced-hosts.ts'

const open: TestHost[] = []
const plugins = withoutBackups([...corePlugins, ...optionalPlugins])

afterEach(async () => {
  for (const host of open.splice(0)) await host.stop()
})

const bytesAt = ({ dataDir }: TestHost, sha256: string): boolean =>
  existsSync(join(dataDir, 'files', sha256.slice(0, 2), sha256))

/** Makes a database what the version before the fourth steps of sync and storage had left. */
function takeBack(dataDir: string): void {
  const db = new Sqlite(join(dataDir, 'cairn.db'))
  try {
    db.exec(`ALTER TABLE sync_peer DROP COLUMN shut_out;
      ALTER TABLE sync_peer DROP COLUMN told_place;
      ALTER TABLE sync_workspace DROP COLUMN bound_port;
      DROP TABLE sync_unpaired;
      DROP TABLE storage_kept`)
    const { changes } = db.prepare("DELETE FROM _migration WHERE plugin IN ('sync', 'storage') AND number >= 4").run()
    expect(changes).toBe(4)
  } finally {
    db.close()
  }
}

/** Notes of a closed database what the version before noted. */
function noteAsBefore(database: string): void {
  const { changed: _later, ...closed } = describeClosed(database)
  const state = openStateFile(database)
  state.note({ state: 'closed', ...closed })
  state.close()
}

it('is known to the others as before, with all it had', { timeout: 90_000 }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-earlier-'))
  try {
    const desk = await startFounder('Desk')
    open.push(desk)
    await desk.defineObject('part', { title: { type: 'text' }, plan: { type: 'file' } })
    const old = await createTestHost({ dataDir, plugins })
    await listen(old)
    await pair(desk, old)
    const id = await made(old, 'part', { title: 'Before' })
    const content = randomBytes(1_000)
    const file = await uploadBytes(old, content)
    await inStep([desk, old])
    const { device } = (await old.get('/sync/status')).body
    await old.stop()
    takeBack(dataDir)
    noteAsBefore(join(dataDir, 'cairn.db'))
    const laptop = await createTestHost({ dataDir, plugins })
    open.push(laptop)
    await inStep([desk, laptop])
    expect((await laptop.get('/sync/status')).body.device).toEqual(device)
    expect((await laptop.get('/sync/peers')).body.peers).toMatchObject([{ name: 'Desk', state: 'connected' }])
    expect((await desk.patch(`/data/part/${id}`, { title: 'After' })).status).toBe(200)
    const titleOf = async () => (await laptop.get(`/data/part/${id}`)).body.record.title
    await until('what comes later arrives', async () => (await titleOf()) === 'After')
    // What the new columns and the new table are for.
    const [address] = (await laptop.get('/sync/settings')).body.listening
    await laptop.restart()
    expect((await laptop.get('/sync/settings')).body.listening).toEqual([address])
    expect((await laptop.delete(`/storage/${file.fileId}`)).status).toBe(200)
    expect(bytesAt(laptop, file.sha256)).toBe(true)
    expect((await desk.delete(`/sync/peers/${device.id}`)).status).toBe(200)
    const reasonOf = async () => (await laptop.get('/sync/status')).body.reason
    await until('it hears that it was unpaired', async () => (await reasonOf()) === 'unpaired')
    await laptop.restart()
    expect(await reasonOf()).toBe('unpaired')
  } finally {
    for (const host of open.splice(0)) await host.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})

it('keeps the bytes of a deleted file for thirty days and not longer', { timeout: 90_000 }, async () => {
  const day = 86_400_000
  const clock = createManualClock(Date.now())
  const desk = await createTestHost({ plugins, clock })
  open.push(desk)
  await listen(desk)
  await desk.post('/sync/enable', { deviceName: 'Desk' })
  await desk.defineObject('part', { title: { type: 'text' }, plan: { type: 'file' } })
  const laptop = await createTestHost({ plugins, clock })
  open.push(laptop)
  await pair(desk, laptop)
  const content = randomBytes(1_000)
  const [first, later] = [await uploadBytes(desk, randomBytes(1_000)), await uploadBytes(desk, content)]
  for (const { fileId } of [first, later]) await until('it is known', () => fileTold(laptop, fileId))
  await pause(laptop, true)
  await made(laptop, 'part', { title: 'Late', plan: { fileId: later.fileId } })
  expect((await desk.delete(`/storage/${first.fileId}`)).status).toBe(200)
  clock.advance(day)
  expect((await desk.delete(`/storage/${later.fileId}`)).status).toBe(200)
  clock.advance(29 * day - 1)
  // A start sweeps what is over, and a stop waits for that.
  await desk.restart()
  await desk.restart()
  expect([bytesAt(desk, first.sha256), bytesAt(desk, later.sha256)]).toEqual([true, true])
  clock.advance(1)
  await desk.restart()
  await until('its time is over', () => !bytesAt(desk, first.sha256))
  await desk.restart()
  expect(bytesAt(desk, later.sha256)).toBe(true)
  await pause(laptop, false)
  await until('the other one is back', () => fileTold(desk, later.fileId))
  expect((await readBytes(desk, later.fileId)).bytes.equals(content)).toBe(true)
})
