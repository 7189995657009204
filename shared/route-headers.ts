// Headers that contracts name and the documents describe: what handlers read of a request, and what answers carry beside what
// every answer has. Content types, credentials and cookies have places of their own in a contract.

/** Headers of requests, with what they do. */
export const requestHeaders = {
  'Accept-Language': 'Languages of sentences and labels, the best first.',
  'Idempotency-Key': '1 to 128 visible characters; a repeat of the same write with the same key gets the first answer.',
  'If-Match': 'The version the change is made from, or * for any; with another one it is refused.',
  'If-Modified-Since': 'The time of the copy at hand; counts where If-None-Match is absent.',
  'If-None-Match': 'Versions at hand; of a write, * lets it be done only where there is nothing yet.',
  'If-Range': 'The version the range is part of; of another one everything is answered.',
  'Last-Event-ID': 'The id of the last event that came, to go on after it.',
  'MCP-Method': 'The method of the message, as it says itself.',
  'MCP-Name': 'The tool, prompt or resource of the message, as it says itself.',
  'MCP-Protocol-Version': 'The version of the protocol that client and host agreed on.',
  'OData-MaxVersion': 'The latest version of the protocol that is understood.',
  'OData-Version': 'The version of the protocol that the request is written in.',
  Prefer: 'return=minimal, return=representation, odata.maxpagesize.',
  Range: 'The bytes wanted, as one range.',
  'X-API-Version': 'v1; another version is refused.',
  'X-Cairn-Source': 'UI where a person acts on a screen; the changelog names it.',
  'X-Request-Id': '8 to 64 letters, digits, _ and -: the id of the request, which the answer repeats.',
  'X-Requested-With': 'Any value; a page of another site cannot send it.',
  'X-Resume-Token': 'The token that the upload began with.',
} as const

/** A header of requests. */
export type RequestHeader = keyof typeof requestHeaders

/** Headers of answers, with what they say. */
export const responseHeaders = {
  'Accept-Ranges': 'That parts of it can be asked for.',
  Allow: 'The methods that the path takes.',
  'Content-Disposition': 'The name to store it under.',
  'Content-Range': 'Which bytes of how many these are.',
  ETag: 'The version, for If-Match and If-None-Match.',
  'Idempotent-Replay': 'true: the answer of an earlier call with the same key.',
  'Last-Modified': 'When it was changed last.',
  Location: 'Where it is, or where to go on.',
  'OData-EntityId': 'The address of the entity that is not shown.',
  'OData-Version': 'The version of the protocol that the answer is written in.',
  'Preference-Applied': 'What was heeded of Prefer.',
  'Retry-After': 'Seconds after which it is worth trying again.',
  'Set-Auth-Token': 'The token of the session.',
  'Set-Cookie': 'The cookies of the session.',
  'WWW-Authenticate': 'The kind of credential that is missing.',
  'X-Accel-Buffering': 'no: proxies hand it on as it comes.',
  'X-RateLimit-Limit': 'Calls that the bucket holds.',
  'X-RateLimit-Remaining': 'Calls that are left.',
  'X-RateLimit-Reset': 'When the bucket is full again.',
} as const

/** A header of answers. */
export type ResponseHeader = keyof typeof responseHeaders
