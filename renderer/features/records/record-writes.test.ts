// @vitest-environment happy-dom
// What writing cells tells and asks, whatever the host answers.
import { cleanup, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useUndoLabels } from '../../lib/undo.ts'
import { createRecordWrites } from './record-writes.ts'

const row = { id: 'r1', updated_at: '2026-01-01T00:00:00.001Z', title: 'old' }
const newer = { ...row, updated_at: '2026-01-01T00:00:00.002Z' }
let answer: (body: Record<string, unknown>) => { status: number; body: unknown }
const ask = vi.fn(async () => 'later' as const)
const writes = createRecordWrites(() => ({
  object: 'task',
  expand: [],
  ask,
  written: () => undefined,
  reload: () => undefined,
  labelOf: (name) => name,
}))

beforeEach(() => {
  // The edge of the machine: what the host answers.
  vi.stubGlobal('fetch', async (_address: string, init: RequestInit) => {
    const { status, body } = answer(JSON.parse(String(init.body)) as Record<string, unknown>)
    return new Response(JSON.stringify(body), { status })
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  ask.mockClear()
})

describe('a cell that was changed elsewhere', () => {
  const conflict = (title: string) => () => ({
    status: 409,
    body: {
      success: false,
      error: { code: 'CONCURRENT_UPDATE', details: { currentRecord: { ...newer, title } } },
    },
  })

  it('is saved where it says what was typed, as when the answer to the first try was lost', async () => {
    answer = conflict('typed')
    expect(await writes.save('title', 'typed', row)).toEqual({ ...newer, title: 'typed' })
    expect(ask).not.toHaveBeenCalled()
  })

  it('is asked about where it says something else', async () => {
    answer = conflict('theirs')
    await expect(writes.save('title', 'typed', row)).rejects.toThrow()
    expect(ask).toHaveBeenCalledOnce()
  })
})

it('a step of many cells counts those that were written', async () => {
  answer = () => ({
    status: 200,
    body: {
      results: [
        { index: 0, success: true, id: 'r1', record: { ...newer, title: 'a', note: 'b' } },
        { index: 1, success: false, errors: [{ code: 'record_locked', message: 'No.', httpStatus: 423 }] },
      ],
    },
  })
  const other = { ...row, id: 'r2' }
  const edits = [row, other].flatMap((of, rowIndex) =>
    ['title', 'note'].map((field) => ({ rowIndex, row: of, field, value: 'new' })),
  )
  await writes.saveRange({ edits, records: [], onProgress: () => undefined })
  expect(renderHook(() => useUndoLabels()).result.current.undo).toBe('change of 2 cells')
})
