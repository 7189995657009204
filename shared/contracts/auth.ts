// Contracts of accounts: sessions, sign-in, the account itself, reset, verification and API keys
// (specification "Authentication", D-26 to D-40).
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { InstantText, PlainName } from './common.ts'
import {
  AnyPayload,
  AuthSessionShape,
  AuthUserShape,
  Done,
  Email,
  LoginUser,
  NoBody,
  NoQuery,
  Password,
  Text,
  askingStep,
  authCodes,
  authGet,
  authPost,
  leadsOn,
  openStep,
} from './auth-parts.ts'

const SignedIn = z.looseObject({ token: z.string().nullable().optional(), user: AuthUserShape.optional() })

const EmailPasswordConfig = z.object({
  enabled: z.boolean(),
  disableSignUp: z.boolean(),
  requireEmailVerification: z.boolean(),
  minPasswordLength: z.int(),
  maxPasswordLength: z.int(),
})

/** The public configuration of accounts. @source D-34 */
export const AuthConfigShape = z
  .object({
    emailAndPassword: EmailPasswordConfig,
    emailPassword: EmailPasswordConfig,
    socialProviders: z.array(
      z.object({ id: z.string(), name: z.string(), type: z.enum(['social', 'oidc']), enabled: z.boolean() }),
    ),
    features: z.object({
      organization: z.boolean(),
      ssoEnforced: z.boolean(),
      twoFactor: z.boolean(),
      oidcProvider: z.boolean(),
      deviceAuthorization: z.boolean(),
      admin: z.boolean(),
    }),
    uiBasePath: z.string(),
  })
  .meta({ id: 'AuthConfig' })

/** What a key was made for: `assistant` for a connection of an assistant (D-320). */
export const KeyPurpose = z.enum(['assistant'])

/** What a key was made for. */
export type KeyPurpose = z.output<typeof KeyPurpose>

const Key = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable(),
  expiresAt: z.string().nullable(),
  permissionSets: z.array(z.string()).nullable(),
  readOnly: z.boolean(),
  purpose: KeyPurpose.nullable(),
})

/** The routes of accounts that are the host's own code. */
export const authRoutes = defineRoutes({
  getAuthConfig: authGet('getAuthConfig', 'config', 'Tell how people may sign in.', NoQuery, AuthConfigShape, {
    permission: 'public',
  }),
  getBootstrapStatus: authGet(
    'getBootstrapStatus',
    'bootstrap-status',
    'Tell whether the workspace has an owner.',
    NoQuery,
    z.object({ hasOwner: z.boolean() }),
    { permission: 'public' },
  ),
  login: authPost(
    'login',
    'login',
    'Sign in with a username or an email address and a password.',
    z.object({ username: z.string().min(1).max(320), password: Password }),
    z.object({
      token: z.string().nullable(),
      expiresAt: z.string().nullable(),
      user: LoginUser.nullable(),
      twoFactorRedirect: z.literal(true).optional(),
    }),
    openStep,
  ),
  signInEmail: authPost(
    'signInEmail',
    'sign-in/email',
    'Sign in with an email address and a password.',
    z.object({
      email: z.string().min(1).max(320),
      password: Password,
      rememberMe: z.boolean().optional(),
      callbackURL: Text.optional(),
    }),
    SignedIn,
    openStep,
  ),
  signInUsername: authPost(
    'signInUsername',
    'sign-in/username',
    'Sign in with a username and a password.',
    z.object({ username: z.string().min(1).max(320), password: Password, rememberMe: z.boolean().optional() }),
    SignedIn,
    openStep,
  ),
  getSession: authGet(
    'getSession',
    'get-session',
    'The session and user of the caller; null without one.',
    NoQuery,
    z.object({ session: AuthSessionShape, user: AuthUserShape }).nullable(),
    { permission: 'public' },
  ),
  listSessions: authGet(
    'listSessions',
    'list-sessions',
    'The sessions of the caller.',
    NoQuery,
    z.array(AuthSessionShape),
  ),
  revokeSession: authPost(
    'revokeSession',
    'revoke-session',
    'End one session of the caller, named by its token or by what the list shows for it.',
    z.object({ token: z.string().min(1).max(500) }),
    z.object({ status: z.boolean() }),
  ),
  revokeSessions: authPost(
    'revokeSessions',
    'revoke-sessions',
    'End every session of the caller.',
    NoBody,
    z.object({ status: z.boolean() }),
  ),
  revokeOtherSessions: authPost(
    'revokeOtherSessions',
    'revoke-other-sessions',
    'End every session of the caller but the one in use.',
    NoBody,
    z.object({ status: z.boolean() }),
  ),
  setOwnPassword: authPost(
    'setOwnPassword',
    'set-password',
    'Set the first password of an account that has none, such as that of the local owner.',
    z.object({ newPassword: Password }),
    z.object({ status: z.boolean() }),
    { rateLimit: 'auth' },
  ),
  listOutbox: authGet(
    'listOutbox',
    'outbox',
    'Links that could not be mailed because no mail server is set up; for those who manage users.',
    NoQuery,
    z.object({
      messages: z.array(
        z.object({
          id: z.string(),
          to: z.string(),
          kind: z.string(),
          content: z.string(),
          createdAt: z.string(),
          expiresAt: z.string(),
        }),
      ),
    }),
    { permission: { system: 'manage_users' } },
  ),
  createKey: defineRoute({
    operationId: 'createKey',
    method: 'POST',
    mount: 'versioned',
    path: '/keys',
    status: 201,
    body: z.object({
      name: PlainName,
      expiresAt: InstantText.nullable().optional(),
      expires_at: InstantText.nullable().optional(),
      permissionSets: z.array(z.string().min(1).max(63)).max(50).optional(),
      readOnly: z.boolean().optional(),
      purpose: KeyPurpose.optional(),
    }),
    response: z.object({
      id: z.string(),
      name: z.string(),
      key: z.string(),
      prefix: z.string(),
      expiresAt: z.string().nullable(),
      createdAt: z.string(),
    }),
    permission: { system: 'manage_api_keys' },
    rateLimit: 'write',
    errors: ['conflict', 'permission_denied'],
    keepsAnswer: 'in-memory',
    channel: 'session',
    summary: 'Make an API key that acts as the caller; it is shown once.',
    tag: 'auth',
  }),
  listKeys: defineRoute({
    operationId: 'listKeys',
    method: 'GET',
    mount: 'versioned',
    path: '/keys',
    response: z.object({ keys: z.array(Key) }),
    permission: { system: 'manage_api_keys' },
    rateLimit: 'read',
    errors: [],
    channel: 'session',
    summary: 'The API keys of the caller.',
    tag: 'auth',
  }),
  deleteKey: defineRoute({
    operationId: 'deleteKey',
    method: 'DELETE',
    mount: 'versioned',
    path: '/keys/:id',
    params: z.object({ id: z.string() }),
    response: z.object({ id: z.string(), success: z.literal(true) }),
    permission: { system: 'manage_api_keys' },
    rateLimit: 'write',
    errors: ['resource_not_found', 'permission_denied'],
    channel: 'session',
    summary: 'Revoke an API key; it counts no more on the next request.',
    tag: 'auth',
  }),
})

const linkQuery = z.object({
  token: Text,
  callbackURL: Text.optional(),
  errorCallbackURL: Text.optional(),
  newUserCallbackURL: Text.optional(),
})

/** Named so that it is refused, not passed over: nobody signs in without the way through the provider. */
const refusedIdToken = z.unknown().optional()

/** The routes of accounts that the library answers. */
export const authAccountRoutes = defineRoutes({
  signUpEmail: authPost(
    'signUpEmail',
    'sign-up/email',
    'Make an account, where that is open.',
    z.object({
      name: PlainName,
      email: Email,
      password: Password,
      image: Text.optional(),
      username: z.string().max(60).optional(),
      displayUsername: PlainName.max(60).optional(),
      rememberMe: z.boolean().optional(),
      callbackURL: Text.optional(),
    }),
    SignedIn,
    askingStep,
  ),
  isUsernameAvailable: authPost(
    'isUsernameAvailable',
    'is-username-available',
    'Whether a username is free; for whoever signed in, and for everybody where anybody may sign up.',
    z.object({ username: z.string().min(1).max(60) }),
    z.object({ available: z.boolean() }),
    { ...askingStep, errors: [...authCodes, 'unauthenticated'] },
  ),
  signOut: authPost('signOut', 'sign-out', 'End the session in use.', NoBody, Done, { permission: 'public' }),
  updateUser: authPost(
    'updateUser',
    'update-user',
    'Change name, picture or username of the caller.',
    z.object({
      name: PlainName.optional(),
      image: Text.nullable().optional(),
      username: z.string().max(60).optional(),
      displayUsername: PlainName.max(60).optional(),
    }),
    Done,
  ),
  changePassword: authPost(
    'changePassword',
    'change-password',
    'Change the password of the caller.',
    z.object({ currentPassword: Password, newPassword: Password, revokeOtherSessions: z.boolean().optional() }),
    AnyPayload,
    { rateLimit: 'auth' },
  ),
  verifyPassword: authPost(
    'verifyPassword',
    'verify-password',
    'Prove that whoever is there knows the password of the caller.',
    z.object({ password: Password }),
    z.object({ status: z.boolean() }),
    { rateLimit: 'auth' },
  ),
  changeEmail: authPost(
    'changeEmail',
    'change-email',
    'Change the address of the caller, once the new one is proved.',
    z.object({ newEmail: Email, callbackURL: Text.optional() }),
    Done,
    { rateLimit: 'auth' },
  ),
  deleteOwnUser: authPost(
    'deleteOwnUser',
    'delete-user',
    'Delete the account of the caller.',
    z.object({ password: Password.optional(), callbackURL: Text.optional() }).optional(),
    Done,
    { rateLimit: 'auth' },
  ),
  listAccounts: authGet('listAccounts', 'list-accounts', 'How the caller may sign in.', NoQuery, z.array(AnyPayload)),
  linkSocial: authPost(
    'linkSocial',
    'link-social',
    'Add a provider to the account of the caller.',
    z.object({
      provider: z.string().max(100),
      callbackURL: Text.optional(),
      scopes: z.array(Text).max(50).optional(),
      idToken: refusedIdToken,
    }),
    AnyPayload,
    { ...leadsOn, rateLimit: 'auth' },
  ),
  unlinkAccount: authPost(
    'unlinkAccount',
    'unlink-account',
    'Take a provider from the account of the caller; `accountId` is what the list shows as id or as accountId.',
    z
      .object({ providerId: z.string().max(100).optional(), accountId: Text.optional() })
      .refine(({ providerId, accountId }) => providerId !== undefined || accountId !== undefined, {
        path: ['providerId'],
        message: 'Either providerId or accountId must be given.',
      }),
    Done,
  ),
  requestPasswordReset: authPost(
    'requestPasswordReset',
    'request-password-reset',
    'Have a link to set a new password sent.',
    z.object({ email: Email, redirectTo: Text.optional() }),
    Done,
    { ...askingStep, aliases: [{ mount: 'versioned', path: '/auth/forget-password' }] },
  ),
  resetPassword: {
    ...authPost(
      'resetPassword',
      'reset-password',
      'Set a new password with the token of a link, in the body or beside it.',
      z.object({ newPassword: Password, token: Text.optional() }),
      Done,
      openStep,
    ),
    query: z.object({ token: Text.optional() }),
  },
  followResetLink: authGet(
    'followResetLink',
    'reset-password/:token',
    'Lead from the link in a mail to the page that sets the password.',
    z.object({ callbackURL: Text.optional() }),
    AnyPayload,
    { permission: 'public', entry: true, bodiless: [302], params: z.object({ token: z.string() }) },
  ),
  sendVerificationEmail: authPost(
    'sendVerificationEmail',
    'send-verification-email',
    'Have a link sent that proves an address.',
    z.object({ email: Email, callbackURL: Text.optional() }),
    Done,
    askingStep,
  ),
  verifyEmail: authGet(
    'verifyEmail',
    'verify-email',
    'Prove an address with the token of a link.',
    z.object({ token: Text, callbackURL: Text.optional() }),
    AnyPayload,
    { permission: 'public', entry: true, rateLimit: 'auth', bodiless: [302] },
  ),
  signInSocial: authPost(
    'signInSocial',
    'sign-in/social',
    'Begin to sign in with a provider.',
    z.object({
      provider: z.string().max(100),
      callbackURL: Text.optional(),
      errorCallbackURL: Text.optional(),
      newUserCallbackURL: Text.optional(),
      disableRedirect: z.boolean().optional(),
      requestSignUp: z.boolean().optional(),
      loginHint: z.string().max(320).optional(),
      scopes: z.array(Text).max(50).optional(),
      idToken: refusedIdToken,
    }),
    AnyPayload,
    { ...askingStep, ...leadsOn },
  ),
})

/** The steps of signing in with a link; mounted where the switch is on (D-35). */
export const authMagicLinkRoutes = defineRoutes({
  sendMagicLink: authPost(
    'sendMagicLink',
    'magic-link/send',
    'Have a link sent that signs in.',
    z.object({
      email: Email,
      name: PlainName.or(z.literal('')).optional(),
      callbackURL: Text.optional(),
      newUserCallbackURL: Text.optional(),
      errorCallbackURL: Text.optional(),
    }),
    z.object({ status: z.boolean() }),
    { ...askingStep, aliases: [{ mount: 'versioned', path: '/auth/sign-in/magic-link' }] },
  ),
  verifyMagicLink: authPost(
    'verifyMagicLink',
    'magic-link/verify',
    'Sign in with the token of a link.',
    z.object({ token: Text }),
    z.object({ token: z.string(), expiresAt: z.string(), user: AuthUserShape, session: AuthSessionShape }),
    openStep,
  ),
  followMagicLink: authGet(
    'followMagicLink',
    'magic-link/verify',
    'Sign in by following a link.',
    linkQuery,
    AnyPayload,
    {
      ...openStep,
      entry: true,
      bodiless: [302],
    },
  ),
})
