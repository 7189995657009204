// Histories of a package against a model: versions come, people change things in between, snapshots are put back, the package
// is switched off and on (D-127, D-133, D-134).
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { sized } from '../support/test-size.ts'

let host: TestHost
let serial = 0

beforeAll(async () => {
  host = await createTestHost()
}, 60_000)

afterAll(async () => host?.stop())

const names = ['a', 'b', 'c'] as const
type Name = (typeof names)[number]
type Labels = Readonly<Partial<Record<Name, string>>>

/** What the package says, and what people say over it. */
interface Model {
  readonly base: Labels
  readonly custom: Labels
  /** Fields whose values people began: they stay when the package leaves them out. */
  readonly own: ReadonlySet<Name>
}

const label = fc.constantFrom('one', 'two', 'three')
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('upgrade' as const),
      labels: fc.record({ a: label, b: label, c: label }, { requiredKeys: [] }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('customize' as const), name: fc.constantFrom(...names), label }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('back' as const), at: fc.nat({ max: 4 }), all: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('toggle' as const) }) },
)

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** What people began, the package had too, left out, had again, and left out for good. */
const begunTwice: Step[] = [
  { kind: 'customize', name: 'b', label: 'one' },
  { kind: 'upgrade', labels: { b: 'one' } },
  { kind: 'back', at: 0, all: false },
  { kind: 'upgrade', labels: { b: 'one' } },
  { kind: 'customize', name: 'a', label: 'one' },
  { kind: 'upgrade', labels: {} },
]

const fieldsOf = (labels: Labels) =>
  Object.fromEntries([
    ['title', { type: 'text' }],
    ...Object.entries(labels).map(([name, text]) => [name, { type: 'text', label: text }]),
  ])

/** What people see: theirs where they said something, of fields that are there. */
const shownBy = ({ base, custom }: Model): Labels => ({ ...base, ...custom })

/** Another version of the package under what people said. */
const over = ({ base: before, custom, own }: Model, base: Labels, dropsSame: boolean): Model => {
  const labels = names.flatMap((name): [Name, string][] => {
    const said = custom[name]
    // What both say is nobody's customization any more.
    if (said !== undefined) return dropsSame && base[name] === said ? [] : [[name, said]]
    const isLeftOut = before[name] !== undefined && base[name] === undefined
    return own.has(name) && isLeftOut ? [[name, before[name]!]] : []
  })
  const begun = labels.map(([name]) => name).filter((name) => base[name] === undefined)
  return { base, custom: Object.fromEntries(labels), own: new Set([...own, ...begun]) }
}

it(
  'is what the model says after every step',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
        const ns = `h${(serial += 1)}x`
        const id = `org.history.${ns}`
        const object = `${ns}_thing`
        let version = 0
        const manifest = (labels: Labels) => ({
          id,
          name: ns,
          version: `1.${(version += 1)}.0`,
          namespace: ns,
          metadata: [{ type: 'object', name: object, item: { fields: fieldsOf(labels) } }],
        })
        let model: Model = { base: { a: 'one' }, custom: {}, own: new Set() }
        const snapshots: { id: string; model: Model }[] = []
        const ok = (answer: { status: number; body: unknown }, status = 200) =>
          expect(answer.status, JSON.stringify([steps, answer.body])).toBe(status)
        ok(await host.post('/packages', { manifest: manifest(model.base) }), 201)
        ok(await host.post(`/data/${object}`, { title: 'kept' }), 201)
        for (const one of steps) {
          if (one.kind === 'upgrade') {
            const answer = await host.post('/packages/upgrade', {
              packageId: id,
              manifest: manifest(one.labels),
              confirm: true,
            })
            ok(answer)
            snapshots.unshift({ id: answer.body.data.snapshotId, model })
            model = over(model, one.labels, true)
          } else if (one.kind === 'customize') {
            const { item } = (await host.get(`/meta/object/${object}`)).body
            item.fields[one.name] = { ...item.fields[one.name], type: 'text', label: one.label }
            ok(await host.put(`/meta/object/${object}?confirm=true`, { item }))
            const { [one.name]: _same, ...others } = model.custom
            const isSaid = model.base[one.name] === one.label
            const own = model.base[one.name] === undefined ? new Set([...model.own, one.name]) : model.own
            model = { ...model, own, custom: isSaid ? others : { ...others, [one.name]: one.label } }
          } else if (one.kind === 'back') {
            const snapshot = snapshots.slice(0, 5)[one.at]
            if (snapshot === undefined) continue
            ok(
              await host.post(`/packages/${id}/rollback`, { snapshotId: snapshot.id, rollbackCustomizations: one.all }),
            )
            model = one.all ? snapshot.model : over(model, snapshot.model.base, false)
          } else {
            ok(await host.patch(`/packages/${id}/disable`))
            expect((await host.get(`/data/${object}`)).status).toBe(404)
            ok(await host.patch(`/packages/${id}/enable`))
          }
          const { item } = (await host.get(`/meta/object/${object}`)).body
          const { title: _title, ...fields } = item.fields as Record<string, { label: string }>
          const labels = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.label]))
          expect(labels, JSON.stringify(steps)).toEqual(shownBy(model))
          const { records } = (await host.get(`/data/${object}`)).body
          expect(records).toMatchObject([
            { title: 'kept', ...Object.fromEntries(Object.keys(labels).map((name) => [name, null])) },
          ])
        }
        ok(await host.delete(`/packages/${id}?keepData=false&confirm=true&force=true`))
      }),
      { numRuns: sized(13, 80, 500), examples: [[begunTwice]] },
    )
  },
  sized(120_000, 3_600_000),
)
