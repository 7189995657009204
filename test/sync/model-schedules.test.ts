// Schedules of the model that once ended wrong (model-schedules.json): each is the least that shows what was mended.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlatformError } from '#shared/errors.ts'
import type { ModelMachine } from '../support/sync-model/host-machine.ts'
import { createPool } from '../support/sync-model/host-machine.ts'
import { assertHosts } from '../support/sync-model/host-oracle.ts'
import { runHostSchedule } from '../support/sync-model/host-run.ts'
import type { HostSchedule } from '../support/sync-model/host-steps.ts'

const whole = { machines: 3, seed: 7, skewed: false, founded: false, together: true, schemas: 'own' as const }

const schedules = JSON.parse(readFileSync(new URL('model-schedules.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, HostSchedule>
>

describe('schedules that once ended wrong', () => {
  let pool: readonly ModelMachine[] = []

  beforeAll(async () => {
    pool = await createPool(5)
  })

  afterAll(async () => {
    for (const machine of pool) await machine.stop()
  })

  it.each(Object.entries(schedules))('%s', async (_name, schedule) => {
    // What comes in which order is up to chance in part.
    for (let times = 0; times < 5; times += 1) assertHosts(await runHostSchedule(pool, { ...schedule, seed: times }))
  })

  it('an edit that nobody knew of stays listed beside a deletion, whatever a change of the definition makes of its value', async () => {
    const schedule: HostSchedule = { ...whole, seed: 0, schemas: 'memos', steps: [] }
    const made: HostSchedule['steps'] = [
      { kind: 'memo', m: 0, r: 0, n: 34 },
      { kind: 'flow', m: 0, to: 0, salt: 0 },
    ]
    const after: HostSchedule['steps'] = [
      { kind: 'trashMemo', m: 0, r: 0 },
      { kind: 'retype', m: 0, n: 31 },
      { kind: 'retype', m: 0, n: 1 },
      { kind: 'retype', m: 0, n: 31 },
    ]
    const edit = { kind: 'writeMemo', m: 1, r: 0, n: 2 } as const
    const conflictsAfter = async (steps: HostSchedule['steps']): Promise<unknown> =>
      assertHosts(await runHostSchedule(pool, { ...schedule, steps })).conflicts
    expect(await conflictsAfter([...made, ...after])).toEqual({})
    expect(await conflictsAfter([...made, edit, ...after])).toMatchObject({ delete_edit: 1 })
  })

  it('a write that was prepared for a field which is removed meanwhile is asked to try again', async () => {
    const [machine] = pool as [ModelMachine]
    await machine.clear()
    const { data, metadata } = machine
    const { id } = await data.create(machine.ctx(), { object: 'part', data: { title: 'Bolt' } })
    const save = (fields: object): Promise<unknown> => {
      const item = { ...structuredClone(metadata.get('object', 'part')!.item), fields: structuredClone(fields) }
      return metadata.save(machine.ctx(), { type: 'object', name: 'part', item, authorized: true, confirm: 'true' })
    }
    for (let round = 0; round < 20; round += 1) {
      const { fields } = metadata.get('object', 'part')!.item as { fields: object }
      await save({ ...fields, third: { type: 'text' } })
      let isSaved = false
      const saving = save(fields).finally(() => (isSaved = true))
      const writes: Promise<string>[] = []
      while (!isSaved) {
        const title = `Bolt ${writes.length}`
        const written = data.update(machine.ctx(), { object: 'part', id, data: { title } })
        writes.push(
          written.then(
            () => 'stored',
            ({ code }: PlatformError) => code,
          ),
        )
        await new Promise((resolve) => setImmediate(resolve))
      }
      await saving
      const answers = new Set(await Promise.all(writes))
      expect([...answers].filter((answer) => answer !== 'stored' && answer !== 'service_unavailable')).toEqual([])
    }
  })
})
