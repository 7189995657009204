// What the tests of metadata items share: one host per file, a new object name per test, and short ways to save an item
// and to judge a refusal.
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { createTestHost } from './create-test-host.ts'
import type { Answer, TestHost } from './create-test-host.ts'

/** The host of the file. */
export let host: TestHost

/** A new object name, so that tests do not meet. */
export let name: string

let count = 0

/** Starts the host before the first test, stops it after the last, and renews {@link name} for each. */
export function useMetadataHost(): void {
  beforeAll(async () => {
    host = await createTestHost()
  })
  beforeEach(() => {
    name = `thing${(count += 1)}`
  })
  afterAll(() => host.stop())
}

/** An object of that name with one field. */
export const item = (more: Record<string, unknown> = {}) => ({
  name,
  label: 'Thing',
  fields: { title: { type: 'text' } },
  ...more,
})

/** Saves the object of that name. */
export const put = (body: unknown, headers: Record<string, string> = {}, query = '') =>
  host.put(`/meta/object/${name}${query}`, body, headers)

/** Expects a refusal with this status and code, and with these details among others. */
export function expectError(answer: Answer, status: number, code: string, details: Record<string, unknown> = {}): void {
  expect({ status: answer.status, code: answer.body?.error?.code }).toEqual({ status, code })
  expect(answer.body.error.details).toMatchObject(details)
}
