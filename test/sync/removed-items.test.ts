// An item of metadata that one machine removes while another one, which does not know of it, changes it: the change is not
// lost, all machines list it, and a person says whether the item comes back or stays removed (D-389).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wholeItems } from '../support/metadata-examples.ts'
import { sized } from '../support/test-size.ts'
import { createSyncedHost, inStep, pair, startFounder, until } from '../support/synced-hosts.ts'
import type { TestHost } from '../support/create-test-host.ts'

let desk: TestHost
let laptop: TestHost
let attic: TestHost

beforeAll(async () => {
  desk = await startFounder('Desk')
  await desk.defineObject('ticket', {
    title: { type: 'text' },
    due: { type: 'date' },
    status: { type: 'select', options: ['open', 'done'] },
  })
  laptop = await createSyncedHost()
  await pair(desk, laptop, 'Laptop')
  attic = await createSyncedHost()
  await pair(desk, attic, 'Attic')
}, 90_000)

afterAll(async () => {
  for (const host of [attic, laptop, desk]) await host?.stop()
})

type Item = Record<string, unknown>
interface Place {
  readonly type: string
  readonly name: string
}
const all = (): TestHost[] => [desk, laptop, attic]
const pathOf = ({ type, name }: Place): string => `/meta/${type}/${name}`

interface Listed {
  readonly id: string
  readonly kind: string
  readonly item: Item
}
const conflictsOf = async (host: TestHost, { type, name }: Place): Promise<Listed[]> => {
  const { conflicts } = (await host.get('/sync/conflicts?limit=200')).body
  return conflicts.filter(({ item }: Listed) => item?.['type'] === type && item['name'] === name)
}

let made = 0
/** An item of a type that all machines have, under a name of its own. */
async function shared(type: string): Promise<Place> {
  const { name, item } = wholeItems[type]!
  const place = { type, name: `${name}_${(made += 1)}` }
  const config = { type: 'grid', columns: ['title'] }
  await put(desk, place, { ...item, ...(type === 'view' ? { config } : {}), label: 'As it was' })
  await everywhere(place, 'As it was')
  await inStep(all())
  return place
}

async function put(host: TestHost, place: Place, item: Item): Promise<void> {
  const { status, body } = await host.put(pathOf(place), item)
  expect([200, 201], JSON.stringify(body)).toContain(status)
}

async function relabel(host: TestHost, place: Place, label: string): Promise<void> {
  const { item } = (await host.get(pathOf(place))).body
  await put(host, place, { ...item, label })
}

async function remove(host: TestHost, place: Place): Promise<void> {
  const { status, body } = await host.delete(`${pathOf(place)}?confirm=true`)
  expect(status, JSON.stringify(body)).toBe(200)
}

async function labelOn(host: TestHost, place: Place): Promise<unknown> {
  const { status, body } = await host.get(pathOf(place))
  return status === 404 ? null : body.item.label
}

/** Waits until all machines have an item with a label, or none of them has it. */
async function everywhere(place: Place, label: string | null): Promise<void> {
  for (const host of all()) await until(`it is ${label}`, async () => (await labelOn(host, place)) === label)
}

const pause = (host: TestHost, paused: boolean) => host.patch('/sync/settings', { paused })

/** Works while no machine sees another one; then they meet again in the order given. */
async function apart(order: readonly TestHost[], work: () => Promise<void>): Promise<void> {
  for (const host of [laptop, attic]) await pause(host, true)
  await work()
  for (const host of order) {
    await pause(host, false)
    await inStep([desk, host])
  }
  await inStep(all())
}

/** The conflict about the removal of an item that all machines list. */
async function listed(place: Place): Promise<Listed> {
  const found = []
  for (const host of all()) {
    const conflicts = await until('it is listed', async () => {
      const list = (await conflictsOf(host, place)).filter(({ kind }) => kind === 'delete_edit')
      return list.length > 0 ? list : undefined
    })
    expect(conflicts).toHaveLength(1)
    found.push({ ...conflicts[0]!, foundAt: '' })
  }
  for (const other of found) expect(other).toEqual(found[0])
  return found[0]!
}

async function decide(host: TestHost, place: Place, choice: string): Promise<void> {
  const { id } = await listed(place)
  const { status, body } = await host.post(`/sync/conflicts/${id}/resolve`, { choice })
  expect(status, JSON.stringify(body)).toBe(200)
  for (const one of all()) await until('it is over', async () => (await conflictsOf(one, place)).length === 0)
  await inStep(all())
}

describe('an item that is removed while somebody changes it', () => {
  // One path for all types: a commit takes two of them.
  it.each(sized(['page'], ['page', 'view', 'flow', 'dashboard', 'permission']))(
    'is listed on every machine: %s',
    async (type) => {
      const place = await shared(type)
      const editFirst = made % 2 === 0
      await apart(editFirst ? [laptop, attic] : [attic, laptop], async () => {
        await remove(attic, place)
        await relabel(laptop, place, 'Edited')
      })
      await everywhere(place, null)
      const conflict = await listed(place)
      expect(conflict).toMatchObject({
        ...{ kind: 'delete_edit', object: '', recordId: '', state: 'open' },
        item: { ...place, label: 'Edited', property: '', isOverlay: false },
        winner: { value: null, device: { name: 'Attic' } },
        losers: [
          { value: { item: { name: place.name, label: 'Edited' }, changes: [{ property: 'label', value: 'Edited' }] } },
        ],
      })
      expect(conflict).toMatchObject({ losers: [{ device: { name: 'Laptop' } }] })
      await decide(editFirst ? attic : desk, place, 'restore')
      await everywhere(place, 'Edited')
    },
  )

  it('stays removed where a person says so, and what was changed later is another conflict', async () => {
    const place = await shared('page')
    await apart([laptop, attic], async () => {
      await remove(desk, place)
      await relabel(laptop, place, 'Edited on the laptop')
      await relabel(attic, place, 'Edited in the attic')
    })
    const { id, ...conflict } = await listed(place)
    const losers = ['Laptop', 'Attic'].map((name) =>
      expect.objectContaining({ device: expect.objectContaining({ name }) }),
    )
    expect(conflict).toMatchObject({ losers: expect.arrayContaining(losers) })
    const wrong = await laptop.post(`/sync/conflicts/${id}/resolve`, { choice: 'winner' })
    expect(wrong.body.error.details.fieldErrors).toMatchObject([{ field: 'choice', code: 'invalid_option' }])
    await decide(laptop, place, 'delete')
    await everywhere(place, null)
  })

  it('is nothing to decide where whoever removed it knew of the change', async () => {
    const place = await shared('page')
    await relabel(laptop, place, 'Seen')
    await everywhere(place, 'Seen')
    await inStep(all())
    await apart([laptop, attic], async () => remove(desk, place))
    await everywhere(place, null)
    for (const host of all()) expect(await conflictsOf(host, place)).toEqual([])
  })

  it('is nothing to decide where two remove it at once', async () => {
    const place = await shared('page')
    await apart([attic, laptop], async () => {
      await remove(laptop, place)
      await remove(attic, place)
    })
    await everywhere(place, null)
    for (const host of all()) expect(await conflictsOf(host, place)).toEqual([])
  })

  it('is nothing to decide where one of two who removed it knew of the change', async () => {
    const place = await shared('page')
    await apart([attic, laptop], async () => {
      await relabel(laptop, place, 'Edited')
      await remove(laptop, place)
      await remove(attic, place)
    })
    await everywhere(place, null)
    for (const host of all()) expect(await conflictsOf(host, place)).toEqual([])
  })

  it('comes back with its object where that was removed, too', async () => {
    await desk.defineObject('crate', { title: { type: 'text' } }, { label: 'Crate' })
    const place = { type: 'view', name: 'crate.board' }
    const config = { type: 'grid', columns: ['title'] }
    await put(desk, place, { object: 'crate', viewKind: 'list', label: 'As it was', config })
    await everywhere(place, 'As it was')
    await inStep(all())
    await apart([laptop, attic], async () => {
      await remove(desk, { type: 'object', name: 'crate' })
      await relabel(laptop, place, 'Edited')
    })
    await everywhere(place, null)
    expect(await listed(place)).toMatchObject({ item: { ...place, label: 'Edited' } })
    await decide(attic, place, 'restore')
    await everywhere(place, 'Edited')
    await everywhere({ type: 'object', name: 'crate' }, 'Crate')
  })

  it('is an object, too, where nobody wrote to its records', async () => {
    const place = { type: 'object', name: 'rack' }
    await desk.defineObject('rack', { title: { type: 'text', label: 'Title' } }, { label: 'As it was' })
    await everywhere(place, 'As it was')
    await inStep(all())
    await apart([attic, laptop], async () => {
      await remove(attic, place)
      const { item } = (await laptop.get(pathOf(place))).body
      await put(laptop, place, { ...item, fields: { ...item.fields, size: { type: 'number', label: 'Size' } } })
    })
    const conflict = await listed(place)
    expect(conflict).toMatchObject({
      item: { ...place, label: 'As it was', property: '' },
      losers: [{ device: { name: 'Laptop' }, value: { count: 0, parts: [] } }],
    })
    await decide(desk, place, 'restore')
    for (const host of all())
      await until('the field is there', async () => (await host.get(pathOf(place))).body.item?.fields?.size?.label)
  })

  it.each(sized(['restore'], ['restore', 'delete']))(
    'is an object, too, that somebody gave a part: %s',
    async (choice) => {
      const object = { type: 'object', name: `shelf_${choice}` }
      await desk.defineObject(object.name, { title: { type: 'text' } }, { label: 'Shelf' })
      const view = { type: 'view', name: `${object.name}.board` }
      const config = { type: 'grid', columns: ['title'] }
      const made = { object: object.name, viewKind: 'list', label: 'Board', config }
      const old = { type: 'view', name: `${object.name}.old` }
      await put(desk, old, { ...made, label: 'Old' })
      await everywhere(old, 'Old')
      await inStep(all())
      await apart([laptop, attic], async () => {
        await remove(attic, object)
        await put(laptop, view, made)
      })
      expect(await listed(object)).toMatchObject({
        losers: [
          { device: { name: 'Laptop' }, value: { parts: [{ ...view, label: 'Board' }], changes: [], count: 0 } },
        ],
      })
      await decide(desk, object, choice)
      await everywhere(object, choice === 'restore' ? 'Shelf' : null)
      await everywhere(view, choice === 'restore' ? 'Board' : null)
      await everywhere(old, choice === 'restore' ? 'Old' : null)
    },
  )

  it('is what the workspace laid over a delivered item', async () => {
    const place = await shared('page')
    const overlay = `${pathOf(place)}/overlay`
    const lay = async (host: TestHost, label: string): Promise<void> => {
      const { status, body } = await host.put(overlay, { patch: { label } })
      expect(status, JSON.stringify(body)).toBe(200)
    }
    await lay(desk, 'Ours')
    await everywhere(place, 'Ours')
    await inStep(all())
    await apart([laptop, attic], async () => {
      expect((await attic.delete(overlay)).status).toBe(200)
      await lay(laptop, 'Ours, edited')
    })
    await everywhere(place, 'As it was')
    expect(await listed(place)).toMatchObject({
      item: { ...place, label: 'As it was', isOverlay: true, property: '' },
      losers: [{ value: { changes: [{ property: 'label', value: 'Ours, edited' }] } }],
    })
    await decide(laptop, place, 'restore')
    await everywhere(place, 'Ours, edited')
  })
})
