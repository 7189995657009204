// @vitest-environment happy-dom
// A text waits for whoever types it to sign in again.
import { afterEach, expect, it, vi } from 'vitest'
import { takeText } from './live-documents.ts'

afterEach(() => vi.unstubAllGlobals())

it.each([
  ['session_expired', 401, 'connecting'],
  ['permission_denied', 403, 'ended'],
])('a text that is refused with %s', async (code, status, phase) => {
  const refused = vi.fn(async () => Response.json({ success: false, error: { code, message: 'No.' } }, { status }))
  // The edge of the machine: what the host answers.
  vi.stubGlobal('fetch', refused)
  const lease = takeText({ object: 'task', recordId: 'r1', field: code })
  await vi.waitFor(() => expect(refused).toHaveBeenCalled())
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(lease.live.state.phase).toBe(phase)
  lease.release()
})
