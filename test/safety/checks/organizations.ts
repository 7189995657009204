// Records of another organization: an administrator of one finds nothing of the other on any reading channel (C1o).
import { setTimeout as pause } from 'node:timers/promises'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { withAuthorizer } from '../../support/open-permissions.ts'
import { createPeopledHost } from '../../support/test-identities.ts'
import { createCanaryBook } from '../leak/canaries.ts'
import type { LeakCase } from '../leak/leak-case.ts'
import { absentId, ask, get, post, query } from '../leak/leak-case.ts'
import { callHost } from '../leak/world.ts'
import { minimumOf } from '../minimums.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

/** Two organizations with an administrator each. */
const users = ['org-1', 'org-2'].map((organizationId) => ({
  organizationId,
  memberships: [{ organizationId, role: 'admin', teams: [] }],
}))

/** Requests of the first about records of the second. */
function casesOf(ids: readonly string[], job: string): readonly LeakCase[] {
  return [
    get('/data/paper?top=1000&count=true'),
    get('/data/paper?deleted=include&top=1000'),
    get('/data/paper?distinct=true&select=name'),
    get('/data/paper?sort=-name&top=1'),
    get('/data/paper?expand=above,sheets&top=100'),
    ...['qzk', 'alpha'].map((text) => query({ search: text }, 'paper')),
    query({ filter: { 'above.name': { $contains: 'q' } } }, 'paper'),
    query({ filter: { name: { $contains: 'qzk' } } }, 'paper'),
    query({ groupBy: 'name', aggregations: [{ function: 'max', field: 'amount' }] }, 'paper'),
    query({ aggregations: [{ function: 'sum', field: 'amount' }, { function: 'count' }] }, 'paper'),
    ...[...ids, absentId].flatMap((id) => [
      get(`/data/paper/${id}?expand=above`),
      ask('PATCH', `/data/paper/${id}`, { name: 'x' }),
      ask('PATCH', `/data/paper/${id}`, { name: 'x', expectedVersion: 'x' }),
      ask('DELETE', `/data/paper/${id}`),
      post(`/data/paper/${id}/restore`),
      post(`/data/paper/${id}/clone`),
      get(`/data/paper/${id}/shares`),
      get(`/data/paper/${id}/feed`),
      get(`/data/paper/${id}/feed/search?query=alpha`),
      get(`/data/paper/${id}/changelog`),
      post(`/data/paper/${id}/feed`, { type: 'comment', body: 'x' }),
      post('/data/paper', { name: 'x', above: id }),
      post('/data/paper/batch', { operation: 'update', records: [{ id, data: { name: 'x' } }] }),
      post('/data/paper/deleteMany', { ids: [id] }),
    ]),
    ...['csv', 'json', 'ndjson', 'xlsx'].map((format) => get(`/data/paper/export?format=${format}&expand=above`)),
    post('/analytics/query', { cube: 'paper', measures: ['count', 'amount.max'], dimensions: ['name'] }),
    ...['SELECT * FROM paper', 'SELECT max(name) FROM paper', 'SELECT * FROM o_paper'].map((sql) =>
      post('/analytics/sql', { sql }),
    ),
    get('/data/import/jobs'),
    get(`/data/import/jobs/${job}`),
    get(`/data/import/jobs/${job}/results`),
    get('/ui/views'),
    get('/meta/view'),
    get('/meta/object/paper'),
    post('/functions/look/run'),
  ]
}

async function countForeign(
  context: CheckContext,
  replace: ((given: Authorizer) => Authorizer) | null,
): Promise<number> {
  const host = await createPeopledHost({ users, organizations: true }, (plugins) =>
    replace === null ? plugins : withAuthorizer(plugins, replace),
  )
  try {
    const book = createCanaryBook(context.seed)
    const fields = {
      name: { type: 'text' },
      body: { type: 'textarea' },
      amount: { type: 'number' },
      above: { type: 'lookup', reference: 'paper', relationshipName: 'sheets' },
    }
    await host.defineObject('paper', fields)
    const source = `return [await records.list('paper', { top: 100 }), await records.list('paper', { search: 'alpha' })]`
    await host.saveItem('function', 'look', { source })
    for (const number of [0, 1]) await host.assign(number, { profile: 'administrator' })
    await host.as(0).post('/data/paper', { name: 'own', body: 'alpha', amount: 1 })
    const ids: string[] = []
    for (let at = 0; at < 4; at += 1) {
      const values = {
        name: book.word('organization'),
        body: `alpha ${book.word('organization')}`,
        amount: book.number('organization'),
        above: ids.at(-1) ?? null,
      }
      const id = String((await host.as(1).post('/data/paper', values)).body.id)
      ids.push(id)
      const comment = { type: 'comment', body: `alpha ${book.word('organization')}` }
      await host.as(1).post(`/data/paper/${id}/feed`, comment)
    }
    const rows = [{ name: book.word('organization') }]
    const fileName = `${book.word('organization')}.csv`
    const job = String((await host.as(1).post('/data/paper/import/jobs', { rows, fileName })).body.jobId)
    await pause(500)
    const send = (number: number, { method, path, body }: LeakCase) =>
      callHost(host, method, `/api/v1${path}`, body, { authorization: `Bearer test-user-${number}` })
    let leaks = 0
    const cases = casesOf(ids, job)
    for (const one of cases) {
      const answer = await send(0, one)
      const found = book.find(answer.bytes, `${one.path} ${JSON.stringify(one.body ?? '')}`)
      if (found.length === 0 && answer.status < 500) continue
      leaks += 1
      context.log(`${one.method} ${one.path}: ${answer.status} with ${found.map(({ canary }) => canary).join(', ')}`)
    }
    if (replace !== null) return leaks
    const unseen = new Set(book.all().keys())
    for (const one of cases.filter(({ method }) => method === 'GET'))
      for (const { canary } of book.find((await send(1, one)).bytes)) unseen.delete(canary)
    if (unseen.size > 0) throw new Error(`${[...unseen].join(', ')}: seen by nobody.`)
    context.log(`${cases.length} requests, ${book.all().size} canaries`)
    return cases.length >= minimumOf('organizationRequests') ? leaks : NaN
  } finally {
    await host.stop()
  }
}

defineCheck({
  id: 'C1o',
  file: 'leak',
  stage: 2,
  unit: 'answers to an administrator of one organization that hold something of another',
  target: 0,
  run: (context) => countForeign(context, null),
  twin: (context) =>
    countForeign(context, (given) => ({
      ...given,
      rowCondition: (ctx, object, action) => (given.canObject(ctx, object, action) ? null : false),
    })),
})
