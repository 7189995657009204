// The lifecycle of metadata items: states, what each means for records, deprecation (D-110, D-202).
import { beforeEach, describe, expect, it } from 'vitest'
import { expectError, host, item, name, put, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

const page = () => `/meta/page/${name}`
const object = () => `/meta/object/${name}`
const move = (path: string, state: string) => host.post(`${path}/state`, { state })

/** Brings a page into a state it may come from. */
async function pageIn(state: string): Promise<void> {
  await host.put(page(), { label: 'Page' })
  const way = { active: [], deprecated: ['deprecated'], archived: ['archived'], draft: ['archived', 'draft'] }[state]!
  for (const step of way) expect((await move(page(), step)).status).toBe(200)
}

describe('POST /meta/:type/:name/state', () => {
  const allowed: Record<string, string[]> = {
    draft: ['active', 'archived'],
    active: ['deprecated', 'archived'],
    deprecated: ['active', 'archived'],
    archived: ['draft', 'active'],
  }
  const states = Object.keys(allowed)

  it.each(states.flatMap((from) => states.map((to) => [from, to] as const)))('from %s to %s', async (from, to) => {
    await pageIn(from)
    host.takeEvents()
    const answer = await move(page(), to)
    if (!allowed[from]!.includes(to)) {
      expectError(answer, 409, 'invalid_state_transition', { from, to, allowed: allowed[from] })
      expect(host.takeEvents()).toEqual([])
      return
    }
    expect(answer.body.data).toMatchObject({ type: 'page', name, state: to })
    expect(host.takeEvents()).toMatchObject([
      {
        type: 'metadata.item.state_changed',
        payload: { type: 'page', name, version: answer.body.data.version, state: to },
      },
    ])
    expect((await host.get(`${page()}?state=${to}`)).status).toBe(200)
  })

  it('raises the version and stands in the history', async () => {
    await host.put(page(), { label: 'Page' })
    expect((await move(page(), 'deprecated')).body.data.version).toBe(2)
    const { events } = (await host.get(`${page()}/history`)).body.data
    expect(events.map((event: { op: string; version: number }) => [event.op, event.version])).toEqual([
      ['create', 1],
      ['state', 2],
    ])
    await host.put(page(), { label: 'Changed' })
    expect((await host.get(`${page()}?state=deprecated`)).body.item.label).toBe('Changed')
    await host.restart()
    expect((await host.get(`${page()}?state=deprecated`)).status).toBe(200)
  })

  it('refuses fields, unknown states and items that are not there', async () => {
    await put(item())
    expectError(await move(`/meta/field/${name}.title`, 'archived'), 400, 'validation_error', {
      fieldErrors: [{ field: 'type', code: 'not_allowed' }],
    })
    expectError(await move(object(), 'gone'), 400, 'validation_error', { fieldErrors: [{ field: 'state' }] })
    expectError(await host.post(`${object()}/state`), 400, 'validation_error')
    expectError(await move('/meta/page/nothing', 'archived'), 404, 'resource_not_found')
  })
})

describe('an archived item', () => {
  it('is left out of reads and lists unless its state is asked for', async () => {
    await pageIn('archived')
    expectError(await host.get(page()), 404, 'resource_not_found')
    expect((await host.get(`${page()}?state=archived`)).body.item.label).toBe('Page')
    const names = async (query: string) =>
      (await host.get(`/meta/page${query}`)).body.items.map((one: { name: string }) => one.name)
    expect(await names('')).not.toContain(name)
    expect(await names('?state=archived')).toContain(name)
    expect(await names('?state=active,deprecated')).not.toContain(name)
    expect(await names('?state=active,archived')).toContain(name)
    expect(await names('?state=active&state=archived')).toContain(name)
    expectError(await host.get('/meta/page?state=active,gone'), 400, 'validation_error', {
      fieldErrors: [{ field: 'state', code: 'invalid_option', value: 'gone' }],
    })
  })

  it('takes an object out of /data and keeps its rows', async () => {
    await put(item())
    const { id } = (await host.post(`/data/${name}`, { title: 'kept' })).body
    expect((await move(object(), 'archived')).status).toBe(200)
    expectError(await host.get(`/data/${name}`), 404, 'resource_not_found')
    expectError(await host.post(`/data/${name}`, { title: 'new' }), 404, 'resource_not_found')
    expectError(await host.get(`/ui/view/${name}/list`), 404, 'resource_not_found')
    expect((await move(object(), 'active')).status).toBe(200)
    expect((await host.get(`/data/${name}/${id}`)).body.record.title).toBe('kept')
  })

  it('keeps the table of an object in step while it rests', async () => {
    await put(item())
    await host.post(`/data/${name}`, { title: 'kept' })
    await move(object(), 'archived')
    const saved = await put(item({ fields: { title: { type: 'text' }, score: { type: 'number' } } }))
    expect(saved.body).toMatchObject({
      state: 'archived',
      warnings: [{ message: 'The item is archived and stays so.' }],
    })
    await move(object(), 'active')
    expect((await host.post(`/data/${name}`, { title: 'new', score: 5 })).status).toBe(201)
    await move(object(), 'archived')
    expectError(await host.delete(object()), 409, 'destructive_change')
    expect((await host.delete(`${object()}?confirm=true`)).status).toBe(200)
  })
})

describe('a deprecated item', () => {
  beforeEach(() => put(item({ replacedBy: 'better' })))

  it('works and says on every use that it will go', async () => {
    const before = await host.get(`/data/${name}`)
    expect(before.headers.get('deprecation')).toBeNull()
    await move(object(), 'deprecated')
    const { events } = (await host.get(`${object()}/history`)).body.data
    const since = Math.floor(Date.parse(events.at(-1).ts) / 1000)
    await put(item({ replacedBy: 'better', label: 'Old thing' }))
    for (const answer of [
      await host.post(`/data/${name}`, { title: 'one' }),
      await host.get(`/data/${name}`),
      await host.get(object()),
      await host.get(`/ui/view/${name}/list`),
    ]) {
      expect(answer.status).toBeLessThan(300)
      expect(answer.headers.get('deprecation')).toBe(`@${since}`)
      expect(answer.headers.get('link')).toContain('rel="deprecation"')
      expect(answer.headers.get('cairn-deprecated')).toBe(`object ${name}; use=better`)
    }
    await move(object(), 'active')
    expect((await host.get(`/data/${name}`)).headers.get('deprecation')).toBeNull()
  })
})
