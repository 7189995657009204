import { describe, expect, it } from 'vitest'
import { ApiError } from '../../lib/api-error.ts'
import {
  receiverDraftOf,
  receiverInputOf,
  receiverPatchOf,
  receiverProblems,
  withVerification,
} from './receiver-draft.ts'
import { draftOf, draftProblems, inputOf, patchOf, refusalProblems } from './webhook-draft.ts'
import { answerText, retryText, sendText } from './webhook-words.ts'

const refusal = (code: string): ApiError =>
  new ApiError({ code, message: code, httpStatus: 400, category: 'validation', retryable: false })

describe('a webhook as it is typed', () => {
  const draft = { ...draftOf(), name: 'orders', object: 'order', url: ' https://example.org/in ' }

  it('becomes what the host takes, without what was left empty', () => {
    expect(inputOf(draft)).toEqual({
      name: 'orders',
      object: 'order',
      triggers: ['create', 'update', 'delete'],
      url: 'https://example.org/in',
      method: 'POST',
      headers: {},
      payloadFields: [],
      includeSession: false,
      authentication: { type: 'none' },
      timeoutMs: 30_000,
      isActive: true,
      tags: [],
      retryPolicy: undefined,
    })
  })

  it('takes away by null what was cleared, and keeps the secret that was not typed anew', () => {
    const patch = patchOf({
      ...draft,
      object: '',
      tags: 'a, ,b',
      headers: [
        ['X-A', '1'],
        ['', 'x'],
      ],
    })
    expect(patch).toMatchObject({ label: null, object: null, body: null, retryPolicy: null, triggers: [] })
    expect(patch).toMatchObject({ tags: ['a', 'b'], headers: { 'X-A': '1' } })
    expect(patch).not.toHaveProperty('secret')
  })

  it('sends the credentials of the chosen way only', () => {
    const keyed = { ...draft, authentication: 'api-key' as const, credentials: { key: 'k', token: 'old' } }
    expect(inputOf(keyed).authentication).toEqual({ type: 'api-key', credentials: { header: 'X-API-Key', key: 'k' } })
  })

  it('says what is wrong before it is sent', () => {
    const wrong = { ...draftOf(), body: '{a', timeoutMs: 'soon', ownRetries: true }
    const retries = { ...wrong.retries, maxRetries: '' }
    expect(draftProblems({ ...wrong, retries }).map(({ field }) => field)).toEqual([
      'name',
      'url',
      'body',
      'timeoutMs',
      'retryPolicy.maxRetries',
    ])
  })

  it('puts refusals about one field beside it', () => {
    expect(refusalProblems(refusal('webhook_already_exists'))[0]?.field).toBe('name')
    expect(refusalProblems(refusal('webhook_target_forbidden'))[0]?.field).toBe('url')
    expect(refusalProblems(refusal('timeout'))).toEqual([])
  })
})

describe('a receiver as it is typed', () => {
  it('has the parameters of its way to make sure who calls, and no others', () => {
    const listed = withVerification({ ...receiverDraftOf(), path: 'in', target: 'order' }, 'ip_whitelist')
    const input = receiverInputOf({ ...listed, name: 'in', params: { ips: '192.0.2.1\n 198.51.100.0/24' } })
    expect(input).toMatchObject({ verificationParams: { ips: ['192.0.2.1', '198.51.100.0/24'] } })
    expect(receiverInputOf(withVerification(listed, 'hmac')).verificationParams).toMatchObject({
      scheme: 'standard',
      toleranceSeconds: 300,
    })
  })

  it('forgets the fields of a record when it no longer stores one', () => {
    const mapped = { ...receiverDraftOf(), mapping: [['title', 'body.t']] as const, externalIdField: 'title' }
    expect(receiverPatchOf(mapped)).toMatchObject({ mapping: { title: 'body.t' }, externalIdField: 'title' })
    expect(receiverPatchOf({ ...mapped, action: 'script' })).toMatchObject({ mapping: null, externalIdField: null })
  })

  it('needs a name, a path and something to do', () => {
    expect(receiverProblems(receiverDraftOf()).map(({ field }) => field)).toEqual(['name', 'path', 'target'])
  })
})

describe('words about webhooks', () => {
  it('say when one is sent, how often it is tried, and what came back', () => {
    expect(sendText({ object: 'order', triggers: ['create', 'api'] })).toBe(
      'order: a record is created, a flow or the API asks for it',
    )
    expect(sendText({ triggers: ['api'] })).toBe('Only by hand or by a flow')
    const retryPolicy = { maxRetries: 1, backoffStrategy: 'fixed' as const, initialDelayMs: 100, maxDelayMs: 1_000 }
    expect([retryText({}), retryText({ retryPolicy })]).toEqual([
      'For about a day, ever more seldom',
      '1 time, not at all',
    ])
    expect(answerText({ responseStatus: 503, durationMs: 12.4 })).toBe('Answer 503 after 12 ms')
    expect(answerText({ durationMs: 7, error: 'ECONNREFUSED' })).toBe('No answer after 7 ms: ECONNREFUSED')
  })
})
