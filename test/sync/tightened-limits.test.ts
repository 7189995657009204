// Limits of a field that one machine made stricter while another one, which did not know, wrote what breaks them: both list
// the same records, whichever came first, and none that whoever made the limit had seen (D-388).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { made } from '../support/record-calls.ts'
import { apart, createSyncedHost, inStep, pair, startFounder, until } from '../support/synced-hosts.ts'

let desk: TestHost
let laptop: TestHost

const options = (...values: string[]) => values.map((value) => ({ value, label: value }))
const group = (type: string, inner: object = {}, stage: object[] = options('a', 'b')) => ({
  type,
  fields: { name: { type: 'text', ...inner }, stage: { type: 'select', options: stage } },
})
const free = {
  title: { type: 'text' },
  size: { type: 'number' },
  code: { type: 'text' },
  stage: { type: 'select', options: options('a', 'b', 'c') },
  weight: { type: 'number', scale: 0 },
  tags: { type: 'multiselect', options: options('x', 'y', 'z') },
  rows: group('repeater'),
  place: group('composite'),
  stars: { type: 'rating', maxRating: 10, allowHalf: true },
  level: { type: 'slider' },
  notes: { type: 'markdown' },
}

beforeAll(async () => {
  desk = await startFounder('Desk')
  await desk.defineObject('part', free)
  laptop = await createSyncedHost()
  await pair(desk, laptop)
}, 60_000)

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
})

async function define(host: TestHost, changes: Record<string, object>): Promise<void> {
  const fields = Object.fromEntries(
    Object.entries(free).map(([name, field]) => [name, { ...field, ...changes[name] }] as const),
  )
  const { status, body } = await host.put('/meta/object/part?confirm=true', { name: 'part', fields })
  expect(status, JSON.stringify(body)).toBe(200)
}

const sorted = (...parts: string[][]): string[] => parts.flat().sort()

/** What is listed of each record, as `<field> <rule>`. */
async function listed(host: TestHost): Promise<Record<string, string[]>> {
  const { conflicts } = (await host.get('/sync/conflicts?limit=200')).body
  const found: Record<string, string[]> = {}
  for (const { kind, recordId, field, winner } of conflicts) {
    expect(kind).toBe('validation')
    expect(winner.value).toMatchObject({ message: expect.any(String) })
    ;(found[recordId] ??= []).push(`${field} ${winner.value.rule}`)
  }
  for (const rules of Object.values(found)) rules.sort()
  return found
}

async function bothList(expected: Record<string, string[]>): Promise<void> {
  await inStep([desk, laptop])
  for (const host of [desk, laptop]) {
    let last: unknown
    await until(`it is listed on both: ${JSON.stringify(expected)}`, async () => {
      last = await listed(host)
      return JSON.stringify(Object.entries(last as object).sort()) === JSON.stringify(Object.entries(expected).sort())
    }).catch((error: unknown) => {
      expect(last).toEqual(expected)
      throw error
    })
  }
}

describe(
  'a limit of digits, of a list or of a part of a group that came while somebody wrote elsewhere',
  { timeout: 60_000 },
  () => {
    it('is broken by what was written without knowing of it, on both machines, and by nothing else', async () => {
      const full = {
        ...{ title: 'Full', weight: 1234, tags: ['x', 'y', 'z'] },
        ...{ rows: [{ name: 'abcdef', stage: 'b' }], place: { name: 'abcdef', stage: 'b' }, stars: 9, level: 15 },
      }
      const known = await made(desk, 'part', full)
      await inStep([desk, laptop])
      let before = ''
      let fits = ''
      let half = ''
      await apart(laptop, [desk], async () => {
        before = await made(laptop, 'part', full)
        await define(desk, {
          weight: { precision: 3 },
          tags: { maxItems: 2 },
          rows: { ...group('repeater', { maxLength: 4 }), minItems: 2 },
          place: group('composite', {}, options('a')),
          stars: { maxRating: undefined, allowHalf: false },
          level: { step: 10 },
        })
        half = await made(laptop, 'part', { stars: 2.5, level: 50 })
        const small = [{ name: 'ab', stage: 'a' }]
        fits = await made(laptop, 'part', {
          ...{
            title: 'Fits',
            weight: 12,
            tags: ['x'],
            rows: [...small, ...small],
            place: small[0],
            stars: 4,
            level: 20,
          },
        })
        expect((await laptop.patch(`/data/part/${known}`, { title: 'Known to both' })).status).toBe(200)
      })
      const onScales = ['level level.step', 'stars stars.maxRating']
      const halved = { [half]: ['stars stars.allowHalf'] }
      await bothList({
        ...halved,
        [before]: sorted(onScales, [
          'place place.fields',
          'rows rows.fields',
          'tags tags.maxItems',
          'weight weight.precision',
        ]),
      })
      // Of several limits of a field one is listed at a time.
      expect((await desk.patch(`/data/part/${before}`, { rows: [{ name: 'ab' }, { name: 'ab' }] })).status).toBe(200)
      await bothList({
        ...halved,
        [before]: sorted(onScales, ['place place.fields', 'tags tags.maxItems', 'weight weight.precision']),
      })
      await define(desk, {})
      await bothList({})
      expect((await desk.get(`/data/part/${fits}`)).status).toBe(200)
    })
  },
)

describe('a limit that came while somebody wrote elsewhere', { timeout: 60_000 }, () => {
  it('is broken by what was written without knowing of it, on both machines, until somebody changes that', async () => {
    const known = await made(desk, 'part', { title: 'Known', size: 50, code: 'abcdef', stage: 'a' })
    const edited = await made(desk, 'part', { title: 'Edited', size: 1, code: 'ab', stage: 'a' })
    await inStep([desk, laptop])
    let before = ''
    let after = ''
    await apart(laptop, [desk], async () => {
      before = await made(laptop, 'part', { title: 'Before', size: 60, code: 'abcdef', stage: 'c' })
      await define(desk, {
        title: { required: true },
        size: { max: 10 },
        code: { maxLength: 4, pattern: '^[a-z]+$' },
        stage: { options: options('a', 'b') },
      })
      after = await made(laptop, 'part', { size: 5, code: 'A1', stage: 'b' })
      expect((await laptop.patch(`/data/part/${edited}`, { size: 70 })).status).toBe(200)
      expect((await laptop.patch(`/data/part/${known}`, { title: 'Known to both' })).status).toBe(200)
    })
    await bothList({
      [before]: ['code code.maxLength', 'size size.max', 'stage stage.options'],
      [after]: ['code code.pattern', 'title title.required'],
      [edited]: ['size size.max'],
    })
    // Nothing is lost of what was written.
    for (const host of [desk, laptop]) {
      const { record } = (await host.get(`/data/part/${before}`)).body
      expect(record).toMatchObject({ size: 60, code: 'abcdef', stage: 'c' })
    }
    // A value that fits ends it everywhere; another field does not.
    expect((await desk.patch(`/data/part/${before}`, { size: 6, stage: 'b' })).status).toBe(200)
    expect((await laptop.patch(`/data/part/${edited}`, { title: 'Edited once more' })).status).toBe(200)
    const [{ id }] = (await laptop.get(`/sync/conflicts?recordId=${after}`)).body.conflicts.filter(
      ({ field }: { field: string }) => field === 'title',
    )
    const decided = await laptop.post(`/sync/conflicts/${id}/resolve`, { choice: 'value', value: 'After' })
    expect(decided.status, JSON.stringify(decided.body)).toBe(200)
    await bothList({
      [before]: ['code code.maxLength'],
      [after]: ['code code.pattern'],
      [edited]: ['size size.max'],
    })
    // A looser limit ends what keeps to it.
    await define(desk, { title: { required: true }, size: { max: 100 }, code: { pattern: '^[a-z]+$' } })
    await bothList({ [after]: ['code code.pattern'] })
  })

  it('is broken by long texts, which are listed where it was made, until they keep to it', async () => {
    const changed = await made(desk, 'part', { title: 'Changed', notes: 'Short' })
    await made(desk, 'part', { title: 'Known', notes: 'Long, and known to be' })
    await inStep([desk, laptop])
    await apart(laptop, [desk], async () => {
      await define(desk, { notes: { maxLength: 8 } })
      expect((await laptop.patch(`/data/part/${changed}`, { notes: 'Long by now' })).status).toBe(200)
    })
    const isListed = async (ids: readonly string[]) => {
      const [here, there] = [await listed(desk), await listed(laptop)]
      return (
        JSON.stringify([Object.entries(here).sort(), there]) ===
        JSON.stringify([ids.map((id) => [id, ['notes notes.maxLength']]).sort(), {}])
      )
    }
    await until('it is listed', () => isListed([changed]))
    for (const host of [desk, laptop])
      expect((await host.get(`/data/part/${changed}`)).body.record.notes).toBe('Long by now')
    expect((await laptop.patch(`/data/part/${changed}`, { notes: 'Fits' })).status).toBe(200)
    await until('that it fits ends it', () => isListed([]))
    await define(desk, {})
  })
})
