// Owns reading the applications that sign people in through this host, and the cache keys they live under.
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import type { CallResult } from '../../lib/endpoints.ts'

/** An application as the host keeps it; its secret is never answered again. */
export type OauthClient = CallResult<'oauthGetClients'>[number]

/** The applications of the workspace, by name. @throws ApiError permission_denied */
export const clientsQuery = queryOptions({
  queryKey: ['oauth-clients'] as const,
  queryFn: async ({ signal }) =>
    (await call('oauthGetClients', { signal })).toSorted((one, other) =>
      clientName(one).localeCompare(clientName(other)),
    ),
})

/** What people know an application by. */
export function clientName(client: Pick<OauthClient, 'client_id' | 'client_name'>): string {
  return client.client_name ?? client.client_id
}

/** Whether an application keeps a secret; programs on other people's machines cannot. */
export function hasSecret(client: OauthClient): boolean {
  return client.token_endpoint_auth_method !== 'none'
}

/** Addresses out of lines of text; undefined when one of them is none an application can be led back to. */
export function readRedirects(text: string): string[] | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.length > 0 && lines.every(isRedirect) ? [...new Set(lines)] : undefined
}

function isRedirect(text: string): boolean {
  if (text.includes('#') || !URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  if (protocol === 'https:') return true
  if (protocol === 'http:') return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  // A scheme of a program's own is named like a domain, so that no two programs share one (RFC 8252).
  return /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/.test(protocol)
}
