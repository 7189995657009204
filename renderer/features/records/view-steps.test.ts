// @vitest-environment happy-dom
// Taking a change of a view back takes back nothing that somebody else changed since.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { undoStep } from '../../lib/undo.ts'
import { rememberView } from './view-steps.ts'
import type { ViewBody } from './view-steps.ts'

const body = (label: string): ViewBody => ({ viewKind: 'list', label, scope: 'shared', isDefault: false, config: {} })
let now: ViewBody
const written: string[] = []

beforeEach(() => {
  written.length = 0
  // The edge of the machine: what the host answers.
  vi.stubGlobal('fetch', async (address: string, { method }: RequestInit) => {
    if (method !== 'GET') written.push(`${method} ${new URL(address).pathname.split('/').at(-1)}`)
    return Response.json({ views: [{ id: 'task.mine', object: 'task', ...now }], total: 1 })
  })
})
afterEach(() => vi.unstubAllGlobals())

it.each([
  ['after', body('before'), ['PATCH task.mine']],
  ['theirs', body('before'), []],
  ['after', null, ['DELETE task.mine']],
  ['theirs', null, []],
])('a view that is called %s by now', async (label, before, expected) => {
  now = body(label)
  const { id } = rememberView('step', { viewId: 'task.mine', object: 'task', before, after: body('after') })
  expect((await undoStep(id))?.left).toBe(
    label === 'after' ? undefined : 'theirs: 1 value left as it is, because it was changed since.',
  )
  expect(written).toEqual(expected)
})
