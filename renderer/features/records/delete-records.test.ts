// @vitest-environment happy-dom
// All that is ticked is deleted, and what was deleted can be taken back whatever came after it.
import { renderHook } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { useUndoLabels } from '../../lib/undo.ts'
import { deleteRecords } from './delete-records.ts'

afterEach(() => vi.unstubAllGlobals())

it.each([
  [3, 'deletion of 1,200 records'],
  [1, 'deletion of 500 records'],
])('more records than one request takes, of which %i are answered', async (answers, step) => {
  let asked = 0
  // The edge of the machine: what the host answers.
  vi.stubGlobal('fetch', async (_address: string, { body }: RequestInit) => {
    const { ids } = JSON.parse(String(body)) as { ids: string[] }
    if (ids.length > 1_000 || ++asked > answers) {
      return Response.json({ success: false, error: { code: 'validation_error', message: 'No.' } }, { status: 400 })
    }
    return Response.json({ results: ids.map((id, index) => ({ index, id, success: true })) })
  })
  expect(
    await deleteRecords(
      'task',
      Array.from({ length: 1_200 }, (_, at) => `r${at}`),
    ),
  ).toBe(true)
  expect(renderHook(() => useUndoLabels()).result.current.undo).toBe(step)
})
