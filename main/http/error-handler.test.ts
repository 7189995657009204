import { describe, expect, it } from 'vitest'
import { PlatformError, baseErrors, platformError } from '#shared/errors.ts'
import { errorBody, retryAfterOf, translateError } from './error-handler.ts'

const coded = (code: string): Error => Object.assign(new Error('inner text'), { code })

describe('translateError', () => {
  it('leaves a platform error as it is', () => {
    const error = platformError('gone')
    expect(translateError(error)).toBe(error)
  })

  it('maps failures of the engine as D-24 says', () => {
    const expected = {
      SQLITE_CONSTRAINT_UNIQUE: 'conflict',
      SQLITE_CONSTRAINT_PRIMARYKEY: 'conflict',
      SQLITE_BUSY: 'service_unavailable',
      SQLITE_BUSY_SNAPSHOT: 'service_unavailable',
      SQLITE_FULL: 'service_unavailable',
      SQLITE_READONLY: 'service_unavailable',
      SQLITE_IOERR_WRITE: 'service_unavailable',
      SQLITE_ERROR: 'internal_error',
      ENOSPC: 'service_unavailable',
      FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
      FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
      FST_ERR_BAD_URL: 'validation_error',
      FST_ERR_SOMETHING_NEW: 'internal_error',
    }
    for (const [code, platform] of Object.entries(expected))
      expect(translateError(coded(code)).code, code).toBe(platform)
  })

  it('makes internal_error of everything else and keeps the cause out of the body', () => {
    for (const thrown of [new Error('inner text'), 'inner text', undefined, null, { code: 7 }]) {
      const error = translateError(thrown)
      expect(error).toBeInstanceOf(PlatformError)
      expect(error.code).toBe('internal_error')
      expect(JSON.stringify(errorBody(error, 'r'))).not.toContain('inner text')
    }
  })
})

describe('retryAfterOf', () => {
  it('is whole seconds, at least one, for 503 and 429 only', () => {
    expect(retryAfterOf(platformError('service_unavailable'))).toBe(1)
    expect(retryAfterOf(platformError('rate_limit_exceeded', { retryAfterSeconds: 2.1 }))).toBe(3)
    expect(retryAfterOf(platformError('conflict'))).toBeNull()
  })

  it('is null for an error that no repetition mends', () => {
    const lasting = { ...baseErrors.service_unavailable, retryable: false }
    expect(retryAfterOf(new PlatformError('service_unavailable', lasting, { reason: 'file_elsewhere' }))).toBeNull()
  })
})
