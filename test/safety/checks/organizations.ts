// Records of another organization: an administrator of one finds nothing of the other on any reading channel (C1o), nor by
// what writes answer (C1u).
import { setTimeout as pause } from 'node:timers/promises'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { PluginDefinition } from '#main/kernel/plugin.ts'
import type { Answer } from '../../support/create-test-host.ts'
import { withAuthorizer } from '../../support/open-permissions.ts'
import { createPeopledHost, testUserId } from '../../support/test-identities.ts'
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

/** What an administrator of one organization learns by writing values and people of another one. */
async function countTold(
  context: CheckContext,
  change: (plugins: PluginDefinition[]) => PluginDefinition[],
): Promise<number> {
  const host = await createPeopledHost({ users, organizations: true }, change)
  try {
    const fields = {
      code: { type: 'text', unique: true },
      key: { type: 'text', externalId: true },
      who: { type: 'user' },
    }
    await host.defineObject('card', fields)
    for (const number of [0, 1]) await host.assign(number, { profile: 'administrator' })
    const taken = { code: 'taken', key: 'taken' }
    await host.as(1).post('/data/card', taken)
    const own = String((await host.as(0).post('/data/card', { code: 'own' })).body.id)
    const records = (data: Record<string, unknown>): unknown => [{ ...data }]
    /** Each with a free value, then with that of the other organization: told apart, something was told. */
    const writings: readonly ((code: string) => Promise<Answer>)[] = [
      (code) => host.as(0).post('/data/card', { code }),
      (code) => host.as(0).patch(`/data/card/${own}`, { code }),
      (code) => host.as(0).post(`/data/card/${own}/clone`, { overrides: { code } }),
      (code) => host.as(0).post('/data/card/createMany', { records: records({ code }) }),
      (code) => host.as(0).post('/data/card/updateMany', { records: records({ id: own, data: { code } }) }),
      (code) => host.as(0).post('/data/card/batch', { operation: 'create', records: records({ data: { code } }) }),
      (code) =>
        host.as(0).post('/data/card/batch', { operation: 'upsert', records: records({ externalId: code, data: {} }) }),
      (code) => host.as(0).post('/batch', { operations: [{ object: 'card', action: 'create', data: { code } }] }),
      (code) => host.as(0).post('/data/card/import', { rows: [{ code }], dryRun: true }),
      (code) => host.as(0).post('/data/card/import', { rows: [{ code }] }),
    ]
    let told = 0
    const shape = ({ status, body }: Answer): string =>
      JSON.stringify([status, body.success, body.succeeded, body.created, body.failed, body.results?.[0]?.operation])
    for (const [at, write] of writings.entries()) {
      const free = shape(await write(`free ${at}`))
      if (!free.startsWith('[20') || free.includes('false')) throw new Error(`Writing ${at} is refused anyway: ${free}`)
      const other = shape(await write('taken'))
      // The next one must find the value free in its own organization.
      const { body } = await host
        .as(0)
        .post('/data/card/query', { where: { $or: [{ code: 'taken' }, { key: 'taken' }] } })
      for (const { id } of body.records as { id: string }[])
        await (id === own
          ? host.as(0).patch(`/data/card/${id}`, { code: 'own' })
          : host.as(0).delete(`/data/card/${id}`))
      if (free === other) continue
      told += 1
      context.log(`writing ${at}: ${free} and ${other}`)
    }
    const person = testUserId(1)
    for (const call of [
      () => host.as(0).post('/data/card', { who: person }),
      () => host.as(0).patch(`/data/card/${own}`, { who: person }),
      () => host.as(0).patch(`/data/card/${own}`, { owner: person }),
      () => host.as(0).post('/data/card/createMany', { records: [{ who: person }] }),
    ]) {
      const { status } = await call()
      if (status === 400) continue
      told += 1
      context.log(`a person of another organization: ${status}`)
    }
    return told
  } finally {
    await host.stop()
  }
}

defineCheck({
  id: 'C1u',
  file: 'leak',
  stage: 2,
  unit: 'writes that tell of unique values or people of another organization',
  target: 0,
  run: (context) => countTold(context, (plugins) => plugins),
  twin: (context) => countTold(context, (plugins) => plugins.map(withoutWalls)),
})

/** Records are asked about, and people are looked for, as if there were one organization. */
function withoutWalls(plugin: PluginDefinition): PluginDefinition {
  if (plugin.id !== 'data') return plugin
  return {
    ...plugin,
    register: (host) =>
      plugin.register({
        ...host,
        optionalService: ((id: 'auth') =>
          id === 'auth'
            ? () => {
                const auth = host.optionalService(id)()
                return auth === undefined ? undefined : { ...auth, hasOrganizations: false }
              }
            : host.optionalService(id)) as typeof host.optionalService,
        get authorizer() {
          return host.authorizer
        },
      }),
  }
}
