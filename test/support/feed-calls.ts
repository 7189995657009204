// Words of the feed protocol for tests: items, pages and changelogs of one record.
import { expect } from 'vitest'
import type { Answer } from './create-test-host.ts'

/** Whoever calls: the host itself, or one user of it. */
export interface FeedCaller {
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** An item or entry; tests reach into it freely. */
// oxlint-disable-next-line no-explicit-any -- tests reach into bodies freely; the OpenAPI check guards their shape
type Loose = any

/** Creates a record and answers its id. */
export async function newRecord(caller: FeedCaller, object: string, data: Record<string, unknown>): Promise<string> {
  const answer = await caller.post(`/data/${object}`, data)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.id as string
}

/** Adds an item and answers it. */
export async function addItem(caller: FeedCaller, record: string, body: Record<string, unknown>): Promise<Loose> {
  const answer = await caller.post(`/data/${record}/feed`, { type: 'comment', ...body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.data
}

/** The page of a feed, a search or a changelog. */
export async function pageOf(caller: FeedCaller, path: string): Promise<Loose> {
  const answer = await caller.get(`/data/${path}`)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.data
}

/** The code and the details of a refusal. */
export function refusal(answer: Answer): [number, string] {
  return [answer.status, answer.body.error.code]
}
