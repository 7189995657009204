import { expect, test } from 'vitest'
import { localOwnerId } from './context.ts'
import { absenceOf } from './identity.ts'

const nowhere = { organizationId: null }
const someone = '01980000-0000-7000-8000-000000000001'

test('on a host without accounts only the local owner is there, and by no key', () => {
  expect(absenceOf(undefined, localOwnerId, nowhere)).toBeUndefined()
  expect(absenceOf(undefined, someone, nowhere)).toBe('user_gone')
  expect(absenceOf(undefined, localOwnerId, { ...nowhere, keyId: 'key' })).toBe('key_gone')
})

test('accounts are asked where there are any', () => {
  const accounts = { absence: (userId: string) => (userId === someone ? undefined : ('not_member' as const)) }
  expect(absenceOf(accounts, someone, nowhere)).toBeUndefined()
  expect(absenceOf(accounts, localOwnerId, nowhere)).toBe('not_member')
})
