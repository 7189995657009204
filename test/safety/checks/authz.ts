// Who may do what with which record: the table of D-46 (C5), ids of others on every route (C3), ETags and cursors of
// others (C7, C8).
import type { Authorizer } from '#main/kernel/authorize.ts'
import { openAuthorizer, withAuthorizer } from '../../support/open-permissions.ts'
import type { PeopledHost, TestPeople, TestUser } from '../../support/test-identities.ts'
import { createPeopledHost, testUserId } from '../../support/test-identities.ts'
import type { TableAction, TableAnswer, TableModel, TableRole } from '../authz.table.ts'
import { authzTable, tableActions, tableModels, tableRoles } from '../authz.table.ts'
import { drawCases } from '../host-under-test.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

type Replace = ((given: Authorizer) => Authorizer) | null

const absentId = '0190f2a4-0000-7000-8000-0000000000ff'

/** The record's owner stands beside the callers; its number is the next one. */
const ownerNumber = tableRoles.indexOf('owner')

async function withPeople<T>(people: TestPeople, replace: Replace, fn: (host: PeopledHost) => Promise<T>): Promise<T> {
  const host = await createPeopledHost(people, (plugins) =>
    replace === null ? plugins : withAuthorizer(plugins, replace),
  )
  try {
    return await fn(host)
  } finally {
    await host.stop()
  }
}

const allFlags = {
  allowCreate: true,
  allowRead: true,
  allowEdit: true,
  allowDelete: true,
  allowTransfer: true,
  allowRestore: true,
  allowPurge: true,
}

/** Objects, roles, sets and assignments of the table. */
async function prepareTable(host: PeopledHost): Promise<void> {
  await host.patch('/settings', { settings: { rateLimits: { read: null, write: null } } })
  for (const model of tableModels) {
    const detail = model === 'detail'
    const fields = {
      name: { type: 'text' },
      ...(detail ? { master: { type: 'master_detail', reference: 'thing_private' } } : {}),
    }
    await host.defineObject(`thing_${model}`, fields, { sharingModel: detail ? 'full' : model })
  }
  await host.saveItem('role', 'top', { permissionSets: [] })
  await host.saveItem('role', 'middle', { parent: 'top', permissionSets: [] })
  await host.saveItem('role', 'bottom', { parent: 'middle', permissionSets: [] })
  await host.saveItem('profile', 'worker', { objects: { '*': allFlags } })
  await host.saveItem('permission', 'rules', {
    rowLevelSecurity: tableModels.map((model) => ({
      name: `named_${model}`,
      object: `thing_${model}`,
      actions: ['read'],
      condition: 'record.name == "thing"',
    })),
  })
  await host.saveItem('permission', 'views_all', { objects: { '*': { allowRead: true, viewAllRecords: true } } })
  await host.saveItem('permission', 'modifies_all', { objects: { '*': { ...allFlags, modifyAllRecords: true } } })
  const given: Partial<Record<TableRole, Parameters<PeopledHost['assign']>[1]>> = {
    administrator: { profile: 'administrator' },
    owner: { roles: ['middle'] },
    superior: { roles: ['top'] },
    subordinate: { roles: ['bottom'] },
    ruled: { permissionSets: ['rules'] },
    viewer: { profile: 'guest', permissionSets: ['views_all'] },
    modifier: { profile: 'guest', permissionSets: ['modifies_all'] },
    guest: { profile: 'guest' },
  }
  for (const [number, role] of tableRoles.entries()) await host.assign(number, { profile: 'worker', ...given[role] })
}

async function newThing(host: PeopledHost, model: TableModel): Promise<{ id: string; master: string | null }> {
  const owner = host.as(ownerNumber)
  const master = model === 'detail' ? await newThing(host, 'private') : null
  const data = { name: 'thing', ...(master === null ? {} : { master: master.id }) }
  const made = await owner.post(`/data/thing_${model}`, data)
  const id = String(made.body.id)
  const shared = ['shared_read', 'shared_edit', 'shared_full'] as const
  if (master === null)
    for (const role of shared) {
      const principalId = testUserId(tableRoles.indexOf(role))
      const access = role.slice('shared_'.length)
      await owner.post(`/data/thing_${model}/${id}/shares`, { principalType: 'user', principalId, access })
    }
  return { id, master: master?.id ?? null }
}

/** Does one action as one caller and answers the letter it comes to. */
async function perform(
  host: PeopledHost,
  number: number,
  model: TableModel,
  action: TableAction,
  { id, master }: { id: string; master: string | null },
): Promise<TableAnswer | number> {
  const me = host.as(number)
  const path = `/data/thing_${model}`
  const { status } = await {
    create: () => me.post(path, { name: 'new', ...(master === null ? {} : { master }) }),
    read: () => me.get(`${path}/${id}`),
    edit: () => me.patch(`${path}/${id}`, { name: 'thing', expectedVersion: '*' }),
    delete: () => me.delete(`${path}/${id}`),
    transfer: () => me.post(`${path}/${id}/transfer`, { owner: testUserId(tableRoles.indexOf('guest')) }),
    restore: () => me.post(`${path}/${id}/restore`),
    purge: () => me.delete(`${path}/${id}?purge=true`),
  }[action]()
  const letters: Readonly<Record<number, TableAnswer>> = { 200: 'y', 201: 'y', 403: 'f', 404: 'n', 400: 'x' }
  return letters[status] ?? status
}

async function countTableMismatches(context: CheckContext, replace: Replace): Promise<number> {
  return withPeople({ users: tableRoles.map(() => ({})) }, replace, async (host) => {
    await prepareTable(host)
    let mismatches = 0
    let cases = 0
    let drawn = 0
    for (const model of tableModels) {
      for (const [number, role] of tableRoles.entries()) {
        for (const [at, action] of drawCases(
          { ...context, seed: context.seed + drawn++ },
          [...tableActions.entries()],
          0.4,
        )) {
          const thing = await newThing(host, model)
          if (action === 'restore') await host.as(ownerNumber).delete(`/data/thing_${model}/${thing.id}`)
          const expected = authzTable[model][role][at]
          const found = await perform(host, number, model, action, thing)
          cases += 1
          if (found === expected) continue
          mismatches += 1
          context.log(`${model} ${role} ${action}: expected ${expected}, found ${found}`)
        }
      }
    }
    mismatches += await countStaleRights(host, context)
    context.log(`${cases} cases of the table`)
    return mismatches
  })
}

/** Rights that were taken away and still count on the next request. */
async function countStaleRights(host: PeopledHost, context: CheckContext): Promise<number> {
  const number = tableRoles.indexOf('shared_full')
  const { id } = await newThing(host, 'private')
  const me = host.as(number)
  const path = `/data/thing_private/${id}`
  const expectations: [string, () => Promise<unknown>, number][] = [
    ['a share', async () => undefined, 200],
    [
      'a share that ended',
      async () => {
        const { shares } = (await me.get(`${path}/shares`)).body
        for (const share of shares) await host.delete(`${path}/shares/${share.id}`)
      },
      404,
    ],
    ['a set that was given', () => host.assign(number, { profile: 'worker', permissionSets: ['views_all'] }), 200],
    ['a set that was taken', () => host.assign(number, { profile: 'worker' }), 404],
    ['a role that was given', () => host.assign(number, { profile: 'worker', roles: ['top'] }), 200],
    ['a role that moved', () => host.saveItem('role', 'middle', { permissionSets: [] }), 404],
    ['a role that moved back', () => host.saveItem('role', 'middle', { parent: 'top', permissionSets: [] }), 200],
    ['a profile that lost its rights', () => host.saveItem('profile', 'worker', { objects: {} }), 403],
  ]
  let stale = 0
  for (const [what, change, expected] of expectations) {
    await change()
    const { status } = await me.get(path)
    if (status === expected) continue
    stale += 1
    context.log(`${what}: expected ${expected}, found ${status}`)
  }
  return stale
}

/** Parameters of paths that name something a person owns. */
const ownedParameters = ['id', 'recordId', 'feedId', 'jobId', 'shareId', 'viewId'] as const

/** Every route with an id of somebody else in place of an own one: it must answer as for an id that is not there. */
async function countForeignIds(context: CheckContext, replace: Replace): Promise<number> {
  const people: TestUser[] = [
    { organizationId: 'org-1', memberships: [{ organizationId: 'org-1', role: 'member', teams: [] }] },
    { organizationId: 'org-1', memberships: [{ organizationId: 'org-1', role: 'member', teams: [] }] },
    { organizationId: 'org-2', memberships: [{ organizationId: 'org-2', role: 'admin', teams: [] }] },
  ]
  return withPeople({ users: people, organizations: true }, replace, async (host) => {
    await host.defineObject('thing', { name: { type: 'text' }, pin: { type: 'secret' } }, { sharingModel: 'private' })
    await host.saveItem('profile', 'worker', {
      objects: { '*': allFlags },
      systemPermissions: ['import_data', 'export_data'],
    })
    // The third is a stranger of another organization who may do everything there.
    await host.assign(0, { profile: 'worker' })
    await host.assign(1, { profile: 'worker' })
    await host.assign(2, { profile: 'administrator' })
    const owner = host.as(0)
    const made = await owner.post('/data/thing', { name: 'mine', pin: 'open sesame' })
    const id = String(made.body.id)
    const share = await owner.post(`/data/thing/${id}/shares`, {
      principalType: 'role',
      principalId: 'nobody',
      access: 'read',
    })
    const view = { object: 'thing', viewKind: 'list', key: 'mine', label: 'Mine', scope: 'personal' }
    await owner.post('/ui/views', { ...view, config: { type: 'grid', columns: ['name'] } })
    const job = await owner.post('/data/thing/import/jobs', { rows: [{ name: 'x' }] })
    const item = await owner.post(`/data/thing/${id}/feed`, { type: 'comment', body: 'mine' })
    const foreign = {
      id,
      recordId: id,
      feedId: String(item.body.data.id),
      jobId: String(job.body.jobId),
      shareId: String(share.body.id ?? id),
      viewId: 'thing.mine',
    }
    const none = absentId
    const absent = { id: none, recordId: none, feedId: none, jobId: none, shareId: none, viewId: 'thing.none' }
    const before = (await owner.get(`/data/thing/${id}`)).body
    const routes = host.host.server.routeTable().filter(({ contract, url }) => {
      const isOwned = ownedParameters.some((name) => url.split('/').includes(`:${name}`))
      return contract !== undefined && isOwned && /^\/api\/v1\/(data|ui)/.test(url)
    })
    let violations = 0
    let cases = 0
    for (const route of routes) {
      const answers = [1, 2].map(async (number) => {
        const told: string[] = []
        for (const ids of [foreign, absent]) {
          const path = fill(route.url, ids)
          const body = ['GET', 'HEAD', 'DELETE'].includes(route.method) ? undefined : bodyFor(route.url)
          const answer = await callOf(host, number, route.method, path, body)
          told.push(masked(answer, ids))
        }
        return told
      })
      for (const [mine, none] of await Promise.all(answers)) {
        cases += 1
        if (mine === none && !mine!.startsWith('2')) continue
        violations += 1
        context.log(`${route.method} ${route.url}: ${mine?.slice(0, 300)} instead of ${none?.slice(0, 300)}`)
      }
    }
    const after = (await owner.get(`/data/thing/${id}`)).body
    if (JSON.stringify(after) !== JSON.stringify(before)) violations += 1
    context.log(`${cases} exchanged ids on ${routes.length} routes`)
    return cases === 0 ? NaN : violations
  })
}

function fill(url: string, ids: Readonly<Record<(typeof ownedParameters)[number], string>>): string {
  return url
    .replace(':object', 'thing')
    .replace(/:(id|recordId|feedId|jobId|shareId|viewId)\b/g, (_, name: keyof typeof ids) => ids[name])
    .replace(/:[a-z]+/gi, 'list')
}

/** A body that is well formed for the route, so that nothing but the id decides. */
function bodyFor(url: string): Record<string, unknown> {
  if (url.endsWith('/transfer')) return { owner: testUserId(1) }
  if (url.endsWith('/reveal')) return { field: 'pin' }
  if (url.endsWith('/shares')) return { principalType: 'user', principalId: testUserId(1), access: 'read' }
  if (url.endsWith('/feed')) return { type: 'comment', body: 'taken' }
  if (url.endsWith('/reactions')) return { emoji: '👍' }
  if (url.endsWith('/:feedId')) return { body: 'taken' }
  if (url.includes('/ui/')) return { label: 'Taken' }
  return url.endsWith('/:id') ? { name: 'taken' } : {}
}

function callOf(host: PeopledHost, number: number, method: string, path: string, body: unknown) {
  const me = host.as(number)
  if (method === 'POST') return me.post(path, body)
  if (method === 'PUT') return me.put(path, body)
  if (method === 'PATCH') return me.patch(path, body)
  return method === 'DELETE' ? me.delete(path) : me.get(path)
}

/** The answer without the ids that were sent and those every answer has. */
function masked({ status, body }: { status: number; body: unknown }, ids: Readonly<Record<string, string>>): string {
  let text = `${status} ${JSON.stringify(body)}`
  for (const id of Object.values(ids)) text = text.replaceAll(id, 'ID')
  return text.replaceAll(/"requestId":"[^"]*"/g, '')
}

/** ETags that two callers of different rights share, and answers one gets for the other's. */
async function countSharedEtags(context: CheckContext, replace: Replace): Promise<number> {
  const users: TestUser[] = [{}, {}, {}, { sameAs: 0, scope: { permissionSets: ['sees_some'], readOnly: false } }]
  return withPeople({ users }, replace, async (host) => {
    await host.defineObject('thing', { name: { type: 'text' }, hidden: { type: 'text' } })
    await host.saveItem('permission', 'sees_some', {
      objects: { thing: { allowRead: true } },
      fields: { 'thing.hidden': { readable: false } },
    })
    await host.saveItem('app', 'desk', { label: 'Desk', navigation: [] })
    await host.assign(1, { profile: 'guest', permissionSets: ['sees_some'] })
    await host.assign(2, { profile: 'administrator' })
    let violations = 0
    let cases = 0
    for (const path of ['/meta/object/thing', '/meta/app/desk']) {
      const tags = await Promise.all(
        users.map(async (_, number) => (await host.as(number).get(path)).headers.get('etag') ?? ''),
      )
      for (const [at, tag] of tags.entries()) {
        for (const number of users.keys()) {
          if (number === at) continue
          cases += 1
          const { status } = await host.as(number).get(path, { 'if-none-match': tag })
          if (status === 200 && tags[number] !== tag) continue
          violations += 1
          context.log(`${path}: the ETag of ${at} answers ${status} to ${number}`)
        }
      }
    }
    context.log(`${cases} exchanged ETags`)
    return violations
  })
}

/** Cursors of others, of other queries and forged ones that are accepted. */
async function countForeignCursors(context: CheckContext, isSamePerson: boolean): Promise<number> {
  const organization = (id: string): TestUser => ({
    organizationId: id,
    memberships: [{ organizationId: id, role: 'member', teams: [] }],
  })
  const people: TestUser[] = [
    organization('org-1'),
    { ...organization('org-1'), ...(isSamePerson ? { sameAs: 0 } : {}) },
  ]
  return withPeople(
    { users: [...people, { ...organization('org-2'), sameAs: 0 }], organizations: true },
    null,
    async (host) => {
      await host.defineObject('thing', { name: { type: 'text' } })
      for (const number of [0, 2]) {
        const records = Array.from({ length: 6 }, (_, index) => ({ name: `canary ${index}` }))
        await host.as(number).post('/data/thing/createMany', { records })
      }
      const page = await host.as(0).get('/data/thing?top=2&sort=name')
      const cursor = String(page.body.nextCursor)
      let violations = Buffer.from(cursor, 'base64url').includes('canary') ? 1 : 0
      const accepts = async (number: number, query: string): Promise<void> => {
        const { status } = await host.as(number).get(`/data/thing?${query}`)
        if (status === 400) return
        violations += 1
        context.log(`user ${number} ${query.slice(0, 60)}: ${status}`)
      }
      if ((await host.as(0).get(`/data/thing?top=2&sort=name&cursor=${cursor}`)).status !== 200) return NaN
      await accepts(1, `top=2&sort=name&cursor=${cursor}`)
      await accepts(2, `top=2&sort=name&cursor=${cursor}`)
      await accepts(0, `top=2&sort=-name&cursor=${cursor}`)
      await accepts(0, `top=2&sort=name&name=x&cursor=${cursor}`)
      for (let at = 0; at < cursor.length; at += 1) {
        const letter = cursor[at] === 'A' ? 'B' : 'A'
        const forged = cursor.slice(0, at) + letter + cursor.slice(at + 1)
        // The last letter of an unpadded text may have bits that mean nothing.
        const isSame = Buffer.from(forged, 'base64url').equals(Buffer.from(cursor, 'base64url'))
        if (!isSame) await accepts(0, `top=2&sort=name&cursor=${forged}`)
      }
      context.log(`${cursor.length + 4} cursors`)
      return violations
    },
  )
}

const shared = { file: 'authz', target: 0, stage: 2 } as const

defineCheck({
  ...shared,
  id: 'C5',
  unit: 'answers that differ from the table of roles, actions and sharing models, and rights that outlive their end',
  run: (context) => countTableMismatches(context, null),
  twin: (context) => countTableMismatches(context, openAuthorizer),
})

defineCheck({
  ...shared,
  id: 'C3',
  unit: 'routes that tell ids of others from ids that are not there',
  run: (context) => countForeignIds(context, null),
  twin: (context) => countForeignIds(context, openAuthorizer),
})

defineCheck({
  ...shared,
  id: 'C7',
  unit: 'ETags that count for callers of other rights',
  run: (context) => countSharedEtags(context, null),
  twin: (context) => countSharedEtags(context, (given) => ({ ...given, fingerprint: () => 'same' })),
})

defineCheck({
  ...shared,
  id: 'C8',
  unit: 'readable, foreign or forged cursors that are accepted',
  run: (context) => countForeignCursors(context, false),
  // Two credentials of one person: what one was given the other may use, which the check must notice.
  twin: (context) => countForeignCursors(context, true),
})
