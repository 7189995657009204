// What is asked of the store around a handover.
import { expect, it, vi } from 'vitest'
import { watchNext } from './head-watch.ts'
import type { Head } from './store/hub-store.ts'

const head: Head = { epoch: 1, seq: 1, node: 'a', address: 'http://a', leaseLeftMs: 1_000, heir: 'b' }

it('asks who leads next until somebody does, also past a store that was away, and no longer than the handover takes', async () => {
  let now = head
  let asked = 0
  const store = {
    head: async () => {
      asked += 1
      if (asked === 3) throw new Error('the store does not answer')
      return now
    },
  }
  const taken = watchNext({ store, node: 'a' }, 'http://a')
  const takenBack = watchNext({ store, node: 'a' }, 'http://a')
  await vi.waitFor(() => expect(asked).toBeGreaterThan(6))
  takenBack.end()
  now = { ...head, epoch: 2, node: 'b', address: 'http://b' }
  await vi.waitFor(() => expect(taken.address()).toBe('http://b'))
  const before = asked
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(asked).toBe(before)
  expect(takenBack.address()).toBeNull()
})
