// The key `auth` of config.json (AuthConfig): read once at start, refused with a sentence when it is wrong.
import { z } from 'zod'

const origin = z.string().min(1).max(500)
const seconds = z.int().min(1).max(31_536_000)

const providerShape = {
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  scope: z.array(z.string().min(1)).optional(),
}

const Provider = z.strictObject({ id: z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/), ...providerShape })

const OidcProvider = z
  .strictObject({
    providerId: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/),
    name: z.string().min(1).max(200).optional(),
    discoveryUrl: z.url().optional(),
    issuer: z.string().min(1).optional(),
    authorizationUrl: z.url().optional(),
    tokenUrl: z.url().optional(),
    userInfoUrl: z.url().optional(),
    clientId: z.string().min(1),
    clientSecret: z.string().min(1),
    scopes: z.array(z.string().min(1)).default(['openid', 'email', 'profile']),
    pkce: z.boolean().default(true),
  })
  .refine(
    ({ discoveryUrl, authorizationUrl, tokenUrl }) =>
      discoveryUrl !== undefined || (authorizationUrl !== undefined && tokenUrl !== undefined),
    { message: 'Either discoveryUrl or authorizationUrl and tokenUrl must be given.' },
  )

/** The key `auth` of config.json. */
export const AuthSettings = z.strictObject({
  secret: z.string().min(32).optional(),
  baseUrl: z.string().optional(),
  uiBasePath: z
    .string()
    .regex(/^\/[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/)
    .default('/_console'),
  databaseUrl: z.string().optional(),
  providers: z.array(Provider).default([]),
  plugins: z
    .strictObject({
      organization: z.boolean().default(false),
      twoFactor: z.boolean().default(true),
      // Accepted and without effect: passkeys are not offered.
      passkeys: z.boolean().default(false),
      magicLink: z.boolean().default(false),
      oidcProvider: z.boolean().default(false),
      deviceAuthorization: z.boolean().default(true),
      admin: z.boolean().default(true),
    })
    .prefault({}),
  session: z
    .strictObject({ expiresIn: seconds.default(604_800), updateAge: z.int().min(0).default(86_400) })
    .prefault({}),
  trustedOrigins: z.array(origin).default([]),
  socialProviders: z.record(z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/), z.strictObject(providerShape)).default({}),
  oidcProviders: z.array(OidcProvider).default([]),
  ssoEnforced: z.boolean().default(false),
  emailAndPassword: z
    .strictObject({
      enabled: z.boolean().default(true),
      disableSignUp: z.boolean().optional(),
      requireEmailVerification: z.boolean().default(false),
      minPasswordLength: z.int().min(1).max(1_000).default(8),
      maxPasswordLength: z.int().min(1).max(1_000).default(128),
      resetPasswordTokenExpiresIn: seconds.default(3_600),
      autoSignIn: z.boolean().default(true),
      revokeSessionsOnPasswordReset: z.boolean().default(true),
    })
    .refine(({ minPasswordLength, maxPasswordLength }) => minPasswordLength <= maxPasswordLength, {
      message: 'minPasswordLength must not be above maxPasswordLength.',
    })
    .prefault({}),
  emailVerification: z
    .strictObject({
      sendOnSignUp: z.boolean().default(false),
      sendOnSignIn: z.boolean().default(false),
      autoSignInAfterVerification: z.boolean().default(false),
      expiresIn: seconds.default(3_600),
    })
    .prefault({}),
  advanced: z
    .strictObject({
      crossSubDomainCookies: z
        .strictObject({ enabled: z.boolean().default(false), domain: z.string().min(1).optional() })
        .prefault({}),
      useSecureCookies: z.boolean().optional(),
      disableCSRFCheck: z.boolean().default(false),
      cookiePrefix: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,40}$/)
        .default('cairn'),
    })
    .prefault({}),
  mutualTls: z.looseObject({ enabled: z.boolean() }).optional(),
  /** Client ids a device flow may name, beside those of registered clients. */
  deviceClients: z.array(z.string().min(1).max(200)).default(['cairn-cli']),
  mail: z
    .strictObject({
      host: z.string().min(1),
      port: z.int().min(1).max(65_535),
      secure: z.boolean().default(false),
      user: z.string().optional(),
      password: z.string().optional(),
      from: z.string().min(3),
    })
    .optional(),
})

/** The settings of accounts with every default filled in. */
export type AuthConfig = z.output<typeof AuthSettings>

/** One enterprise provider of {@link AuthConfig}. */
export type OidcProviderConfig = AuthConfig['oidcProviders'][number]

/**
 * Reads the key `auth` of config.json and the environment variable OIDC_PROVIDERS, whose entries replace configured ones
 * of the same providerId. `providers` is folded into `socialProviders`.
 * @param databaseFile path of the host's own database, the only one `databaseUrl` may name
 * @throws Error naming every wrong setting
 * @source D-26, D-39, D-40
 */
export function readAuthConfig(
  values: Readonly<Record<string, unknown>>,
  environment: string | undefined,
  databaseFile: string,
): AuthConfig {
  const parsed = AuthSettings.safeParse({
    ...values,
    oidcProviders: withEnvironment(values['oidcProviders'], environment),
  })
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `auth.${path.map(String).join('.')}: ${message}`)
    throw new Error(`config.json has settings of accounts that are not valid. ${problems.join(' ')}`)
  }
  const config = parsed.data
  refuseOtherDatabase(config.databaseUrl, databaseFile)
  refuseDoubles(config.oidcProviders)
  if (config.advanced.crossSubDomainCookies.enabled && crossDomain(config) === undefined)
    throw new Error('config.json: auth.advanced.crossSubDomainCookies needs a domain or auth.baseUrl.')
  const social = { ...config.socialProviders }
  for (const { id, ...rest } of config.providers) social[id] = rest
  return { ...config, socialProviders: social }
}

/** The domain cookies are set for; undefined when they belong to the host alone. */
export function crossDomain(config: AuthConfig): string | undefined {
  const { enabled, domain } = config.advanced.crossSubDomainCookies
  if (!enabled) return undefined
  return domain ?? (config.baseUrl === undefined ? undefined : new URL(config.baseUrl).hostname)
}

/** Whether cookies carry the Secure flag and the `__Secure-` prefix (D-27). */
export function cookiesAreSecure(config: AuthConfig): boolean {
  return config.advanced.useSecureCookies ?? config.baseUrl?.startsWith('https://') ?? false
}

/** Name of the session cookie (D-27). */
export function sessionCookieName(config: AuthConfig): string {
  return `${cookiesAreSecure(config) ? '__Secure-' : ''}${config.advanced.cookiePrefix}.session_token`
}

function withEnvironment(configured: unknown, environment: string | undefined): unknown {
  if (environment === undefined || environment.trim() === '') return configured ?? []
  let added: unknown
  try {
    added = JSON.parse(environment)
  } catch {
    throw new Error('The environment variable OIDC_PROVIDERS is not valid JSON.')
  }
  if (!Array.isArray(added)) throw new Error('The environment variable OIDC_PROVIDERS is not a JSON array.')
  if (configured !== undefined && !Array.isArray(configured)) return configured
  const replaced = new Set(added.map((entry) => (entry as { providerId?: unknown } | null)?.providerId))
  const kept = (configured ?? []).filter((entry) => !replaced.has((entry as { providerId?: unknown }).providerId))
  return [...kept, ...(added as unknown[])]
}

function refuseOtherDatabase(url: string | undefined, file: string): void {
  if (url === undefined) return
  const path = url.replace(/^(file|sqlite):(\/\/)?/, '')
  if (path !== file) throw new Error('config.json: auth.databaseUrl names another database than the one of this host.')
}

function refuseDoubles(providers: readonly OidcProviderConfig[]): void {
  const seen = new Set<string>()
  for (const { providerId } of providers) {
    if (seen.has(providerId)) throw new Error(`config.json: auth.oidcProviders names "${providerId}" twice.`)
    seen.add(providerId)
  }
}

let taken: string | undefined

/**
 * The text of OIDC_PROVIDERS, read once and removed; a restart inside the process gets the same text again.
 * @source D-40
 */
export function takeOidcProviders(): string | undefined {
  const text = process.env['OIDC_PROVIDERS']
  if (text !== undefined) {
    taken = text
    delete process.env['OIDC_PROVIDERS']
  }
  return taken
}
