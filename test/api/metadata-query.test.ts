// Finding items over all types: D-108 (query), D-14, D-109 (scopes).
import { beforeAll, describe, expect, it } from 'vitest'
import { expectError, host, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

/** What the program delivers is there from the start. */
const delivered = new Set(['administrator', 'guest', 'readonly', 'standard'])
const ownNames = (items: { name: string }[]) => items.map(({ name }) => name).filter((name) => !delivered.has(name))
const query = async (body?: unknown) => (await host.post('/meta/query', body)).body.data
const names = async (body: unknown) => ownNames((await query(body)).items)

beforeAll(async () => {
  await host.put('/meta/object/zebra', {
    name: 'zebra',
    label: 'Striped',
    tags: ['zoo', 'africa'],
    fields: { title: { type: 'text' } },
  })
  await host.post('/meta', {
    type: 'page',
    name: 'apes',
    data: { description: 'Cleverer than STRIPES' },
    namespace: 'zoo',
  })
  await host.put('/meta/dashboard/mice?packageId=org.example.zoo', { label: 'Mice', tags: ['zoo'] })
  await host.put('/meta/page/mules', { label: 'Mules' })
  await host.post('/meta/page/mules/state', { state: 'archived' })
  await host.put('/meta/page/newts?mode=draft', { label: 'Newts' })
})

describe('POST /meta/query', () => {
  it('answers every item of every type but archived ones, by name, 50 to a page', async () => {
    const all = await query()
    expect(all).toMatchObject({ page: 1, pageSize: 50, total: 9 })
    expect(ownNames(all.items)).toEqual(['apes', 'mice', 'newts', 'zebra', 'zebra.title'])
    expect(all.items.find((one: { name: string }) => one.name === 'mice')).toEqual({
      type: 'dashboard',
      name: 'mice',
      label: 'Mice',
      scope: 'system',
      state: 'active',
      packageId: 'org.example.zoo',
      tags: ['zoo'],
      version: 1,
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    })
    expect(await query({})).toEqual(all)
  })

  it.each([
    [{ types: ['pages'] }, ['apes', 'newts']],
    [{ types: ['object', 'dashboard'] }, ['mice', 'zebra']],
    [{ types: ['field'] }, ['zebra.title']],
    [{ types: [] }, []],
    [{ namespaces: ['zoo', 'other'] }, ['apes']],
    [{ packageId: 'org.example.zoo' }, ['mice']],
    [{ search: 'stripe' }, ['apes', 'zebra']],
    [{ search: '  ' }, ['apes', 'mice', 'newts', 'zebra', 'zebra.title']],
    [{ tags: ['africa', 'asia'] }, ['zebra']],
    [{ tags: ['zoo'], types: ['dashboard'] }, ['mice']],
    [{ state: 'archived' }, ['mules']],
    [{ state: 'draft' }, ['newts']],
    [{ scope: 'system' }, ['mice']],
    [{ scope: 'platform' }, ['apes', 'newts', 'zebra', 'zebra.title']],
    [{ scope: 'user' }, []],
  ])('%j finds %j', async (body, expected) => {
    expect(await names(body)).toEqual(expected)
  })

  it.each([
    [{ sortBy: 'name', sortOrder: 'desc' }, ['zebra.title', 'zebra', 'newts', 'mice', 'apes']],
    [{ sortBy: 'type', sortOrder: 'asc' }, ['mice', 'zebra.title', 'zebra', 'apes', 'newts']],
    [{ sortBy: 'createdAt', sortOrder: 'asc' }, ['zebra.title', 'zebra', 'apes', 'mice', 'newts']],
    [{ sortBy: 'updatedAt', sortOrder: 'desc' }, ['newts', 'mice', 'apes', 'zebra.title', 'zebra']],
  ])('sorts by %j', async (body, expected) => {
    expect(await names(body)).toEqual(expected)
  })

  it('answers pages that together hold each item once', async () => {
    const pages = await Promise.all([1, 2, 3].map((page) => query({ page, pageSize: 4 })))
    expect(pages.map((page) => page.items.length)).toEqual([4, 4, 1])
    expect(pages.map((page) => page.total)).toEqual([9, 9, 9])
    expect(new Set(pages.flatMap((page) => page.items.map((one: { name: string }) => one.name))).size).toBe(9)
  })

  it.each([
    [{ types: ['object', 'thing'] }, 'types.1', 'invalid_option'],
    [{ pageSize: 501 }, 'pageSize', 'max_value'],
    [{ pageSize: 0 }, 'pageSize', 'min_value'],
    [{ page: 0 }, 'page', 'min_value'],
    [{ sortBy: 'label' }, 'sortBy', 'invalid_option'],
    [{ scope: 'mine' }, 'scope', 'invalid_option'],
    [{ state: 'lost' }, 'state', 'invalid_option'],
    [{ tags: 'zoo' }, 'tags', 'invalid_type'],
  ])('refuses %j', async (body, field, code) => {
    expectError(await host.post('/meta/query', body), 400, 'validation_error', { fieldErrors: [{ field, code }] })
  })

  it('counts a platform overlay as both scopes and a user overlay as the user’s', async () => {
    await host.put('/meta/dashboard/mice/overlay?scope=platform', { patch: { label: 'Many mice' } })
    expect(await names({ scope: 'system' })).toEqual(['mice'])
    expect(await names({ scope: 'platform', types: ['dashboard'] })).toEqual(['mice'])
    await host.put('/meta/dashboard/mice/overlay?scope=user', { patch: { columns: 6 } })
    expect((await query({ scope: 'user' })).items).toMatchObject([{ name: 'mice', scope: 'user' }])
  })
})
