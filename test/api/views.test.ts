// Stored views over HTTP: creating in every spelling, listing, changing, deleting, what they may name (D-114, D-115).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { createPeopledHost } from '../support/test-identities.ts'
import { expectError } from '../support/metadata-suite.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('company', { name: { type: 'text' } })
  await host.defineObject('task', {
    title: { type: 'text' },
    status: { type: 'select', options: ['open', 'done'] },
    due: { type: 'date' },
    company: { type: 'lookup', reference: 'company' },
  })
})
afterAll(() => host.stop())

const open = {
  object: 'task',
  viewKind: 'list',
  key: 'open_tasks',
  label: 'Open tasks',
  config: { type: 'grid', columns: ['title', { field: 'company.name', width: 200 }], filter: { status: 'open' } },
}

/** The first field error of a refusal, with its status. */
async function refusal(body: Record<string, unknown>): Promise<unknown[]> {
  const { status, body: answer } = await host.post('/ui/views', body)
  return [status, answer.error.details.fieldErrors?.[0]?.field, answer.error.details.fieldErrors?.[0]?.code]
}

describe('creating views', () => {
  it('answers the stored view with its id and stores it as a metadata item', async () => {
    const { status, body } = await host.post('/ui/views', open)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      object: 'task',
      viewId: 'task.open_tasks',
      view: {
        id: 'task.open_tasks',
        name: 'task.open_tasks',
        viewKind: 'list',
        label: 'Open tasks',
        scope: 'shared',
        isDefault: false,
        config: open.config,
      },
    })
    expect(body.view.owner).toEqual(expect.any(String))
    expect((await host.get('/meta/view/task.open_tasks')).body.item.label).toBe('Open tasks')
  })

  it('takes a configuration that stands in the body itself', async () => {
    const flat = { object: 'task', type: 'list', label: 'Flat', columns: ['title'], sort: 'title' }
    const { status, body } = await host.post('/ui/views', flat)
    expect([status, body.view.config]).toEqual([201, { columns: ['title'], sort: 'title' }])
    const changed = await host.patch(`/ui/views/${body.viewId}`, { ...body, view: undefined, columns: ['due'] })
    expect(changed.body.view.config).toEqual({ columns: ['due'], sort: 'title' })
    expect(await refusal({ ...flat, columns: ['nothing'] })).toEqual([400, 'config.columns.0', 'unknown_field'])
  })

  it('makes a key from the label and never takes one twice', async () => {
    const first = await host.post('/ui/views', { object: 'task', type: 'list', label: 'Fällige Aufgaben!' })
    const second = await host.post('/ui/views', { object: 'task', type: 'list', label: 'Fällige Aufgaben!' })
    expect([first.body.viewId, second.body.viewId]).toEqual(['task.fallige_aufgaben', 'task.fallige_aufgaben_2'])
    const taken = await host.post('/ui/views', open)
    expect([taken.status, taken.body.error.code]).toEqual([409, 'conflict'])
  })

  it.each([
    [
      'the object in the path and the view in data',
      { data: { viewKind: 'list', label: 'A', config: { columns: ['title'] } } },
    ],
    ['the kind as the key of its configuration', { data: { label: 'B', list: { columns: ['title'] } } }],
    [
      'the names within the configuration of the kind',
      { data: { list: { name: 'task.all', label: 'D', type: 'grid', columns: ['title'] } } },
    ],
    ['the bare configuration in data', { type: 'list', label: 'C', data: { type: 'grid', columns: ['title'] } }],
  ])('accepts %s', async (_what, body) => {
    const { status, body: answer } = await host.post('/ui/views/task', body)
    expect([status, answer.view?.config?.columns]).toEqual([201, ['title']])
  })

  it('refuses what it cannot show, naming the member', async () => {
    const config = (members: Record<string, unknown>) => ({ object: 'task', type: 'list', label: 'X', config: members })
    expect(await refusal(config({ columns: ['title', 'nothing'] }))).toEqual([400, 'config.columns.1', 'unknown_field'])
    expect(await refusal(config({ columns: [{ field: 'company.nothing' }] }))).toEqual([
      400,
      'config.columns.0.field',
      'unknown_field',
    ])
    expect((await refusal(config({ filter: { nothing: 1 } })))[1]).toBe('config.filter')
    expect((await refusal(config({ sort: [{ field: 'nothing', order: 'asc' }] })))[1]).toBe('config.sort')
    expect((await refusal(config({ kanban: { groupByField: 'nothing' } })))[1]).toBe('config.kanban.groupByField')
    expect((await refusal(config({ gallery: { coverField: 'nothing' } })))[1]).toBe('config.gallery.coverField')
    expect(
      (await refusal({ object: 'task', type: 'form', label: 'X', config: { sections: [{ fields: ['nothing'] }] } }))[1],
    ).toBe('config.sections.0.fields.0')
    expect(await refusal({ object: 'task', type: 'pie', label: 'X' })).toEqual([400, 'type', 'invalid_option'])
    expect(await refusal({ object: 'task', type: 'list' })).toEqual([400, 'label', 'required'])
    expect(await refusal({ object: 'task', label: 'X' })).toEqual([400, 'viewKind', 'required'])
    expect(await refusal({ object: 'task', data: { list: { label: 'X' }, form: {} } })).toEqual([
      400,
      'form',
      'not_allowed',
    ])
    expect(await refusal({ ...open, key: 'Not A Key' })).toEqual([400, 'key', 'invalid_format'])
    expect((await host.post('/ui/views', { ...open, object: 'nothing' })).status).toBe(404)
  })
})

describe('views saved as metadata', () => {
  const view = { object: 'task', viewKind: 'list', label: 'Odd', config: { columns: ['nothing', { field: 'due' }] } }
  const sound = { ...view, config: { columns: ['title'] } }
  const unknownColumn = { fieldErrors: [{ field: 'config.columns.0', code: 'unknown_field' }] }

  it('show what their object has', async () => {
    expectError(await host.put('/meta/view/task.odd', view), 400, 'validation_error', unknownColumn)
    expectError(await host.put('/meta/view/task.odd?mode=draft', view), 400, 'validation_error', unknownColumn)
    expectError(await host.post('/meta', { type: 'view', name: 'task.odd', data: view }), 400, 'validation_error')
    const checked = await host.post('/meta/validate', { type: 'view', data: { name: 'task.odd', ...view } })
    expect(checked.body.data).toMatchObject({
      valid: false,
      errors: [{ path: 'config.columns.0', code: 'unknown_field' }],
    })
    const bulk = await host.post('/meta/bulk/register', { items: [{ type: 'view', name: 'task.odd', data: view }] })
    expect(bulk.body.data).toMatchObject({ failed: 1, errors: [{ code: 'validation_error' }] })
    const items = [{ type: 'view', name: 'task.odd', state: 'active', item: view }]
    const imported = await host.post('/meta/import', { data: { formatVersion: '1', items } })
    expect(imported.body.data).toMatchObject({ imported: 0, failed: 1 })
    expect((await host.get('/ui/views/task.odd')).status).toBe(404)
  })

  it('are named after their object', async () => {
    const badName = { fieldErrors: [{ field: 'name', code: 'invalid_format' }] }
    expectError(await host.put('/meta/view/odd', sound), 400, 'validation_error', badName)
    expectError(await host.put('/meta/view/company.odd', sound), 400, 'validation_error', badName)
  })

  it('may come with their object and its fields, or before it', async () => {
    const object = { type: 'object', name: 'visit', data: { fields: { place: { type: 'text' } } } }
    const data = { ...sound, object: 'visit', config: { columns: ['place'] } }
    const item = { type: 'view', name: 'visit.all', data }
    expect((await host.post('/meta/bulk/register', { items: [item, object] })).body.data.failed).toBe(0)
    expect((await host.put('/meta/view/to_come.all', { ...sound, object: 'to_come' })).status).toBe(200)
  })

  it('are let in again as they are when their object has lost a field', async () => {
    await host.defineObject('lost', { title: { type: 'text' }, gone: { type: 'text' } })
    const item = { ...sound, object: 'lost', config: { columns: ['gone'] } }
    await host.put('/meta/view/lost.all', item)
    await host.delete('/meta/field/lost.gone?confirm=true&force=true')
    expect((await host.put('/meta/view/lost.all', item)).status).toBe(200)
    expect((await host.put('/meta/view/lost.all', { ...item, label: 'New' })).status).toBe(400)
  })
})

describe('reading views', () => {
  it('lists those of an object, of a kind, or all', async () => {
    const ids = async (path: string) =>
      (await host.get(path)).body.views.map((view: { id: string }) => view.id) as string[]
    await host.post('/ui/views', { object: 'task', type: 'form', key: 'edit', label: 'Edit', config: {} })
    await host.post('/ui/views', { object: 'company', type: 'list', key: 'all', label: 'All', config: {} })
    expect(await ids('/ui/views?object=task&type=form')).toEqual(['task.edit'])
    expect(await ids('/ui/views/task?type=form')).toEqual(['task.edit'])
    expect(await ids('/ui/views')).toEqual(expect.arrayContaining(['company.all', 'task.edit', 'task.open_tasks']))
    expect((await host.get('/ui/views?object=nothing')).status).toBe(404)
    expect((await host.get('/ui/views?object=task&type=pie')).status).toBe(400)
  })

  it('answers one by its id, by object and key, and 404 for another', async () => {
    for (const path of ['/ui/views/task.open_tasks', '/ui/views/task/open_tasks', '/ui/views/task/task.open_tasks']) {
      expect((await host.get(path)).body).toMatchObject({ object: 'task', viewId: 'task.open_tasks' })
    }
    expect((await host.get('/ui/views/task.nothing')).status).toBe(404)
    // A view of another object is not found below this one, on any verb.
    expect((await host.get('/ui/views/company/task.open_tasks')).status).toBe(404)
    expect((await host.put('/ui/views/company/task.open_tasks', { data: { label: 'x' } })).status).toBe(404)
    expect((await host.delete('/ui/views/company/task.open_tasks')).status).toBe(404)
  })
})

describe('changing views', () => {
  it('merges a patch and keeps what it does not name', async () => {
    const { body } = await host.patch('/ui/views/task.open_tasks', { label: 'To do', config: { sort: ['-due'] } })
    expect(body.view).toMatchObject({ label: 'To do', config: { ...open.config, sort: ['-due'] } })
    const put = await host.put('/ui/views/task/open_tasks', { data: { config: { sort: null } } })
    expect(put.body.view.config).toEqual(open.config)
  })

  it('refuses unknown columns and a new key, and changes nothing', async () => {
    const before = (await host.get('/ui/views/task.open_tasks')).body.view
    expect((await host.patch('/ui/views/task.open_tasks', { config: { columns: ['nothing'] } })).status).toBe(400)
    expect((await host.patch('/ui/views/task.open_tasks', { key: 'other' })).status).toBe(400)
    expect((await host.get('/ui/views/task.open_tasks')).body.view).toEqual(before)
  })

  it('refuses another object, another kind and no name, all of them at once', async () => {
    const { status, body } = await host.patch('/ui/views/task.open_tasks', {
      ...{ object: 'company', viewKind: 'form', label: ' ' },
    })
    expect([status, body.error.details.fieldErrors.map(({ field }: { field: string }) => field)]).toEqual([
      400,
      ['object', 'viewKind', 'label'],
    ])
    expect((await host.patch('/ui/views/task.open_tasks', { object: 'task', viewKind: 'list' })).status).toBe(200)
  })

  it('shows the stored default instead of the generated view, of several the one that was made so last', async () => {
    await host.patch('/ui/views/task.open_tasks', { isDefault: true })
    const { body } = await host.get('/ui/view/task/list')
    expect(body).toMatchObject({ name: 'task.open_tasks', generated: false, columns: open.config.columns })
    const other = { object: 'task', viewKind: 'list', key: 'other_default', label: 'Other', isDefault: true }
    await host.post('/ui/views', other)
    expect((await host.get('/ui/view/task/list')).body).toMatchObject({ name: 'task.other_default', type: 'grid' })
    await host.patch('/ui/views/task.open_tasks', { isDefault: true, description: 'Again.' })
    expect((await host.get('/ui/view/task/list')).body.name).toBe('task.open_tasks')
    await host.delete('/ui/views/task.other_default')
  })

  it('deletes one', async () => {
    const { body } = await host.delete('/ui/views/task/open_tasks')
    expect(body).toEqual({ object: 'task', viewId: 'task.open_tasks', success: true })
    expect((await host.get('/ui/views/task.open_tasks')).status).toBe(404)
    expect((await host.get('/ui/view/task/list')).body.generated).toBe(true)
  })
})

describe('a personal view', () => {
  it('is shared by who manages metadata alone, however that is said', async () => {
    const other = await createPeopledHost({ users: [{}, {}] })
    await other.defineObject('task', { title: { type: 'text' } })
    const mine = { object: 'task', viewKind: 'list', key: 'mine', label: 'Mine', scope: 'personal' }
    expect((await other.as(0).post('/ui/views', mine)).status).toBe(201)
    for (const body of [{ scope: 'shared' }, { scope: null }, { data: { scope: null }, isDefault: true }])
      expect((await other.as(0).patch('/ui/views/task.mine', body)).status, JSON.stringify(body)).toBe(403)
    expect((await other.as(1).get('/ui/views?object=task')).body.views).toEqual([])
    // By the endpoints of metadata neither, also not by who manages it.
    await other.saveItem('permission', 'manages', { systemPermissions: ['manage_metadata'], objects: {} })
    for (const permissionSets of [[], ['manages']]) {
      await other.assign(1, { permissionSets })
      const ways = ['', '/history', '/history/1', '/cached', '/dependencies', '/dependents', '/effective', '/layers']
      const ask = async (path: string) => (await other.as(1).get(path)).status
      const found = await Promise.all(ways.map((way) => ask(`/meta/view/task.mine${way}`)))
      expect([permissionSets, found]).toEqual([permissionSets, ways.map(() => 404)])
      const lists = ['/meta/view', '/meta/view/names', '/meta/view/task.mine/exists', '/meta/object/task/dependents']
      const listed = await Promise.all(lists.map(async (list) => JSON.stringify((await other.as(1).get(list)).body)))
      expect(listed.filter((body) => /"Mine"|"task\.mine"|"exists":true/.test(body))).toEqual([])
    }
    // Nor is it told by the refusal of a write, or taken over by one.
    const [path, stale] = ['/meta/view/task.mine', { 'if-match': '"another"' }]
    const taken = { name: 'task.mine', object: 'task', viewKind: 'list', label: 'Taken' }
    const body = { type: 'view', name: 'task.mine', item: taken }
    const answers = [
      await other.as(1).put(path, body, stale),
      await other.as(1).put(`${path}?mode=draft`, body),
      await other.as(1).post(`${path}/state`, { state: 'deprecated' }),
      await other.as(1).delete(path, stale),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    await other.as(1).post('/meta/bulk/register', { items: [{ type: 'view', name: 'task.mine', data: taken }] })
    expect((await other.get(path)).body.item).toMatchObject({ label: 'Mine', scope: 'personal' })
    await other.stop()
  })
})
