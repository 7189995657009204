// Fields that become lists, or stop being ones, and options that go, while another machine that does not know writes to them:
// what was written counts or is listed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CutHosts } from '../support/cut-hosts.ts'
import { startCutHosts } from '../support/cut-hosts.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { made } from '../support/record-calls.ts'
import { until } from '../support/synced-hosts.ts'

let hosts: CutHosts
let desk: TestHost
let laptop: TestHost
let count = 0

const colors = ['red', 'blue', 'green'].map((value) => ({ value }))

beforeAll(async () => {
  hosts = await startCutHosts(async (host) => {
    await host.defineObject('place', { title: { type: 'text' } })
  })
  ;({ desk, laptop } = hosts)
  await hosts.agree()
}, 90_000)

afterAll(async () => hosts?.stop())

/** What a field says on both, which must be the same. */
async function shared(object: string, id: string): Promise<unknown> {
  const [here, there] = await Promise.all(
    [desk, laptop].map(async (host) => (await host.get(`/data/${object}/${id}`)).body.record.value),
  )
  expect(there).toEqual(here)
  return here
}

const open = async (host: TestHost, object: string) =>
  (await host.get(`/sync/conflicts?object=${object}`)).body.conflicts

/** The one conflict of an object, the same on both; undefined for none. */
async function listed(object: string) {
  await until('both list the same', async () => {
    const [here, there] = await Promise.all([desk, laptop].map(async (host) => open(host, object)))
    const of = (conflicts: { id: string }[]) => JSON.stringify(conflicts.map(({ id }) => id))
    return of(here) === of(there)
  })
  const [conflict, ...others] = await open(desk, object)
  expect(others).toEqual([])
  return conflict
}

/** One machine redefines the field `value` of a new object and the other one edits, without knowing of each other. */
async function apart(
  change: { readonly from: object; readonly to: object; readonly start: unknown },
  edit: (object: string, id: string) => Promise<unknown>,
  isEditFirst: boolean,
): Promise<{ object: string; id: string }> {
  const object = `thing_${(count += 1)}`
  await desk.defineObject(object, { title: { type: 'text' }, value: change.from })
  const id = await made(desk, object, { value: change.start })
  await hosts.agree()
  await hosts.part()
  try {
    if (isEditFirst) await edit(object, id)
    const { item } = (await desk.get(`/meta/object/${object}`)).body
    const next = { ...item, fields: { ...item.fields, value: change.to } }
    const save = async (query = '') =>
      desk.put(`/meta/object/${object}${query}`, { type: 'object', name: object, item: next })
    const first = await save()
    const plan = first.body.error?.details?.planHash
    const saved = plan === undefined ? first : await save(`?confirm=${plan}`)
    expect(saved.status, JSON.stringify(saved.body)).toBe(200)
    if (!isEditFirst) await edit(object, id)
  } finally {
    await hosts.join()
  }
  const typeOf = async (host: TestHost) => {
    const { fields } = (await host.get(`/meta/object/${object}`)).body.item
    return JSON.stringify([fields.value.type, fields.value.multiple ?? false, fields.value.options?.length])
  }
  await until('the definition has arrived', async () => (await typeOf(desk)) === (await typeOf(laptop)))
  await hosts.agree()
  return { object, id }
}

const sets = (value: unknown) => async (object: string, id: string) => {
  const answer = await laptop.patch(`/data/${object}/${id}`, { value })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}

describe.each([true, false])('a list that becomes a single value, edited first: %s', (isEditFirst) => {
  const change = { from: { type: 'multiselect', options: colors }, to: { type: 'select', options: colors } }

  it('lists a member that somebody added', async () => {
    const { object, id } = await apart({ ...change, start: ['red'] }, sets(['red', 'blue']), isEditFirst)
    expect(await shared(object, id)).toBe('red')
    const conflict = await listed(object)
    expect(conflict).toMatchObject({
      ...{ kind: 'field', recordId: id, field: 'value', winner: { value: 'red' } },
      losers: [{ value: 'blue', device: { name: 'Laptop' } }],
    })
    const answer = await laptop.post(`/sync/conflicts/${conflict.id}/resolve`, { choice: 'loser' })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    await hosts.agree()
    expect(await shared(object, id)).toBe('blue')
    expect(await listed(object)).toBeUndefined()
  })

  it('has nothing to decide once the value that stands was chosen', async () => {
    const { object, id } = await apart({ ...change, start: ['red'] }, sets(['red', 'blue']), isEditFirst)
    const { id: conflict } = await listed(object)
    expect((await desk.post(`/sync/conflicts/${conflict}/resolve`, { choice: 'winner' })).status).toBe(200)
    await hosts.agree()
    expect(await shared(object, id)).toBe('red')
    expect(await listed(object)).toBeUndefined()
    expect((await laptop.patch(`/data/${object}/${id}`, { value: 'green', title: 'Later' })).status).toBe(200)
    await hosts.agree()
    expect(await shared(object, id)).toBe('green')
    expect(await listed(object)).toBeUndefined()
  })

  it('takes over another member in its place', async () => {
    const { object, id } = await apart({ ...change, start: ['red'] }, sets(['blue']), isEditFirst)
    expect(await shared(object, id)).toBe('blue')
    expect(await listed(object)).toBeUndefined()
  })

  it('takes over the first member of an empty list, and lists the second one', async () => {
    const { object, id } = await apart({ ...change, start: null }, sets(['green', 'blue']), isEditFirst)
    expect(await shared(object, id)).toBe('green')
    expect(await listed(object)).toMatchObject({
      kind: 'field',
      winner: { value: 'green' },
      losers: [{ value: 'blue' }],
    })
  })

  it('lists what was lost by consent for nobody, and what was added all the same', async () => {
    const { object, id } = await apart(
      { ...change, start: ['red', 'blue'] },
      sets(['red', 'blue', 'green']),
      isEditFirst,
    )
    expect(await shared(object, id)).toBe('red')
    expect(await listed(object)).toMatchObject({
      kind: 'field',
      winner: { value: 'red' },
      losers: [{ value: 'green' }],
    })
  })

  it('lists that the member which is its value was taken away', async () => {
    const { object, id } = await apart({ ...change, start: ['red', 'blue'] }, sets(['blue']), isEditFirst)
    expect(await shared(object, id)).toBe('red')
    expect(await listed(object)).toMatchObject({ kind: 'field', winner: { value: 'red' }, losers: [{ value: null }] })
  })

  it('keeps all members of a record that was made meanwhile', async () => {
    let other = ''
    const { object } = await apart(
      { ...change, start: null },
      async (name) => {
        other = await made(laptop, name, { value: ['blue', 'green'] })
      },
      isEditFirst,
    )
    expect(await shared(object, other)).toBe('blue')
    expect(await listed(object)).toMatchObject({
      recordId: other,
      winner: { value: 'blue' },
      losers: [{ value: 'green' }],
    })
  })

  it.each(['lookup', 'user'])('is the same for references: %s', async (type) => {
    const people = ['A', 'B'].map(async (title) => made(desk, 'place', { title }))
    const [one, two] = type === 'lookup' ? await Promise.all(people) : await users()
    const field = type === 'lookup' ? { type, reference: 'place' } : { type }
    const { object, id } = await apart(
      { from: { ...field, multiple: true }, to: field, start: [one] },
      sets([one, two]),
      isEditFirst,
    )
    expect(await shared(object, id)).toBe(one)
    expect(await listed(object)).toMatchObject({ kind: 'field', winner: { value: one }, losers: [{ value: two }] })
  })

  it.each(['text', 'markdown'])('is a text with what was added, or it is listed: %s', async (type) => {
    const { object, id } = await apart(
      { from: { type: 'tags' }, to: { type }, start: ['red'] },
      sets(['red', 'blue']),
      isEditFirst,
    )
    const value = await shared(object, id)
    const conflict = await listed(object)
    if (value === 'red, blue') expect(conflict).toBeUndefined()
    else expect(conflict).toMatchObject({ kind: 'field', losers: [{ value: 'blue' }] })
  })
})

/** The owner, and somebody who has an account on the laptop alone. */
async function users(): Promise<string[]> {
  const email = `ada${(count += 1)}@example.test`
  const { status, body } = await laptop.post('/auth/admin/create-user', {
    ...{ email, password: 'correct horse battery', name: 'Ada', role: 'admin' },
    data: { username: `ada${count}` },
  })
  expect(status, JSON.stringify(body)).toBe(200)
  return ['00000000-0000-7000-8000-000000000001', body.user.id]
}

describe.each([true, false])('a single value that becomes a list, edited first: %s', (isEditFirst) => {
  it('has what somebody set meanwhile', async () => {
    const change = { from: { type: 'select', options: colors }, to: { type: 'multiselect', options: colors } }
    const { object, id } = await apart({ ...change, start: 'red' }, sets('blue'), isEditFirst)
    expect(await shared(object, id)).toEqual(['blue'])
    expect(await listed(object)).toBeUndefined()
    expect((await desk.patch(`/data/${object}/${id}`, { value: ['blue', 'green'] })).status).toBe(200)
    await hosts.agree()
    expect(await shared(object, id)).toEqual(['blue', 'green'])
  })
})

describe.each([true, false])('an option that goes while somebody uses it, edited first: %s', (isEditFirst) => {
  const from = { type: 'select', options: colors }

  it.each([
    ['select', from, 'red', 'blue'],
    ['multiselect', { type: 'multiselect', options: colors }, ['red'], ['red', 'blue']],
  ])('counts, or is listed: %s', async (_type, field, start, set) => {
    const change = { from: field, to: { ...field, options: [colors[0], colors[2]] }, start }
    const { object, id } = await apart(change, sets(set), isEditFirst)
    const value = await shared(object, id)
    const conflict = await listed(object)
    // What counts is none of the options any more: somebody has to say what it is to be (D-388).
    if (JSON.stringify(value) === JSON.stringify(set))
      expect(conflict).toMatchObject({ kind: 'validation', losers: [{ value: { limit: 'options', value: set } }] })
    else expect(JSON.stringify(conflict?.losers)).toContain('blue')
  })

  it('counts where another one was set in its place', async () => {
    const change = { from, to: { ...from, options: [colors[1], colors[2]] }, start: 'red' }
    const { object, id } = await apart(change, sets('blue'), isEditFirst)
    const value = await shared(object, id)
    const conflict = await listed(object)
    if (value === 'blue') return
    expect(conflict).toMatchObject({ kind: 'field', losers: [{ value: 'blue' }] })
  })
})
