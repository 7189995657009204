// The state of a package that does not work: it says why, refuses what needs a working one, and is installed again (D-127).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { manifestOf, packageCalls } from '../support/package-archives.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'cairn-states-'))
const manifest = manifestOf({
  id: 'org.broken.app',
  ns: 'broken',
  more: { data: [{ object: 'broken_thing', records: [{ title: 'seed' }] }] },
})
let host: TestHost
const { install } = packageCalls(() => host)

beforeAll(async () => {
  host = await createTestHost({ dataDir })
  await install(manifest)
  await host.stop()
  // Nothing leads there but a fault in the middle of putting things back: the row is written by hand.
  const database = new BetterSqlite3(join(dataDir, 'cairn.db'))
  database.prepare("UPDATE packages_package SET status = 'error', error_message = 'It broke.'").run()
  database.close()
  // It tells how the file was left by the host.
  rmSync(join(dataDir, 'cairn.state'), { force: true })
  host = await createTestHost({ dataDir })
}, 60_000)

afterAll(async () => {
  await host?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

it('says why, refuses to be switched, and works again once it is installed again', async () => {
  const { data } = (await host.get('/packages/org.broken.app')).body
  expect(data).toMatchObject({ status: 'error', enabled: false, errorMessage: 'It broke.' })
  expect((await host.get('/packages?status=error')).body.data.total).toBe(1)
  for (const act of ['enable', 'disable']) {
    const { status, body } = await host.patch(`/packages/org.broken.app/${act}`)
    expect([status, body.error.code]).toEqual([409, 'invalid_state_transition'])
    expect(body.error.details).toMatchObject({ from: 'error', allowed: ['installing', 'upgrading', 'uninstalling'] })
  }
  const again = await install(manifest)
  expect(again).toMatchObject({ status: 'installed', enabled: true })
  expect(again).not.toHaveProperty('errorMessage')
  expect((await host.get('/data/broken_thing?count=true')).body.total).toBe(1)
  expect((await host.post('/packages/install', { manifest })).body.error.code).toBe('package_already_installed')
})
