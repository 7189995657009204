// Random histories of one object's definition over real records: no value disappears that was not announced, and every one
// that does is in a backup (D-100, D-101).
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { sized } from '../support/test-size.ts'

let host: TestHost
let count = 0

beforeAll(async () => {
  host = await createTestHost()
})
afterAll(() => host.stop())

type Definition = Record<string, unknown> & { type: string }
type Fields = Record<string, Definition>
type Row = Record<string, string | number | null>

const options = ['a', 'b', 'c', '7']
const types: readonly Definition[] = [
  { type: 'text' },
  { type: 'textarea' },
  { type: 'number' },
  { type: 'number', scale: 0, index: true },
  { type: 'currency', currencyConfig: { currencyMode: 'dynamic' } },
  { type: 'percent' },
  { type: 'boolean' },
  { type: 'date' },
  { type: 'datetime', index: true },
  { type: 'select', options },
  { type: 'select', options: ['a'] },
  { type: 'multiselect', options },
  { type: 'tags' },
  { type: 'json' },
  { type: 'email' },
  { type: 'richtext' },
  { type: 'secret' },
  { type: 'formula', expression: '1', returnType: 'number' },
]
const names = ['one', 'two', 'three', 'four']

/** Texts that mean something to several types. */
const texts = [
  'a',
  '7',
  'a, b',
  '2026-03-04',
  '2026-03-04T05:06:07.000Z',
  'true',
  '{"x":[1]}',
  '1.5',
  'me@example.org',
  ' ',
  '<b>x</b>',
]

type Step =
  | { readonly kind: 'set'; readonly field: string; readonly to: Definition }
  | { readonly kind: 'delete'; readonly field: string }
  | { readonly kind: 'rename'; readonly field: string; readonly to: string }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      field: fc.constantFrom(...names),
      to: fc.constantFrom(...types),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), field: fc.constantFrom(...names) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rename' as const),
      field: fc.constantFrom(...names),
      to: fc.constantFrom(...names),
    }),
  },
)
const history = fc.record({
  first: fc.array(fc.constantFrom(...types.slice(0, 15)), { minLength: 2, maxLength: 3 }),
  values: fc.array(fc.array(fc.constantFrom(...texts), { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
  steps: fc.array(step, { minLength: 2, maxLength: 6 }),
})

/** Rows as the file holds them, by id. */
function rowsOf(name: string): Map<string, Row> {
  const db = new Sqlite(join(host.dataDir, 'cairn.db'), { readonly: true })
  try {
    return new Map((db.prepare(`SELECT * FROM "o_${name}"`).all() as Row[]).map((row) => [String(row['id']), row]))
  } finally {
    db.close()
  }
}

/** Whether a stored value is all there in the value that took its place, however it is written now. */
function survives(before: string | number, after: string | number | null): boolean {
  if (after === null) return /^("\s*"|\s*|\[\])$/.test(String(before))
  return meanings(before).some((meaning) => meanings(after).includes(meaning))
}

/** What a stored value may mean: its parts in order, numbers and truth values by their value, days by their instant. */
function meanings(value: string | number): string[] {
  const text = String(value).trim()
  // An amount may carry its currency.
  const words = [text.replace(/ [A-Z]{3}$/, '')]
  if (text.startsWith('[')) {
    const list = (JSON.parse(text) as unknown[]).map(String)
    words.push(list.join(', ').replace(/ [A-Z]{3}$/, ''))
  }
  if (text.startsWith('{"value"')) words.push(String((JSON.parse(text) as { value: number }).value))
  if (text.startsWith('"')) words.push(String(JSON.parse(text)).trim())
  for (const word of [...words]) {
    if (word !== '' && Number.isFinite(Number(word))) words.push(`n${Number(word)}`)
    if (word === 'true') words.push('n1')
    if (/^\d{4}-\d{2}-\d{2}/.test(word)) words.push(`t${Date.parse(word)}`)
    if (word.includes(','))
      words.push(
        word
          .split(',')
          .map((part) => part.trim())
          .join(', '),
      )
    words.push(word.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'))
  }
  return words
}

/** The next definition, or null where the step does not apply. */
function take(fields: Fields, change: Step): Fields | null {
  if (change.kind === 'set') return { ...fields, [change.field]: change.to }
  if (!Object.hasOwn(fields, change.field) || Object.keys(fields).length < 2) return null
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== change.field))
  if (change.kind === 'delete') return rest
  if (Object.hasOwn(fields, change.to)) return null
  return { ...rest, [change.to]: { ...fields[change.field]!, renamedFrom: change.field } }
}

it('loses nothing that was not announced and is not in a backup', async () => {
  let lostInAll = 0
  await fc.assert(
    fc.asyncProperty(history, async ({ first, values, steps }) => {
      const name = `history${(count += 1)}`
      // Every value is entered as text and becomes whatever the first definition makes of it.
      let fields: Fields = Object.fromEntries(first.map((_, i): [string, Definition] => [names[i]!, { type: 'text' }]))
      await host.defineObject(name, fields)
      for (const texts of values) {
        const record = Object.fromEntries(first.map((_, i) => [names[i], texts[i]]))
        expect((await host.post(`/data/${name}`, record)).status).toBe(201)
      }
      const begin: Step[] = first.map((to, i) => ({ kind: 'set', field: names[i]!, to }))
      for (const change of [...begin, ...steps]) {
        const next = take(fields, change)
        if (next === null) continue
        const before = rowsOf(name)
        const item = (await host.get(`/meta/object/${name}`)).body.item as { fields: Record<string, { uid: string }> }
        const dryRun = await host.put(`/meta/object/${name}?dryRun=true`, { name, fields: next })
        expect(dryRun.status, JSON.stringify(dryRun.body)).toBe(200)
        expect(rowsOf(name)).toEqual(before)
        const plan = (dryRun.body.plan ?? []) as { field?: string; lossy: number; destructive: boolean }[]
        const done = await host.put(`/meta/object/${name}?confirm=true`, { name, fields: next })
        expect(done.status, JSON.stringify(done.body)).toBe(200)
        const after = rowsOf(name)
        const now = (await host.get(`/meta/object/${name}`)).body.item as {
          fields: Record<string, { uid: string; type: string }>
        }
        for (const [field, { uid }] of Object.entries(item.fields)) {
          const heir = Object.entries(now.fields).find(([, other]) => other.uid === uid)?.[0]
          const lost = [...before].filter(([id, row]) => {
            const value = row[field]!
            return value !== null && !survives(value, heir === undefined ? null : after.get(id)![heir]!)
          })
          const isComputed = fields[field]?.type === 'formula'
          const announced = plan
            .filter((one) => one.field === field || one.field === heir)
            .reduce((sum, one) => sum + one.lossy, 0)
          if (!isComputed) expect(lost.length, `${field}: ${JSON.stringify(plan)}`).toBeLessThanOrEqual(announced)
          for (const [id, row] of isComputed ? [] : lost) {
            const aside = Object.entries(after.get(id)!).filter(([column]) => column.startsWith('$b'))
            expect(aside.map(([, value]) => value)).toContain(row[field])
          }
          lostInAll += isComputed ? 0 : lost.length
        }
        fields = Object.fromEntries(
          Object.entries(next).map(([key, { renamedFrom: _old, ...field }]) => [key, field as Definition]),
        )
      }
      expect((await host.get(`/data/${name}?top=10`)).status).toBe(200)
    }),
    { numRuns: sized(8, 16, 150) },
  )
  // A history in which nothing is ever lost would prove nothing.
  expect(lostInAll).toBeGreaterThan(20)
}, 300_000)
