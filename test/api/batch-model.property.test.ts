// Random histories of batches against a model in memory: what the host says and what it stores must both agree.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost
let round = 0

beforeAll(async () => {
  host = await createTestHost()
})

afterAll(() => host.stop())

interface Item {
  operation: 'create' | 'update' | 'delete'
  /** Which of the known ids is meant; beyond the list: one that does not exist. */
  target: number
  name: string | null
  code: number | null
}

const item = fc.record<Item>({
  operation: fc.constantFrom('create', 'update', 'delete'),
  target: fc.nat({ max: 6 }),
  name: fc.oneof({ weight: 5, arbitrary: fc.constantFrom('a', 'b', 'c') }, fc.constant(null)),
  code: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 4 })),
})

const batch = fc.record({
  operation: fc.constantFrom('create' as const, 'update' as const, 'delete' as const),
  atomic: fc.boolean(),
  continueOnError: fc.boolean(),
  validateOnly: fc.boolean(),
  items: fc.array(item, { minLength: 1, maxLength: 5 }),
})

type Model = Map<string, { name: string; code: number | null }>

const missingId = '01900000-0000-7000-8000-00000000dead'

describe('POST /data/:object/batch', () => {
  it('agrees with the model over random histories', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 8 }), async (history) => {
        const object = `h${(round += 1)}`
        await host.defineObject(object, {
          name: { type: 'text', required: true },
          code: { type: 'number', unique: true },
        })
        let model: Model = new Map()
        for (const step of history) {
          const ids = [...model.keys()]
          const used = new Set<string>()
          const records = step.items.flatMap((entry) => {
            const id = ids[entry.target] ?? missingId
            if (step.operation !== 'create') {
              if (used.has(id)) return []
              used.add(id)
            }
            const data = { name: entry.name, code: entry.code }
            return [step.operation === 'create' ? { data } : step.operation === 'update' ? { id, data } : { id }]
          })
          const { atomic, continueOnError, validateOnly } = step
          host.takeEvents()
          const { status, body } = await host.post(`/data/${object}/batch`, {
            operation: step.operation,
            records,
            options: { atomic, continueOnError, validateOnly },
          })
          expect(status).toBe(200)
          const expected = predict(model, step, records)
          expect(body.results.map(outcomeOf)).toEqual(expected.outcomes)
          expect(body.succeeded).toBe(expected.outcomes.filter((outcome) => outcome === 'ok').length)
          expect(body.total).toBe(records.length)
          const created = body.results.filter(
            (r: { success: boolean; operation: string }) => r.success && r.operation === 'create',
          )
          model = expected.apply(created.map((r: { id: string }) => r.id))
          const stored = await host.get(`/data/${object}?top=1000`)
          const state = stored.body.records.map((r: { id: string; name: string; code: number | null }) => [
            r.id,
            { name: r.name, code: r.code },
          ])
          expect(new Map(state)).toEqual(model)
          if (expected.outcomes.every((outcome) => outcome !== 'ok') || validateOnly)
            expect(host.takeEvents()).toEqual([])
        }
      }),
      { numRuns: 40, endOnFailure: true },
    )
  }, 60_000)
})

function outcomeOf(result: { success: boolean; skipped?: boolean; rolledBack?: boolean }): string {
  if (result.success) return 'ok'
  return result.skipped === true ? 'skipped' : result.rolledBack === true ? 'rolledBack' : 'failed'
}

/** What D-63 says must come out. */
function predict(
  model: Model,
  step: { operation: string; atomic: boolean; continueOnError: boolean; validateOnly: boolean },
  records: { id?: string; data?: { name: string | null; code: number | null } }[],
): { outcomes: string[]; apply: (ids: string[]) => Model } {
  const next: (readonly [string, { name: string; code: number | null }])[] = [...model]
  const outcomes: string[] = []
  let failed = false
  let made = 0
  for (const { id, data } of records) {
    if (failed && !step.continueOnError) {
      outcomes.push('skipped')
      continue
    }
    const at = next.findIndex(([known]) => known === id)
    const taken = data?.code !== null && next.some(([known, record]) => record.code === data?.code && known !== id)
    const works =
      step.operation === 'delete' ? at >= 0 : data!.name !== null && !taken && (step.operation === 'create' || at >= 0)
    if (!works) {
      failed = true
      outcomes.push('failed')
      continue
    }
    outcomes.push('ok')
    if (step.operation === 'delete') next.splice(at, 1)
    else if (step.operation === 'update') next[at] = [id!, { name: data!.name!, code: data!.code }]
    else next.push([`new ${(made += 1)}`, { name: data!.name!, code: data!.code }])
  }
  if (failed && step.atomic) {
    return { outcomes: outcomes.map((outcome) => (outcome === 'ok' ? 'rolledBack' : outcome)), apply: () => model }
  }
  if (step.validateOnly) return { outcomes, apply: () => model }
  return {
    outcomes,
    apply: (ids) =>
      new Map(next.map(([id, record]) => [id.startsWith('new ') ? ids[Number(id.slice(4)) - 1]! : id, record])),
  }
}
