// The headers every answer carries and the content security policies. Constants only.

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

/** Answer headers that a page of an allowed foreign origin may read. */
export const exposedHeaders =
  'ETag, Last-Modified, X-Request-Id, X-API-Version, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, ' +
  'X-RateLimit-Reset, Deprecation, Sunset, Cairn-Deprecated, Idempotent-Replay, Content-Disposition, Content-Range, ' +
  'Accept-Ranges'

/** Request headers that a page of an allowed foreign origin may send. */
export const allowedRequestHeaders =
  'Authorization, Content-Type, Accept-Language, If-Match, If-None-Match, If-Modified-Since, If-Range, Idempotency-Key, Range, ' +
  'X-API-Key, X-API-Version, X-Cairn-Source, X-Environment-Id, X-Request-Id, X-Requested-With, X-Resume-Token'

/** Seconds a browser may remember a preflight (D-31). */
export const preflightMaxAgeSeconds = 600
