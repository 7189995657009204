// Two hosts, two browsers: what a person sees of an object, a field and a unique value that were changed on one machine while
// somebody on the other one, which did not know, wrote to them.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pair } from '../support/synced-hosts.ts'
import type { PairingHost } from '../support/synced-hosts.ts'
import { look, tabTo } from './look.ts'
import type { ConsoleBench } from './open-console.ts'
import { heading } from './screen.ts'
import type { TwoBenches } from './two-benches.ts'
import { openTwoBenches } from './two-benches.ts'

const patient = { timeout: 20_000 }

/** A bench as pairing over the API knows it. */
function pairingHost(bench: ConsoleBench): PairingHost {
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${bench.host.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${bench.host.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as never }
  }
  return { get: async (path) => call('GET', path), post: async (path, body) => call('POST', path, body) }
}

describe('definitions that are removed while somebody writes', () => {
  let two: TwoBenches
  const define = async (name: string, item: Record<string, unknown>): Promise<void> => {
    const body = { type: 'object', name, item: { name, ...item } }
    const save = async (query = '') => two.desk.api('PUT', `/meta/object/${name}${query}`, body)
    try {
      await save()
    } catch (error) {
      const plan = /"planHash":"(\w+)"/.exec(String(error))?.[1]
      if (plan === undefined) throw error
      await save(`?confirm=${plan}`)
    }
  }
  const made = async (bench: ConsoleBench, object: string, data: object): Promise<string> =>
    (await bench.api<{ id: string }>('POST', `/data/${object}`, data)).id
  const isUpToDate = async (): Promise<string[]> =>
    Promise.all(
      [two.desk, two.laptop].map(async (bench) => (await bench.api<{ state: string }>('GET', '/sync/status')).state),
    )
  const eachPage = async (route: string, seen: (page: Page, name: string) => Promise<void>): Promise<void> => {
    for (const [name, bench] of [
      ['desk', two.desk],
      ['laptop', two.laptop],
    ] as const) {
      const opened = await bench.open(route)
      await seen(opened.page, name)
      expect(opened.errors).toEqual([])
      await opened.close()
    }
  }

  beforeAll(async () => {
    two = await openTwoBenches()
    await two.desk.api('PATCH', '/sync/settings', { listen: true, interfaces: ['127.0.0.1'], port: 0 })
    await two.desk.api('POST', '/sync/enable', { deviceName: 'Desk' })
    const title = { type: 'text', label: 'Title' }
    await define('tool', { label: 'Tool', fields: { title } })
    await define('part', { label: 'Part', fields: { title, size: { type: 'number', label: 'Size' } } })
    await define('badge', { label: 'Badge', fields: { code: { type: 'text', label: 'Code' } } })
    for (const name of ['Hammer', 'Saw']) await made(two.desk, 'tool', { title: name })
    await made(two.desk, 'badge', { code: 'A1' })
    await pair(pairingHost(two.desk), pairingHost(two.laptop))
  }, 120_000)

  afterAll(async () => two?.stop())

  it('are written to while the machines do not see each other', async () => {
    await two.tie()
    // Parted once, they meet again through the network alone.
    const [desk] = (await two.laptop.api<{ peers: { id: string }[] }>('GET', '/sync/peers')).peers
    for (const paused of [true, false]) await two.laptop.api('PATCH', `/sync/peers/${desk!.id}`, { paused })
    await expect.poll(isUpToDate, patient).toEqual(['up_to_date', 'up_to_date'])
    await two.part()
    await two.desk.api('DELETE', '/meta/object/tool?confirm=true')
    const { item: badge } = await two.desk.api<{ item: { fields: { code: object } } }>('GET', '/meta/object/badge')
    await define('badge', { ...badge, fields: { code: { ...badge.fields.code, unique: true } } })
    const { item: part } = await two.desk.api<{ item: { fields: { size?: object } } }>('GET', '/meta/object/part')
    const { size: _size, ...fields } = part.fields
    await define('part', { ...part, fields })
    for (const name of ['Chisel', 'Plane']) await made(two.laptop, 'tool', { title: name })
    await made(two.laptop, 'badge', { code: 'A1' })
    for (const size of [1, 2, 3]) await made(two.laptop, 'part', { title: `Bolt ${size}`, size })
    await two.join()
    await expect.poll(() => two.open(), patient).toEqual([2, 2])
  })

  it('are named on both machines with what was written', async () => {
    await eachPage('/sync/conflicts', async (page, name) => {
      await heading(page, 'Conflicts')
      await page.getByText('2 records were written').waitFor()
      await page.getByText('Chisel, Plane').waitFor()
      await page.getByText('Removed it').first().waitFor()
      expect(await page.getByText('Cannot be known').count()).toBe(0)
      await look(page, `removed-object-${name}`)
    })
  })

  it('list what was written to a removed field beside what waits', async () => {
    const { page, close } = await two.desk.open('/sync/conflicts?part=aside')
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) })
    await row('part').getByText('3 records').waitFor()
    await row('tool').getByText('2 records').waitFor()
    expect(await row('tool').innerText()).toContain('The object was removed')
    await look(page, 'removed-field')
    await close()
  })

  it('come back by keyboard on the machine that did not remove them', async () => {
    const { page, close } = await two.laptop.open('/sync/conflicts')
    await page.getByText('2 records were written').waitFor()
    await tabTo(page, /^Bring it back/)
    await page.keyboard.press('Enter')
    await expect.poll(() => two.open(), patient).toEqual([1, 1])
    for (const bench of [two.desk, two.laptop])
      await expect
        .poll(async () => {
          const path = '/data/tool?sort=title'
          const { records } = await bench
            .api<{ records: { title: string }[] }>('GET', path)
            .catch(() => ({ records: [] }))
          return records.map(({ title }) => title)
        }, patient)
        .toEqual(['Chisel', 'Hammer', 'Plane', 'Saw'])
    await close()
  })
})
