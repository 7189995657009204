// What the seeded workspace holds of activity: people who write on one book, and what the owner is told of it.
import type { ConsoleBench } from './open-console.ts'
import { password } from './seed-access.ts'

/** A call in the name of somebody. */
export type PersonCall = <T = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<T>

/** The owner of the computer. @source D-29 */
export const ownerId = '00000000-0000-7000-8000-000000000001'

/** Signs somebody in who has {@link password}, and answers how to call in their name. */
export async function actAs(bench: ConsoleBench, username: string): Promise<PersonCall> {
  const { token } = await bench.api<{ token: string }>('POST', '/auth/login', { username, password })
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${bench.host.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const parsed: unknown = await answer.json()
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(parsed)}`)
    return parsed as T
  }
}

/** Lets somebody read and edit books. */
export async function letEditBooks(bench: ConsoleBench, userId: string): Promise<void> {
  const objects = { book: { allowRead: true, allowEdit: true, allowCreate: true, allowDelete: true } }
  await bench.api('PUT', '/meta/permission/book_writers', {
    type: 'permission',
    name: 'book_writers',
    item: { name: 'book_writers', label: 'Book writers', objects },
  })
  await bench.api('PUT', `/permissions/assignments/${userId}`, {
    profile: 'standard',
    roles: [],
    permissionSets: ['book_writers'],
  })
}

/** Id of the book with a title. */
export async function bookCalled(bench: ConsoleBench, title: string): Promise<string> {
  const filter = encodeURIComponent(JSON.stringify({ title }))
  const { records } = await bench.api<{ records: { id: string }[] }>('GET', `/data/book?filter=${filter}`)
  return records[0]!.id
}

/** Writes on the first book and changes it; the owner is named. Answers the id of the book. */
export async function seedActivity(bench: ConsoleBench): Promise<string> {
  const grace = await actAs(bench, 'grace')
  const { users } = await bench.api<{ users: { id: string; username?: string }[] }>('GET', '/auth/admin/list-users')
  const graceId = users.find(({ username }) => username === 'grace')!.id
  await letEditBooks(bench, graceId)
  const id = await bookCalled(bench, 'Book 1')
  const feed = `/data/book/${id}/feed`
  const add = async (call: PersonCall, body: Record<string, unknown>): Promise<string> =>
    (await call<{ data: { id: string } }>('POST', feed, body)).data.id
  const first = await add(grace, {
    type: 'comment',
    body: `@[owner](user:${ownerId}) could you **check** the *pages*?\n\n- one\n- two\n\n> quoted, with \`code\` and [a link](https://example.org)`,
  })
  await add(bench.api, { type: 'comment', body: 'They are right, I counted.', parentId: first })
  await bench.api('POST', `${feed}/${first}/reactions`, { emoji: '👍' })
  await grace('POST', `${feed}/${first}/reactions`, { emoji: ':party:' })
  const note = await add(bench.api, { type: 'note', body: 'Lent to Ada until **May**.', visibility: 'internal' })
  await bench.api('POST', `${feed}/${note}/pin`)
  await bench.api('POST', `${feed}/${note}/star`)
  await add(bench.api, { type: 'task', body: 'Ask for it back', data: { dueDate: '2026-05-02', done: false } })
  await grace('PATCH', `/data/book/${id}`, { pages: 321, genre: 'science', notes: 'A first remark.' })
  // In the end as it was: other screens count on its values.
  await bench.api('PATCH', `/data/book/${id}`, { pages: 40, genre: 'novel', read: true })
  return id
}
