// The batch across objects over HTTP (D-66): references between operations, options as in D-63, and random batches
// against a model.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { internalContext } from '#main/kernel/context.ts'
import type { WriteItem } from '#main/plugins/data/api.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { dataOf } from '../support/remote-replay.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('team', { name: { type: 'text', required: true }, code: { type: 'text', externalId: true } })
  await host.defineObject('person', {
    name: { type: 'text' },
    team: { type: 'lookup', reference: 'team' },
    teams: { type: 'lookup', reference: 'team', multiple: true },
    about: { type: 'record' },
    extra: { type: 'json' },
  })
  await host.defineObject('closed', { name: { type: 'text' } }, { enable: { apiMethods: ['get', 'create'] } })
  await host.defineObject('hidden', { name: { type: 'text' } }, { enable: { apiEnabled: false } })
})

afterAll(() => host.stop())

const batch = (operations: unknown[], options: Record<string, boolean> = {}) =>
  host.post('/batch', { operations, options })

const count = async (object: string, name: string): Promise<number> =>
  (await host.get(`/data/${object}?name=${name}&count=true`)).body.total

describe('POST /batch', () => {
  it('writes records of several objects in order, each result with its object', async () => {
    const { status, body } = await batch([
      { object: 'team', action: 'create', data: { name: 'a' } },
      { object: 'person', action: 'create', data: { name: 'b' } },
    ])
    expect(status).toBe(200)
    expect(body).toMatchObject({ success: true, total: 2, succeeded: 2, failed: 0 })
    expect(body).not.toHaveProperty('operation')
    expect(body.results).toMatchObject([
      { index: 0, object: 'team', operation: 'create', success: true },
      { index: 1, object: 'person', operation: 'create', success: true },
    ])
  })

  it('replaces references anywhere in values and in ids', async () => {
    const { body } = await batch(
      [
        { object: 'team', action: 'create', data: { name: 'red' } },
        { object: 'team', action: 'upsert', externalId: 'blue', data: { name: 'blue' } },
        {
          object: 'person',
          action: 'create',
          data: {
            team: { $ref: 0 },
            teams: [{ $ref: 1 }, { $ref: 0 }],
            about: { object: 'team', id: { $ref: 1 } },
            extra: { deep: [{ id: { $ref: 0 } }], schema: { $ref: '#/kept' } },
          },
        },
        { object: 'team', action: 'update', id: { $ref: 0 }, data: { name: 'crimson' } },
        { object: 'team', action: 'upsert', externalId: 'blue', data: { name: 'navy' } },
      ],
      { returnRecords: true },
    )
    expect(body.success, JSON.stringify(body)).toBe(true)
    const [red, blue, person, , navy] = body.results
    expect(person.record).toMatchObject({
      team: red.id,
      teams: [blue.id, red.id],
      about: { object: 'team', id: blue.id },
      extra: { deep: [{ id: red.id }], schema: { $ref: '#/kept' } },
    })
    expect([navy.id, navy.operation]).toEqual([blue.id, 'update'])
    expect((await host.get(`/data/team/${red.id}`)).body.record.name).toBe('crimson')
  })

  it('finds the record of an upsert that existed before', async () => {
    const known = (await host.post('/data/team', { name: 'known', code: 'known' })).body.id
    const { body } = await batch(
      [
        { object: 'team', action: 'upsert', externalId: 'known', data: { name: 'known again' } },
        { object: 'person', action: 'create', data: { team: { $ref: 0 } } },
      ],
      { returnRecords: true },
    )
    expect([body.results[0].id, body.results[1].record.team]).toEqual([known, known])
  })

  it.each([
    ['itself', 1],
    ['a later operation', 2],
    ['no operation', 9],
  ])('refuses a reference to %s', async (_name, $ref) => {
    const { status, body } = await batch([
      { object: 'team', action: 'create', data: { name: 'ok' } },
      { object: 'person', action: 'create', data: { extra: { list: [{ $ref }] } } },
      { object: 'team', action: 'create', data: { name: 'later' } },
    ])
    expect([status, body.success]).toEqual([200, false])
    expect(body.results[1].errors[0].details.fieldErrors[0]).toMatchObject({
      field: 'extra.list.0',
      code: 'invalid_reference',
    })
  })

  it('fails an operation whose reference goes to one that failed', async () => {
    const { body } = await batch(
      [
        { object: 'team', action: 'create', data: {} },
        { object: 'person', action: 'create', data: { team: { $ref: 0 } } },
        { object: 'team', action: 'create', data: { name: 'apart' } },
      ],
      { atomic: false, continueOnError: true },
    )
    expect(body.results.map((result: { success: boolean }) => result.success)).toEqual([false, false, true])
    expect(body.results[1].errors[0].details.fieldErrors[0]).toMatchObject({ field: 'team', code: 'invalid_reference' })
  })

  it('is all or nothing unless told otherwise, and leaves no event behind', async () => {
    host.takeEvents()
    const { body } = await batch([
      { object: 'team', action: 'create', data: { name: 'undone' } },
      { object: 'person', action: 'create', data: { name: 1 } },
    ])
    expect(body).toMatchObject({ success: false, succeeded: 0, failed: 2, results: [{ rolledBack: true }, {}] })
    expect(body.results[0]).not.toHaveProperty('id')
    expect(await count('team', 'undone')).toBe(0)
    expect(host.takeEvents()).toEqual([])
  })

  it('tries everything and keeps nothing with validateOnly', async () => {
    const { body } = await batch(
      [
        { object: 'team', action: 'create', data: { name: 'tried' } },
        { object: 'person', action: 'create', data: { name: 'tried', team: { $ref: 0 } } },
      ],
      { validateOnly: true },
    )
    expect([body.success, body.meta.validateOnly, body.results[1].id]).toEqual([true, true, undefined])
    expect([await count('team', 'tried'), await count('person', 'tried')]).toEqual([0, 0])
  })

  it('reports unknown objects, closed ones and operations an object does not offer with their operation', async () => {
    const { status, body } = await batch(
      [
        { object: 'nope', action: 'create', data: {} },
        { object: 'hidden', action: 'create', data: {} },
        { object: 'closed', action: 'create', data: {} },
        { object: '__proto__', action: 'create', data: {} },
        { object: 'team', action: 'create', data: { name: 'open' } },
      ],
      { atomic: false, continueOnError: true },
    )
    expect(status).toBe(200)
    expect(body.results.map((result: { errors?: { code: string }[] }) => result.errors?.[0]?.code)).toEqual([
      'resource_not_found',
      'resource_not_found',
      'method_not_allowed',
      'resource_not_found',
      undefined,
    ])
  })

  it('refuses an empty batch, too many operations, unknown actions and missing options types as a whole', async () => {
    expect((await batch([])).body.error.details.fieldErrors[0].code).toBe('min_items')
    const many = Array.from({ length: 1_001 }, () => ({ object: 'team', action: 'create', data: { name: 'x' } }))
    const tooMany = await batch(many)
    expect([tooMany.status, tooMany.body.error.details]).toMatchObject([400, { limit: 1000, received: 1001 }])
    expect((await batch([{ object: 'team', action: 'erase' }])).status).toBe(400)
    expect((await batch([{ object: 'team', action: 'delete', id: { $ref: 'x' } }])).status).toBe(400)
    expect(await count('team', 'x')).toBe(0)
  })

  it('guards updates with expectedVersion and needs ids and data where the action does', async () => {
    const { id } = (await host.post('/data/team', { name: 'guarded' })).body
    const { body } = await batch(
      [
        { object: 'team', action: 'update', id, data: { name: 'x' }, expectedVersion: '2000-01-01T00:00:00.000Z' },
        { object: 'team', action: 'update', data: { name: 'x' } },
        { object: 'team', action: 'create' },
        { object: 'team', action: 'delete' },
      ],
      { atomic: false, continueOnError: true },
    )
    expect(body.results.map((result: { errors: { code: string }[] }) => result.errors[0]!.code)).toEqual([
      'CONCURRENT_UPDATE',
      'validation_error',
      'validation_error',
      'validation_error',
    ])
  })
})

interface Op {
  kind: 'team' | 'person' | 'rename' | 'drop'
  ref: number
  name: string
  isBad: boolean
}

const op = fc.record<Op>({
  kind: fc.constantFrom('team', 'person', 'person', 'rename', 'drop'),
  ref: fc.nat({ max: 7 }),
  name: fc.constantFrom('a', 'b', 'c'),
  isBad: fc.boolean(),
})

describe('random batches with references', () => {
  it('agree with a model that applies the operations one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(op, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        fc.boolean(),
        async (ops, atomic, continueOnError) => {
          const operations = ops.map(({ kind, ref, name, isBad }, index) => {
            const bad = isBad && index % 3 === 2
            if (kind === 'team') return { object: 'team', action: 'create', data: { name: bad ? null : name } }
            if (kind === 'person') return { object: 'person', action: 'create', data: { name, team: { $ref: ref } } }
            if (kind === 'rename')
              return { object: 'team', action: 'update', id: { $ref: ref }, data: { name: `${name}!` } }
            return { object: 'team', action: 'delete', id: { $ref: ref } }
          })
          const expected = model(operations, atomic, continueOnError)
          const { body } = await batch(operations, { atomic, continueOnError, returnRecords: true })
          expect(body.results.map(outcomeOf)).toEqual(expected.outcomes)
          for (const [index, name] of expected.teams) {
            const id = body.results[index].id as string
            const { status, body: found } = await host.get(`/data/team/${id}`)
            expect([status, found.record?.name]).toEqual(name === null ? [404, undefined] : [200, name])
          }
          for (const [index, teamAt] of expected.persons) {
            const { body: found } = await host.get(`/data/person/${body.results[index].id}`)
            const gone = expected.teams.get(teamAt) === null
            expect(found.record.team).toBe(gone ? null : body.results[teamAt].id)
          }
        },
      ),
      { numRuns: 60, endOnFailure: true },
    )
  }, 120_000)
})

function outcomeOf(result: { success: boolean; skipped?: boolean; rolledBack?: boolean }): string {
  if (result.success) return 'ok'
  return result.skipped === true ? 'skipped' : result.rolledBack === true ? 'rolledBack' : 'failed'
}

interface Operation {
  object: string
  action: string
  id?: { $ref: number }
  data?: { name: string | null; team?: { $ref: number } }
}

/** Team names by the operation that made them, null for deleted ones; teams of persons by operation. */
function model(operations: readonly Operation[], atomic: boolean, continueOnError: boolean) {
  const teams = new Map<number, string | null>()
  const persons = new Map<number, number>()
  const outcomes: string[] = []
  let failed = false
  /** The operation that made the team a reference means: later ones that name it have its id too. */
  const madeBy = (index: number, own: number): number | undefined => {
    const operation = index < own ? operations[index] : undefined
    if (operation === undefined || operation.object === 'person') return undefined
    return operation.action === 'create' ? index : madeBy(operation.id!.$ref, index)
  }
  operations.forEach((operation, index) => {
    if (failed && !continueOnError) {
      outcomes.push('skipped')
      return
    }
    const ref = operation.id?.$ref ?? operation.data?.team?.$ref
    const to = ref === undefined ? undefined : madeBy(ref, index)
    const isLive = to !== undefined && typeof teams.get(to) === 'string'
    // A batch that is not atomic keeps what worked; the record of a failed operation does not exist.
    const works = operation.object === 'team' && operation.action === 'create' ? operation.data!.name !== null : isLive
    if (!works) failed = true
    outcomes.push(works ? 'ok' : 'failed')
    if (!works) return
    if (operation.object === 'person') persons.set(index, to!)
    else if (operation.action === 'create') teams.set(index, operation.data!.name)
    else if (operation.action === 'update') teams.set(to!, operation.data!.name)
    else teams.set(to!, null)
  })
  if (!(failed && atomic)) return { outcomes, teams, persons }
  return {
    outcomes: outcomes.map((outcome) => (outcome === 'ok' ? 'rolledBack' : outcome)),
    teams: new Map<number, string | null>(),
    persons: new Map<number, number>(),
  }
}

describe('the door of records', () => {
  const write = (items: readonly WriteItem[]) =>
    dataOf(host).write(internalContext('door'), items, {
      atomic: true,
      returnRecords: true,
      continueOnError: false,
      validateOnly: false,
    })

  it('takes what comes back from the trash and what goes for good among other records, all or nothing', async () => {
    const [back, gone] = await Promise.all(
      ['back', 'gone'].map(async (name) => (await host.post('/data/team', { name })).body.id as string),
    )
    const items: readonly WriteItem[] = [
      { object: 'team', action: 'delete', id: back! },
      { object: 'team', action: 'delete', id: gone! },
      { object: 'team', action: 'purge', id: gone! },
      { object: 'team', action: 'restore', id: back! },
      { object: 'person', action: 'create', data: { name: 'member', team: { $ref: 3 } } },
    ]
    host.takeEvents()
    const refused = await write([...items, { object: 'team', action: 'restore', id: back! }])
    expect(refused).toMatchObject({ success: false, error: { code: 'conflict', details: { reason: 'not_deleted' } } })
    expect(host.takeEvents()).toEqual([])

    const { success, results } = await write(items)
    expect(success).toBe(true)
    expect(results.map(({ operation }) => operation)).toEqual(['delete', 'delete', 'delete', 'update', 'create'])
    expect([results[3]!.record!['name'], results[4]!.record!['team']]).toEqual(['back', back])
    const events = host.takeEvents().map(({ type, recordId }) => [type, recordId === gone ? 'gone' : 'other'])
    expect(events).toEqual([
      ['record.deleted', 'other'],
      ['record.deleted', 'gone'],
      ['record.purged', 'gone'],
      ['record.restored', 'other'],
      ['record.created', 'other'],
    ])
    expect([(await host.get(`/data/team/${back}`)).status, (await host.get(`/data/team/${gone}`)).status]).toEqual([
      200, 404,
    ])
  })
})
