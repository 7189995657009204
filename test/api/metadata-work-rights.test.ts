// What the server works with (parameters of jobs, steps of flows, configurations of triggers and actions) is read by those
// who manage it and by nobody else (D-113).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PeopledHost, UserCalls } from '../support/test-identities.ts'
import { createPeopledHost } from '../support/test-identities.ts'

let host: PeopledHost
let reader: UserCalls
let flowKeeper: UserCalls

const token = 'sk_live_4711'
const actions = [{ type: 'create_record', config: { object: 'deal', data: { title: token } } }]

beforeAll(async () => {
  host = await createPeopledHost({ users: [{}, {}] })
  await host.defineObject(
    'deal',
    { title: { type: 'text' } },
    { triggers: [{ name: 'inline', object: 'deal', events: ['create'], active: false, actions }] },
  )
  await host.saveItem('function', 'tidy', { source: 'return 1' })
  await host.saveItem('job', 'nightly', { schedule: { everySeconds: 86_400 }, function: 'tidy', params: { token } })
  await host.saveItem('trigger', 'deal.copy', { object: 'deal', events: ['create'], active: false, actions })
  await host.saveItem('action', 'deal.call', { object: 'deal', type: 'script', config: { source: token } })
  await host.saveItem('action', 'deal.open', { object: 'deal', type: 'url', config: { url: 'https://example.org' } })
  await host.saveItem('flow', 'send_out', {
    label: 'Send out',
    type: 'autolaunched',
    variables: [{ name: 'to', type: 'string', isInput: true, defaultValue: token }],
    nodes: [
      { id: 's', type: 'start', config: {} },
      { id: 'h', type: 'http_request', config: { url: 'https://example.org', headers: { authorization: token } } },
    ],
    edges: [{ id: 'e', source: 's', target: 'h' }],
  })
  const objects = { deal: { allowCreate: true, allowRead: true, allowEdit: true } }
  await host.saveItem('profile', 'worker', { objects, systemPermissions: ['run_flows'] })
  await host.saveItem('profile', 'keeper', { objects, systemPermissions: ['manage_flows'] })
  await host.assign(0, { profile: 'worker' })
  await host.assign(1, { profile: 'keeper' })
  reader = host.as(0)
  flowKeeper = host.as(1)
})
afterAll(() => host.stop())

describe('a caller who manages nothing', () => {
  it('does not know of jobs', async () => {
    expect((await reader.get('/meta/job/nightly')).status).toBe(404)
    expect((await reader.get('/meta/job')).body.items).toEqual([])
    expect((await host.get('/meta/job/nightly')).body.item.params).toEqual({ token })
  })

  it.each([
    ['trigger', 'deal.copy', { actions: [{ type: 'create_record' }] }],
    ['action', 'deal.call', { type: 'script' }],
    ['action', 'deal.open', { config: { url: 'https://example.org' } }],
    ['flow', 'send_out', { label: 'Send out', variables: [{ name: 'to', isInput: true }] }],
    ['object', 'deal', { triggers: [{ name: 'inline', actions: [{ type: 'create_record' }] }] }],
  ])('sees of the %s %s what people need to know of it', async (type, name, shown) => {
    const ways = ['', '/cached', '/layers', '/effective', '/overlay', '/history', '/history/1']
    const answers = await Promise.all(ways.map((way) => reader.get(`/meta/${type}/${name}${way}`)))
    expect(answers[0]!.body.item).toMatchObject(shown)
    for (const answer of answers) expect(JSON.stringify(answer.body)).not.toContain(token)
    expect(JSON.stringify((await host.get(`/meta/${type}/${name}`)).body)).toContain(
      name === 'deal.open' ? 'example.org' : token,
    )
  })

  it('is shown no parameters by an overlay either', async () => {
    const patch = { actions: [{ type: 'create_record', config: { object: 'deal', data: { title: `${token}_2` } } }] }
    const put = await host.put('/meta/trigger/deal.copy/overlay', { patch })
    expect(put.status).toBe(200)
    const answers = await Promise.all(['/overlay', '/layers'].map((way) => reader.get(`/meta/trigger/deal.copy${way}`)))
    for (const answer of answers) expect(JSON.stringify(answer.body)).not.toContain(token)
  })
})

describe('a caller who manages flows', () => {
  it('reads them whole, and still knows of no job', async () => {
    expect((await flowKeeper.get('/meta/flow/send_out')).body.item.nodes).toHaveLength(2)
    expect((await flowKeeper.get('/meta/job/nightly')).status).toBe(404)
  })
})
