// The packages that come with the program: all of them install beside each other, their samples can be removed again, and
// nothing else is trusted like them (D-328 to D-331).
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packFiles, readPackageFolder } from '#main/plugins/packages/service/package-folder.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { isLong } from '../support/test-size.ts'

const folder = fileURLToPath(new URL('../../packages/', import.meta.url))
const names = readdirSync(folder)

interface Available {
  readonly artifactRef: string
  readonly packageId: string
  readonly name: string
  readonly origin: string
  readonly installedVersion?: string
}

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
}, 60_000)

afterAll(async () => host?.stop())

const available = async (): Promise<Available[]> => (await host.get('/packages/available')).body.data.packages
const good = async (call: Promise<{ status: number; body: { data?: unknown } }>) => {
  const { status, body } = await call
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  return body.data as any // oxlint-disable-line no-explicit-any -- as bodies of answers are
}

/** Records that are not in the trash, by object. */
async function recordsOf(objects: readonly string[]): Promise<Record<string, number>> {
  const counts = objects.map(async (object) => {
    const { status, body } = await host.get(`/data/${object}?count=true&top=1`)
    expect(status, object).toBe(200)
    return [object, body.total] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}

describe('the packages of the program', () => {
  it('tell what they add and may do before they are installed', async () => {
    const list = await available()
    expect(list.map(({ packageId }) => packageId)).toEqual(names.map((name) => `app.cairn.${name}`).toSorted())
    expect(list.every(({ origin }) => origin === 'bundled')).toBe(true)
    expect(list).toHaveLength(6)
    const german = await host.get('/packages/available', { 'accept-language': 'de-CH' })
    expect(german.body.data.packages.map(({ name }: Available) => name)).toContain('Veranstaltungen')
    for (const { artifactRef, packageId } of list) {
      const preview = await good(host.post('/packages/preview', { artifactRef }))
      expect(preview).toMatchObject({ packageId, trust: 'bundled', permissions: [] })
      expect(preview).not.toHaveProperty('obstacle')
      expect(preview).not.toHaveProperty('installedVersion')
      const types = new Set(preview.items.map(({ type }: { type: string }) => type))
      expect([...types]).toEqual(
        expect.arrayContaining(['object', 'view', 'validation', 'dashboard', 'app', 'translation']),
      )
      expect(preview.records.every(({ sample }: { sample: boolean }) => sample)).toBe(true)
    }
    expect((await host.get('/packages')).body.data.total).toBe(0)
  })

  it('install one after the other beside each other, and speak English and German', async () => {
    const began = performance.now()
    for (const { artifactRef, packageId } of await available()) {
      const made = await good(host.post('/packages/install', { artifactRef }))
      expect(made).toMatchObject({ id: packageId, status: 'installed', trust: 'bundled' })
      expect(made.samples).toBeGreaterThan(2)
    }
    // The promise is for a machine that does nothing else.
    if (isLong) expect(performance.now() - began).toBeLessThan(10_000)
    const list = await available()
    expect(list.every(({ installedVersion }) => installedVersion === '1.0.0')).toBe(true)
    const german = await host.get('/meta/object/crm_deal', { 'accept-language': 'de' })
    expect(german.body.item).toMatchObject({ label: 'Geschäft', fields: { amount: { label: 'Betrag' } } })
    const english = await host.get('/meta/object/crm_deal', { 'accept-language': 'en' })
    expect(english.body.item.label).toBe('Deal')
    for (const { packageId } of list) {
      const { items } = (await host.get(`/packages/${packageId}`)).body.data
      expect(items).toMatchObject({ dashboard: 1, app: 1, translation: 1 })
    }
  })

  it('work: sums follow records, rules and workflows hold, flows run', async () => {
    const article = await good(host.get('/data/inventory_article?filter={"sku":"SAMPLE-2"}').then(listed))
    expect(article).toMatchObject({ stock: 2, runs_low: true })
    const tooMuch = await host.post('/data/inventory_movement', { article: article.id, kind: 'issue', change: 1 })
    expect(tooMuch.body.error.details.fieldErrors[0].message).toBe(
      'A receipt adds to the stock, an issue takes from it.',
    )
    const order = await good(host.get('/data/inventory_order').then(listed))
    const leap = await host.patch(`/data/inventory_order/${order.id}`, { status: 'received' })
    expect(leap.body.error.details.fieldErrors[0].code).toBe('invalid_transition')
    for (const transition of ['send', 'receive'])
      expect((await host.post(`/workflow/inventory_order/${order.id}/transition`, { transition })).status).toBe(200)
    await expect
      .poll(async () => (await host.get(`/data/inventory_article/${article.id}`)).body.record.stock, {
        timeout: 20_000,
      })
      .toBe(6)
    const deal = await good(host.get('/data/crm_deal?filter={"amount":1200}').then(listed))
    for (const transition of ['send_offer', 'win'])
      expect((await host.post(`/workflow/crm_deal/${deal.id}/transition`, { transition })).status).toBe(200)
    await expect
      .poll(async () => (await host.get('/data/crm_activity?count=true')).body.total, { timeout: 20_000 })
      .toBe(3)
  })

  it('lose their samples with one call, but for those somebody made their own', async () => {
    const packages: { id: string; samples: number; status: string }[] = (await host.get('/packages')).body.data.packages
    const edited = await good(host.get('/data/projects_task?top=1').then(listed))
    await good(host.patch(`/data/projects_task/${edited.id}`, { title: 'Mine' }))
    const objects: string[] = (await host.get('/meta/object')).body.items.map(({ name }: { name: string }) => name)
    const kept: Record<string, string[]> = {}
    for (const { id, samples } of packages) {
      const told = await good(host.delete(`/packages/${id}/samples`))
      expect(told.removed + told.kept.length).toBe(samples)
      kept[id] = told.kept.map(({ object, reason }: { object: string; reason: string }) => `${object} ${reason}`)
      expect((await host.get(`/packages/${id}`)).body.data.samples).toBe(0)
      expect(await good(host.delete(`/packages/${id}/samples`))).toMatchObject({ removed: 0, kept: [] })
    }
    expect(kept).toEqual({
      'app.cairn.crm': ['crm_deal changed'],
      'app.cairn.events': [],
      'app.cairn.hiring': [],
      'app.cairn.inventory': ['inventory_order changed'],
      'app.cairn.library': [],
      'app.cairn.projects': ['projects_task changed'],
    })
    const left = await recordsOf(objects)
    expect(Object.fromEntries(Object.entries(left).filter(([, count]) => count > 0))).toEqual({
      // What the flow made when the deal was won, and the deal itself.
      crm_activity: 1,
      crm_deal: 1,
      inventory_order: 1,
      projects_task: 1,
    })
  })

  it('come without samples where nobody wants them, and leave nothing when they are uninstalled', async () => {
    for (const { packageId } of await available())
      await good(host.delete(`/packages/${packageId}?keepData=false&confirm=true`))
    expect((await host.get('/meta/object')).body.items).toEqual([])
    const [crm] = await available()
    const made = await good(host.post('/packages/install', { artifactRef: crm!.artifactRef, samples: false }))
    expect(made.samples).toBe(0)
    expect((await host.get('/data/crm_company?count=true')).body.total).toBe(0)
    await good(host.patch(`/packages/${made.id}/disable`))
    await good(host.patch(`/packages/${made.id}/enable`))
    expect((await host.get('/data/crm_company?count=true')).body.total).toBe(0)
  })
})

describe('the trust in them', () => {
  const upload = (bytes: Buffer) =>
    host.post('/packages/upload', { artifact: { format: 'zip', content: bytes.toString('base64') } })

  it('is in their bytes: the same ones are trusted wherever they come from, others are refused', async () => {
    const files = readPackageFolder(join(folder, 'events'))
    const same = await upload(packFiles(files, 0))
    expect([same.status, same.body.data.trust]).toEqual([201, 'bundled'])
    const manifest = JSON.parse(readFileSync(join(folder, 'events/manifest.json'), 'utf8')) as object
    const altered = new Map([
      ...files,
      ['manifest.json', Buffer.from(JSON.stringify({ ...manifest, version: '9.0.0' }))] as const,
    ])
    const other = await upload(packFiles(altered))
    expect(other).toMatchObject({ status: 409, body: { error: { details: { reason: 'bundled_id' } } } })
    const plain = await host.post('/packages/install', { manifest: { ...manifest, version: '9.0.0' } })
    expect(plain).toMatchObject({ status: 409, body: { error: { details: { reason: 'bundled_id' } } } })
  })

  it('holds where packages have to be signed', async () => {
    await good(host.patch('/settings', { 'packages.requireSigned': true }))
    const unsigned = await host.post('/packages/install', {
      manifest: { id: 'org.unsigned', name: 'Unsigned', version: '1.0.0' },
    })
    expect(unsigned.body.error.code).toBe('signature_invalid')
    const events = (await available()).find(({ packageId }) => packageId === 'app.cairn.events')!
    expect(await good(host.post('/packages/install', { artifactRef: events.artifactRef }))).toMatchObject({
      trust: 'bundled',
    })
  })

  it('looks at an archive without keeping it', async () => {
    const files = new Map([
      ['manifest.json', Buffer.from(JSON.stringify({ id: 'org.looked', name: 'Looked at', version: '1.0.0' }))],
    ])
    const content = packFiles(files).toString('base64')
    const preview = await good(host.post('/packages/preview', { artifact: { format: 'zip', content } }))
    expect(preview).toMatchObject({
      packageId: 'org.looked',
      trust: 'unsigned',
      obstacle: { code: 'signature_invalid' },
    })
    expect((await available()).some(({ packageId }) => packageId === 'org.looked')).toBe(false)
  })
})

/** The first record of a list as the data of an answer. */
function listed({ status, body }: { status: number; body: { records?: unknown[] } }) {
  return { status, body: { data: body.records?.[0] } }
}
