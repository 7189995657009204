// Proves how versions are compared, which of them are offered, and how counts and refusals are said.
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../lib/api-error.ts'
import type { AvailablePackage } from './package-queries.ts'
import { countText, isNewer, newestOf, packageProblem, valueText } from './package-words.ts'

const archive = (packageId: string, version: string): AvailablePackage => ({
  packageId,
  version,
  name: packageId,
  artifactRef: `${packageId} ${version}`,
  origin: 'uploaded',
})
const refusal = (code: string, details: Record<string, unknown>): ApiError =>
  new ApiError({ code, message: 'No.', httpStatus: 409, category: 'request', retryable: false, details })

describe('versions', () => {
  it.each([
    ['1.10.0', '1.9.9', true],
    ['1.0.0', '1.0.0', false],
    ['1.0.0', '1.0.0-beta', true],
    ['1.0.0-beta', '1.0.0', false],
    ['1.0.0+build', '1.0.0', false],
  ])('%s after %s: %s', (version, than, newer) => expect(isNewer(version, than)).toBe(newer))

  it('of one package only the newest is offered, in the place of the first', () => {
    const list = [archive('a', '1.0.0'), archive('b', '2.0.0'), archive('a', '1.2.0'), archive('a', '1.1.0')]
    expect(newestOf(list).map(({ artifactRef }) => artifactRef)).toEqual(['a 1.2.0', 'b 2.0.0'])
  })
})

describe('words', () => {
  it('count what there is most of first by kind', () => {
    expect(countText({ translation: 2, email_template: 1, validation: 2, object: 3 })).toBe(
      '3 objects, 2 rules, 2 translations, 1 email template',
    )
  })

  it('name what stands in the way', () => {
    expect(packageProblem(refusal('dependency_conflict', { dependents: ['org.a'] }))).toContain('org.a')
    const conflicts = [{ requestedNamespace: 'crm', item: { type: 'object', name: 'crm_deal' } }]
    expect(packageProblem(refusal('namespace_conflict', { conflicts }))).toContain('crm_deal')
    expect(packageProblem(refusal('artifact_invalid', { reason: 'path_escapes' }))).toContain('path_escapes')
    expect(packageProblem(refusal('conflict', { reason: 'bundled_id' }))).toContain('comes with Cairn')
  })

  it('show texts as they are and other values as JSON', () => {
    expect([valueText('Room'), valueText(3), valueText(undefined)]).toEqual(['Room', '3', 'Nothing'])
  })
})
