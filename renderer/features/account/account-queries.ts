// Owns reading what belongs to one's own account, and the cache keys it lives under.
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import { textOf } from '../../lib/text-of.ts'

/** One API key as it is listed; the key itself is never answered again. */
export type ApiKey = CallResult<'listKeys'>['keys'][number]

/** One session of an account. */
export type Session = CallResult<'listSessions'>[number]

/** What the caller lets an application know. */
export type Consent = CallResult<'oauthGetConsents'>[number]

/** The API keys of the caller. @throws ApiError permission_denied */
export const keysQuery = queryOptions({
  queryKey: ['account', 'keys'] as const,
  queryFn: async ({ signal }) => (await call('listKeys', { signal })).keys,
})

/** The sessions of the caller, newest first. */
export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'] as const,
  queryFn: async ({ signal }): Promise<Session[]> => {
    const sessions = await call('listSessions', { signal })
    return sessions.toSorted((one, other) => textOf(other, 'createdAt').localeCompare(textOf(one, 'createdAt')))
  },
})

/** The applications the caller lets know who they are, newest first. */
export const consentsQuery = queryOptions({
  queryKey: ['account', 'consents'] as const,
  queryFn: async ({ signal }) => call('oauthGetConsents', { signal }),
})

/** Whether the account can be signed in to with a password. */
export const hasPasswordQuery = queryOptions({
  queryKey: ['account', 'has-password'] as const,
  queryFn: async ({ signal }) =>
    (await call('listAccounts', { signal })).some((account) => account['providerId'] === 'credential'),
})
