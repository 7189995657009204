// The library's options out of AuthConfig. Loaded with the library, at its first use; knows no request.
import { oauthProvider } from '@better-auth/oauth-provider'
import type { BetterAuthOptions } from 'better-auth'
import { APIError } from 'better-auth/api'
import {
  admin,
  bearer,
  deviceAuthorization,
  genericOAuth,
  jwt,
  magicLink,
  organization,
  twoFactor,
  username,
} from 'better-auth/plugins'
import type { Logger } from '#main/kernel/logger.ts'
import type { AuthConfig } from './auth-config.ts'
import { cookiesAreSecure, crossDomain } from './auth-config.ts'
import type { Inviters } from './invitations.ts'
import type { NewLink } from './links.ts'
import type { Passwords } from './password.ts'
import { personOf } from './provider-claims.ts'
import { createUserCode } from './user-code.ts'

/** A mail the library wants sent. */
export interface OutgoingMail {
  readonly to: string
  readonly kind: 'reset-password' | 'verify-email' | 'change-email' | 'magic-link' | 'two-factor-code' | 'invitation'
  /** The link to follow; null when the mail carries a code. */
  readonly url: string | null
  readonly code: string | null
}

/** What the options are made from. */
export interface LibraryParts {
  readonly config: AuthConfig
  readonly passwords: Passwords
  readonly secret: string
  /** Base address without trailing slash. */
  readonly baseUrl: string
  /** Path of the routes of auth. */
  readonly basePath: string
  /** Origins a redirect may lead to, beside the own one. */
  readonly trustedOrigins: readonly string[]
  readonly uiBasePath: string
  readonly signUpIsClosed: boolean
  readonly newId: () => string
  readonly now: () => number
  readonly isClient: (clientId: string) => boolean
  readonly inviters: Inviters
  /** @param link what the mail carries, where a newer one voids it */
  readonly send: (mail: OutgoingMail, link?: NewLink) => Promise<void>
  /** Told of every account the library makes; `path` is the step it makes it in. */
  readonly onUser: (userId: string, path: string | undefined) => Promise<void>
  /** Told of every provider that becomes a way to sign in to an account. */
  readonly onLink: (userId: string, providerId: string) => Promise<void>
  readonly log: Logger
}

const day = 86_400

/** Life of a link that signs in (D-35). */
const magicLinkSeconds = 600

/** Members of an organization, and invitations of one that wait, at most (D-394). */
const maxMembers = 10_000
const maxInvitations = 1_000

/** Table names of the library's models; the columns keep the library's names. */
const tables = {
  twoFactor: 'auth_two_factor',
  deviceCode: 'auth_device_code',
  jwks: 'auth_jwks',
  organization: 'auth_organization',
  member: 'auth_member',
  invitation: 'auth_invitation',
  team: 'auth_team',
  teamMember: 'auth_team_member',
} as const

const oauthTables = {
  oauthClient: 'auth_oauth_client',
  oauthRefreshToken: 'auth_oauth_refresh_token',
  oauthAccessToken: 'auth_oauth_access_token',
  oauthConsent: 'auth_oauth_consent',
  oauthResource: 'auth_oauth_resource',
  oauthClientResource: 'auth_oauth_client_resource',
  oauthClientAssertion: 'auth_oauth_client_assertion',
} as const

/** Whom the clients of the provider role belong to. */
export const clientOwner = 'workspace'

const named = (name: string): { modelName: string } => ({ modelName: name })

/**
 * The options of every plugin, whatever is switched on: the tables are always the same. What is off has no routes.
 * @source D-26, D-32 to D-36, D-39
 */
export function libraryOptions(parts: LibraryParts): Omit<BetterAuthOptions, 'database'> {
  const { config, send } = parts
  const { emailAndPassword, emailVerification, advanced, session } = config
  const domain = crossDomain(config)
  const addressLink = (account: string, token: string): NewLink => ({
    kind: 'address',
    account,
    token,
    seconds: emailVerification.expiresIn,
  })
  const page = (name: string): string => `${parts.baseUrl}${parts.uiBasePath}/#/${name}`
  return {
    appName: 'Cairn',
    // A refusal nobody can be led back with is told on a page of ours, not by an address the host does not have.
    onAPIError: { errorURL: `${parts.uiBasePath}/#/authorize-error` },
    baseURL: parts.baseUrl,
    basePath: parts.basePath,
    secret: parts.secret,
    telemetry: { enabled: false },
    // At this level the library keeps to the logger it was given; at others it prints by itself, too.
    logger: { disabled: false, level: 'info', log: (level, message) => logAt(parts.log, level, message) },
    // Buckets and locks are ours (D-200): the library counts by address, and on loopback all share one.
    rateLimit: { enabled: false },
    trustedOrigins: [...parts.trustedOrigins],
    user: {
      ...named('auth_user'),
      changeEmail: {
        enabled: true,
        sendChangeEmailConfirmation: ({ user, url, token }) =>
          send({ to: user.email, kind: 'change-email', url, code: null }, addressLink(user.id, token)),
      },
      deleteUser: { enabled: true },
      additionalFields: {
        mustChangePassword: { type: 'boolean', required: false, defaultValue: false, input: false, returned: false },
      },
    },
    session: {
      ...named('auth_session'),
      expiresIn: session.expiresIn,
      updateAge: session.updateAge,
      // Sessions are prolonged where they are looked up, which also knows the absolute limit (D5).
      disableSessionRefresh: true,
      freshAge: day,
    },
    databaseHooks: {
      user: {
        create: {
          before: ({ name, image, ...user }) =>
            Promise.resolve({ data: { ...user, name: lineOf(name), image: shortOf(image) } }),
          after: (user, step) => parts.onUser(user.id, step?.path),
        },
      },
      account: {
        create: {
          async after({ userId, providerId }) {
            if (providerId !== 'credential') await parts.onLink(userId, providerId)
          },
        },
      },
    },
    account: {
      ...named('auth_account'),
      encryptOAuthTokens: true,
      // An address nobody has proved never joins two accounts (N4).
      accountLinking: { enabled: true, requireLocalEmailVerified: true },
    },
    verification: { ...named('auth_verification'), storeIdentifier: 'hashed' },
    emailAndPassword: {
      enabled: emailAndPassword.enabled,
      disableSignUp: parts.signUpIsClosed,
      requireEmailVerification: emailAndPassword.requireEmailVerification,
      minPasswordLength: emailAndPassword.minPasswordLength,
      maxPasswordLength: emailAndPassword.maxPasswordLength,
      autoSignIn: emailAndPassword.autoSignIn,
      resetPasswordTokenExpiresIn: emailAndPassword.resetPasswordTokenExpiresIn,
      revokeSessionsOnPasswordReset: emailAndPassword.revokeSessionsOnPasswordReset,
      password: { hash: parts.passwords.hash, verify: ({ hash, password }) => parts.passwords.verify(hash, password) },
      sendResetPassword: ({ user, url, token }) =>
        send(
          { to: user.email, kind: 'reset-password', url, code: null },
          {
            kind: 'reset-password',
            account: user.id,
            token,
            seconds: emailAndPassword.resetPasswordTokenExpiresIn,
          },
        ),
    },
    emailVerification: {
      ...emailVerification,
      sendVerificationEmail: ({ user, url, token }) =>
        send({ to: user.email, kind: 'verify-email', url, code: null }, addressLink(user.id, token)),
    },
    socialProviders: Object.fromEntries(
      Object.entries(config.socialProviders).map(([id, provider]) => [
        id,
        { ...provider, disableSignUp: parts.signUpIsClosed },
      ]),
    ),
    advanced: {
      cookiePrefix: advanced.cookiePrefix,
      useSecureCookies: cookiesAreSecure(config),
      ...(domain === undefined ? {} : { crossSubDomainCookies: { enabled: true, domain } }),
      // The host has judged Host, Origin and cookies before (D-31); redirect targets are still checked by the library.
      disableCSRFCheck: true,
      disableOriginCheck: false,
      ipAddress: { disableIpTracking: true },
      // By itself the library reads a hundred rows of whatever it looks for, and counts owners among those.
      database: { generateId: () => parts.newId(), validateSchema: false, defaultFindManyLimit: maxMembers },
    },
    plugins: [
      username({ schema: {} }),
      bearer(),
      admin({ defaultRole: 'user', adminRoles: ['admin'], impersonationSessionDuration: 3_600 }),
      twoFactor({
        issuer: 'Cairn',
        schema: { twoFactor: named(tables.twoFactor) },
        otpOptions: {
          storeOTP: 'hashed',
          allowedAttempts: 5,
          sendOTP: ({ user, otp }) => send({ to: user.email, kind: 'two-factor-code', url: null, code: otp }),
        },
      }),
      organization({
        // By itself the library takes a hundred of each.
        membershipLimit: maxMembers,
        invitationLimit: maxInvitations,
        teams: { enabled: true, defaultTeam: { enabled: false }, allowRemovingAllTeams: true },
        schema: {
          organization: named(tables.organization),
          member: named(tables.member),
          invitation: named(tables.invitation),
          team: named(tables.team),
          teamMember: named(tables.teamMember),
        },
        async sendInvitationEmail({ email, id, invitation, inviter }) {
          await parts.inviters.takeOn(invitation, inviter.user.id)
          await send({ to: email, kind: 'invitation', url: page(`invitations/${id}`), code: null })
        },
        organizationHooks: {
          async beforeAcceptInvitation({ invitation }) {
            if (parts.inviters.isGood(invitation)) return
            const code = 'INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION'
            throw new APIError('FORBIDDEN', { code, message: 'Whoever sent the invitation may not invite any more.' })
          },
        },
      }),
      magicLink({
        expiresIn: magicLinkSeconds,
        storeToken: 'hashed',
        disableSignUp: parts.signUpIsClosed,
        sendMagicLink: ({ email, url, token }) =>
          send(
            { to: email, kind: 'magic-link', url, code: null },
            { kind: 'magic-link', account: email, token, seconds: magicLinkSeconds },
          ),
      }),
      deviceAuthorization({
        expiresIn: '30m',
        interval: '5s',
        userCodeLength: 8,
        generateUserCode: createUserCode,
        verificationUri: page('device'),
        validateClient: (clientId) => parts.isClient(clientId),
        schema: { deviceCode: named(tables.deviceCode) },
      }),
      genericOAuth({
        config: config.oidcProviders.map(({ issuer, discoveryUrl, ...provider }) => ({
          ...provider,
          discoveryUrl,
          ...(issuer === undefined ? {} : { issuer }),
          requireIdTokenVerification: discoveryUrl !== undefined,
          getUserInfo: (tokens) => personOf({ ...provider, discoveryUrl, issuer }, tokens, parts.now()),
          disableSignUp: false,
        })),
      }),
      jwt({
        disableSettingJwtHeader: true,
        jwks: { jwksPath: '/jwks' },
        jwt: { issuer: parts.baseUrl },
        schema: { jwks: named(tables.jwks) },
      }),
      oauthProvider({
        loginPage: `${parts.uiBasePath}/#/sign-in`,
        consentPage: `${parts.uiBasePath}/#/consent`,
        // Choosing an account is signing in again: there is one session in a browser.
        selectAccount: { page: `${parts.uiBasePath}/#/sign-in`, shouldRedirect: () => false },
        // Clients belong to the workspace: they outlive the administrator who made them.
        clientReference: () => clientOwner,
        allowDynamicClientRegistration: true,
        silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
        schema: Object.fromEntries(Object.entries(oauthTables).map(([model, table]) => [model, named(table)])),
      }),
    ],
  }
}

/** A name as people may give it (D-302): providers give any. */
function lineOf(name: string): string {
  return name
    .replaceAll(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, ' ')
    .trim()
    .slice(0, 200)
    .toWellFormed()
}

/** An address of an image, none where it is longer than people may give it. */
function shortOf(image: string | null | undefined): string | null {
  return image == null || image.length > 2_000 ? null : image
}

function logAt(log: Logger, level: string, message: string): void {
  // The library's own words only: its further arguments may hold what nobody should read in a log.
  const text = message.slice(0, 300)
  if (level === 'error') log.warn({ library: text }, 'The library of accounts reports an error.')
  else if (level === 'warn') log.info({ library: text }, 'The library of accounts reports something.')
}
