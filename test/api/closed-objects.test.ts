// An object somebody may not read is refused alike by every route that names it (D-25); what metadata hides is told as what
// is not there (D-113).
import { afterAll, beforeAll, expect, it } from 'vitest'
import { allContracts } from '#shared/contracts/index.ts'
import { buildOpenApi, resolved } from '#main/http/openapi.ts'
import type { OpenApiOperation } from '#main/http/openapi.ts'
import { createAuthHost } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'
import { sampleOf } from '../support/schema-samples.ts'

const document = buildOpenApi(allContracts, { version: '0.0.0' })
const missing = '00000000-0000-7000-8000-00000000dead'

/** Values that samples of the schemas do not have. */
const words: Readonly<Record<string, string>> = { type: 'list', locale: 'de' }
const rows = { rows: [{ name: 'a' }] }

let host: AuthHost
let ann: string
let id: string

beforeAll(async () => {
  host = await createAuthHost()
  await host.account('ann')
  ann = await host.signIn('ann')
  await host.defineObject('vault', { name: { type: 'text' } })
  const closed = { allowCreate: false, allowRead: false, allowEdit: false, allowDelete: false }
  const patch = { objects: { vault: closed } }
  expect((await host.put('/meta/profile/standard/overlay?scope=platform', { patch })).status).toBe(200)
  id = (await host.post('/data/vault', { name: 'a' })).body.id
})

afterAll(() => host.stop())

async function ask(template: string, method: string, operation: OpenApiOperation, object: string): Promise<unknown> {
  const named: Readonly<Record<string, string>> = { ...words, object, id, recordId: id }
  const path = template.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => named[name] ?? missing)
  const query = new URLSearchParams()
  for (const parameter of operation.parameters ?? []) {
    const { name, in: place, required } = resolved(document, parameter)
    if (place === 'query' && (required || words[name] !== undefined)) query.set(name, words[name] ?? 'abc')
  }
  const schema = operation.requestBody?.content['application/json']?.schema
  const sample = schema === undefined ? undefined : sampleOf(schema, document.components.schemas, true)
  const body = template.includes('/import') ? rows : sample
  const { status, body: answer } = await host.as(ann, method.toUpperCase(), `${path}?${query}`, body)
  return [status, answer.error?.details.resource ?? answer.error?.code]
}

const operations = Object.entries(document.paths)
  .filter(([template]) => template.includes('{object}'))
  .flatMap(([template, item]) =>
    Object.entries(item).map(([method, operation]) => [operation.operationId, template, method, operation] as const),
  )

it('reaches the routes that name objects', () => expect(operations.length).toBeGreaterThan(40))

it.each(operations)('%s says that a closed object is closed, and of none that there is none', async (...named) => {
  const [operationId, template, method, operation] = named
  // A view is named by its own id, and is hidden.
  const expected = operationId === 'replaceView' ? [404, 'view'] : [403, 'permission_denied']
  expect(await ask(template, method, operation, 'vault')).toEqual(expected)
  const none = await ask(template, method, operation, 'nothing')
  if (operationId === 'transferRecord') expect(none).toEqual([403, 'permission_denied'])
  else if (operationId === 'replaceView') expect(none).toEqual([404, 'view'])
  else if (operationId === 'getSyncRecord') expect(none).toEqual([409, 'sync_disabled'])
  else expect(none).toEqual([404, 'object'])
})

it.each(['/ui/views?object=%', '/ui/views/%', '/i18n/labels/%/de'])('GET %s does so, too', async (path) => {
  for (const [object, status] of [
    ['vault', 403],
    ['nothing', 404],
  ] as const)
    expect((await host.as(ann, 'GET', path.replace('%', object))).status).toBe(status)
})

it('tells nothing of hidden items by their history', async () => {
  for (const [type, hidden] of [
    ['object', 'vault'],
    ['profile', 'standard'],
  ])
    for (const name of [hidden, 'no_such']) {
      const answer = await host.as(ann, 'GET', `/meta/${type}/${name}/history/1`)
      expect([answer.status, answer.body.error.details]).toEqual([404, { resource: type, id: name }])
    }
  expect((await host.get('/meta/object/vault/history/999999')).body.error.details.resource).toBe('history')
})
