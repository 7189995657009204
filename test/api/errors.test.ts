// Section 3 of the protocol: one body for every failure, and codes, document and contracts that agree (D-20 to D-25).
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ErrorBodySchema, commonErrors } from '#shared/contracts/common.ts'
import { allContracts } from '#shared/contracts/index.ts'
import { baseErrors } from '#shared/errors.ts'
import type { ErrorDefinition } from '#shared/errors.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

const decisions = fileURLToPath(new URL('../../shared/spec/decisions.md', import.meta.url))

/** The codes the specification itself names; D-23 lists the others. */
const codesOfTheSpecification = new Set([
  'validation_error',
  'invalid_query',
  'unauthenticated',
  'permission_denied',
  'resource_not_found',
  'conflict',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
])

/** Codes the design of sync gives (section 29 of the decisions refers to it). */
const codesOfSync = new Set([
  'sync_disabled',
  'sync_epoch_mismatch',
  'pairing_not_found',
  'pairing_expired',
  'pairing_code_invalid',
  'pairing_refused',
  'sync_conflict_not_found',
])

let host: TestHost
let known: Map<string, ErrorDefinition>

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', { title: { type: 'text', required: true }, rank: { type: 'number' } })
  const tables = [baseErrors, ...host.host.plugins.catalogue.errorTables().map(({ table }) => table)]
  known = new Map(tables.flatMap((table) => Object.entries(table)))
})

afterAll(() => host.stop())

describe('error body (D-20)', () => {
  it('has all seven members, and the status of the answer', async () => {
    const answers = [
      await host.get('/data/unknown'),
      await host.get('/data/task?nothing=1'),
      await host.post('/data/task', {}),
      await host.anonymous('GET', '/meta'),
      await host.put('/data/task/1', {}),
      await host.post('/data/task', 'x', { 'content-type': 'text/plain' }),
      await host.get('/meta', { origin: 'https://evil.example' }),
    ]
    for (const { status, body, headers } of answers) {
      expect(ErrorBodySchema.safeParse(body).error).toBeUndefined()
      expect(body.error.httpStatus).toBe(status)
      expect(body.error.requestId).toBe(headers.get('x-request-id'))
      const row = known.get(body.error.code)!
      expect(body.error).toMatchObject({
        httpStatus: row.httpStatus,
        category: row.category,
        retryable: row.retryable,
        message: row.message,
      })
      expect(body).not.toHaveProperty('data')
    }
  })

  it('reports all problems of a record, each with field, code and message (D-22)', async () => {
    const { body } = await host.post('/data/task', { rank: 'high', colour: 'red' })
    const problems = body.error.details.fieldErrors.map(
      (problem: { field: string; code: string }) => `${problem.field} ${problem.code}`,
    )
    expect(problems.toSorted()).toEqual(['colour unknown_field', 'rank invalid_number', 'title required'])
  })
})

describe('catalogue (D-21, D-23)', () => {
  it('gives each code a status that belongs to its category', () => {
    const statuses: Record<string, number[]> = {
      validation: [400, 413, 415],
      auth: [401, 403, 400],
      request: [404, 405, 409, 410, 416, 422, 423],
      rate_limit: [429],
      server: [500, 501, 502, 503, 504],
    }
    for (const [code, row] of known) expect(statuses[row.category], code).toContain(row.httpStatus)
  })

  it('knows every code a contract names', () => {
    const named = new Set([...commonErrors, ...allContracts.flatMap(({ errors }) => errors)])
    expect([...named].filter((code) => !known.has(code))).toEqual([])
  })

  it('agrees with the table of D-23 in status, category and retry, in both directions', ({ skip }) => {
    if (!existsSync(decisions)) skip('the document of the protocol decisions is not in this checkout')
    const documented = codesOf(readFileSync(decisions, 'utf8'))
    expect(documented.size).toBeGreaterThan(80)
    for (const [code, row] of known) {
      if (codesOfTheSpecification.has(code) || codesOfSync.has(code)) continue
      expect(documented.get(code), code).toEqual([row.httpStatus, row.category, row.retryable])
    }
  })
})

/** Reads every `code | HTTP | category | retry` group of the tables of D-23; tables stand two beside each other. */
function codesOf(document: string): Map<string, [number, string, boolean]> {
  const start = document.indexOf('- **D-23**')
  const codes = new Map<string, [number, string, boolean]>()
  for (const line of document.slice(start, document.indexOf('- **D-24**')).split('\n')) {
    const cells = line.split('|').map((cell) => cell.trim())
    for (let index = 0; index + 3 < cells.length; index += 1) {
      const [names, status, category, retry] = cells.slice(index, index + 4) as [string, string, string, string]
      if (!/^\d{3}$/.test(status) || !/^(yes|no)$/.test(retry)) continue
      for (const name of names.split(',')) {
        codes.set(name.replace(/\(.*\)/, '').trim(), [Number(status), category, retry === 'yes'])
      }
    }
  }
  return codes
}
