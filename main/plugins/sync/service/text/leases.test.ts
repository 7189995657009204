// Client ids of a room: each is one window's, also of a window that comes back after the room was begun anew.
import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createLeases } from './leases.ts'

const random = (bytes: number): string => randomBytes(bytes).toString('base64url')

it('are given again to their holder alone', () => {
  const leases = createLeases(random, [7])
  const id = leases.lease('one', undefined)
  expect(leases.lease('one', id)).toBe(id)
  expect(leases.lease('two', id)).not.toBe(id)
  expect([leases.isLeased(id), leases.isLeased(7), leases.isLeased(8)]).toEqual([true, true, false])
})

it('of a window that comes back may be written elsewhere until it has brought what it has', () => {
  const leases = createLeases(random, [7])
  leases.resume('one', 41)
  expect(leases.lease('one', 41)).toBe(41)
  expect([leases.isReturning(41), leases.isLeased(41)]).toEqual([true, false])
  leases.settle(41)
  expect([leases.isReturning(41), leases.isLeased(41)]).toEqual([false, true])
  // With another credential, by what it was given: it is there already and brings nothing.
  leases.resume('one again', 41)
  expect(leases.lease('one again', 41)).toBe(41)
  expect(leases.isLeased(41)).toBe(true)
  leases.resume('one', 7)
  expect(leases.lease('one', 7)).not.toBe(7)
})
