// What the machine of a person writes without the right to it elsewhere, on its own screen and on that of the machine that
// refuses: the sign in the top bar, the list with its ways out, and the record.
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pair } from '../support/synced-hosts.ts'
import type { PairingHost } from '../support/synced-hosts.ts'
import { look, pictures, schemes } from './look.ts'
import type { ConsoleBench } from './open-console.ts'
import { openTwoBenches } from './two-benches.ts'
import type { TwoBenches } from './two-benches.ts'

const patient = { timeout: 60_000 }
const slow = 240_000

const caller = (bench: ConsoleBench): PairingHost => {
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await bench.api(method, path, body)
    return {
      status: method === 'GET' ? 200 : path.endsWith('/join') ? 202 : path === '/sync/pairing' ? 201 : 200,
      body: answer,
    }
  }
  return { get: (path) => call('GET', path), post: (path, body) => call('POST', path, body) }
}

describe('a write that another machine does not accept', () => {
  let two: TwoBenches
  let edited: string
  let made: string

  const allow = (rights: object): Promise<unknown> =>
    two.desk.api('PUT', '/meta/profile/works', {
      type: 'profile',
      name: 'works',
      item: {
        ...{ name: 'works', label: 'Works', objects: { '*': { allowRead: true }, part: rights } },
      },
    })
  const refused = async (): Promise<number> =>
    (await two.laptop.api<{ total: number }>('GET', '/sync/conflicts?kind=refused')).total

  beforeAll(async () => {
    two = await openTwoBenches()
    const { desk, laptop } = two
    await desk.api('PATCH', '/sync/settings', { listen: true, interfaces: ['127.0.0.1'], port: 0 })
    await desk.api('POST', '/sync/enable', { deviceName: 'Desk' })
    const fields = {
      title: { type: 'text', label: 'Title' },
      size: { type: 'number', label: 'Size' },
      notes: { type: 'markdown', label: 'Notes' },
    }
    const part = { name: 'part', label: 'Part', pluralLabel: 'Parts', fields }
    await desk.api('PUT', '/meta/object/part', { type: 'object', name: 'part', item: part })
    await allow({ allowRead: true, allowCreate: true, allowEdit: true, modifyAllRecords: true })
    const { user } = await desk.api<{ user: { id: string } }>('POST', '/auth/admin/create-user', {
      ...{ name: 'Ann', email: 'ann@example.org', password: 'a long enough pass phrase' },
    })
    await desk.api('PUT', `/permissions/assignments/${user.id}`, { profile: 'works', roles: [], permissionSets: [] })
    await pair(caller(desk), caller(laptop), 'Laptop', { user: user.id, role: 'member' })
    edited = (await desk.api<{ id: string }>('POST', '/data/part', { title: 'Bolt M4', size: 4, notes: 'Steel.' })).id
    await expect.poll(async () => laptop.api('GET', `/data/part/${edited}`).catch(() => null), patient).not.toBeNull()
    await allow({ allowRead: true })
    await laptop.api('PATCH', `/data/part/${edited}`, { title: 'Bolt M5', size: 5 })
    made = (await laptop.api<{ id: string }>('POST', '/data/part', { title: 'Own washer', size: 1, notes: 'Thin.' })).id
    await expect.poll(refused, patient).toBe(2)
  }, slow)

  afterAll(async () => two?.stop(), 60_000)

  const picture = async (page: Page, name: string): Promise<void> => {
    await look(page, name)
    const folder = process.env['CAIRN_PICTURES']
    if (folder === undefined) return
    mkdirSync(folder, { recursive: true })
    for (const scheme of schemes) {
      const file = `${name}-${scheme}.png`
      copyFileSync(join(pictures, file), join(folder, file))
    }
  }

  it('is in the list of the machine it was written on, and in its sign', { timeout: slow }, async () => {
    const { page, errors, close } = await two.laptop.open('/sync/conflicts')
    await page.getByText('Desk did not accept this: no right to edit this record', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Keep it on this device only' }).waitFor()
    await picture(page, 'refused-list')
    await page.getByRole('button', { name: 'Sync: 2 changes not accepted' }).click()
    await page.getByText('changes other devices did not accept').waitFor()
    await picture(page, 'refused-sign')
    expect(errors).toEqual([])
    await close()
  })

  it('is on the record', { timeout: slow }, async () => {
    const { page, errors, close } = await two.laptop.open(`/o/part/record/${edited}`)
    await page.getByRole('img', { name: 'Not accepted by Desk' }).waitFor()
    await picture(page, 'refused-record')
    expect(errors).toEqual([])
    await close()
  })

  it('lies aside on the machine that refused', { timeout: slow }, async () => {
    const { page, errors, close } = await two.desk.open('/sync/conflicts?part=aside')
    await page
      .getByRole('button', { name: /^Try again/ })
      .first()
      .waitFor()
    await picture(page, 'refused-aside')
    expect(errors).toEqual([])
    await close()
  })

  it('is tried again, taken back and kept by its buttons', { timeout: slow }, async () => {
    const { page, errors, close } = await two.laptop.open('/sync/conflicts')
    const card = (name: RegExp) => page.getByRole('listitem', { name })
    await card(/Title, Size/)
      .getByRole('button', { name: 'Try again' })
      .click()
    await page.getByText('Desk tried again when asked', { exact: false }).waitFor(patient)
    await picture(page, 'refused-tried')
    await card(/Title, Size/)
      .getByRole('button', { name: 'Take mine back here' })
      .click()
    await page.getByText('What you wrote stays in the history of the record.', { exact: false }).waitFor()
    expect(await two.laptop.api('GET', `/data/part/${edited}`)).toMatchObject({ record: { title: 'Bolt M4', size: 4 } })
    await card(/whole record/)
      .getByRole('button', { name: 'Keep it on this device only' })
      .click()
    await page.getByRole('button', { name: 'Sync: 1 change on this device only' }).waitFor(patient)
    await picture(page, 'refused-kept')
    expect(await two.laptop.api('GET', `/data/part/${made}`)).toMatchObject({ record: { title: 'Own washer' } })
    expect(errors).toEqual([])
    await close()
  })
})
