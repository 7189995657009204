// Random histories of deletions, restores, purges and days that go by, against a model of the trash (D-57 to D-60, D-311).
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { systemClock } from '#main/kernel/clock.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { sized } from '../support/test-size.ts'

const day = 86_400_000
const patience = { timeout: 15_000 }
const objects = { kept: 0, week: 7, month: undefined } as const
const workspaceDays = 30

type ObjectName = keyof typeof objects

interface Modelled {
  readonly object: ObjectName
  readonly id: string
  /** Milliseconds; null while it is live. */
  deletedAt: number | null
}

const name = fc.constantFrom<ObjectName>('kept', 'week', 'month')
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), object: name }) },
  ...(['delete', 'restore', 'purge'] as const).map((kind) => ({
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant(kind), at: fc.nat(50) }),
  })),
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 20 }) }) },
)

it('the trash holds what the model says after every history', { timeout: sized(180_000, 900_000) }, async () => {
  let ahead = 0
  const now = (): number => systemClock.now() + ahead
  const host = await createTestHost({ clock: { ...systemClock, now, iso: () => new Date(now()).toISOString() } })
  try {
    for (const [object, days] of Object.entries(objects))
      await host.defineObject(
        object,
        { title: { type: 'text' } },
        days === undefined ? {} : { trashRetentionDays: days },
      )
    await host.patch('/settings', { trashRetentionDays: workspaceDays })
    const model: Modelled[] = []
    const drop = (gone: (each: Modelled) => boolean): void => {
      for (let at = model.length - 1; at >= 0; at -= 1) if (gone(model[at]!)) model.splice(at, 1)
    }
    const expected = () => {
      const list = (object: ObjectName, isDeleted: boolean): string[] =>
        model
          .filter((each) => each.object === object && (each.deletedAt !== null) === isDeleted)
          .map(({ id }) => id)
          .toSorted()
      return Object.keys(objects).map((object) => [
        object,
        list(object as ObjectName, false),
        list(object as ObjectName, true),
      ])
    }
    const found = async () =>
      Promise.all(
        Object.keys(objects).map(async (object) => {
          const ids = async (deleted: string): Promise<string[]> =>
            (await host.get(`/data/${object}?deleted=${deleted}&top=1000&sort=id`)).body.records.map(
              ({ id }: { id: string }) => id,
            )
          return [object, await ids('exclude'), await ids('only')]
        }),
      )

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (history) => {
        for (const each of history) {
          if (each.kind === 'create') {
            const { body } = await host.post(`/data/${each.object}`, { title: 'One' })
            model.push({ object: each.object, id: body.id, deletedAt: null })
            continue
          }
          if (each.kind === 'wait') {
            ahead += each.days * day
            await host.restart()
            drop(({ object, deletedAt }) => {
              const days = objects[object] ?? workspaceDays
              return deletedAt !== null && days > 0 && deletedAt < now() - days * day
            })
            await expect.poll(found, patience).toEqual(expected())
            continue
          }
          const target = model[each.at % Math.max(model.length, 1)]
          if (target === undefined) continue
          const path = `/data/${target.object}/${target.id}`
          if (each.kind === 'delete') {
            expect((await host.delete(path)).status).toBe(target.deletedAt === null ? 200 : 404)
            target.deletedAt ??= now()
          } else if (each.kind === 'restore') {
            expect((await host.post(`${path}/restore`)).status).toBe(target.deletedAt === null ? 409 : 200)
            target.deletedAt = null
          } else {
            expect((await host.delete(`${path}?purge=true`)).status).toBe(200)
            drop((other) => other === target)
          }
        }
        expect(await found()).toEqual(expected())
        const { body } = await host.get('/trash')
        const trash = expected().flatMap(([object, , deleted]) =>
          deleted!.length === 0 ? [] : [[object, deleted!.length, objects[object as ObjectName] ?? workspaceDays]],
        )
        expect(
          body.objects.map(({ object, total, retentionDays }: Record<string, unknown>) => [
            object,
            total,
            retentionDays,
          ]),
        ).toEqual(trash.toSorted())
      }),
      { numRuns: sized(3, 30, 200) },
    )
  } finally {
    await host.stop()
  }
})
