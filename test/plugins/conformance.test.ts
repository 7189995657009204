// What every plugin must do, whatever it is for: come and go with its routes, appear in discovery and in the document,
// migrate twice without a change, and leave nothing running behind.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allContracts } from '#shared/contracts/index.ts'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { startHost } from '#main/index.ts'
import type { PluginDefinition, PluginHost } from '#main/kernel/plugin.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { orderPlugins } from '#main/kernel/plugin-order.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

const plugins: readonly PluginDefinition[] = [...corePlugins, ...optionalPlugins]

let full: TestHost

beforeAll(async () => {
  full = await createTestHost()
})

afterAll(() => full.stop())

describe.each(plugins.map((plugin) => [plugin.id, plugin] as const))('plugin %s', (id, plugin) => {
  it('is loaded after everything it requires', () => {
    const order = orderPlugins(plugins).map((other) => other.id)
    for (const needed of plugin.requires ?? []) expect(order.indexOf(needed)).toBeLessThan(order.indexOf(id))
  })

  it('serves every route of its contract and lists it in the document', async () => {
    const document = (await full.get('/openapi.json')).body as {
      paths: Record<string, Record<string, { operationId: string }>>
    }
    const listed = new Set(
      Object.values(document.paths).flatMap((path) => Object.values(path).map((operation) => operation.operationId)),
    )
    const served = new Set(full.host.server.routeTable().map((route) => route.contract?.operationId))
    for (const contract of Object.values(plugin.contract ?? {})) {
      expect(served.has(contract.operationId), contract.operationId).toBe(true)
      expect(listed.has(contract.operationId), contract.operationId).toBe(true)
      expect(allContracts).toContain(contract)
    }
  })

  it('names its tables after itself', () => {
    for (const migration of plugin.migrations ?? []) {
      for (const [, table] of migration.sql.matchAll(/CREATE (?:VIRTUAL )?TABLE (?:IF NOT EXISTS )?"?([a-z_]+)/g)) {
        expect(table!.startsWith(`${id}_`), table).toBe(true)
      }
    }
  })

  it('appears in discovery as enabled with its version', async () => {
    // Two plugins are the ground the manifest itself stands on.
    if (plugin.discovery === undefined) return expect(['settings', 'discovery']).toContain(id)
    const { services } = (await full.anonymous('GET', '/api/v1')).body
    expect(services[plugin.discovery.service]).toMatchObject({
      // Of a workspace that one machine keeps there is no hub to show (D-370).
      enabled: id !== 'hub',
      provider: `cairn-${id}`,
      version: plugin.version,
    })
  })
})

describe.each(optionalPlugins.map((plugin) => [plugin.id, plugin] as const))('without the plugin %s', (id, plugin) => {
  it('answers 404 on its routes and says so in discovery', async () => {
    const host = await createTestHost({
      plugins: plugins.filter((other) => other !== plugin && !(other.requires ?? []).includes(id)),
    })
    try {
      for (const contract of Object.values(plugin.contract ?? {})) {
        const path = contract.path
          .replace(':object', 'thing')
          .replace(/:[a-z]+/gi, '01900000-0000-7000-8000-000000000000')
        const url = `${host.host.url}/api/v1${path}`
        const answer = await fetch(url, {
          method: contract.method,
          headers: { authorization: `Bearer ${host.host.token}` },
        })
        const body = (await answer.json()) as {
          error: { code: string; details: { reason?: string; resource?: string } }
        }
        // Another route may have the path with other methods, or take `import` and `export` for names of records.
        expect([404, 405], `${contract.method} ${path}`).toContain(answer.status)
        const { reason, resource } = body.error.details
        if (answer.status === 404 && resource !== 'object') expect(reason).toBe('route')
      }
      const manifest = (await host.anonymous('GET', '/api/v1')).body
      if (plugin.discovery?.feature !== undefined) expect(manifest.features[plugin.discovery.feature]).toBe(false)
      if (plugin.discovery?.routeKey !== undefined) expect(manifest.routes[plugin.discovery.routeKey]).toBeNull()
    } finally {
      await host.stop()
    }
  })
})

describe('the host', () => {
  it('starts twice on one folder without migrating again', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-twice-'))
    const first = await startHost({ dataDir, port: 0, durable: false })
    await first.stop()
    const second = await startHost({ dataDir, port: 0, durable: false })
    const backups = (await (
      await fetch(`${second.url}/api/v1/backups`, { headers: { authorization: `Bearer ${second.token}` } })
    ).json()) as { backups: { kind: string }[] }
    await second.stop()
    rmSync(dataDir, { recursive: true })
    expect(backups.backups.filter((backup) => backup.kind === 'upgrade')).toEqual([])
  })

  it('leaves no timer, listener or handle behind when it stops', async () => {
    const before = process.getActiveResourcesInfo().toSorted()
    const host = await createTestHost()
    await host.get('/settings')
    await host.stop()
    await new Promise((resolve) => setTimeout(resolve, 200))
    const left = process.getActiveResourcesInfo().toSorted()
    const kinds = (names: string[], kind: string) => names.filter((name) => name === kind).length
    for (const kind of ['Timeout', 'TCPServerWrap', 'ProcessWrap']) {
      expect(kinds(left, kind), kind).toBeLessThanOrEqual(kinds(before, kind))
    }
  })

  it('puts away what a plugin was still opening when it stopped', async () => {
    let late: PluginHost | undefined
    const slow = definePlugin({ id: 'slow', version: '1.0.0', register: (host) => void (late = host) })
    const host = await createTestHost({ plugins: [...plugins, slow] })
    await host.stop()
    const ended: string[] = []
    late!.dispose(() => void ended.push('timer'))
    late!.dispose(async () => Promise.reject(new Error('nobody waits for this')))
    expect(ended).toEqual(['timer'])
  })

  it.each([
    [
      'a required plugin that is missing',
      [definePlugin({ id: 'lonely', version: '1.0.0', requires: ['nobody'], register: () => undefined })],
      /"lonely" requires plugin "nobody"/,
    ],
    ['a plugin that is listed twice', [corePlugins[0]!], /"settings" is listed twice/],
    [
      'two plugins that claim one route',
      [
        definePlugin({
          id: 'rival',
          version: '1.0.0',
          requires: ['data'],
          register(host) {
            const contract = Object.fromEntries(
              allContracts.filter((c) => c.operationId === 'getRecord').map((c) => [c.operationId, c]),
            )
            host.handle(contract, { getRecord: () => ({}) } as never)
          },
        }),
      ],
      /"data" and "rival" both claim GET \/data\/:object\/:id/,
    ],
  ])('refuses to start with %s, in one clear sentence, and can start again', async (_name, extra, message) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-refused-'))
    await expect(startHost({ dataDir, port: 0, durable: false, plugins: [...plugins, ...extra] })).rejects.toThrow(
      message,
    )
    const host = await startHost({ dataDir, port: 0, durable: false })
    await host.stop()
    rmSync(dataDir, { recursive: true })
  })
})
