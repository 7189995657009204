// What the contracts of accounts share: shapes of users and sessions, codes, and two builders that fill in what every
// route of the family has in common.
import { z } from 'zod'
import type { AnyRoute } from '../route.ts'
import { defineRoute } from '../route.ts'

/** Codes the routes of accounts may answer beside the common ones. @source D-23, D-36 to D-38 */
export const authCodes = [
  'resource_not_found',
  'conflict',
  'permission_denied',
  'invalid_credentials',
  'session_expired',
  'two_factor_required',
  'email_not_verified',
  'account_banned',
  'user_already_exists',
  'token_invalid',
  'api_key_invalid',
  'authorization_pending',
  'slow_down',
  'expired_token',
  'access_denied',
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
] as const

/** An account as the library answers it; switched-on plugins add members. */
export const AuthUserShape = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    image: z.string().nullable().optional(),
  })
  .meta({ id: 'AuthUser' })

/** A session as the library answers it. */
export const AuthSessionShape = z
  .looseObject({ id: z.string(), userId: z.string(), token: z.string(), expiresAt: z.string() })
  .meta({ id: 'AuthSession' })

/** The account in the answer of the simple login (D-33). */
export const LoginUser = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    image: z.string().nullable(),
    username: z.string().nullable(),
    role: z.string(),
    roles: z.array(z.string()),
    profile: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'LoginUser' })

/** `{status: true}` or `{success: true}`, as the operation of the library says. */
export const Done = z.looseObject({})

/** Any object: the library's own payload. */
export const AnyPayload = z.looseObject({})

/** An email address; what is no address is refused before anything else looks at it. */
export const Email = z.email().max(320)

/** A password in a request; its length is judged by the options of the host. */
export const Password = z.string().min(1).max(1_000)

/** Short free text. */
export const Text = z.string().max(2_000)

const family = {
  mount: 'versioned',
  errors: authCodes,
  channel: 'session',
  tag: 'auth',
  // Whatever the library does to the session, it says in these.
  sends: ['Set-Auth-Token', 'Set-Cookie'],
  bodyLimitBytes: 65_536,
  keepsAnswer: 'in-memory',
  echoesCode: true,
} as const

type Rest = Partial<Omit<AnyRoute, 'body' | 'response' | 'query' | 'operationId' | 'method' | 'path'>>

/** A POST of the family; needs a session and counts as a write unless `rest` says otherwise. */
export function authPost<B extends z.ZodType, R extends z.ZodType>(
  operationId: string,
  path: string,
  summary: string,
  body: B,
  response: R,
  rest: Rest = {},
) {
  return defineRoute({
    ...family,
    permission: 'session' as const,
    rateLimit: 'write' as const,
    ...rest,
    operationId,
    method: 'POST' as const,
    path: `/auth/${path}`,
    summary,
    body,
    response,
  })
}

/** A GET of the family; needs a session unless `rest` says otherwise. */
export function authGet<Q extends z.ZodType, R extends z.ZodType>(
  operationId: string,
  path: string,
  summary: string,
  query: Q,
  response: R,
  rest: Rest = {},
) {
  return defineRoute({
    ...family,
    permission: 'session' as const,
    rateLimit: 'read' as const,
    ...rest,
    operationId,
    method: 'GET' as const,
    path: `/auth/${path}`,
    summary,
    query,
    response,
  })
}

/** A step before there is a session: open to everybody, in the narrow rate class. */
export const openStep = { permission: 'public', rateLimit: 'auth' } as const

/** A step that anybody may ask for and that proves nothing: it has something sent or made. */
export const askingStep = { ...openStep, asksNoProof: true } as const

/** An answer that names where to go on in a header, too. */
export const leadsOn = { sends: [...family.sends, 'Location'] } as const

/** No query parameters. */
export const NoQuery = z.object({})

/** A body without members; an absent one is the same. */
export const NoBody = z.object({}).optional()
