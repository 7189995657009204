// OData (D-183, D-275 to D-278): reads and writes of entities, options, pages, forms of answers, and what foreign tools make of
// them.
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import * as odataQuery from 'odata-query'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

// The package has one default inside of another when it is imported as a module.
const buildQuery = ((odataQuery.default as unknown as { default?: unknown }).default ?? odataQuery.default) as (
  options: Record<string, unknown>,
) => string

let host: TestHost
let accounts: Record<string, string>
let tasks: Record<string, string>

type Row = Record<string, unknown>

const url = (path: string, options: Record<string, string | number> = {}): string => {
  const words = Object.entries(options).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return `/odata/${path}${words.length === 0 ? '' : `?${words.join('&')}`}`
}
const read = (path: string, options: Record<string, string | number> = {}, headers: Record<string, string> = {}) =>
  host.get(url(path, options), headers)
const titles = async ($filter: string, more: Record<string, string> = {}): Promise<string[]> => {
  const { status, body } = await read('task', { $filter, ...more })
  expect(status, JSON.stringify(body)).toBe(200)
  return (body.value as Row[]).map((row) => row['title'] as string)
}
const refusal = async (options: Record<string, string>, path = 'task') => {
  const { status, body } = await read(path, options)
  return { status, code: body.error?.code, ...body.error?.details }
}

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('account', {
    name: { type: 'text', required: true, maxLength: 80 },
    city: { type: 'text' },
    revenue: { type: 'currency' },
  })
  await host.defineObject('label', { name: { type: 'text' } })
  await host.defineObject('task', {
    title: { type: 'text', required: true },
    note: { type: 'textarea' },
    hours: { type: 'number' },
    count: { type: 'number', scale: 0 },
    done: { type: 'boolean' },
    due: { type: 'date' },
    at: { type: 'datetime' },
    clock: { type: 'time' },
    status: { type: 'select', options: ['open', 'busy', 'closed'].map((value) => ({ value, label: value })) },
    tags: { type: 'tags' },
    place: { type: 'address' },
    account: { type: 'lookup', reference: 'account', relationshipName: 'tasks' },
    labels: { type: 'lookup', reference: 'label', multiple: true },
    parent: { type: 'tree', reference: 'task' },
  })
  const made = async (object: string, rows: Row[], key: string): Promise<Record<string, string>> => {
    const { status, body } = await host.post(`/data/${object}/createMany`, rows)
    expect(status, JSON.stringify(body)).toBe(201)
    return Object.fromEntries(body.records.map((record: Row) => [record[key], record['id']]))
  }
  accounts = await made(
    'account',
    [
      { name: 'Acme', city: 'Rome', revenue: 10.5 },
      { name: "O'Neil", city: 'Bonn', revenue: 20 },
    ],
    'name',
  )
  const labels = await made('label', [{ name: 'red' }, { name: 'blue' }], 'name')
  tasks = await made(
    'task',
    [
      {
        title: 'Alpha',
        hours: 1.5,
        count: 1,
        done: false,
        due: '2026-01-15',
        at: '2026-01-15T08:30:10.000Z',
        clock: '08:30:00',
        status: 'open',
        tags: ['x', 'yy'],
        place: { city: 'Köln', street: 'A 1' },
        account: accounts['Acme'],
        labels: [labels['red'], labels['blue']],
      },
      {
        title: 'beta  ',
        hours: 2.5,
        count: 2,
        done: true,
        due: '2026-02-28',
        at: '2026-02-28T23:59:59.000Z',
        clock: '17:05:30',
        status: 'busy',
        tags: ['x'],
        account: accounts["O'Neil"],
        labels: [labels['blue']],
      },
      { title: 'Gamma', hours: -3, count: 3, done: true, due: '2025-12-31', status: 'closed', tags: ['zeta'] },
      { title: 'delta', note: 'nothing else' },
    ],
    'title',
  )
}, 60_000)
afterAll(() => host.stop())

describe('the service and its model', () => {
  it('lists entity sets, also below /api/odata, and needs a credential', async () => {
    const { status, body, headers } = await read('')
    expect(status).toBe(200)
    expect(headers.get('odata-version')).toBe('4.01')
    expect(body['@odata.context']).toBe(`${host.host.url}/api/v1/odata/$metadata`)
    expect(body.value).toEqual(
      expect.arrayContaining([{ name: 'task', kind: 'EntitySet', url: 'task', title: 'Task' }]),
    )
    expect((await host.get('/api/odata')).body).toEqual(body)
    expect((await host.anonymous('GET', '/odata/task')).status).toBe(401)
    const manifest = (await host.anonymous('GET', '/discovery')).body
    expect([manifest.routes.odata, manifest.features.odata]).toEqual(['/api/v1/odata', true])
    expect(manifest.services.odata).toMatchObject({ enabled: true, status: 'available', provider: 'cairn-odata' })
  })

  it('describes itself in valid XML', async () => {
    const { status, body: xml, headers } = await read('$metadata')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/xml; charset=utf-8')
    expect(XMLValidator.validate(xml, { allowBooleanAttributes: false })).toBe(true)
    const lists = ['EntityType', 'Property', 'NavigationProperty', 'EntitySet']
    const list = (name: string, _path: unknown, _isLeaf: unknown, isAttribute: unknown): boolean =>
      isAttribute !== true && lists.includes(name)
    const document = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '', isArray: list }).parse(xml)
    expect(document['edmx:Edmx'].Version).toBe('4.01')
    const schema = document['edmx:Edmx']['edmx:DataServices'].Schema
    const type = schema.EntityType.find((entry: Row) => entry['Name'] === 'task')
    expect(type.Key.PropertyRef.Name).toBe('id')
    const property = (name: string): Row => type.Property.find((entry: Row) => entry['Name'] === name)
    expect(property('id')).toEqual({ Name: 'id', Type: 'Edm.Guid', Nullable: 'false' })
    expect(property('title')).toEqual({ Name: 'title', Type: 'Edm.String', Nullable: 'false', MaxLength: '1000' })
    expect(
      ['hours', 'count', 'done', 'due', 'at', 'clock', 'status', 'tags', 'place', 'account', 'labels'].map(
        (name) => property(name)['Type'],
      ),
    ).toEqual([
      'Edm.Double',
      'Edm.Int64',
      'Edm.Boolean',
      'Edm.Date',
      'Edm.DateTimeOffset',
      'Edm.TimeOfDay',
      'Edm.String',
      'Collection(Edm.String)',
      'Cairn.Address',
      'Edm.Guid',
      'Collection(Edm.Guid)',
    ])
    const leads = type.NavigationProperty.find((entry: Row) => entry['Name'] === 'accountRecord')
    expect(leads).toEqual({
      Name: 'accountRecord',
      Type: 'Cairn.account',
      Partner: 'tasks',
      ReferentialConstraint: { Property: 'account', ReferencedProperty: 'id' },
    })
    const account = schema.EntityType.find((entry: Row) => entry['Name'] === 'account')
    expect(account.NavigationProperty.find((entry: Row) => entry['Name'] === 'tasks')).toMatchObject({
      Type: 'Collection(Cairn.task)',
      Partner: 'accountRecord',
    })
    const names = schema.EntityType.map((entry: Row) => entry['Name'])
    for (const { EntityType } of schema.EntityContainer.EntitySet) expect(names).toContain(EntityType.slice(6))
    const { body: json } = await read('$metadata', { $format: 'json' })
    expect(json['$EntityContainer']).toBe('Cairn.Container')
    expect(json.Cairn.task.accountRecord).toEqual({
      $Kind: 'NavigationProperty',
      $Type: 'Cairn.account',
      $Nullable: true,
      $Partner: 'tasks',
      $ReferentialConstraint: { account: 'id' },
    })
    expect(Object.keys(json.Cairn.task).filter((name) => !name.startsWith('$'))).toEqual([
      ...type.Property.map((entry: Row) => entry['Name']),
      ...type.NavigationProperty.map((entry: Row) => entry['Name']),
    ])
  })
})

describe('entities', () => {
  it('have the values of records, tags, and every form of key', async () => {
    const id = tasks['Alpha']!
    const record = (await host.get(`/data/task/${id}`)).body.record
    for (const path of [`task(${id})`, `task('${id}')`, `task/${id}`, `task(id=${id})`]) {
      const { status, body, headers } = await read(path)
      expect(status, path).toBe(200)
      const { '@odata.context': context, '@odata.etag': etag, ...values } = body
      expect(values).toEqual(record)
      expect(context).toBe(`${host.host.url}/api/v1/odata/$metadata#task/$entity`)
      expect([etag, headers.get('etag')]).toEqual([`W/"${record.updated_at}"`, `W/"${record.updated_at}"`])
    }
    expect((await read(`task(${accounts['Acme']})`)).status).toBe(404)
    expect((await read('task(nonsense)')).body.error.code).toBe('resource_not_found')
    expect((await read('nothing')).body.error.code).toBe('resource_not_found')
  })

  it('show parts, values and what they lead to', async () => {
    const id = tasks['Alpha']!
    expect((await read(`task(${id})/title`)).body.value).toBe('Alpha')
    expect((await read(`task(${id})/title/$value`)).body).toBe('Alpha')
    expect((await read(`task(${id})/parent`)).status).toBe(204)
    expect((await read(`task(${id})/accountRecord`)).body.name).toBe('Acme')
    expect(
      (await read(`task(${id})/labelsRecords`, { $orderby: 'name' })).body.value.map((row: Row) => row['name']),
    ).toEqual(['blue', 'red'])
    expect((await read(`account(${accounts['Acme']})/tasks`)).body.value.map((row: Row) => row['title'])).toEqual([
      'Alpha',
    ])
    expect((await read(`account(${accounts['Acme']})/tasks/$count`)).body).toBe('1')
    expect((await read(`task(${id})/nothing`)).status).toBe(404)
    expect((await read(`task(${id})/$ref`)).status).toBe(501)
  })

  it('are made, changed, replaced and deleted', async () => {
    const created = await host.post('/odata/account', { '@odata.type': '#Cairn.account', name: 'New', city: 'Pisa' })
    expect(created.status).toBe(201)
    const { id, '@odata.etag': first } = created.body
    expect(created.headers.get('location')).toBe(`${host.host.url}/api/v1/odata/account(${id})`)
    expect(created.body).toMatchObject({ name: 'New', city: 'Pisa', revenue: null })
    const changed = await host.patch(`/odata/account(${id})`, { city: 'Oslo' }, { 'if-match': first })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({ name: 'New', city: 'Oslo' })
    const late = await host.patch(`/odata/account/${id}`, { city: 'Graz' }, { 'if-match': first })
    expect([late.status, late.body.error.code]).toEqual([409, 'CONCURRENT_UPDATE'])
    const silent = await host.patch(`/odata/account(${id})`, { city: 'Linz' }, { prefer: 'return=minimal' })
    expect([silent.status, silent.body, silent.headers.get('preference-applied')]).toEqual([
      204,
      undefined,
      'return=minimal',
    ])
    expect(silent.headers.get('odata-entityid')).toBe(`${host.host.url}/api/v1/odata/account(${id})`)
    const replaced = await host.put(`/odata/account(${id})`, { name: 'Whole' })
    expect(replaced.body).toMatchObject({ name: 'Whole', city: null })
    const stale = await host.delete(`/odata/account(${id})`, { 'if-match': first })
    expect([stale.status, stale.body.error.code]).toEqual([409, 'CONCURRENT_UPDATE'])
    const gone = await host.delete(`/odata/account('${id}')`, { 'if-match': '*' })
    expect([gone.status, gone.body]).toEqual([200, { object: 'account', id, success: true, deleted: true }])
    expect((await read(`account(${id})`)).status).toBe(404)
  })

  it('are refused as records are, and bind what they lead to', async () => {
    const wrong = await host.post('/odata/task', { title: '', hours: 'many', nothing: 1 })
    expect(wrong.status).toBe(400)
    expect(wrong.body.error.details.fieldErrors.map(({ field }: { field: string }) => field).toSorted()).toEqual([
      'hours',
      'nothing',
      'title',
    ])
    expect((await host.post('/odata/task', [1])).status).toBe(400)
    expect((await host.post('/odata/task', { title: 'T', accountRecord: { name: 'N' } })).status).toBe(501)
    expect((await host.put('/odata/task', {})).status).toBe(405)
    const bound = await host.post('/odata/task', {
      title: 'Bound',
      'accountRecord@odata.bind': `account(${accounts['Acme']})`,
    })
    expect(bound.body.account).toBe(accounts['Acme'])
    const bad = await host.post('/odata/task', { title: 'Bound', 'account@odata.bind': 7 })
    expect(bad.body.error.details.fieldErrors[0].field).toBe('account@odata.bind')
    expect((await host.delete(`/odata/task(${bound.body.id})`, { prefer: 'return=minimal' })).status).toBe(204)
  })

  it('answer a repeat with the same Idempotency-Key as before', async () => {
    const headers = { 'idempotency-key': 'odata-create-1', prefer: 'return=minimal' }
    const first = await host.post('/odata/account', { name: 'Once' }, headers)
    const again = await host.post('/odata/account', { name: 'Once' }, headers)
    expect([first.status, again.status]).toEqual([204, 204])
    expect(again.headers.get('odata-entityid')).toBe(first.headers.get('odata-entityid'))
    expect((await read('account/$count', { $filter: "name eq 'Once'" })).body).toBe('1')
  })
})

describe('$filter', () => {
  const cases: readonly (readonly [filter: string, titles: readonly string[]])[] = [
    ["title eq 'Alpha'", ['Alpha']],
    ["title ne 'Alpha'", ['beta  ', 'Gamma', 'delta']],
    ['hours gt 1.5 or hours lt -2', ['beta  ', 'Gamma']],
    ['hours ge 1.5 and hours le 2.5', ['Alpha', 'beta  ']],
    ['1.5 lt hours', ['beta  ']],
    ['not (hours ge 1.5)', ['Gamma', 'delta']],
    ['hours eq null', ['delta']],
    ['hours ne null', ['Alpha', 'beta  ', 'Gamma']],
    ['hours gt null', []],
    ['done', ['beta  ', 'Gamma']],
    ["done eq true and not (status eq 'busy')", ['Gamma']],
    ["status in ('open','closed')", ['Alpha', 'Gamma']],
    ["status in ('open',null)", ['Alpha', 'delta']],
    ["status eq Cairn.Status'open'", ['Alpha']],
    ['due gt 2026-01-01', ['Alpha', 'beta  ']],
    ['due eq 2026-02-28', ['beta  ']],
    ['at lt 2026-02-01T00:00:00Z', ['Alpha']],
    ['at ge 2026-01-15T09:30:10+01:00', ['Alpha', 'beta  ']],
    ['clock gt 12:00:00', ['beta  ']],
    ['year(due) eq 2026', ['Alpha', 'beta  ']],
    ['month(at) eq 2', ['beta  ']],
    ['day(due) in (15,31)', ['Alpha', 'Gamma']],
    ['hour(at) eq 8 and minute(at) eq 30 and second(at) eq 10', ['Alpha']],
    ['hour(clock) eq 17', ['beta  ']],
    ['date(at) eq 2026-01-15', ['Alpha']],
    ['time(at) lt 10:00:00', ['Alpha']],
    ['at lt now()', ['Alpha', 'beta  ']],
    ["contains(title,'MM')", ['Gamma']],
    ["startswith(title,'de') or endswith(title,'pha')", ['Alpha', 'delta']],
    ["contains(title,'a') eq false", []],
    ["tolower(title) eq 'alpha'", ['Alpha']],
    ["toupper(title) eq toupper('Alpha')", ['Alpha']],
    ["trim(title) eq 'beta'", ['beta  ']],
    ['length(title) gt 5', ['beta  ']],
    ['length(trim(title)) eq 4', ['beta  ']],
    ['round(hours) eq 3', ['beta  ']],
    ['floor(hours) eq 1', ['Alpha']],
    ["account/name eq 'O''Neil'", ['beta  ']],
    ["accountRecord/city eq 'Rome'", ['Alpha']],
    ["tolower(account/name) eq 'acme'", ['Alpha']],
    ["place/city eq 'Köln'", ['Alpha']],
    ["tolower(place/city) eq 'köln'", ['Alpha']],
    ["tags/any(t:t eq 'x')", ['Alpha', 'beta  ']],
    ["tags/any(t:t eq 'x' or t eq 'zeta')", ['Alpha', 'beta  ', 'Gamma']],
    ['tags/any(t:length(t) ge 2)', ['Alpha', 'Gamma']],
    ["tags/all(t:t eq 'x')", ['beta  ', 'delta']],
    ["not tags/any(t:startswith(t,'y'))", ['beta  ', 'Gamma', 'delta']],
    ['tags/any()', ['Alpha', 'beta  ', 'Gamma']],
    ["labels/any(l:l/name eq 'red')", ['Alpha']],
    ["labelsRecords/all(l:l/name eq 'blue')", ['beta  ', 'Gamma', 'delta']],
    ['count eq hours', []],
    ['hours lt count', ['Gamma']],
    ['TRUE EQ true', ['Alpha', 'beta  ', 'Gamma', 'delta']],
    ["Title eq 'x' or title EQ 'Alpha'".replace('Title', 'title'), ['Alpha']],
    ['((((hours)) eq ((1.5))))', ['Alpha']],
    ["status gt 'open'", ['beta  ', 'Gamma']],
  ]
  it.each(cases)('%s', async (filter, expected) => {
    expect(await titles(filter)).toEqual(expected)
  })

  it('takes ids with and without quotes', async () => {
    const id = accounts['Acme']!
    for (const written of [id, `'${id}'`, id.toUpperCase(), `guid'${id}'`]) {
      expect(await titles(`account eq ${written}`), written).toEqual(['Alpha'])
      expect(await titles(`accountRecord/id eq ${written}`), written).toEqual(['Alpha'])
    }
  })

  it('reads parameters, names in any case and without $', async () => {
    expect(await titles('title eq @t', { '@t': "'Alpha'" })).toEqual(['Alpha'])
    expect(await titles('status in @list', { '@list': "('open','busy')" })).toEqual(['Alpha', 'beta  '])
    const { body } = await host.get("/odata/task?FILTER=title%20eq%20'Alpha'&Select=title&top=1&custom=1")
    expect(body.value.map((row: Row) => row['title'])).toEqual(['Alpha'])
  })

  it.each([
    ["title eq 'Alpha", 10],
    ['title eq', 9],
    ['title', 6],
    ['title eq 1 2', 12],
    ['(title eq 1', 12],
    ['title eq @x', 10],
    ['nothing(title)', 15],
    ['title like 1', 7],
    ['title eq #', 10],
    ['tags/any(t:', 12],
  ])('names the place of what is wrong in %s', async (filter, position) => {
    const found = await refusal({ $filter: filter })
    expect(found, JSON.stringify(found)).toMatchObject({ status: 400, code: 'invalid_query', parameter: '$filter' })
    if (filter !== 'title') expect(found['position']).toBe(position)
  })

  it('refuses what is wrong with a field, in the words of the option', async () => {
    for (const filter of [
      'nothing eq 1',
      "hours eq 'many'",
      "contains(hours,'1')",
      'length(hours) eq 1',
      'year(title) eq 1',
      "title/any(t:t eq 'x')",
    ]) {
      expect(await refusal({ $filter: filter }), filter).toMatchObject({
        status: 400,
        code: 'invalid_query',
        parameter: '$filter',
      })
    }
    expect(await refusal({ $filter: 'a eq 1', filter: 'b eq 1' })).toMatchObject({ status: 400, parameter: '$filter' })
    expect(await refusal({ $nonsense: '1' })).toMatchObject({ status: 400, parameter: '$nonsense' })
  })

  it.each([
    'hours add 1 eq 2',
    "concat(title,'x') eq 'y'",
    "substring(title,1) eq 'y'",
    "indexof(title,'x') eq 1",
    "status has 'open'",
    'tags/$count gt 1',
    'tags/any(t:t eq title)',
    "at gt duration'P1D'",
    '-hours eq 1',
    'contains(title,note)',
    'geo.distance(place,place) lt 1',
  ])('says that %s is not supported', async (filter) => {
    expect(await refusal({ $filter: filter })).toMatchObject({ status: 501, code: 'not_implemented' })
  })

  it('keeps the limits of filters', async () => {
    expect(await refusal({ $filter: Array.from({ length: 101 }, () => 'hours eq 1').join(' or ') })).toMatchObject({
      status: 400,
    })
    expect((await read('task', { $filter: Array.from({ length: 100 }, () => 'hours eq 1').join(' or ') })).status).toBe(
      200,
    )
    expect(await refusal({ $filter: `${'('.repeat(5_000)}done${')'.repeat(5_000)}` })).toMatchObject({ status: 400 })
    expect(await refusal({ $filter: `${'not '.repeat(2_000)}done` })).toMatchObject({ status: 400 })
    expect(await refusal({ $filter: '@a eq 1', '@a': '@a' })).toMatchObject({ status: 400 })
    expect(
      await refusal({ $filter: `hours in (${Array.from({ length: 1_001 }, (_, i) => i).join(',')})` }),
    ).toMatchObject({ status: 400 })
  })
})

describe('the other options', () => {
  it('$select, $orderby, $top, $skip, $count', async () => {
    const { body } = await read('task', {
      $select: 'title,hours',
      $orderby: 'hours desc,title',
      $top: 2,
      $skip: 1,
      $count: 'true',
    })
    expect(body['@odata.count']).toBe(4)
    expect(body['@odata.context']).toBe(`${host.host.url}/api/v1/odata/$metadata#task(title,hours)`)
    expect(body.value.map(({ '@odata.etag': tag, id, ...row }: Row) => [typeof tag, typeof id, row])).toEqual([
      ['string', 'string', { title: 'Alpha', hours: 1.5 }],
      ['string', 'string', { title: 'Gamma', hours: -3 }],
    ])
    expect(body['@odata.nextLink']).toBeUndefined()
    expect((await read('task', { $top: 0, $count: 'true' })).body).toMatchObject({ value: [], '@odata.count': 4 })
    expect((await read('task', { $orderby: 'account/name desc', $top: 1 })).body.value[0].title).toBe('beta  ')
    expect((await read('task/$count')).body).toBe('4')
    expect((await read('task/$count', { $filter: 'done' })).body).toBe('2')
    for (const [name, value] of Object.entries({
      $top: '-1',
      $skip: 'x',
      $count: 'maybe',
      $select: 'nothing',
      $orderby: 'title up',
      $skiptoken: 'junk',
      $format: 'nonsense',
    })) {
      expect(await refusal({ [name]: value }), name).toMatchObject({
        status: 400,
        code: 'invalid_query',
        parameter: name,
      })
    }
    for (const [name, value] of Object.entries({
      $compute: 'a',
      $orderby: 'length(title)',
      $format: 'atom',
      $deltatoken: '1',
    }))
      expect(await refusal({ [name]: value }), name).toMatchObject({ status: 501 })
  })

  it('$expand with options, three levels deep', async () => {
    const { body } = await read('task', {
      $filter: "title eq 'Alpha'",
      $select: 'title',
      $expand:
        'account($select=name;$expand=tasks($filter=hours gt 1;$select=title;$orderby=title desc;$top=5;$expand=labelsRecords($select=name)))',
    })
    const [row] = body.value
    expect(row.account).toMatchObject({
      name: 'Acme',
      tasks: [{ title: 'Alpha', labelsRecords: [{ name: 'red' }, { name: 'blue' }] }],
    })
    expect(row.account.city).toBeUndefined()
    expect(row.account.tasks[0].hours).toBeUndefined()
    expect(row.account.tasks[0]['@odata.etag']).toMatch(/^W\//)
    const beside = (await read(`task(${tasks['Alpha']})`, { $expand: 'accountRecord,ownerRecord' })).body
    expect(beside).toMatchObject({ account: accounts['Acme'], accountRecord: { name: 'Acme' } })
    expect(beside.ownerRecord.id).toBe(beside.owner)
    expect((await read(`task(${tasks['delta']})`, { $expand: 'accountRecord' })).body.accountRecord).toBeNull()
    const deep = 'account($expand=tasks($expand=account($expand=tasks)))'
    expect(await refusal({ $expand: deep })).toMatchObject({ status: 400, parameter: '$expand' })
    for (const $expand of ['nothing', 'title', 'account(', 'account($top=0)', 'account($nothing=1)', 'account,account'])
      expect(await refusal({ $expand }), $expand).toMatchObject({ status: 400, code: 'invalid_query' })
    for (const $expand of ['*', 'account/$ref', 'account($levels=2)', 'account($count=true)'])
      expect(await refusal({ $expand }), $expand).toMatchObject({ status: 501 })
  })

  it('$search', async () => {
    expect((await read('task', { $search: 'alp' })).body.value.map((row: Row) => row['title'])).toEqual(['Alpha'])
    expect((await read('task', { $search: 'nothing AND else' })).body.value).toHaveLength(1)
    expect((await read('task', { $search: 'nothing NOT else' })).body.value).toHaveLength(0)
    expect((await read('task', { $search: 'alpha OR gamma' })).body.value).toHaveLength(2)
    expect((await read('task', { $search: '"nothing else"' })).body.value).toHaveLength(1)
    expect(await refusal({ $search: 'a AND' })).toMatchObject({ status: 400, parameter: '$search' })
    expect(await refusal({ $search: '(a OR b) AND c' })).toMatchObject({ status: 501 })
  })

  it('$apply', async () => {
    const apply = async ($apply: string, more: Record<string, string> = {}) => {
      const { status, body } = await read('task', { $apply, ...more })
      expect(status, JSON.stringify(body)).toBe(200)
      return body.value
    }
    expect(await apply('aggregate(hours with sum as total,$count as n,hours with average as mean)')).toEqual([
      { total: 1, n: 4, mean: 1 / 3 },
    ])
    expect(
      await apply('filter(hours gt 0)/groupby((done),aggregate(hours with max as most))', { $orderby: 'most desc' }),
    ).toEqual([
      { done: true, most: 2.5 },
      { done: false, most: 1.5 },
    ])
    expect(
      await apply('groupby((account/name),aggregate($count as n,status with countdistinct as s))/filter(n lt 2)'),
    ).toEqual([
      { account: { name: 'Acme' }, n: 1, s: 1 },
      { account: { name: "O'Neil" }, n: 1, s: 1 },
    ])
    expect(await apply('groupby((status))', { $filter: "status ne 'open'", $top: '2' })).toEqual([
      { status: null },
      { status: 'busy' },
    ])
    expect((await apply('filter(done)')).map((row: Row) => row['title'])).toEqual(['beta  ', 'Gamma'])
    for (const $apply of [
      'groupby(status)',
      'aggregate(hours with sum)',
      'nothing(a)',
      'groupby((nothing))',
      'aggregate(title with sum as t)',
      'aggregate(hours with sum as a,count with sum as a)',
    ])
      expect(await refusal({ $apply }), $apply).toMatchObject({
        status: 400,
        code: 'invalid_query',
        parameter: '$apply',
      })
    for (const $apply of [
      'topcount(1,hours)',
      'groupby((rollup(status)))',
      'aggregate(hours with mine as t)',
      'compute(hours as h)',
    ])
      expect(await refusal({ $apply }), $apply).toMatchObject({ status: 501 })
  })
})

describe('pages', () => {
  const walk = async (path: string, headers: Record<string, string> = {}): Promise<string[][]> => {
    const pages: string[][] = []
    for (let next: string | undefined = path; next !== undefined;) {
      const answer = await host.get(next, headers)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      pages.push(answer.body.value.map((row: Row) => row['name']))
      const link = answer.body['@odata.nextLink'] as string | undefined
      expect(link?.startsWith(`${host.host.url}/api/v1/odata/`) ?? true).toBe(true)
      next = link?.slice(host.host.url.length)
    }
    return pages
  }
  beforeAll(async () => {
    await host.defineObject('part', { name: { type: 'text' }, rank: { type: 'number' } })
    const rows = Array.from({ length: 45 }, (_, index) => ({ name: `p${index}`, rank: index % 3 }))
    expect((await host.post('/data/part/createMany', rows)).status).toBe(201)
  })

  it('go on at nextLink without loss', async () => {
    const pages = await walk(
      url('part', { $orderby: 'rank desc', $filter: 'rank ge 0', $select: 'name', $count: 'true' }),
    )
    expect(pages.map((page) => page.length)).toEqual([20, 20, 5])
    expect(new Set(pages.flat()).size).toBe(45)
    expect((await walk(url('part', { $skip: 30, $orderby: 'name' }))).map((page) => page.length)).toEqual([15])
    expect((await walk('/api/odata/part?top=45')).map((page) => page.length)).toEqual([45])
  })

  it('are as small as the client prefers, and $top limits all of them together', async () => {
    const headers = { prefer: 'odata.maxpagesize=10' }
    const first = await read('part', {}, headers)
    expect(first.headers.get('preference-applied')).toBe('odata.maxpagesize=10')
    expect((await walk(url('part', { $orderby: 'name' }), headers)).map((page) => page.length)).toEqual([
      10, 10, 10, 10, 5,
    ])
    expect((await walk(url('part', { $top: 25 }), headers)).map((page) => page.length)).toEqual([10, 10, 5])
    expect((await walk(url('part', { $top: 5_000 }))).map((page) => page.length)).toEqual([45])
  })

  it('of groups go on, too', async () => {
    const headers = { prefer: 'maxpagesize=2' }
    const first = await host.get(url('part', { $apply: 'groupby((rank),aggregate($count as n))' }), headers)
    expect(first.body.value).toEqual([
      { rank: 0, n: 15 },
      { rank: 1, n: 15 },
    ])
    const second = await host.get(first.body['@odata.nextLink'].slice(host.host.url.length), headers)
    expect(second.body.value).toEqual([{ rank: 2, n: 15 }])
    expect(second.body['@odata.nextLink']).toBeUndefined()
  })
})

describe('forms of answers', () => {
  it('say as much as the client wants', async () => {
    const path = `task(${tasks['Alpha']})`
    const none = (await read(path, { $format: 'application/json;odata.metadata=none' })).body
    expect(Object.keys(none).filter((key) => key.includes('@'))).toEqual([])
    const full = (await read(path, {}, { accept: 'application/json;metadata=full' })).body
    expect(full).toMatchObject({ '@odata.type': '#Cairn.task', '@odata.id': `${host.host.url}/api/v1/odata/${path}` })
    const wide = (await read(path, { $format: 'application/json;IEEE754Compatible=true' })).body
    expect([wide.count, wide.hours]).toEqual(['1', 1.5])
    expect(
      (await read('task', { $count: 'true' }, { accept: 'application/json;IEEE754Compatible=true' })).body[
        '@odata.count'
      ],
    ).toBe('4')
    expect((await read('task', {}, { 'odata-maxversion': '4.0' })).headers.get('odata-version')).toBe('4.0')
    expect((await read('task', {}, { 'odata-maxversion': '3.0' })).status).toBe(400)
  })

  it('errors have the shape of the platform', async () => {
    const { body } = await read('task', { $filter: 'nothing eq 1' })
    expect(body).toMatchObject({
      success: false,
      error: { code: 'invalid_query', message: 'The query is malformed.', httpStatus: 400, category: 'validation' },
    })
  })
})

describe('batches', () => {
  const batch = (requests: unknown[], headers: Record<string, string> = {}) =>
    host.post('/odata/$batch', { requests }, headers)

  it('answer each request', async () => {
    const { status, body } = await batch([
      { id: '1', method: 'get', url: "task?$filter=title eq 'Alpha'&$select=title" },
      { id: '2', method: 'POST', url: '/api/v1/odata/account', body: { name: 'Batch' } },
      { id: '3', method: 'PATCH', url: '$2', body: { city: 'Bern' }, dependsOn: ['2'] },
      { id: '4', method: 'GET', url: `${host.host.url}/api/v1/odata/account/$count?$filter=city%20eq%20'Bern'` },
    ])
    expect(status).toBe(200)
    expect(body.responses.map((item: Row) => [item['id'], item['status']])).toEqual([
      ['1', 200],
      ['2', 201],
      ['3', 200],
      ['4', 200],
    ])
    expect(body.responses[0].body.value[0].title).toBe('Alpha')
    expect(body.responses[3].body).toBe('1')
  })

  it('stop at the first failure unless they are to go on', async () => {
    const requests = [
      { id: 'a', method: 'GET', url: 'nothing' },
      { id: 'b', method: 'GET', url: 'task/$count' },
      { id: 'c', method: 'GET', url: 'task/$count', dependsOn: ['a'] },
    ]
    expect((await batch(requests)).body.responses).toHaveLength(1)
    const on = (await batch(requests, { prefer: 'continue-on-error' })).body.responses
    expect(on.map((item: Row) => item['status'])).toEqual([404, 200, 409])
  })

  it('do groups together or not at all', async () => {
    const group = (last: Row) => [
      { id: '1', atomicityGroup: 'g', method: 'POST', url: 'account', body: { name: 'Group' } },
      {
        id: '2',
        atomicityGroup: 'g',
        method: 'POST',
        url: 'task',
        body: { title: 'In group', 'account@odata.bind': '$1' },
      },
      { id: '3', atomicityGroup: 'g', method: 'PATCH', url: '$1', body: last },
    ]
    const failed = (await batch(group({ nothing: 1 }))).body.responses
    expect(failed.map((item: Row) => item['status'])).toEqual([409, 409, 400])
    expect((await read('account/$count', { $filter: "name eq 'Group'" })).body).toBe('0')
    const done = (await batch(group({ city: 'Ulm' }))).body.responses
    expect(done.map((item: Row) => item['status'])).toEqual([201, 201, 200])
    expect(done[1].body.account).toBe(done[0].body.id)
    expect((await read('account/$count', { $filter: "city eq 'Ulm'" })).body).toBe('1')
    expect((await host.delete(`/odata/task(${done[1].body.id})`)).status).toBe(200)
  })

  it('are refused when they are malformed', async () => {
    for (const requests of [
      [],
      [{ id: '1', method: 'TRACE', url: 'task' }],
      [{ method: 'GET', url: 'task' }],
      [{ id: '1', method: 'GET' }],
      [{ id: '1', method: 'GET', url: 'task', dependsOn: ['9'] }],
      Array.from({ length: 101 }, (_, id) => ({ id: String(id), method: 'GET', url: 'task' })),
    ])
      expect((await batch(requests)).status).toBe(400)
  })
})

describe('foreign tools', () => {
  it('odata-query builds what is understood', async () => {
    const query = (options: Record<string, unknown>) => host.get(`/odata/task${buildQuery(options)}`)
    const names = async (options: Record<string, unknown>) => {
      const { status, body } = await query(options)
      expect(status, JSON.stringify(body)).toBe(200)
      return body.value.map((row: Row) => row['title'])
    }
    expect(await names({ filter: { title: 'Alpha' } })).toEqual(['Alpha'])
    expect(await names({ filter: { hours: { ge: 1, lt: 2 } } })).toEqual(['Alpha'])
    expect(
      await names({ filter: { and: [{ done: true }, { or: [{ status: 'busy' }, { status: 'open' }] }] } }),
    ).toEqual(['beta  '])
    expect(await names({ filter: { not: { done: true } } })).toEqual(['Alpha', 'delta'])
    expect(await names({ filter: { title: { contains: 'amm' } } })).toEqual(['Gamma'])
    expect(await names({ filter: { 'tolower(title)': 'alpha' } })).toEqual(['Alpha'])
    expect(await names({ filter: { 'account/name': "O'Neil" } })).toEqual(['beta  '])
    expect(await names({ filter: { account: { name: 'Acme' } } })).toEqual(['Alpha'])
    expect(await names({ filter: { status: { in: ['open', 'closed'] } } })).toEqual(['Alpha', 'Gamma'])
    expect(await names({ filter: { at: { gt: new Date('2026-02-01T00:00:00Z') } } })).toEqual(['beta  '])
    expect(await names({ filter: { account: { type: 'guid', value: accounts['Acme'] } } })).toEqual(['Alpha'])
    expect(await names({ orderBy: ['hours desc'], top: 1, skip: 1 })).toEqual(['Alpha'])
    const { body } = await query({
      select: ['title'],
      expand: { accountRecord: { select: ['name'], filter: { name: 'Acme' } } },
      count: true,
      top: 1,
    })
    expect(body).toMatchObject({ '@odata.count': 4, value: [{ title: 'Alpha', accountRecord: { name: 'Acme' } }] })
    const sums = await query({
      transform: [
        { filter: { done: true } },
        { groupBy: { properties: ['done'], transform: [{ aggregate: [{ hours: { with: 'sum', as: 'total' } }] }] } },
      ],
    })
    expect(sums.body.value).toEqual([{ done: true, total: -0.5 }])
    const one = await host.get(`/odata/task${buildQuery({ key: tasks['Alpha'] })}`)
    expect(one.body.title).toBe('Alpha')
  })
})
