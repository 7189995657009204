// What items need, what needs them, and what that holds back: D-108 (dependencies, dependents), D-106.
import { beforeAll, describe, expect, it } from 'vitest'
import { exampleObjects, wholeItems } from '../support/metadata-examples.ts'
import { expectError, host, name, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

interface Dependency {
  readonly sourceType: string
  readonly sourceName: string
  readonly targetType: string
  readonly targetName: string
  readonly kind: string
}

const list = async (type: string, key: string, what: string): Promise<Dependency[]> => {
  const { status, body } = await host.get(`/meta/${type}/${key}/${what}`)
  expect({ status, success: body.success }).toEqual({ status: 200, success: true })
  return body.data
}
const needs = async (type: string, key: string) =>
  (await list(type, key, 'dependencies')).map(
    ({ sourceType, sourceName, targetType, targetName, kind }) =>
      `${sourceType === type && sourceName === key ? '' : `${sourceType} ${sourceName} `}${kind} ${targetType} ${targetName}`,
  )
const neededBy = async (type: string, key: string) =>
  (await list(type, key, 'dependents')).map(({ sourceType, sourceName, kind }) => `${kind} ${sourceType} ${sourceName}`)

beforeAll(async () => {
  for (const [key, item] of Object.entries(exampleObjects)) await host.put(`/meta/object/${key}`, item)
  for (const [type, one] of Object.entries(wholeItems)) await host.put(`/meta/${type}/${one.name}`, one.item)
  await host.put('/meta/object/invoice', {
    fields: {
      buyer: { type: 'lookup', reference: 'customer', referenceFilters: { city: 'Rome' } },
      about: { type: 'record', references: ['ticket', 'customer'] },
    },
    validations: [
      { name: 'v', type: 'cross_field', condition: 'record.buyer == null', fields: ['buyer'], message: 'No.' },
    ],
    hooks: [{ name: 'h', events: ['beforeInsert'], function: 'tidy' }],
  })
  await host.put('/meta/field/customer.tickets', {
    type: 'summary',
    summaryOperations: {
      object: 'ticket',
      function: 'sum',
      field: 'amount',
      relationField: 'customer',
      filter: { status: 'open' },
    },
  })
  await host.put('/meta/role/chief', { permissionSets: ['agents'], parent: 'lead' })
  await host.put('/meta/tool/start', { type: 'flow', target: 'escalate' })
})

describe('GET /meta/:type/:name/dependencies', () => {
  it.each([
    [
      'object',
      'invoice',
      [
        'field invoice.buyer reference object customer',
        'field invoice.buyer reference field customer.city',
        'field invoice.about reference object ticket',
        'field invoice.about reference object customer',
        'triggers function tidy',
      ],
    ],
    [
      'object',
      'customer',
      [
        'field customer.tickets reference object ticket',
        'field customer.tickets reference field ticket.amount',
        'field customer.tickets reference field ticket.customer',
        'field customer.tickets reference field ticket.status',
      ],
    ],
    ['field', 'ticket.customer', ['reference object customer']],
    [
      'view',
      'ticket.board',
      [
        'reference object ticket',
        'reference field ticket.title',
        'reference field ticket.customer',
        'reference field customer.name',
        'reference field ticket.status',
        'reference field ticket.due',
      ],
    ],
    ['page', 'start', ['includes view ticket.board', 'reference object ticket']],
    [
      'dashboard',
      'overview',
      ['reference object ticket', 'reference field ticket.amount', 'includes view ticket.board'],
    ],
    ['app', 'desk', ['includes object ticket', 'includes view ticket.board', 'includes page start']],
    ['action', 'ticket.close', ['reference object ticket', 'reference field ticket.status']],
    [
      'report',
      'by_status',
      [
        'reference object ticket',
        'reference field ticket.title',
        'reference field ticket.customer',
        'reference field customer.name',
        'reference field ticket.due',
        'reference field ticket.amount',
        'reference field ticket.status',
      ],
    ],
    ['flow', 'escalate', ['reference object ticket']],
    ['job', 'nightly', ['triggers function tidy']],
    [
      'trigger',
      'ticket.announce',
      ['reference object ticket', 'reference field ticket.amount', 'triggers flow escalate'],
    ],
    ['validation', 'ticket.dear', ['reference object ticket', 'reference field ticket.amount']],
    ['hook', 'ticket.stamp', ['reference object ticket']],
    ['email_template', 'welcome', ['reference field ticket.title', 'reference object ticket']],
    [
      'permission',
      'agents',
      ['reference object ticket', 'reference field ticket.amount', 'reference field ticket.status'],
    ],
    ['profile', 'staff', []],
    ['role', 'chief', ['includes permission agents', 'extends role lead']],
    ['agent', 'helper', ['includes tool find', 'includes skill tone']],
    ['skill', 'tone', ['includes tool find']],
    ['tool', 'find', ['reference object ticket']],
    ['tool', 'start', ['triggers flow escalate']],
    ['translation', 'german', []],
    ['function', 'tidy', []],
  ])('of %s %s', async (type, key, expected) => {
    expect((await needs(type, key)).toSorted()).toEqual(expected.toSorted())
  })

  it('answers 404 for what is not there', async () => {
    expectError(await host.get('/meta/page/nowhere/dependencies'), 404, 'resource_not_found')
    expectError(await host.get('/meta/page/nowhere/dependents'), 404, 'resource_not_found')
    expectError(await host.get('/meta/thing/nowhere/dependents'), 404, 'resource_not_found')
  })
})

describe('GET /meta/:type/:name/dependents', () => {
  it.each([
    ['function', 'tidy', ['triggers job nightly', 'triggers object invoice']],
    ['flow', 'escalate', ['triggers tool start', 'triggers trigger ticket.announce']],
    ['tool', 'find', ['includes agent helper', 'includes skill tone']],
    ['permission', 'agents', ['includes role chief', 'includes role lead']],
    ['role', 'lead', ['extends role chief']],
    ['view', 'ticket.board', ['includes app desk', 'includes dashboard overview', 'includes page start']],
    [
      'object',
      'customer',
      ['reference field invoice.about', 'reference field invoice.buyer', 'reference field ticket.customer'],
    ],
    ['field', 'ticket.due', ['reference report by_status', 'reference view ticket.board']],
    ['page', 'start', ['includes app desk']],
    ['profile', 'staff', []],
  ])('of %s %s', async (type, key, expected) => {
    expect(await neededBy(type, key)).toEqual(expected)
  })

  it('is dependencies, reversed, for every pair of items', async () => {
    const items = (await host.post('/meta/query', { pageSize: 500 })).body.data.items as {
      type: string
      name: string
    }[]
    const forward = (await Promise.all(items.map((one) => list(one.type, one.name, 'dependencies')))).flat()
    const backward = (await Promise.all(items.map((one) => list(one.type, one.name, 'dependents')))).flat()
    const whole = forward.filter((one) =>
      items.some((item) => item.type === one.targetType && item.name === one.targetName),
    )
    const text = (all: Dependency[]) => all.map((one) => JSON.stringify(one)).toSorted()
    expect(whole.length).toBeGreaterThan(20)
    // What its fields need an object needs too, and both are asked.
    expect(text(backward)).toEqual([...new Set(text(whole))])
  })

  it('knows an object that another extends', async () => {
    await host.put('/meta/object/customer_more', { extend: 'customer', fields: { vip: { type: 'boolean' } } })
    expect(await neededBy('object', 'customer')).toContain('extends object customer_more')
    await host.delete('/meta/object/customer_more?confirm=true')
  })
})

describe('removal', () => {
  it.each([
    ['function', 'tidy'],
    ['flow', 'escalate'],
    ['tool', 'find'],
    ['permission', 'agents'],
    ['role', 'lead'],
    ['view', 'ticket.board'],
    ['page', 'start'],
    ['object', 'customer'],
    ['field', 'ticket.due'],
  ])('of %s %s is refused with its dependents', async (type, key) => {
    const dependents = await list(type, key, 'dependents')
    const answer = await host.delete(`/meta/${type}/${key}?confirm=true`)
    expectError(answer, 409, 'delete_restricted', { dependentCount: dependents.length })
    expect(answer.body.error.details.dependents).toEqual(dependents)
    expect((await host.get(`/meta/${type}/${key}/exists`)).body.data.exists).toBe(true)
  })

  it('goes ahead with force, and without when nothing needs the item any more', async () => {
    await host.put(`/meta/function/${name}`, { source: 'return 1' })
    await host.put(`/meta/job/${name}`, { schedule: { everySeconds: 60 }, function: name })
    expectError(await host.delete(`/meta/function/${name}`), 409, 'delete_restricted')
    expect((await host.delete(`/meta/function/${name}?force=true`)).status).toBe(200)
    await host.put(`/meta/function/${name}`, { source: 'return 1' })
    await host.delete(`/meta/job/${name}`)
    expect((await host.delete(`/meta/function/${name}`)).status).toBe(200)
  })

  it('of an object is not held back by its own parts', async () => {
    await host.defineObject(name, { title: { type: 'text' }, parent: { type: 'lookup', reference: name } })
    await host.put(`/meta/view/${name}.all`, { object: name, viewKind: 'list', config: { columns: ['title'] } })
    await host.put(`/meta/validation/${name}.rule`, {
      object: name,
      type: 'script',
      condition: 'record.title == "x"',
      message: 'No.',
    })
    expect((await host.delete(`/meta/object/${name}?confirm=true`)).status).toBe(200)
    expect((await host.get(`/meta/view/${name}.all/exists`)).body.data.exists).toBe(false)
  })
})
