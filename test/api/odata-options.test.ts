// OData (D-183, D-276 to D-278): options beside filters, pages, batches, and what a foreign tool builds.
import * as odataQuery from 'odata-query'
import { ODataQuery } from 'ts-odata-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createODataWorld, odataUrl as url } from '../support/odata-world.ts'
import type { ODataRow, ODataWorld } from '../support/odata-world.ts'

// The package has one default inside of another when it is imported as a module.
const buildQuery = ((odataQuery.default as unknown as { default?: unknown }).default ?? odataQuery.default) as (
  options: Record<string, unknown>,
) => string

let world: ODataWorld
let host: TestHost
type Row = ODataRow
const read: ODataWorld['read'] = (...words) => world.read(...words)
const refusal: ODataWorld['refusal'] = (...words) => world.refusal(...words)

beforeAll(async () => {
  world = await createODataWorld()
  host = world.host
}, 60_000)
afterAll(() => host.stop())

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
    const beside = (await read(`task(${world.tasks['Alpha']})`, { $expand: 'accountRecord,ownerRecord' })).body
    expect(beside).toMatchObject({ account: world.accounts['Acme'], accountRecord: { name: 'Acme' } })
    expect(beside.ownerRecord.id).toBe(beside.owner)
    expect((await read(`task(${world.tasks['delta']})`, { $expand: 'accountRecord' })).body.accountRecord).toBeNull()
    const labels = async (options: string) =>
      (await read(`task(${world.tasks['Alpha']})`, { $expand: `labelsRecords(${options})` })).body.labelsRecords.map(
        (row: Row) => row['name'],
      )
    expect(await labels('$orderby=name;$skip=1')).toEqual(['red'])
    expect(await labels("$filter=name eq 'blue';$top=1")).toEqual(['blue'])
    for (const title of ['One', 'Two', 'Three'])
      await host.post('/odata/task', { title, account: world.accounts['Acme'] })
    const rest = await read(`account(${world.accounts['Acme']})`, {
      $expand: "tasks($filter=title ne 'Alpha';$orderby=title;$skip=1;$top=1;$count=true)",
    })
    expect(rest.body['tasks@odata.count']).toBe(3)
    expect(Object.keys(rest.body).filter((name) => name.includes('$'))).toEqual([])
    const counted = await read('account', { $select: 'name', $expand: 'tasks($count=true;$top=1)', $orderby: 'name' })
    expect(counted.body.value.map((row: Row) => [row['name'], row['tasks@odata.count']])).toEqual([
      ['Acme', 4],
      ["O'Neil", 1],
    ])
    const red = await read(`task(${world.tasks['Alpha']})`, { $expand: 'labelsRecords($count=true;$top=1)' })
    expect([red.body['labelsRecords@odata.count'], red.body.labelsRecords.length]).toEqual([2, 1])
    const none = await read(`account(${world.accounts['Acme']})`, {
      $expand: 'tasks($count=true;$top=0;$orderby=title;$expand=labelsRecords)',
    })
    expect([none.body['tasks@odata.count'], none.body.tasks]).toEqual([4, []])
    const bare = await read(`task(${world.tasks['Alpha']})`, { $expand: 'labelsRecords($count=true;$top=0)' })
    expect([bare.body['labelsRecords@odata.count'], bare.body.labelsRecords]).toEqual([2, []])
    expect((await read(`task(${world.tasks['Alpha']})`, { $expand: 'labels($top=0)' })).body.labels).toEqual([])
    expect(rest.body.tasks.map((row: Row) => row['title'])).toEqual(['Three'])
    for (const row of (await read('task', { $filter: "title in ('One','Two','Three')" })).body.value)
      await host.delete(`/odata/task(${row.id})`)
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
    // Names of navigation stay as they were written, so that an id beside them has its own place.
    const ways = await read('task', {
      $apply: 'groupby((account,accountRecord/name),aggregate($count as n))/filter(accountRecord/name ne null)',
      $orderby: 'accountRecord/name',
    })
    expect(ways.body['@odata.context']).toBe(
      `${host.host.url}/api/v1/odata/$metadata#task(account,accountRecord/name,n)`,
    )
    expect(ways.body.value).toEqual([
      { account: world.accounts['Acme'], accountRecord: { name: 'Acme' }, n: 1 },
      { account: world.accounts["O'Neil"], accountRecord: { name: "O'Neil" }, n: 1 },
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
    for (const $filter of ['tasks/any(t:t/done)', 'tasks/$count gt 1', "city eq 'Rome' or not tasks/any()"])
      expect(await refusal({ $filter }, 'account'), $filter).toMatchObject({ status: 501, parameter: '$filter' })
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

  it('are the same however often they are asked for, and whoever writes in between', async () => {
    // From the second time on the database writes the entities.
    const headers = { prefer: 'odata.maxpagesize=10' }
    const address = url('part', { $orderby: 'rank desc', $filter: 'rank ge 0' })
    const page = async () => {
      const { status, body } = await host.get(address, headers)
      expect(status, JSON.stringify(body)).toBe(200)
      const { '@odata.nextLink': link, ...entities } = body
      const next = await host.get(link.slice(host.host.url.length), headers)
      return JSON.stringify([entities, next.body.value])
    }
    const first = await page()
    for (let round = 0; round < 3; round += 1) expect(await page()).toBe(first)
    const [entity] = JSON.parse(first)[0].value as Row[]
    const tag = { 'if-match': entity!['@odata.etag'] as string }
    expect((await host.patch(`/odata/part(${String(entity!['id'])})`, { name: 'again' }, tag)).status).toBe(200)
    const [changed] = JSON.parse(await page())[0].value as Row[]
    expect(changed).toEqual({
      ...entity,
      name: 'again',
      '@odata.etag': `W/"${String(changed!['updated_at'])}"`,
      updated_at: changed!['updated_at'],
    })
    expect(changed!['updated_at']).not.toBe(entity!['updated_at'])
    const batch = { requests: [{ id: '1', method: 'GET', url: address.slice('/odata/'.length) }] }
    const { body } = await host.post('/odata/$batch', batch)
    expect(body.responses[0].body.value.slice(0, 10)).toEqual(JSON.parse(await page())[0].value)
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
    expect(on.map(({ headers }: { headers: Row }) => headers['odata-version'])).toEqual(['4.01', '4.01', '4.01'])
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
    expect(new Set(failed.map(({ headers }: { headers: Row }) => headers['odata-version']))).toEqual(new Set(['4.01']))
    expect((await read('account/$count', { $filter: "name eq 'Group'" })).body).toBe('0')
    const done = (await batch(group({ city: 'Ulm' }))).body.responses
    expect(done.map((item: Row) => item['status'])).toEqual([201, 201, 200])
    for (const { headers } of done)
      expect(headers).toMatchObject({
        'odata-version': '4.01',
        'content-type': 'application/json;odata.metadata=minimal;charset=utf-8',
      })
    expect(done[1].body.account).toBe(done[0].body.id)
    expect((await read('account/$count', { $filter: "city eq 'Ulm'" })).body).toBe('1')
    expect((await host.delete(`/odata/task(${done[1].body.id})`)).status).toBe(200)
  })

  it('are judged by their version, which holds for requests that name none', async () => {
    const requests = [
      { id: '1', method: 'GET', url: 'task/$count' },
      { id: '2', method: 'GET', url: 'task?$top=1', headers: { 'OData-MaxVersion': '4.01' } },
      { id: '3', method: 'GET', url: 'nothing' },
    ]
    const older = await batch(requests, { 'odata-maxversion': '4.0' })
    expect(older.headers.get('odata-version')).toBe('4.0')
    expect(older.body.responses.map(({ headers }: { headers: Row }) => headers['odata-version'])).toEqual([
      '4.0',
      '4.01',
      '4.0',
    ])
    for (const headers of [{ 'odata-maxversion': '3.0' }, { 'odata-version': '5.0' }] as Record<string, string>[]) {
      const refused = await batch(requests, headers)
      expect([refused.status, refused.body.error.code]).toEqual([400, 'validation_error'])
    }
  })

  it('store nothing of a group that names a version that is not spoken', async () => {
    const headers = { 'odata-maxversion': '3.0' }
    const one = { id: '1', atomicityGroup: 'g', method: 'POST', url: 'account', headers, body: { name: 'Old' } }
    const { responses } = (await batch([one])).body
    expect(responses.map((item: Row) => item['status'])).toEqual([400])
    expect((await read('account/$count', { $filter: "name eq 'Old'" })).body).toBe('0')
  })

  it('are multipart messages as well', async () => {
    const send = async (body: string, type = 'multipart/mixed; boundary=b') => {
      const answer = await fetch(`${host.host.url}/api/v1/odata/$batch`, {
        method: 'POST',
        headers: { authorization: `Bearer ${host.host.token}`, 'content-type': type },
        body,
      })
      return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() }
    }
    const http = (request: string, id = '') =>
      `Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n${id === '' ? '' : `Content-ID: ${id}\r\n`}\r\n${request}\r\n`
    const post = (name: string, id: string) =>
      http(`POST account HTTP/1.1\r\nContent-Type: application/json\r\n\r\n${JSON.stringify({ name })}`, id)
    const message = (parts: readonly string[], boundary = 'b') =>
      `${parts.map((part) => `--${boundary}\r\n${part}`).join('')}--${boundary}--\r\n`
    const changes = (parts: readonly string[]) =>
      `Content-Type: multipart/mixed; boundary="c"\r\n\r\n${message(parts, 'c')}`
    const patch = 'PATCH $1 HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{"city":"Multingen"}'
    const done = await send(
      message([
        changes([post('Multi', '1'), http(patch, '2')]),
        http("GET /api/v1/odata/account/$count?$filter=city%20eq%20'Multingen' HTTP/1.1"),
      ]),
    )
    expect([done.status, done.type]).toEqual([200, expect.stringMatching(/^multipart\/mixed; boundary=batch_/)])
    expect(done.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 200', 'HTTP/1.1 200'])
    expect(done.text).toMatch(/content-type: text\/plain; charset=utf-8\r\n\r\n1\r\n--batch_\S+--\r\n$/)
    expect(done.text.match(/Content-ID: \S+/g)).toEqual(['Content-ID: 1', 'Content-ID: 2'])
    const failed = await send(message([changes([post('Gone', '1'), post('', '2')]), http('GET account HTTP/1.1')]))
    expect(failed.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400'])
    expect((await read('account/$count', { $filter: "name eq 'Gone'" })).body).toBe('0')
    for (const [body, type] of [
      ['', undefined],
      [message([http('GET account HTTP/1.1')]), 'multipart/mixed'],
      ['--b\r\n\r\nGET account HTTP/1.1\r\n--b--', undefined],
      [message([http('account')]), undefined],
      [message([http('POST account HTTP/1.1\r\n\r\n{')]), undefined],
      [message([http(`POST account HTTP/1.1\r\n\r\n{"name":${'['.repeat(100)}${']'.repeat(100)}}`)]), undefined],
      [message(Array.from({ length: 101 }, () => http('GET account HTTP/1.1'))), undefined],
      [`--b\r\n${http('GET account HTTP/1.1')}`, undefined],
    ] as const)
      expect((await send(body, type)).status, body.slice(0, 60)).toBe(400)
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
    expect(await names({ filter: { account: { type: 'guid', value: world.accounts['Acme'] } } })).toEqual(['Alpha'])
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
    const one = await host.get(`/odata/task${buildQuery({ key: world.tasks['Alpha'] })}`)
    expect(one.body.title).toBe('Alpha')
  })
  it('ts-odata-client reads what is answered, page after page', async () => {
    interface Task {
      id: string
      title: string
      hours: number
      done: boolean
    }
    const requestInit = () => ({
      headers: { authorization: `Bearer ${host.host.token}`, prefer: 'odata.maxpagesize=1' },
    })
    const tasks = ODataQuery.forV4<Task>(`${host.host.url}/api/v1/odata/task`, { requestInit })
    const some = tasks
      .select((task) => ({ id: task.id, title: task.title }))
      .filter((task, { or }) =>
        or(task.title.$startsWith('Al'), task.hours.$greaterThan(2).and(task.done.$equals(true))),
      )
      .orderByDescending((task) => task.title)
    const read: string[] = []
    for await (const { title } of some) read.push(title)
    expect(read).toEqual(['beta  ', 'Alpha'])
    const counted = await some.top(1).getManyWithCountAsync()
    expect([counted['@odata.count'], counted.value.length]).toEqual([2, 1])
    const listed = await tasks.filter((task) => task.hours.$lessThan(0)).getManyAsync()
    expect(listed.value.map(({ title }) => title)).toEqual(['Gamma'])
    expect(await tasks.getAsync(world.tasks['Alpha'])).toMatchObject({ title: 'Alpha', hours: 1.5 })
  })
})

describe('versions', () => {
  it('are said by every answer, refusals of any method too', async () => {
    const { id } = (await host.post('/odata/account', { name: 'Version' })).body
    const paths = [
      '',
      '/$metadata',
      '/$batch',
      '/account',
      `/account(${id})`,
      `/account(${id})/name`,
      '/task/$count',
      '/no',
    ]
    const authorization = `Bearer ${host.host.token}`
    const without: string[] = []
    for (const path of paths)
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const body = ['GET', 'HEAD', 'DELETE'].includes(method) ? undefined : { name: 'Version' }
        const { status, headers } = await host.anonymous(method, `/odata${path}`, body, { authorization })
        if (headers.get('odata-version') !== '4.01') without.push(`${method} ${path} ${status}`)
      }
    expect(without).toEqual([])
  })
})
