// OData (D-183, D-275 to D-278): the service and its model, reads and writes of entities, filters, forms of answers.
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createODataWorld } from '../support/odata-world.ts'
import type { ODataRow, ODataWorld } from '../support/odata-world.ts'

let world: ODataWorld
let host: TestHost
type Row = ODataRow
const read: ODataWorld['read'] = (...words) => world.read(...words)
const refusal: ODataWorld['refusal'] = (...words) => world.refusal(...words)
const titles = async ($filter: string, more: Record<string, string> = {}): Promise<string[]> => {
  const { status, body } = await read('task', { $filter, ...more })
  expect(status, JSON.stringify(body)).toBe(200)
  return (body.value as Row[]).map((row) => row['title'] as string)
}

beforeAll(async () => {
  world = await createODataWorld()
  host = world.host
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

  it('gives every type a name of its own, and readers of 4.0 a document of 4.0', async () => {
    await host.defineObject('part', { at_place: { type: 'composite', fields: { city: { type: 'text' } } } })
    await host.defineObject('part_at', { place: { type: 'composite', fields: { city: { type: 'text' } } } })
    await host.defineObject('part_at_place', { city: { type: 'text' } })
    const xml: string = (await read('$metadata', {}, { 'odata-maxversion': '4.0' })).body
    expect(xml).toMatch(/<edmx:Edmx [^>]*Version="4\.0">/)
    const names = [...xml.matchAll(/<(?:EntityType|ComplexType) Name="([^"]+)"/g)].map(([, name]) => name)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
    expect(names).toEqual(expect.arrayContaining(['part_at_place', 'partValue_at_place', 'part_atValue_place']))
    const json = (await read('$metadata', { $format: 'json' })).body
    expect(json.Cairn['part_at_place'].$Kind).toBe('EntityType')
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
    // Demanded today, and missing in records that were there before.
    expect(property('title')).toEqual({ Name: 'title', Type: 'Edm.String', MaxLength: '1000' })
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
    const id = world.tasks['Alpha']!
    const record = (await host.get(`/data/task/${id}`)).body.record
    for (const path of [`task(${id})`, `task('${id}')`, `task/${id}`, `task(id=${id})`]) {
      const { status, body, headers } = await read(path)
      expect(status, path).toBe(200)
      const { '@odata.context': context, '@odata.etag': etag, ...values } = body
      expect(values).toEqual(record)
      expect(context).toBe(`${host.host.url}/api/v1/odata/$metadata#task/$entity`)
      expect([etag, headers.get('etag')]).toEqual([`W/"${record.updated_at}"`, `W/"${record.updated_at}"`])
    }
    expect((await read(`task(${world.accounts['Acme']})`)).status).toBe(404)
    expect((await read('task(nonsense)')).body.error.code).toBe('resource_not_found')
    expect((await read('nothing')).body.error.code).toBe('resource_not_found')
  })

  it('show parts, values and what they lead to', async () => {
    const id = world.tasks['Alpha']!
    expect((await read(`task(${id})/title`)).body.value).toBe('Alpha')
    expect((await read(`task(${id})/title/$value`)).body).toBe('Alpha')
    expect((await read(`task(${id})/parent`)).status).toBe(204)
    expect((await read(`task(${id})/accountRecord`)).body.name).toBe('Acme')
    expect(
      (await read(`task(${id})/labelsRecords`, { $orderby: 'name' })).body.value.map((row: Row) => row['name']),
    ).toEqual(['blue', 'red'])
    expect((await read(`account(${world.accounts['Acme']})/tasks`)).body.value.map((row: Row) => row['title'])).toEqual(
      ['Alpha'],
    )
    expect((await read(`account(${world.accounts['Acme']})/tasks/$count`)).body).toBe('1')
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

  it('have their literal defaults where they are replaced; what is made with each record is none', async () => {
    const choices = ['a', 'b'].map((value) => ({ value, label: value }))
    await host.defineObject('replaced', {
      name: { type: 'text' },
      word: { type: 'text', defaultValue: 'plain' },
      zero: { type: 'number', defaultValue: 0 },
      made: { type: 'text', defaultValue: '{today}' },
      day: { type: 'date', defaultValue: '{today}' },
      at: { type: 'datetime', defaultValue: '{now}' },
      who: { type: 'user', defaultValue: '{me}' },
      sum: { type: 'number', defaultValue: { expression: '1 + 1' } },
      words: { type: 'tags', defaultValue: ['x', 'y'] },
      chosen: { type: 'multiselect', options: choices, defaultValue: ['b'] },
      place: { type: 'address', defaultValue: { city: 'Rome' } },
    })
    const made = await host.post('/odata/replaced', { name: 'One', words: ['z'] })
    expect(made.body).toMatchObject({ sum: 2, chosen: ['b'], words: ['z'] })
    const { status, body } = await host.put(`/odata/replaced(${made.body.id})`, { name: 'Two' })
    expect([status, body.error?.details]).toEqual([200, undefined])
    expect(body).toMatchObject({ name: 'Two', word: 'plain', zero: 0, words: ['x', 'y'], chosen: ['b'] })
    expect(body).toMatchObject({ place: { city: 'Rome' }, made: null, day: null, at: null, who: null, sum: null })
    const given = await host.put(`/odata/replaced(${made.body.id})`, { day: '2026-01-05', words: [] })
    expect(given.body).toMatchObject({ name: null, day: '2026-01-05', words: [], chosen: ['b'] })
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
    expect((await host.post('/odata/task', '{"title":"T","__proto__":{"note":"x"}}')).status).toBe(400)
    for (const path of ['__proto__', 'constructor', 'task(__proto__)', 'task/constructor', '$each', 'task/$count/x'])
      expect([404, 501], path).toContain((await host.get(`/odata/${path}`)).status)
    const wrongMethod = await host.put('/odata/task', {})
    expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'GET, POST'])
    expect((await host.post('/odata/$metadata', {})).headers.get('allow')).toBe('GET, HEAD')
    expect((await host.get('/odata/$batch')).headers.get('allow')).toBe('POST')
    const bound = await host.post('/odata/task', {
      title: 'Bound',
      'accountRecord@odata.bind': `account(${world.accounts['Acme']})`,
    })
    expect(bound.body.account).toBe(world.accounts['Acme'])
    const bad = await host.post('/odata/task', { title: 'Bound', 'account@odata.bind': 7 })
    expect(bad.body.error.details.fieldErrors[0].field).toBe('account@odata.bind')
    expect((await host.delete(`/odata/task(${bound.body.id})`, { prefer: 'return=minimal' })).status).toBe(204)
  })

  it('are made together with what they lead to, or not at all', async () => {
    const made = await host.post('/odata/account', {
      name: 'Deep',
      tasks: [
        { title: 'First', labelsRecords: [{ name: 'green' }, { name: 'grey' }] },
        { title: 'Second', parentRecord: { '@odata.id': `task(${world.tasks['Alpha']})` } },
      ],
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const tasks = (made.body.tasks as Row[]).toSorted((a, b) => String(a['title']).localeCompare(String(b['title'])))
    expect(tasks).toMatchObject([
      { title: 'First', account: made.body.id, labelsRecords: [{ name: 'green' }, { name: 'grey' }] },
      { title: 'Second', parent: world.tasks['Alpha'] },
    ])
    const up = await host.post('/odata/task?$select=title', { title: 'Up', accountRecord: { name: 'Above' } })
    expect([up.status, up.body.accountRecord.name]).toEqual([201, 'Above'])
    const count = async (name: string) => (await read(`${name}/$count`)).body
    const before = [await count('account'), await count('task')]
    const wrong = await host.post('/odata/account', { name: 'Half', tasks: [{ title: 'fine' }, { hours: 'many' }] })
    expect(wrong.status).toBe(400)
    expect(wrong.body.error.details.fieldErrors.map(({ field }: { field: string }) => field).toSorted()).toEqual([
      'tasks/1/hours',
      'tasks/1/title',
    ])
    for (const [body, status] of [
      [{ title: 'T', accountRecord: [{}] }, 400],
      [{ title: 'T', labelsRecords: { name: 'x' } }, 400],
      [{ title: 'T', nothingRecord: { name: 'x' } }, 501],
      [{ title: 'T', ownerRecord: { name: 'x' } }, 501],
      [{ title: 'T', labelsRecords: Array.from({ length: 101 }, () => ({ name: 'x' })) }, 400],
    ] as const)
      expect((await host.post('/odata/task', body)).status, JSON.stringify(body).slice(0, 80)).toBe(status)
    // A child that is there already is not made a second time under its name.
    const named = [{ '@odata.id': `task(${world.tasks['Alpha']})`, title: 'Alpha' }]
    const moved = await host.post('/odata/account', { name: 'Takes', tasks: named })
    expect([moved.status, moved.body.error?.details.parameter]).toEqual([501, 'tasks/0'])
    expect([await count('account'), await count('task')]).toEqual(before)
    for (const { id } of [...tasks, up.body] as { id: string }[]) await host.delete(`/odata/task(${id})`)
    for (const id of [made.body.id, up.body.account]) await host.delete(`/odata/account(${id})`)
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
  const titlesOfAll = ['Alpha', 'beta  ', 'Gamma', 'delta']
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
    ['hours add 1 eq 2.5', ['Alpha']],
    ['1 add hours eq 2.5', ['Alpha']],
    ['hours add count eq 4.5', ['beta  ']],
    ['hours sub 1 mul 2 eq 0.5', ['beta  ']],
    ['(hours sub 1) mul 2 eq 3', ['beta  ']],
    ['1 sub hours gt 0', ['Gamma']],
    ['count sub (hours mul 2) eq 9', ['Gamma']],
    ['-hours eq 3', ['Gamma']],
    ['hours mul -2 le -3', ['Alpha', 'beta  ']],
    ['count div 2 eq 1', ['beta  ', 'Gamma']],
    ['count divby 2 eq 1.5', ['Gamma']],
    ['6 div count eq 6', ['Alpha']],
    ['count mod 2 eq 1', ['Alpha', 'Gamma']],
    ['7 mod count eq 1', ['beta  ', 'Gamma']],
    ['count div 0 eq 1', []],
    ['hours add null eq null', ['Alpha', 'beta  ', 'Gamma', 'delta']],
    ['year(due) sub 1 eq 2025', ['Alpha', 'beta  ']],
    ['length(title) mul 2 eq 10', ['Alpha', 'Gamma', 'delta']],
    ['hours gt 2 sub 1', ['Alpha', 'beta  ']],
    ["concat(title,'!') eq 'Alpha!'", ['Alpha']],
    ["concat(concat('<',title),'>') eq '<Alpha>'", ['Alpha']],
    ["concat(title,note) eq 'deltanothing else'", ['delta']],
    ["substring(title,1) eq 'lpha'", ['Alpha']],
    ["substring(title,1,2) eq 'et'", ['beta  ']],
    ["substring(tolower(title),0,3) in ('alp','del')", ['Alpha', 'delta']],
    ["indexof(title,'a') eq 4", ['Alpha', 'delta']],
    ["indexof(title,'''') eq -1", ['Alpha', 'beta  ', 'Gamma', 'delta']],
    ["contains(substring(title,2),'LT')", ['delta']],
    ["substring(account/name,2) eq 'Neil'", ['beta  ']],
    ["substring(place/city,1) eq 'öln'", ['Alpha']],
    ["substring('Alpha',indexof('Alpha','l'),2) eq 'lp' and concat('a','b') eq 'ab'", titlesOfAll],
    ['tags/$count gt 1', ['Alpha']],
    ['labels/$count ge 1 and labelsRecords/$count lt 9', ['Alpha', 'beta  ']],
    ['tags/$count eq 0', ['delta']],
    ["tags/any(t:concat(t,'s') eq 'xs')", ['Alpha', 'beta  ']],
  ]
  it.each(cases)('%s', async (filter, expected) => {
    expect(await titles(filter)).toEqual(expected)
  })

  it('takes ids with and without quotes', async () => {
    const id = world.accounts['Acme']!
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
      'title add 1 eq 2',
      "hours add 'x' eq 2",
      'hours add title eq 2',
      'hours add done eq 2',
      '1 div 0 eq hours',
      "concat(hours,'x') eq 'y'",
      "substring(title,-1) eq 'y'",
      "substring(title,'x') eq 'y'",
      'indexof(title) eq 1',
      'title/$count gt 1',
      'account/name add 1 eq 2',
      `${'-'.repeat(40)}hours eq 1`,
      `hours${' add 1'.repeat(17)} eq 1`,
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
    "status has 'open'",
    'tags/any(t:t eq title)',
    "at gt duration'P1D'",
    'contains(title,note)',
    '(hours add 1) mul (count add 1) gt 1',
    "substring(title,count) eq 'y'",
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
    // Names that stand for names: what they come to is bounded, not what each of them says.
    const names = [...'abcdefghijklmno'].map((letter) => `@${letter}`)
    const chain = names.map((name, at) => [name, Array.from({ length: 8 }, () => names[at + 1] ?? 'true').join(' or ')])
    expect(await refusal({ $filter: '@a', ...Object.fromEntries(chain) })).toMatchObject({ status: 400 })
    const tens = (of: string) => Array.from({ length: 11 }, () => of).join(' or ')
    expect(await refusal({ $filter: tens('@a'), '@a': tens('hours eq 1') })).toMatchObject({ status: 400 })
    expect((await read('task', { $filter: '@a or @a', '@a': tens('hours eq 1') })).status).toBe(200)
    expect(
      await refusal({ $filter: `hours in (${Array.from({ length: 1_001 }, (_, i) => i).join(',')})` }),
    ).toMatchObject({ status: 400 })
  })
})

describe('forms of answers', () => {
  it('say as much as the client wants', async () => {
    const path = `task(${world.tasks['Alpha']})`
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

  it('are named by their media type, as far as they are documents of entities (D-277)', async () => {
    const path = `task(${world.tasks['Alpha']})`
    const typeOf = async (at: string, query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
      (await read(at, query, headers)).headers.get('content-type')
    for (const at of ['', 'task', path, `${path}/title`])
      expect(await typeOf(at), at).toBe('application/json;odata.metadata=minimal;charset=utf-8')
    expect(await typeOf('task', { $format: 'application/json;odata.metadata=none' })).toBe(
      'application/json;odata.metadata=none;charset=utf-8',
    )
    const wide = 'application/json;metadata=full;IEEE754Compatible=true'
    expect(await typeOf(path, {}, { accept: wide })).toBe(
      'application/json;odata.metadata=full;IEEE754Compatible=true;charset=utf-8',
    )
    expect(await typeOf('task/$count')).toBe('text/plain; charset=utf-8')
    expect(await typeOf(`${path}/title/$value`)).toBe('text/plain; charset=utf-8')
    expect(await typeOf('$metadata', { $format: 'json' })).toBe('application/json; charset=utf-8')
    const made = await host.post('/odata/account?$format=application/json;odata.metadata=none', { name: 'Typed' })
    expect([made.status, made.headers.get('content-type')]).toEqual([
      201,
      'application/json;odata.metadata=none;charset=utf-8',
    ])
    await host.delete(`/odata/account(${made.body.id})`)
  })

  it('tell the version also where they refuse (D-277)', async () => {
    const versionOf = ({ headers }: { headers: Headers }) => headers.get('odata-version')
    expect(versionOf(await read('task', { $filter: 'nothing eq 1' }))).toBe('4.01')
    expect(versionOf(await read('nothing', {}, { 'odata-maxversion': '4.0' }))).toBe('4.0')
    expect(versionOf(await read('$metadata', { $format: 'json' }, { 'odata-maxversion': '3.0' }))).toBe('4.0')
    expect(versionOf(await host.anonymous('GET', '/odata/task'))).toBe('4.01')
    expect(versionOf(await host.post('/odata/$batch', {}))).toBe('4.01')
    expect(versionOf(await host.get('/data/nothing'))).toBeNull()
  })

  it('errors have the shape of the platform', async () => {
    const { body } = await read('task', { $filter: 'nothing eq 1' })
    expect(body).toMatchObject({
      success: false,
      error: { code: 'invalid_query', message: 'The query is malformed.', httpStatus: 400, category: 'validation' },
    })
  })
})
