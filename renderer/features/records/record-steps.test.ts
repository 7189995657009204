// @vitest-environment happy-dom
// What the host refuses is not told as undone.
import { afterEach, expect, it, vi } from 'vitest'
import { undoStep } from '../../lib/undo.ts'
import { rememberAdded, rememberDeleted } from './record-steps.ts'

afterEach(() => vi.unstubAllGlobals())

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
