// @vitest-environment happy-dom
// What the host refuses is not told as undone.
import { act, cleanup, renderHook, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useConfirmation } from '../../lib/confirm.ts'
import { redoLast, undoStep } from '../../lib/undo.ts'
import { rememberAdded, rememberDeleted } from './record-steps.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

it.each([
  ['delete_restricted', true],
  ['resource_not_found', false],
])('a record that cannot be deleted again, %s', async (code, refuses) => {
  // The edge of the machine: what the host answers.
  vi.stubGlobal('fetch', async () =>
    Response.json({ results: [{ index: 0, success: false, errors: [{ code, message: 'No.', httpStatus: 409 }] }] }),
  )
  const { id } = rememberAdded('added', { object: 'task', ids: ['r1'] })
  const undone = undoStep(id).then(
    () => false,
    () => true,
  )
  expect(await undone).toBe(refuses)
})

it('a deleted record that somebody brought back already is there', async () => {
  const error = { code: 'conflict', message: 'No.', details: { reason: 'not_deleted' } }
  vi.stubGlobal('fetch', async () => Response.json({ success: false, error }, { status: 409 }))
  const { id } = rememberDeleted('deleted', { object: 'task', ids: ['r1'] })
  expect(await undoStep(id)).toMatchObject({ left: undefined })
})

describe('records that were added', () => {
  let now: Record<string, string>
  let deleted: string[]

  beforeEach(() => {
    now = { r1: '2026-01-01T00:00:00.001Z', r2: '2026-01-01T00:00:00.001Z' }
    deleted = []
    // The edge of the machine: what the host answers.
    vi.stubGlobal('fetch', async (address: string, { body }: RequestInit) => {
      const [, restored] = /([^/]+)\/restore$/.exec(address) ?? []
      if (restored !== undefined) {
        now[restored] = '2026-01-01T00:00:00.005Z'
        return Response.json({ object: 'task', id: restored, record: { id: restored, updated_at: now[restored] } })
      }
      const { ids = [], records } = JSON.parse(String(body)) as {
        ids?: string[]
        records?: { id: string; expectedVersion?: string }[]
      }
      const asked = records ?? ids.map((id) => ({ id, expectedVersion: undefined }))
      const results = asked.map(({ id, expectedVersion }, index) => {
        const isChanged = expectedVersion !== undefined && expectedVersion !== now[id]
        if (!isChanged) deleted.push(id)
        const errors = [{ code: 'CONCURRENT_UPDATE', message: 'No.', httpStatus: 409 }]
        return { index, id, success: !isChanged, ...(isChanged ? { errors } : {}) }
      })
      return Response.json({ results })
    })
  })
  const add = () => rememberAdded('added', { object: 'task', ids: ['r1', 'r2'], versions: { ...now } })

  it.each([
    [false, ['r2'], '1 record deleted: 1 value left as it is, because it was changed since.'],
    [true, ['r2', 'r1'], undefined],
  ])('and changed by others since are deleted only when that is wanted: %s', async (isWanted, gone, left) => {
    const { id } = add()
    now['r1'] = '2026-01-01T00:00:00.002Z'
    const asked = renderHook(() => useConfirmation()).result
    const undone = undoStep(id)
    await waitFor(() => expect(asked.current).toBeDefined())
    act(() => asked.current?.answer(isWanted))
    expect((await undone)?.left).toBe(left)
    expect(deleted).toEqual(gone)
  })

  it('and taken back and added again are taken back without a question', async () => {
    const { id } = add()
    await undoStep(id)
    await redoLast()
    await undoStep(id)
    expect(deleted).toEqual(['r1', 'r2', 'r1', 'r2'])
  })
})
