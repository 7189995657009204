// What is laid over a flow or a view is judged like a save of the whole (D-109, D-113, D-161, D-243).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthHost } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'
import type { Answer } from '../support/create-test-host.ts'
import { rowOf, saveFlow } from '../support/flow-calls.ts'

let host: AuthHost
let designer = ''
let designerId = ''
const reads = (object: string) =>
  rowOf({ id: 'read', type: 'get_record', outputVariable: 'found', config: { object, filter: {} } })
const overlayOf = (name: string) => `/meta/flow/${name}/overlay`
const asDesigner = (method: string, path: string, body?: unknown) => host.as(designer, method, path, body)
const reasonOf = ({ status, body }: Answer): unknown => [status, body.error?.details.reason]
const refused = [403, 'run_as_system']

beforeAll(async () => {
  host = await createAuthHost()
  await host.defineObject('vault', { code: { type: 'text' } })
  await host.defineObject('deal', { title: { type: 'text' }, price: { type: 'number' } })
  const item = {
    name: 'designer',
    systemPermissions: ['run_flows', 'manage_flows'],
    objects: { deal: { allowRead: true } },
    fields: { 'deal.price': { readable: false, editable: false } },
    rowLevelSecurity: [],
  }
  await host.put('/meta/profile/designer', { type: 'profile', name: 'designer', item })
  designerId = (await host.account('designer')).id
  await host.put(`/permissions/assignments/${designerId}`, { profile: 'designer', roles: [], permissionSets: [] })
  designer = await host.signIn('designer')
  await saveFlow(host, 'plain', reads('vault'))
  await saveFlow(host, 'mighty', { ...reads('deal'), runAs: 'system' })
})
afterAll(() => host.stop())

describe('an overlay of a flow', () => {
  it('lets nobody but an administrator run as the system', async () => {
    const system = { patch: { runAs: 'system' } }
    expect(reasonOf(await asDesigner('PUT', overlayOf('plain'), system))).toEqual(refused)
    // One that is switched off could be switched on.
    expect(reasonOf(await asDesigner('PUT', overlayOf('plain'), { ...system, active: false }))).toEqual(refused)
    expect((await host.get('/automation/plain')).body.data.runAs).toBe('user')
    expect((await host.put(overlayOf('plain'), system)).status).toBe(200)
    expect((await host.get('/automation/plain')).body.data.runAs).toBe('system')
    // Nor does a save below of it.
    const below = { type: 'flow', name: 'plain', item: { name: 'plain', status: 'active', ...reads('deal') } }
    expect(reasonOf(await asDesigner('PUT', '/meta/flow/plain', below))).toEqual(refused)
    expect(reasonOf(await asDesigner('PUT', '/meta/flow/plain?mode=draft', below))).toEqual(refused)
    expect((await asDesigner('DELETE', overlayOf('plain'))).status).toBe(200)
  })

  it('changes nothing of what runs as the system, nor uncovers it', async () => {
    expect(reasonOf(await asDesigner('PUT', overlayOf('mighty'), { patch: reads('vault') }))).toEqual(refused)
    expect((await host.put(overlayOf('mighty'), { patch: { runAs: 'user' } })).status).toBe(200)
    expect(reasonOf(await asDesigner('DELETE', overlayOf('mighty')))).toEqual(refused)
    expect(reasonOf(await asDesigner('PUT', overlayOf('mighty'), { patch: { runAs: 'user' }, active: false }))).toEqual(
      refused,
    )
    expect((await host.get('/automation/mighty')).body.data.runAs).toBe('user')
    expect((await host.delete(overlayOf('mighty'))).status).toBe(200)
  })

  it('comes in by no import', async () => {
    const overlays = [{ baseType: 'flow', baseName: 'plain', scope: 'platform', patch: { runAs: 'system' } }]
    const sets = ['manage_metadata', 'manage_flows', 'run_flows']
    const item = { name: 'importer', systemPermissions: sets, objects: {}, fields: {}, rowLevelSecurity: [] }
    await host.put('/meta/permission/importer', { type: 'permission', name: 'importer', item })
    const given = { profile: 'designer', roles: [], permissionSets: ['importer'] }
    await host.put(`/permissions/assignments/${designerId}`, given)
    const answer = await asDesigner('POST', '/meta/import', { data: { items: [], overlays } })
    expect(JSON.stringify(answer.body)).toContain('run_as_system')
    expect((await host.get(overlayOf('plain'))).body.data ?? null).toBeNull()
    await host.put(`/permissions/assignments/${designerId}`, { ...given, permissionSets: [] })
  })

  it('makes its author the one whose rights automatic starts have', async () => {
    const ticking = (object: string) => {
      const started = { id: 'start', type: 'start', config: { everySeconds: 1 } }
      const { nodes, edges } = reads(object)
      return { nodes: nodes.with(0, started), edges }
    }
    await saveFlow(host, 'clock', { ...ticking('deal'), type: 'schedule' })
    expect((await asDesigner('PUT', overlayOf('clock'), { patch: ticking('vault') })).status).toBe(200)
    const seen: Record<string, unknown>[] = []
    for (let tries = 0; tries < 400 && seen.length === 0; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 25))
      const runs = (await host.get('/automation/clock/runs')).body.data.runs as Record<string, unknown>[]
      seen.push(...runs.filter((run) => run['status'] === 'failed'))
    }
    expect(seen[0]).toMatchObject({ trigger: { userId: designerId }, error: { code: 'permission_denied' } })
    await host.delete('/automation/clock')
  })

  it('has no credentials in clear', async () => {
    const secret = 'wet-paint-4712'
    const auth = { type: 'bearer', credentials: { token: secret } }
    const patch = rowOf({ id: 'call', type: 'http_request', config: { url: 'https://example.org/', auth } })
    for (const active of [true, false]) {
      const answer = await host.put(overlayOf('plain'), { patch, active })
      expect(answer.body.error.details.fieldErrors).toMatchObject([
        { field: 'nodes.1.config.auth.credentials.token', code: 'not_allowed' },
      ])
    }
    expect(JSON.stringify((await host.get(overlayOf('plain'))).body)).not.toContain(secret)
  })

  it('leaves a flow that can run', async () => {
    const twice = {
      nodes: [
        { id: 'start', type: 'start' },
        { id: 'start', type: 'end' },
      ],
      edges: [],
    }
    expect((await asDesigner('PUT', overlayOf('plain'), { patch: twice })).status).toBe(400)
  })
})

describe('an overlay of a view', () => {
  const path = '/meta/view/deal.list/overlay'
  const columns = (...fields: string[]) => ({ config: { columns: fields.map((field) => ({ field })) } })

  beforeAll(async () => {
    const item = { name: 'deal.list', object: 'deal', viewKind: 'list', label: 'Deals', ...columns('title', 'price') }
    const answer = await host.put('/meta/view/deal.list', { type: 'view', name: 'deal.list', item })
    expect([answer.status, answer.body.error?.details]).toEqual([200, undefined])
  })

  it('names fields there are, whoever writes it', async () => {
    for (const scope of ['platform', 'user']) {
      const answer = await host.put(path, { scope, patch: columns('title', 'nothing') })
      expect([scope, answer.status, answer.body.error?.details.fieldErrors?.length]).toEqual([scope, 400, 1])
    }
    const mine = { scope: 'user', patch: columns('price') }
    expect((await asDesigner('PUT', path, mine)).status).toBe(400)
    expect((await asDesigner('PUT', path, { ...mine, patch: columns('title') })).status).toBe(200)
  })

  it('is not refused for what lies below of it', async () => {
    // The column its author may not read is the workspace's.
    expect((await asDesigner('PUT', path, { scope: 'user', patch: { label: 'Mine' } })).status).toBe(200)
  })
})
