import { describe, expect, it } from 'vitest'
import { baseErrors } from '#shared/errors.ts'
import { ApiError } from './api-error.ts'
import { problemText } from './problem-text.ts'

const failure = (code: string, details: Record<string, unknown> = {}): ApiError =>
  new ApiError({
    code,
    message: `Message of ${code}.`,
    httpStatus: 400,
    category: 'request',
    retryable: false,
    details,
  })

describe('sentences for failures', () => {
  it('exist for every code a data request may meet', () => {
    const unspoken = Object.keys(baseErrors).filter((code) => problemText(failure(code)).includes(`(${code})`))
    // Four that no request of the screens can meet.
    expect(unspoken).toEqual(['method_not_allowed', 'invalid_state_transition', 'gone', 'unsupported_media_type'])
  })

  it('say of a full disk what was kept and what to do', () => {
    const text = problemText(failure('service_unavailable', { reason: 'disk_full' }))
    expect(text).toMatch(/full.*not stored.*kept.*free space/s)
    expect(problemText(failure('service_unavailable'))).not.toBe(text)
  })

  it('name the field of the first problem', () => {
    const details = { fieldErrors: [{ field: 'pages', code: 'invalid_number', message: 'x' }] }
    expect(problemText(failure('validation_error', details))).toBe('pages: This is not a number.')
  })

  it('pass on a message nobody foresaw, with its code', () => {
    expect(problemText(failure('brand_new'))).toBe('It did not work (brand_new): Message of brand_new.')
  })
})
