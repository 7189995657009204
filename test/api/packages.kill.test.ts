// Packages over kill -9 of a real process: an installation and an upgrade are there whole or not at all, and what was
// acknowledged is there (D-133).
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cairnEntry, startChildServer } from '../safety/child-server.ts'
import type { ChildServer } from '../safety/child-server.ts'
import { connectToDataDir } from '../support/api-call.ts'
import type { ApiCall } from '../support/api-call.ts'
import { filesOf, zipOf } from '../support/package-archives.ts'
import { sized } from '../support/test-size.ts'

const rounds = sized(3, 4, 60)
const maxDelayMs = 250
const objects = 6
const id = 'org.kill.app'

/** Every object of version n has n further fields, and every record says n. */
const manifest = (version: number) => ({
  id,
  name: 'Killed',
  version: `${version}.0.0`,
  namespace: 'kill',
  metadata: Array.from({ length: objects }, (_, index) => ({
    type: 'object',
    name: `kill_o${index}`,
    item: {
      fields: Object.fromEntries([
        ['said', { type: 'number' }],
        ...Array.from({ length: version }, (__, at) => [`f${at}`, { type: 'text' }]),
      ]),
    },
  })),
  data: Array.from({ length: objects }, (_, index) => ({
    object: `kill_o${index}`,
    records: [{ id: `019b8b74-1800-7001-8c00-6a11e307000${index}`, said: version }],
  })),
})

/** The version everything agrees on; 0 for none of it. */
async function versionOf(call: ApiCall): Promise<number> {
  const found = await call('GET', `/api/v1/packages/${id}`)
  const version =
    found.status === 404 ? 0 : Number.parseInt((found.body as { data: { version: string } }).data.version, 10)
  for (let index = 0; index < objects; index += 1) {
    const object = await call('GET', `/api/v1/meta/object/kill_o${index}`)
    const list = await call('GET', `/api/v1/data/kill_o${index}`)
    if (version === 0) {
      expect([object.status, list.status]).toEqual([404, 404])
      continue
    }
    const { item } = object.body as { item: { fields: object } }
    expect(Object.keys(item.fields)).toHaveLength(version + 1)
    expect((list.body as { records: object[] }).records).toMatchObject([{ said: version }])
  }
  return version
}

it(
  'leaves no package by halves and loses none that was acknowledged',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-packages-'))
    let server: ChildServer | undefined
    let acknowledged = 0
    try {
      for (let round = 0; round < rounds; round += 1) {
        server = await startChildServer({ dataDir, entry: cairnEntry })
        const call = connectToDataDir(dataDir)
        const now = await versionOf(call)
        expect(now).toBeGreaterThanOrEqual(acknowledged)
        acknowledged = now
        const next = now + 1
        const content = zipOf(filesOf({ 'manifest.json': manifest(next) })).toString('base64')
        const working = (async () => {
          const upload = await call('POST', '/api/v1/packages/upload', { artifact: { format: 'zip', content } })
          expect(upload.status).toBe(201)
          const path = now === 0 ? '/api/v1/packages' : '/api/v1/packages/upgrade'
          const body = now === 0 ? { manifest: manifest(next) } : { packageId: id, manifest: manifest(next) }
          const { status } = await call('POST', path, body)
          expect(status).toBe(now === 0 ? 201 : 200)
          acknowledged = next
        })()
        const settled = Promise.allSettled([working])
        await new Promise((resolve) => setTimeout(resolve, Math.floor(Math.random() * maxDelayMs)))
        await server.end('SIGKILL')
        await settled
      }
      server = await startChildServer({ dataDir, entry: cairnEntry })
      const call = connectToDataDir(dataDir)
      expect(await versionOf(call)).toBeGreaterThanOrEqual(acknowledged)
      const { status } = await call('POST', '/api/v1/packages', { manifest: manifest(99), overwrite: true })
      expect(status).toBe(201)
      expect(await versionOf(call)).toBe(99)
      const whole = readdirSync(join(dataDir, 'packages')).filter((name) => /^[0-9a-f]{64}$/.test(name))
      for (const name of whole) {
        const { status: known } = await call('POST', '/api/v1/packages/upgrade', {
          packageId: id,
          artifactRef: `sha256:${name}`,
          dryRun: true,
        })
        // Lower by now, or a file whose entry the kill took; never one that is cut short.
        expect([404, 409]).toContain(known)
      }
    } finally {
      await server?.end('SIGKILL').catch(() => undefined)
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
  sized(240_000, 1_800_000),
)
