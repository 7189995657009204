// Whatever overlays, extensions, drafts and states do to an object, its table has the columns its definition says.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Answer } from '../support/create-test-host.ts'
import { host, name, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

type Step = (object: string) => Promise<Answer>

const fields = fc.dictionary(
  fc.constantFrom('a', 'b', 'c'),
  fc.record({
    type: fc.constantFrom('text', 'number', 'boolean'),
    index: fc.boolean(),
  }),
  { maxKeys: 3 },
)
const patched = fc.dictionary(
  fc.constantFrom('a', 'b', 'd'),
  fc.oneof(
    fc.constant(null),
    fc.record({ label: fc.constant('L') }),
    fc.record({ type: fc.constantFrom('text', 'number') }),
  ),
  { maxKeys: 2 },
)
const added = fc.dictionary(fc.constantFrom('x', 'y', 'a'), fc.record({ type: fc.constantFrom('text', 'date') }), {
  maxKeys: 2,
})
const move = (path: string, state: string) => host.post(`${path}/state?confirm=true`, { state })

const step: fc.Arbitrary<Step> = fc.oneof(
  fields.map(
    (one): Step =>
      (object) =>
        host.put(`/meta/object/${object}?confirm=true`, { fields: one }),
  ),
  fields.map(
    (one): Step =>
      (object) =>
        host.put(`/meta/object/${object}?mode=draft`, { fields: one }),
  ),
  fc.constant<Step>((object) => host.post(`/meta/object/${object}/publish?confirm=true&force=true`)),
  patched.map(
    (one): Step =>
      (object) =>
        host.put(`/meta/object/${object}/overlay?confirm=true`, { patch: { fields: one } }),
  ),
  fc.constant<Step>((object) => host.delete(`/meta/object/${object}/overlay?confirm=true`)),
  added.map(
    (one): Step =>
      (object) =>
        host.put(`/meta/object/${object}_more?confirm=true`, { extend: object, fields: one }),
  ),
  fc.constant<Step>((object) => host.delete(`/meta/object/${object}_more?confirm=true`)),
  fc.constantFrom('active', 'archived', 'deprecated', 'draft').chain((state) =>
    fc.constantFrom('', '_more').map(
      (part): Step =>
        (object) =>
          move(`/meta/object/${object}${part}`, state),
    ),
  ),
  fc.integer({ min: 1, max: 3 }).map(
    (version): Step =>
      (object) =>
        host.post(`/meta/object/${object}/revert?confirm=true`, { version }),
  ),
)

const values: Record<string, unknown> = { text: 'x', number: 1, boolean: true, date: '2026-01-31' }

it('is so after any steps', async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
      const object = `${name}_${(run += 1)}`
      await host.defineObject(object, { a: { type: 'text' } })
      expect((await host.post(`/data/${object}`, { a: 'first' })).status).toBe(201)
      for (const one of steps) {
        const answer = await one(object)
        expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500)
        const list = await host.get(`/data/${object}`)
        const { status, body } = await host.get(`/meta/object/${object}`)
        const inForce = status === 200 && list.status === 200
        if (!inForce) {
          expect(list.status).toBe(404)
          continue
        }
        const defined = body.item.fields as Record<string, { type: string }>
        const record = Object.fromEntries(Object.entries(defined).map(([field, { type }]) => [field, values[type]]))
        const created = await host.post(`/data/${object}`, record)
        expect(created.body).toMatchObject({ record })
        expect(list.body.records[0]).toHaveProperty('created_at')
        for (const field of Object.keys(defined)) expect(list.body.records[0]).toHaveProperty(field)
      }
      for (const part of ['_more', '']) {
        await host.delete(`/meta/object/${object}${part}?confirm=true&force=true`)
      }
      expect((await host.get(`/data/${object}`)).status).toBe(404)
    }),
    { numRuns: 20 },
  )
}, 60_000)
