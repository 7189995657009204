// Metadata documents between two real hosts: what is made on one is the same on the other, whatever both do at once.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createPipe, createPipedHost, itemsOf } from '../../../../test/support/metadata-pipe.ts'
import type { PipedHost } from '../../../../test/support/metadata-pipe.ts'

let a: PipedHost
let b: PipedHost
let flush: () => Promise<void>
let n = 0
let name = ''

beforeAll(async () => {
  a = await createPipedHost(1)
  b = await createPipedHost(2)
  const pipe = createPipe([a, b])
  flush = () => pipe.flush()
})
beforeEach(() => {
  name = `thing${(n += 1)}`
})
afterAll(async () => {
  await a.stop()
  await b.stop()
})

type Item = Record<string, unknown>
type Fields = Record<string, Item>

async function put(host: PipedHost, type: string, item: Item & { name: string }, query = '') {
  const answer = await host.put(`/meta/${type}/${item.name}${query}`, { type, name: item.name, item })
  expect(answer.body).toMatchObject({ success: true })
}

async function read(host: PipedHost, type: string, item: string): Promise<Item | null> {
  const answer = await host.get(`/meta/${type}/${item}`)
  return answer.status === 200 ? (answer.body.item as Item) : null
}

const fieldsOf = async (host: PipedHost, object = name): Promise<Fields> =>
  (await read(host, 'object', object))!['fields'] as Fields

/** Changes the definition as it is on the host. */
async function edit(host: PipedHost, change: (item: Item, fields: Fields) => void, object = name, query = '') {
  const item = (await read(host, 'object', object))!
  const fields = { ...(item['fields'] as Fields) }
  const next = { ...item, fields }
  change(next, fields)
  await put(host, 'object', { ...next, name: object }, query)
}

async function together() {
  await flush()
  for (const host of [a, b]) await host.documents.handler.settle()
  expect(a.documents.dueItems()).toEqual([])
  expect(b.documents.dueItems()).toEqual([])
  expect(itemsOf(b)).toEqual(itemsOf(a))
}

const simple = (more: Item = {}) => ({
  name,
  label: 'Thing',
  fields: {
    title: { type: 'text' },
    status: { type: 'select', options: ['open', 'done'] },
    amount: { type: 'number' },
  },
  ...more,
})

describe('an object', () => {
  it('arrives with its fields, uids and table', async () => {
    await put(a, 'object', simple())
    await together()
    expect(await fieldsOf(b)).toEqual(await fieldsOf(a))
    const record = await b.post(`/data/${name}`, { title: 'x', status: 'open' })
    expect(record.status).toBe(201)
  })

  it('keeps fields that two people add at once', async () => {
    await put(a, 'object', simple())
    await together()
    await edit(a, (_item, fields) => void (fields['left'] = { type: 'text' }))
    await edit(b, (_item, fields) => void (fields['right'] = { type: 'date' }))
    await together()
    expect(Object.keys(await fieldsOf(a)).toSorted()).toEqual(['amount', 'left', 'right', 'status', 'title'])
  })

  it('keeps the new name of a field and its new options', async () => {
    await put(a, 'object', simple())
    await together()
    await edit(a, (item) => {
      const { status, ...rest } = item['fields'] as Fields
      item['fields'] = { ...rest, phase: { ...status, renamedFrom: 'status' } }
    })
    await edit(b, (_item, fields) => {
      fields['status'] = { ...fields['status'], options: ['open', 'done', 'late'] }
    })
    await together()
    const { phase, status } = await fieldsOf(a)
    expect(status).toBeUndefined()
    expect((phase!['options'] as unknown[]).length).toBe(3)
  })

  it('takes the later of two changes of one property and tells of the other', async () => {
    await put(a, 'object', simple())
    await together()
    await edit(a, (item) => void (item['label'] = 'Left'))
    await edit(b, (item) => void (item['label'] = 'Right'))
    await together()
    expect((await read(a, 'object', name))!['label']).toBe('Right')
    const uid = (await read(a, 'object', name))!['uid']
    expect(a.conflicts.filter((one) => one.uid === uid)).toMatchObject([{ key: 'label', winner: { 1: 'Right' } }])
  })

  it('loses a field that one removes while the other edits it', async () => {
    await put(a, 'object', simple())
    await together()
    await b.post(`/data/${name}`, { title: 'x', amount: 7 })
    await edit(a, (_item, fields) => void delete fields['amount'], name, '?confirm=true')
    await edit(b, (_item, fields) => void (fields['amount'] = { ...fields['amount'], label: 'Sum' }))
    await together()
    expect(Object.keys(await fieldsOf(b))).toEqual(['title', 'status'])
    expect((await b.get(`/meta/object/${name}/backups`)).body.data).toHaveLength(1)
  })

  it('keeps a field that one removes while the other makes the object need it', async () => {
    await put(a, 'object', simple())
    await together()
    await edit(a, (_item, fields) => void delete fields['amount'], name, '?confirm=true')
    await edit(b, (item) => void (item['indexes'] = [{ fields: ['amount'] }]))
    await together()
    expect(Object.keys(await fieldsOf(a)).toSorted()).toEqual(['amount', 'status', 'title'])
    await edit(b, (item) => void delete item['indexes'], name, '?confirm=true')
    await together()
    expect(Object.keys(await fieldsOf(a)).toSorted()).toEqual(['amount', 'status', 'title'])
    await edit(b, (_item, fields) => void delete fields['amount'], name, '?confirm=true')
    await together()
    expect(Object.keys(await fieldsOf(a))).toEqual(['title', 'status'])
  })

  it('made twice under one name is two objects, the later one with a suffix', async () => {
    await put(a, 'object', simple({ label: 'First' }))
    await put(a, 'view', {
      name: `${name}.all`,
      object: name,
      viewKind: 'list',
      label: 'A',
      config: { columns: ['title'] },
    })
    await new Promise((resolve) => setTimeout(resolve, 5))
    await put(b, 'object', simple({ label: 'Second' }))
    await put(b, 'view', {
      name: `${name}.all`,
      object: name,
      viewKind: 'list',
      label: 'B',
      config: { columns: ['title'] },
    })
    await together()
    expect((await read(b, 'object', name))!['label']).toBe('First')
    expect((await read(b, 'object', `${name}_2`))!['label']).toBe('Second')
    expect(await read(b, 'view', `${name}_2.all`)).toMatchObject({ label: 'B', object: `${name}_2` })
    expect(await read(a, 'view', `${name}.all`)).toMatchObject({ label: 'A', object: name })
    await a.delete(`/meta/object/${name}?confirm=true`)
    await together()
    expect((await read(a, 'object', name))!['label']).toBe('Second')
    expect(await read(a, 'view', `${name}.all`)).toMatchObject({ label: 'B', object: name })
  })

  it('renamed here while another refers to it there keeps the reference', async () => {
    await put(a, 'object', simple())
    await together()
    await put(a, 'object', { ...(await read(a, 'object', name))!, name: `${name}x`, renamedFrom: name })
    await put(b, 'object', { name: `${name}ref`, fields: { to: { type: 'lookup', reference: name } } })
    await put(b, 'view', {
      name: `${name}.new`,
      object: name,
      viewKind: 'list',
      label: 'N',
      config: { columns: ['title'] },
    })
    await together()
    expect((await fieldsOf(a, `${name}ref`))['to']).toMatchObject({ reference: `${name}x` })
    expect(await read(b, 'view', `${name}x.new`)).toMatchObject({ object: `${name}x` })
  })

  it('converts a field whose type was changed', async () => {
    await put(a, 'object', simple())
    await together()
    const record = await b.post(`/data/${name}`, { title: 'many', amount: 5 })
    await edit(
      a,
      (_item, fields) => void (fields['title'] = { ...fields['title'], type: 'number' }),
      name,
      '?confirm=true',
    )
    await together()
    expect((await b.get(`/data/${name}/${record.body.record.id}`)).body.record).toMatchObject({
      title: null,
      amount: 5,
    })
  })

  it('moves a field, and others stay', async () => {
    await put(a, 'object', simple())
    await together()
    await edit(a, (item) => {
      const { title, status, amount } = item['fields'] as Fields
      item['fields'] = { amount, title, status }
    })
    await edit(b, (_item, fields) => void (fields['more'] = { type: 'text' }))
    await together()
    expect(Object.keys(await fieldsOf(b))).toEqual(['amount', 'title', 'status', 'more'])
  })

  it('removed there goes here with its parts, and comes back with them', async () => {
    await put(a, 'object', simple())
    await put(a, 'view', {
      name: `${name}.all`,
      object: name,
      viewKind: 'list',
      label: 'A',
      config: { columns: ['title'] },
    })
    await together()
    await b.post(`/data/${name}`, { title: 'kept' })
    expect((await a.delete(`/meta/object/${name}?confirm=true`)).status).toBe(200)
    await put(b, 'view', {
      name: `${name}.own`,
      object: name,
      viewKind: 'list',
      label: 'O',
      config: { columns: ['title'] },
    })
    await together()
    expect(await read(b, 'object', name)).toBeNull()
    expect(await read(b, 'view', `${name}.own`)).toBeNull()
    const [backup] = (await b.get(`/meta/object/${name}/backups`)).body.data
    expect((await b.post(`/meta/object/${name}/backups/${backup.id}/restore`)).status).toBe(200)
    await together()
    expect((await b.get(`/data/${name}`)).body.records).toHaveLength(1)
    expect(await read(a, 'view', `${name}.own`)).toMatchObject({ object: name })
  })
})

describe('names', () => {
  it('that two objects exchange are exchanged everywhere', async () => {
    const [left, right] = [`${name}l`, `${name}r`]
    for (const one of [left, right]) await put(a, 'object', { ...simple({ label: one }), name: one })
    await together()
    for (const [from, to] of [
      [left, `${name}t`],
      [right, left],
      [`${name}t`, right],
    ] as const)
      await put(a, 'object', { ...(await read(a, 'object', from))!, name: to, renamedFrom: from })
    await together()
    expect((await read(b, 'object', left))!['label']).toBe(right)
    expect((await read(b, 'object', right))!['label']).toBe(left)
  })

  it('of fields that two people add at once stay apart', async () => {
    await put(a, 'object', simple())
    await together()
    await edit(a, (_item, fields) => void (fields['note'] = { type: 'text' }))
    await new Promise((resolve) => setTimeout(resolve, 5))
    await edit(b, (_item, fields) => void (fields['note'] = { type: 'number' }))
    await together()
    const { note, note_2 } = await fieldsOf(b)
    expect([note!['type'], note_2!['type']]).toEqual(['text', 'number'])
  })
})

describe('an extension', () => {
  it('travels with what it adds, and waits for what it extends', async () => {
    const before = a.log.length
    await put(a, 'object', simple())
    await put(a, 'object', { name: `${name}_more`, extend: name, fields: { extra: { type: 'text' } } })
    const [object, extension] = a.log.slice(before)
    await b.receive([extension!])
    expect(b.documents.dueItems()).toMatchObject([{ name: `${name}_more` }])
    await b.receive([object!])
    await together()
    expect((await fieldsOf(b))['extra']).toEqual((await fieldsOf(a))['extra'])
  })
})

describe('an item that cannot be stored', () => {
  it('stays due with its reason, holds nothing else up, and is stored once it can be', async () => {
    await put(a, 'object', simple())
    await together()
    await put(a, 'validation', {
      name: `${name}.dear`,
      object: name,
      type: 'script',
      condition: 'record.amount > 1',
      message: 'No.',
    })
    await edit(b, (_item, fields) => void delete fields['amount'], name, '?confirm=true')
    await put(a, 'role', { name: `${name}_role`, label: 'Role' })
    await flush()
    expect(b.documents.dueItems()).toMatchObject([
      { type: 'validation', name: `${name}.dear`, reason: /^validation_error/ },
    ])
    expect(await read(b, 'role', `${name}_role`)).toMatchObject({ label: 'Role' })
    await put(a, 'validation', {
      name: `${name}.dear`,
      object: name,
      type: 'script',
      condition: 'record.title == "x"',
      message: 'No.',
    })
    await together()
    expect(await read(b, 'validation', `${name}.dear`)).toMatchObject({ condition: 'record.title == "x"' })
  })

  it('waits for the object it is a part of', async () => {
    const before = a.log.length
    await put(a, 'object', { name, fields: { title: { type: 'text' } } })
    await put(a, 'view', {
      name: `${name}.v`,
      object: name,
      viewKind: 'list',
      label: 'V',
      config: { columns: ['title'] },
    })
    const [object, view] = a.log.slice(before)
    await b.receive([view!])
    expect(b.documents.dueItems()).toHaveLength(1)
    await b.receive([object!])
    expect(b.documents.dueItems()).toEqual([])
    await together()
  })
})

describe('two new objects that refer to each other', () => {
  it('arrive in any order', async () => {
    const before = a.log.length
    await put(a, 'object', { name, fields: { title: { type: 'text' } } })
    await put(a, 'object', {
      name: `${name}b`,
      fields: { up: { type: 'lookup', reference: name, referenceFilters: { title: 'x' } } },
    })
    await edit(a, (_item, fields) => void (fields['down'] = { type: 'lookup', reference: `${name}b` }))
    const own = a.log.slice(before)
    const last = own.filter(({ name: doc }) => doc === own[1]!.name)
    const first = own.filter(({ name: doc }) => doc !== own[1]!.name)
    await b.receive(last)
    expect(b.documents.dueItems()).toMatchObject([{ type: 'object', name: `${name}b`, reason: /missing_reference/ }])
    await b.receive(first)
    await together()
    expect((await fieldsOf(b))['down']).toMatchObject({ reference: `${name}b` })
  })
})

describe('items of other types', () => {
  it('travel with their states', async () => {
    await put(a, 'object', simple())
    await put(a, 'validation', {
      name: `${name}.dear`,
      object: name,
      type: 'script',
      condition: 'record.amount > 1000',
      message: 'No.',
    })
    await put(a, 'permission', {
      name: `${name}_set`,
      objects: { [name]: { allowRead: true } },
      fields: { [`${name}.amount`]: { readable: true } },
    })
    await put(a, 'report', {
      name: `${name}_report`,
      object: name,
      type: 'tabular',
      columns: ['title'],
      filter: { status: 'open' },
    })
    await together()
    expect(await read(b, 'validation', `${name}.dear`)).toMatchObject({ condition: 'record.amount > 1000' })
    expect((await a.post(`/meta/report/${name}_report/state`, { state: 'archived' })).status).toBe(200)
    await together()
    expect(await read(b, 'report', `${name}_report`)).toBeNull()
    expect((await b.get(`/meta/report/${name}_report?state=archived`)).status).toBe(200)
    await b.delete(`/meta/permission/${name}_set`)
    await together()
    expect(await read(a, 'permission', `${name}_set`)).toBeNull()
  })

  it('of one name made twice get a suffix, and what refers to them follows', async () => {
    for (const host of [a, b]) {
      await put(host, 'function', { name: `${name}_fn`, source: `return ${host === a ? 1 : 2}` })
      await put(host, 'job', {
        name: `${name}_${host === a ? 'a' : 'b'}`,
        schedule: { everySeconds: 3600 },
        function: `${name}_fn`,
        enabled: false,
      })
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await together()
    expect(await read(b, 'job', `${name}_b`)).toMatchObject({ function: `${name}_fn_2` })
    expect(await read(b, 'job', `${name}_a`)).toMatchObject({ function: `${name}_fn` })
  })

  it('delivered by a package travel, and so does the overlay of the platform', async () => {
    const item = { name, label: 'Delivered', fields: { title: { type: 'text' } } }
    await a.put(`/meta/object/${name}?packageId=org.example.pack`, { type: 'object', name, item })
    await together()
    await edit(b, (next, fields) => {
      next['label'] = 'Ours'
      fields['title'] = { ...fields['title'], label: 'Headline' }
      fields['extra'] = { type: 'number' }
    })
    await together()
    expect(await read(a, 'object', name)).toMatchObject({ label: 'Ours', fields: { title: { label: 'Headline' } } })
    expect((await fieldsOf(a))['extra']).toEqual((await fieldsOf(b))['extra'])
    expect((await a.delete(`/meta/object/${name}?confirm=true`)).body).toMatchObject({ reset: true })
    await together()
    expect(await read(b, 'object', name)).toMatchObject({ label: 'Delivered' })
  })
})

describe('what is there before sync is turned on', () => {
  it('becomes documents once, and the program keeps its own', async () => {
    const on = a.pause()
    await put(a, 'object', simple())
    on()
    expect(a.log.some(({ name: doc }) => doc.startsWith('m/profile/'))).toBe(false)
    const total = a.documents.handler.backfillTotal(a.host.database.read)
    const before = a.log.length
    expect(await a.begin()).toBe(total)
    expect(a.log).toHaveLength(before + 1)
    expect(await a.begin()).toBe(total)
    expect(a.log).toHaveLength(before + 1)
    await together()
    expect(await read(b, 'object', name)).toMatchObject({ label: 'Thing' })
  })
})

describe('changes of others', () => {
  it('are not written back, and carry their actor and source', async () => {
    await put(a, 'object', simple())
    const before = b.log.length
    b.takeEvents()
    await together()
    expect(b.log).toHaveLength(before)
    const events = b.takeEvents().filter(({ type }) => type === 'metadata.item.saved')
    expect(events).toMatchObject([{ source: 'sync', actor: { type: 'user', name: 'owner' } }])
  })
})
