// The headers every answer carries, those of CORS, and the content security policies. Constants only.
import { requestHeaders, responseHeaders } from '#shared/route-headers.ts'

/** Policy of API answers: nothing may load, nothing may frame them. */
export const apiPolicy = "default-src 'none'; frame-ancestors 'none'"

/**
 * Headers of every answer, errors included; a handler may replace `cache-control`, `vary` and the policy.
 * @source D-15
 */
export const baseHeaders: Readonly<Record<string, string>> = Object.freeze({
  'x-api-version': 'v1',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'content-security-policy': apiPolicy,
  'cache-control': 'no-store',
  // Sentences of errors and labels follow the language asked for (D-15).
  vary: 'Origin, Accept-Language',
})

/** Content type of every JSON answer. */
export const jsonType = 'application/json; charset=utf-8'

/** Answer headers that a page of an allowed foreign origin may read: browsers show a page no cookie, whatever is said here. */
export const exposedHeaders = [
  ...Object.keys(responseHeaders).filter((name) => name !== 'Set-Cookie'),
  'Cairn-Deprecated',
  'Deprecation',
  'Link',
  'Sunset',
  'X-API-Version',
  'X-Request-Id',
].join(', ')

/** Request headers that a page of an allowed foreign origin may send: those of contracts, of credentials and of the body. */
export const allowedRequestHeaders = [
  ...Object.keys(requestHeaders),
  'Authorization',
  'Content-Type',
  'X-API-Key',
  'X-Environment-Id',
].join(', ')

/** Seconds a browser may remember a preflight (D-31). */
export const preflightMaxAgeSeconds = 600
