// What one machine may send of live texts: so much in a second, and nothing for a while after too much that is not usable.
import { expect, it } from 'vitest'
import { createPeerLimits } from './peer-limits.ts'

it('leave out what is above a second of frames or bytes, of this machine alone', () => {
  let now = 0
  const limits = createPeerLimits(() => now)
  for (let at = 0; at < 1_000; at += 1) expect(limits.allows('desk', 10)).toBe(true)
  expect(limits.allows('desk', 10)).toBe(false)
  expect(limits.allows('laptop', 5 * 1024 * 1024)).toBe(false)
  expect(limits.allows('phone', 10)).toBe(true)
  now = 1_000
  expect(limits.allows('desk', 10)).toBe(true)
  expect(limits.allows('laptop', 10)).toBe(true)
})

it('do not hear a machine for the rest of a minute in which it sent twenty that are not usable', () => {
  let now = 0
  const limits = createPeerLimits(() => now)
  for (let count = 1; count <= 20; count += 1) {
    expect(limits.allows('desk', 1)).toBe(true)
    expect(limits.bad('desk')).toBe(count)
  }
  expect(limits.allows('desk', 1)).toBe(false)
  now = 60_000
  expect(limits.allows('desk', 1)).toBe(true)
})
