// Contracts of signing in with other providers, and of the OpenID provider role (D-32, D-38).
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { AnyPayload, NoQuery, Text, askingStep, authCodes, authGet, authPost, leadsOn } from './auth-parts.ts'

const form = 'application/x-www-form-urlencoded'
const parameters = z.record(z.string(), z.union([z.string(), z.array(z.string())]))
const byProtocol = { permission: 'public', rateLimit: 'read', consumes: [form] } as const
const forAdmins = { permission: { system: 'manage_users' } } as const
const idParams = { params: z.object({ id: z.string() }) } as const

/** The steps of signing in with another provider. */
export const authProviderRoutes = defineRoutes({
  signInOauth2: authPost(
    'signInOauth2',
    'sign-in/oauth2',
    'Begin to sign in with an enterprise provider.',
    z.object({
      providerId: z.string().max(100),
      callbackURL: Text.optional(),
      errorCallbackURL: Text.optional(),
      newUserCallbackURL: Text.optional(),
      disableRedirect: z.boolean().optional(),
    }),
    AnyPayload,
    { ...askingStep, ...leadsOn },
  ),
  followProvider: authGet('followProvider', 'callback/:id', 'Come back from a provider.', parameters, AnyPayload, {
    permission: 'public',
    entry: true,
    bodiless: [302],
    ...idParams,
    aliases: [{ mount: 'versioned', path: '/auth/oauth2/callback/:id' }],
  }),
  postProvider: authPost(
    'postProvider',
    'callback/:id',
    'Come back from a provider by a form.',
    z.unknown(),
    AnyPayload,
    {
      ...byProtocol,
      rateLimit: 'write',
      bodiless: [302],
      ...idParams,
      aliases: [{ mount: 'versioned', path: '/auth/oauth2/callback/:id' }],
    },
  ),
})

const ClientBody = z.looseObject({ redirect_uris: z.array(Text).min(1).max(50) })
const clientId = z.object({ client_id: z.string().min(1).max(200) })

/** A client as the administration sees it; the secret is answered when it is made, and never again. */
const Client = z.looseObject({
  client_id: z.string(),
  client_secret: z.string().optional(),
  client_name: z.string().optional(),
  client_uri: z.string().optional(),
  scope: z.string().optional(),
  redirect_uris: z.array(z.string()),
  token_endpoint_auth_method: z.string().optional(),
  client_id_issued_at: z.number().optional(),
})

/** What a person lets an application know, until it is ended. */
const Consent = z
  .object({
    id: z.string(),
    clientId: z.string(),
    userId: z.string(),
    /** What people know the application by; absent where it has no name (beyond). */
    clientName: z.string().optional(),
    /** Its own page (beyond). */
    clientUri: z.string().optional(),
    scopes: z.array(z.string()),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'OauthConsent' })

/** The routes of the OpenID provider role; mounted where the switch is on. */
export const authOauthRoutes = defineRoutes({
  oauthAuthorize: authGet('oauthAuthorize', 'oauth2/authorize', 'Ask for a code.', parameters, AnyPayload, {
    permission: 'public',
    entry: true,
    bodiless: [302],
  }),
  oauthAuthorizeByForm: authPost(
    'oauthAuthorizeByForm',
    'oauth2/authorize',
    'Ask for a code by a form.',
    z.unknown(),
    AnyPayload,
    { ...byProtocol, mutates: false, bodiless: [303] },
  ),
  oauthToken: authPost('oauthToken', 'oauth2/token', 'Exchange a code or a refresh token.', z.unknown(), AnyPayload, {
    ...byProtocol,
    rateLimit: 'auth',
  }),
  oauthIntrospect: authPost(
    'oauthIntrospect',
    'oauth2/introspect',
    'Tell whether a token holds.',
    z.unknown(),
    AnyPayload,
    byProtocol,
  ),
  oauthRevoke: authPost('oauthRevoke', 'oauth2/revoke', 'Revoke a token.', z.unknown(), z.unknown(), byProtocol),
  oauthRegister: authPost('oauthRegister', 'oauth2/register', 'Register a client.', ClientBody, AnyPayload, forAdmins),
  oauthUserInfo: authGet(
    'oauthUserInfo',
    'oauth2/userinfo',
    'Claims about the user of an access token.',
    NoQuery,
    AnyPayload,
    { permission: 'public', errors: [...authCodes, 'unauthenticated'] },
  ),
  oauthUserInfoByPost: authPost(
    'oauthUserInfoByPost',
    'oauth2/userinfo',
    'Claims about the user of an access token, which may be in a form.',
    z.unknown(),
    AnyPayload,
    { ...byProtocol, mutates: false, errors: [...authCodes, 'unauthenticated'] },
  ),
  oauthKeys: authGet('oauthKeys', 'jwks', 'The keys that sign tokens.', NoQuery, AnyPayload, { permission: 'public' }),
  oauthEndSession: authGet(
    'oauthEndSession',
    'oauth2/end-session',
    'End a session for a client.',
    parameters,
    AnyPayload,
    {
      permission: 'public',
      entry: true,
      bodiless: [302],
    },
  ),
  oauthConsent: authPost(
    'oauthConsent',
    'oauth2/consent',
    'Let a client act, or refuse it.',
    z.object({ accept: z.boolean(), scope: Text.optional(), oauth_query: z.string().max(16_000).optional() }),
    z.looseObject({ url: z.string().optional() }),
  ),
  oauthGetConsents: authGet(
    'oauthGetConsents',
    'oauth2/get-consents',
    'The applications the caller lets know who they are.',
    NoQuery,
    z.array(Consent),
  ),
  oauthDeleteConsent: authPost(
    'oauthDeleteConsent',
    'oauth2/delete-consent',
    'End what the caller lets an application know: it is asked for again, and what it holds counts no more.',
    z.object({ id: z.string().min(1).max(100) }),
    z.object({ success: z.boolean() }),
  ),
  oauthContinue: authPost(
    'oauthContinue',
    'oauth2/continue',
    'Go on with a request after signing in.',
    z.object({
      selected: z.boolean().optional(),
      created: z.boolean().optional(),
      postLogin: z.boolean().optional(),
      oauth_query: z.string().max(16_000).optional(),
    }),
    AnyPayload,
  ),
  oauthCreateClient: authPost(
    'oauthCreateClient',
    'oauth2/create-client',
    'Make a client of the workspace.',
    ClientBody,
    Client,
    forAdmins,
  ),
  oauthRotateSecret: authPost(
    'oauthRotateSecret',
    'oauth2/client/rotate-secret',
    'Replace the secret of a client; the old one counts no more (beyond).',
    clientId,
    Client,
    forAdmins,
  ),
  oauthDeleteClient: authPost(
    'oauthDeleteClient',
    'oauth2/delete-client',
    'Delete a client.',
    clientId,
    z.unknown(),
    forAdmins,
  ),
  oauthGetClient: authGet('oauthGetClient', 'oauth2/get-client', 'One client.', clientId, Client, forAdmins),
  oauthGetClients: authGet(
    'oauthGetClients',
    'oauth2/get-clients',
    'The clients of the workspace.',
    NoQuery,
    z.array(Client),
    forAdmins,
  ),
  oauthPublicClient: authGet(
    'oauthPublicClient',
    'oauth2/public-client',
    'What people may see of a client.',
    clientId,
    z.looseObject({ client_id: z.string(), client_name: z.string().optional(), client_uri: z.string().optional() }),
  ),
  openidConfiguration: defineRoute({
    operationId: 'openidConfiguration',
    method: 'GET',
    mount: 'root',
    path: '/.well-known/openid-configuration',
    aliases: [{ mount: 'root', path: '/.well-known/openid-configuration{prefix}/auth' }],
    response: AnyPayload,
    permission: 'public',
    rateLimit: 'read',
    errors: authCodes,
    channel: 'session',
    summary: 'The OpenID provider.',
    tag: 'auth',
  }),
  oauthServerMetadata: defineRoute({
    operationId: 'oauthServerMetadata',
    method: 'GET',
    mount: 'root',
    path: '/.well-known/oauth-authorization-server',
    aliases: [{ mount: 'root', path: '/.well-known/oauth-authorization-server{prefix}/auth' }],
    response: AnyPayload,
    permission: 'public',
    rateLimit: 'read',
    errors: authCodes,
    channel: 'session',
    summary: 'The OAuth authorization server.',
    tag: 'auth',
  }),
})
