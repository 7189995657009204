// Foreign tools at the GraphQL door: the audits of GraphQL over HTTP, and a client that knows nothing of Cairn (D-181).
import { Client, fetchExchange, gql } from '@urql/core'
import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'

let host: TestHost
const url = (): string => `${host.host.url}/api/v1/graphql`
const headers = () => ({ authorization: `Bearer ${host.host.token}`, 'x-requested-with': 'audit' })

beforeAll(async () => {
  host = await createTestHost()
  await host.patch('/settings', { rateLimits: { heavy: null, read: null, write: null } })
  await host.defineObject('project', { name: { type: 'text' } })
  await host.defineObject('task', {
    name: { type: 'text' },
    project: { type: 'lookup', reference: 'project' },
  })
}, 60_000)
afterAll(async () => host?.stop())

describe('the audits of graphql-http', () => {
  const fetchFn = async (address: string, init: RequestInit = {}): Promise<Response> =>
    fetch(address, { ...init, headers: { ...headers(), ...(init.headers as Record<string, string>) } })
  const audits = serverAudits({ url, fetchFn }).filter(({ name }) => !name.startsWith('MAY '))

  it('are those that must and those that should hold', () => {
    expect(audits.length).toBeGreaterThan(30)
  })

  it.each(audits.map((audit) => [audit.name, audit] as const))('%s', async (_name, audit) => {
    expect(await audit.fn()).toMatchObject({ status: 'ok' })
  })
})

describe('a client', () => {
  it('writes, reads with relations, and is told what is wrong', async () => {
    const client = new Client({
      url: url(),
      exchanges: [fetchExchange],
      fetchOptions: () => ({ headers: headers() }),
      preferGetMethod: false,
    })
    const project = (await host.post('/data/project', { name: 'P' })).body.id
    const made = await client
      .mutation(
        gql`
          mutation ($data: TaskCreate!) {
            createTask(data: $data) {
              id
              name
            }
          }
        `,
        {
          data: { name: 'T', projectId: project },
        },
      )
      .toPromise()
    expect(made.error).toBeUndefined()
    expect(made.data.createTask).toMatchObject({ name: 'T' })
    const read = await client
      .query(
        gql`
          query ($top: Int) {
            taskList(top: $top) {
              records {
                __typename
                name
                project {
                  name
                }
              }
            }
          }
        `,
        { top: 5 },
      )
      .toPromise()
    expect(read.data).toEqual({ taskList: { records: [{ __typename: 'Task', name: 'T', project: { name: 'P' } }] } })
    const wrong = await client
      .query(
        gql`
          {
            taskList {
              records {
                nothing
              }
            }
          }
        `,
        {},
      )
      .toPromise()
    expect(wrong.error?.graphQLErrors[0]?.extensions).toMatchObject({ code: 'invalid_query' })
  })
})
