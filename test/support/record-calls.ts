// Records over REST, as tests of several machines write them.
import { expect } from 'vitest'
import type { TestHost } from './create-test-host.ts'

/** Makes a record and answers its id; fails the test when it is refused. */
export async function made(host: TestHost, object: string, data: object): Promise<string> {
  const { status, body } = await host.post(`/data/${object}`, data)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

/** Changes a record; fails the test when that is refused. */
export async function changed(host: TestHost, object: string, id: string, data: object): Promise<void> {
  const { status, body } = await host.patch(`/data/${object}/${id}`, data)
  expect(status, JSON.stringify(body)).toBe(200)
}
