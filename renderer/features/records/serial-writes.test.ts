// A write that adds to a list keeps what writes before it have added.
import { describe, expect, it } from 'vitest'
import type { GridRecord } from '../../components/grid/index.ts'
import { createSerialWrites } from './serial-writes.ts'

/** A host with one record, which answers a write a moment later. */
function fakeHost() {
  let record: GridRecord = { id: 'r', updated_at: '2026-01-01T00:00:00.001Z', files: [] }
  let refuses = false
  return {
    record: () => record,
    refuse: (on: boolean) => (refuses = on),
    save: async (field: string, value: unknown): Promise<GridRecord> => {
      await Promise.resolve()
      if (refuses) throw new Error('no')
      const [, ms] = /(\d{3})Z$/.exec(String(record['updated_at']))!
      const updated = `2026-01-01T00:00:00.${String(Number(ms) + 1).padStart(3, '0')}Z`
      record = { ...record, [field]: value, updated_at: updated }
      return record
    },
  }
}

const adding = (file: string) => (before: unknown) => [...(before as string[]), file]

describe('writes that build on the value before them', () => {
  it('keep what was added although the screen still shows what was before', async () => {
    const host = fakeHost()
    const before = host.record()
    const write = createSerialWrites(() => host.save)
    await write(() => before, 'files', adding('one'))
    await write(() => before, 'files', adding('two'))
    expect(host.record()['files']).toEqual(['one', 'two'])
  })

  it('wait for each other', async () => {
    const host = fakeHost()
    const before = host.record()
    const write = createSerialWrites(() => host.save)
    await Promise.all(['one', 'two', 'three'].map(async (file) => write(() => before, 'files', adding(file))))
    expect(host.record()['files']).toEqual(['one', 'two', 'three'])
  })

  it('take what the screen shows once that is newer, and go on after a refusal', async () => {
    const host = fakeHost()
    const write = createSerialWrites(() => host.save)
    await write(host.record, 'files', adding('one'))
    await host.save('files', ['theirs'])
    host.refuse(true)
    await expect(write(host.record, 'files', adding('lost'))).rejects.toThrow('no')
    host.refuse(false)
    await write(host.record, 'files', adding('two'))
    expect(host.record()['files']).toEqual(['theirs', 'two'])
  })
})
