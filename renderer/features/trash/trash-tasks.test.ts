// @vitest-environment happy-dom
// What the host refuses is not told as undone.
import { afterEach, expect, it, vi } from 'vitest'
import { undoLast } from '../../lib/undo.ts'
import { restoreTrashed } from './trash-tasks.ts'

afterEach(() => vi.unstubAllGlobals())

it('a restore that cannot be taken back says why', async () => {
  // The edge of the machine: what the host answers.
  vi.stubGlobal('fetch', async (_address: string, { method }: RequestInit) =>
    method === 'DELETE'
      ? Response.json({ success: false, error: { code: 'permission_denied', message: 'No.' } }, { status: 403 })
      : Response.json({ object: 'task', id: 'r1', record: { id: 'r1' } }),
  )
  await restoreTrashed([{ object: 'task', id: 'r1' }])
  expect((await undoLast())?.left).toBeTruthy()
})
