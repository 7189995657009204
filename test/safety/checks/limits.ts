// Limits hold exactly: what is at a limit passes, one more is refused, and neither breaks the server (N7), and files that become more than
// fits are refused before they are read (N7f).
import type { Guards } from '#main/http/guard.ts'
import { readSheet } from 'read-excel-file/node'
import { createApiCall } from '../../support/api-call.ts'
import { hostileFiles } from '../../support/hostile-files.ts'
import { codeOf, withHost } from '../host-under-test.ts'
import type { HostUnderTest, RawAnswer, RawRequest } from '../host-under-test.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

/** One limit: how a request of a given size looks, and how one shows that it was let through. */
interface Limit {
  readonly name: string
  readonly limit: number
  request(size: number, subject: HostUnderTest): RawRequest
  passed(answer: RawAnswer): boolean
}

const succeeded = (answer: RawAnswer): boolean => answer.status >= 200 && answer.status < 300
/** Restoring a live record is a conflict, so this code says that the body was read and understood. */
const reachedHandler = (answer: RawAnswer): boolean => codeOf(answer) === 'conflict'

function owned(subject: HostUnderTest, method: string, path: string, body?: string): RawRequest {
  const headers = ['Host', subject.authority, 'Authorization', `Bearer ${subject.host.token}`]
  return body === undefined
    ? { method, path, headers }
    : { method, path, headers: [...headers, 'Content-Type', 'application/json'], body }
}

function restoring(subject: HostUnderTest, body: string): RawRequest {
  return owned(subject, 'POST', `/api/v1/data/task/${subject.liveId}/restore`, body)
}

function nestedFilter(levels: number): unknown {
  let filter: unknown = { title: 'x' }
  for (let level = 1; level < levels; level += 1) filter = { $and: [filter] }
  return filter
}

const listPath = (parameter: string, value: string): string =>
  `/api/v1/data/task?${parameter}=${encodeURIComponent(value)}`

const limits: readonly Limit[] = [
  {
    name: 'JSON body bytes',
    limit: 10_485_760,
    request: (size, subject) => owned(subject, 'POST', '/api/v1/data/task/query', '{}'.padEnd(size)),
    passed: succeeded,
  },
  {
    name: 'sign-in body bytes',
    limit: 65_536,
    request: (size, subject) => ({
      method: 'POST',
      path: '/_console/session',
      headers: ['Host', subject.authority, 'Origin', subject.host.url, 'Content-Type', 'application/json'],
      body: '{"code":"x"}'.padEnd(size),
    }),
    passed: (answer) => codeOf(answer) === 'invalid_credentials',
  },
  {
    name: 'settings body bytes',
    limit: 262_144,
    request: (size, subject) => owned(subject, 'PATCH', '/api/v1/settings', '{}'.padEnd(size)),
    passed: succeeded,
  },
  {
    name: 'JSON depth',
    limit: 64,
    request: (size, subject) => restoring(subject, `{"x":${'['.repeat(size - 1)}${']'.repeat(size - 1)}}`),
    passed: reachedHandler,
  },
  {
    name: 'keys of an object',
    limit: 10_000,
    request: (size, subject) =>
      restoring(
        subject,
        JSON.stringify(Object.fromEntries(Array.from({ length: size }, (_, index) => [`k${index}`, 0]))),
      ),
    passed: reachedHandler,
  },
  {
    name: 'values of a body',
    limit: 1_000_000,
    request: (size, subject) => restoring(subject, `{"x":[${'0,'.repeat(size - 2)}0]}`),
    passed: reachedHandler,
  },
  {
    name: 'URL bytes',
    limit: 16_384,
    request: (size, subject) => owned(subject, 'GET', '/api/v1/meta?x='.padEnd(size, 'a')),
    passed: succeeded,
  },
  {
    name: 'batch records',
    limit: 1_000,
    request: (size, subject) =>
      owned(
        subject,
        'POST',
        '/api/v1/data/task/createMany',
        JSON.stringify({ records: Array.from({ length: size }, () => ({ title: 'x' })) }),
      ),
    passed: succeeded,
  },
  {
    name: 'top',
    limit: 1_000,
    request: (size, subject) => owned(subject, 'GET', `/api/v1/data/task?top=${size}`),
    passed: succeeded,
  },
  {
    name: 'filter conditions',
    limit: 100,
    request: (size, subject) =>
      owned(
        subject,
        'GET',
        listPath('filter', JSON.stringify({ $or: Array.from({ length: size }, () => ({ rank: 1 })) })),
      ),
    passed: succeeded,
  },
  {
    name: 'filter depth',
    limit: 16,
    request: (size, subject) => owned(subject, 'GET', listPath('filter', JSON.stringify(nestedFilter(size)))),
    passed: succeeded,
  },
  {
    name: 'expand paths',
    limit: 10,
    request: (size, subject) =>
      owned(
        subject,
        'GET',
        `/api/v1/data/knot?expand=${Array.from({ length: size }, (_, index) => `link_${index}`).join()}`,
      ),
    passed: succeeded,
  },
  {
    name: 'expand depth',
    limit: 3,
    request: (size, subject) =>
      owned(subject, 'GET', `/api/v1/data/knot?expand=${Array.from({ length: size }, () => 'link_0').join('.')}`),
    passed: succeeded,
  },
]

/** Requests at limit-1 and limit that were refused, at limit+1 that passed, and anything that broke the server. */
async function countWrongVerdicts(context: CheckContext, guards: Partial<Guards>): Promise<number> {
  return withHost({ guards }, async (subject) => {
    const links = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`link_${index}`, { type: 'lookup', reference: 'knot' }]),
    )
    const call = createApiCall(subject.host.url, subject.host.token)
    const item = { name: 'knot', fields: { title: { type: 'text' }, ...links } }
    const { status } = await call('PUT', '/api/v1/meta/object/knot', { type: 'object', name: 'knot', item })
    if (status !== 200) throw new Error('the object with relations could not be made')
    let wrong = 0
    let cases = 0
    for (const limit of limits) {
      for (const size of [limit.limit - 1, limit.limit, limit.limit + 1]) {
        const answer = await subject.send(limit.request(size, subject))
        const shouldPass = size <= limit.limit
        const refusedWell = answer.status >= 400 && answer.status < 500
        cases += 1
        if (shouldPass ? limit.passed(answer) : refusedWell && !limit.passed(answer)) continue
        wrong += 1
        context.log(`${limit.name} at ${size}: ${answer.status} ${answer.text.slice(0, 200)}`)
      }
    }
    const tooManyHeaders = await subject.send({
      ...owned(subject, 'GET', '/healthz'),
      headers: ['Host', subject.authority, 'X', 'a'.repeat(40_000)],
    })
    if (tooManyHeaders.status !== 400) wrong += 1
    context.log(`${cases + 1} cases of ${limits.length + 1} limits`)
    return wrong
  })
}

defineCheck({
  id: 'N7',
  file: 'limits',
  unit: 'wrong verdicts at limits',
  target: 0,
  run: (context) => countWrongVerdicts(context, {}),
  twin: (context) =>
    countWrongVerdicts(context, {
      parseBody: (bytes) => (bytes.length === 0 ? undefined : (JSON.parse(bytes.toString()) as unknown)),
    }),
})

const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

defineCheck({
  id: 'N7f',
  file: 'limits',
  unit: 'files that become more than fits and are not refused with 400',
  target: 0,
  async run(context) {
    return withHost({}, async (subject) => {
      // All of them are tests of the API as well.
      const files = hostileFiles().filter((_, at) => context.size !== 'commit' || at % 3 === 0)
      let taken = 0
      for (const { name, type = sheetType, file } of files) {
        const answer = await subject.send({
          method: 'POST',
          path: '/api/v1/data/task/import/jobs',
          headers: ['Host', subject.authority, 'Authorization', `Bearer ${subject.host.token}`, 'Content-Type', type],
          body: file(),
        })
        if (answer.status === 400) continue
        taken += 1
        context.log(`${name}: ${answer.status} ${answer.text.slice(0, 200)}`)
      }
      if (!(await fetch(`${subject.host.url}/healthz`)).ok) taken += 1
      context.log(`${files.length} files, ${taken} taken`)
      return taken
    })
  },
  // Those of them that cost little: what the library makes of the others takes gigabytes.
  async twin() {
    const cheap = /escaped|3,000 sheets|hold each other/
    let taken = 0
    for (const { name, file } of hostileFiles()) {
      if (!cheap.test(name)) continue
      try {
        await readSheet(Buffer.from(file() as Uint8Array))
        taken += 1
      } catch {
        // The library refuses this one by itself.
      }
    }
    return taken
  },
})
