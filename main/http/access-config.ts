// What `config.json` says about reaching the host: where it listens, under which names, with which certificates, and
// how its cookies look (D-31, D-39, D-40, D-203). Read once at start; a mistake stops the start with its name.
import { BlockList, isIP } from 'node:net'
import { z } from 'zod'
import { defaultPrefix } from '#shared/api-prefix.ts'
import { canonicalOrigin, wildcardBase } from './trusted-origins.ts'

/** A certificate or key as text, or the path of a file that holds it. */
const Pem = z.string().min(1)

const Listen = z.strictObject({
  address: z
    .string()
    .refine((text) => isIP(text) !== 0, { message: 'Expected an IP address, for example 0.0.0.0 or 192.168.1.5.' }),
  port: z.int().min(1).max(65_535).default(7443),
  certificate: Pem.optional(),
  key: Pem.optional(),
})

const pinPattern = /^(?:sha256\/)?[A-Za-z0-9+/]{43}=$/

const MutualTls = z.strictObject({
  enabled: z.boolean(),
  clientCertRequired: z.boolean(),
  trustedCAs: z.array(Pem),
  certificateValidation: z.enum(['strict', 'relaxed', 'none']),
  crlUrl: z.url({ protocol: /^https?$/ }).optional(),
  ocspUrl: z.url({ protocol: /^https?$/ }).optional(),
  // An empty list would read as "nobody" to some and as "everybody" to others.
  allowedCNs: z.array(z.string().min(1)).min(1).optional(),
  allowedOUs: z.array(z.string().min(1)).min(1).optional(),
  pinning: z
    .strictObject({
      enabled: z.boolean(),
      pins: z.array(z.string().regex(pinPattern, 'Expected sha256/ and 32 bytes as base64.')),
    })
    .optional(),
})

/** The members HTTP itself acts on; what else stands there belongs to accounts. */
const Advanced = z.looseObject({
  useSecureCookies: z.boolean().optional(),
  disableCSRFCheck: z.boolean().optional(),
  cookiePrefix: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'Expected 1 to 64 letters, digits, dashes and underscores.')
    .optional(),
})

/** What config.json may say of access, by its path. @internal */
export const accessSchemas = { 'host.listen': Listen, 'auth.mutualTls': MutualTls, 'auth.advanced': Advanced } as const

/** How client certificates are asked for and judged. */
export type MutualTls = z.output<typeof MutualTls>

/** The listener other machines reach. */
export interface PublicListen {
  readonly address: string
  readonly port: number
  /** PEM text or a path. */
  readonly certificate: string
  readonly key: string
  /** Null: no client certificate is asked for. */
  readonly mutualTls: MutualTls | null
}

/** Segments that need no escaping anywhere; at most 64 characters in all. */
const Prefix = z
  .string()
  .max(64)
  .regex(/^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/, 'Expected a path such as /api/v1, without a slash at its end.')
/** Where the host answers beside the prefix (D-19, D-28, D-371). */
const takenPaths = ['/healthz', '/readyz', '/metrics']

/** What the configuration says about reaching the host. */
export interface AccessConfig {
  /** The API prefix (D-01). */
  readonly prefix: string
  /** Path of the application shell (D-40). */
  readonly uiBasePath: string
  /** Without trailing slash; undefined: the address on loopback. */
  readonly baseUrl: string | undefined
  readonly trustedOrigins: readonly string[]
  /** Null: loopback only. */
  readonly publicListen: PublicListen | null
  readonly cookies: { readonly prefix: string; readonly secure: boolean }
  /** False lifts the rule that a cookie alone authorises no write, and nothing else (D-31). */
  readonly cookieRule: boolean
  /** Settings that weaken the host or do nothing, as sentences for the log. */
  readonly warnings: readonly string[]
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/**
 * Reads the parts `host` and `auth` of the configuration.
 * @throws Error with a sentence that names the setting
 */
export async function readAccessConfig(
  host: Readonly<Record<string, unknown>>,
  auth: Readonly<Record<string, unknown>>,
): Promise<AccessConfig> {
  const warnings: string[] = []
  const listen = parsePart(Listen.optional(), host['listen'], 'host.listen')
  const mutualTls = parsePart(MutualTls.optional(), auth['mutualTls'], 'auth.mutualTls')
  const advanced = parsePart(Advanced.optional(), auth['advanced'], 'auth.advanced') ?? {}
  const trustedOrigins = await readTrustedOrigins(auth['trustedOrigins'])
  const beyondLoopback = listen !== undefined && !isLoopback(listen.address)
  const baseUrl = readBaseUrl(auth['baseUrl'], beyondLoopback ? listen : undefined)
  const publicListen = beyondLoopback ? requireCertificate(listen) : null
  if (listen !== undefined && !beyondLoopback)
    warnings.push(
      `host.listen (${listen.address}) has no effect: Cairn is always on 127.0.0.1. For other machines name an address that they reach.`,
    )
  const usedTls = mutualTls?.enabled === true ? mutualTls : null
  if (usedTls !== null && publicListen === null) {
    warnings.push('auth.mutualTls has no effect: the host listens on loopback only.')
  } else if (usedTls !== null) {
    checkMutualTls(usedTls, warnings)
  }
  const cookieRule = advanced.disableCSRFCheck !== true
  if (!cookieRule) {
    warnings.push(
      'auth.advanced.disableCSRFCheck is on: a session cookie alone authorises writes. Host and Origin stay checked.',
    )
  }
  return {
    ...readPaths(host['prefix'], auth['uiBasePath']),
    baseUrl,
    trustedOrigins,
    publicListen: publicListen === null ? null : { ...publicListen, mutualTls: usedTls },
    cookies: { prefix: advanced.cookiePrefix ?? 'cairn', secure: advanced.useSecureCookies === true },
    cookieRule,
    warnings,
  }
}

/** The API and the application shell share no path. */
function readPaths(given: unknown, shell: unknown): Pick<AccessConfig, 'prefix' | 'uiBasePath'> {
  const prefix = parsePart(Prefix.optional(), given, 'host.prefix') ?? defaultPrefix
  const uiBasePath = typeof shell === 'string' && shell !== '' ? shell : '/_console'
  const isInside = (path: string, other: string): boolean => `${path}/`.startsWith(`${other}/`)
  const other = [uiBasePath, ...takenPaths].find((path) => isInside(prefix, path) || isInside(path, prefix))
  if (other === undefined) return { prefix, uiBasePath }
  throw new Error(`config.json: host.prefix: "${prefix}" is in the way of ${other}, which the host serves too.`)
}

/** Whether only this machine reaches the address. */
function isLoopback(address: string): boolean {
  return loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

function requireCertificate(listen: z.output<typeof Listen>): Omit<PublicListen, 'mutualTls'> {
  const { certificate, key } = listen
  if (certificate === undefined || key === undefined) {
    const missing = certificate === undefined ? 'host.listen.certificate' : 'host.listen.key'
    throw new Error(
      `Other machines reach ${listen.address}, so Cairn listens there with TLS only: ${missing} is missing in config.json.`,
    )
  }
  return { ...listen, certificate, key }
}

function readBaseUrl(given: unknown, listen: z.output<typeof Listen> | undefined): string | undefined {
  if (given === undefined || given === '') {
    if (listen === undefined) return undefined
    const { address, port } = listen
    if (address === '0.0.0.0' || /^[0:]+$/.test(address)) {
      throw new Error(
        `Cairn listens on every address of this machine (${address}): auth.baseUrl in config.json must say under which name it is reached, for example https://cairn.example:${port}.`,
      )
    }
    return canonicalOrigin(`https://${isIP(address) === 6 ? `[${address}]` : address}:${port}`)
  }
  const origin = originAt(given, 'auth.baseUrl')
  if (wildcardBase(origin) !== null || !/^https?:/.test(origin)) {
    throw new Error(`config.json: auth.baseUrl: "${String(given)}" is not one http or https address.`)
  }
  if (listen !== undefined && !origin.startsWith('https://')) {
    throw new Error(
      `config.json: auth.baseUrl: "${String(given)}" must start with https://, since other machines reach the host.`,
    )
  }
  return origin
}

/** A wildcard covers names of one owner only: below a public suffix such as co.uk or github.io anybody has a name. */
async function readTrustedOrigins(given: unknown): Promise<string[]> {
  if (given === undefined) return []
  if (!Array.isArray(given)) throw new Error('config.json: auth.trustedOrigins is not a list.')
  const origins = given.map((one: unknown, index) => originAt(one, `auth.trustedOrigins.${index}`))
  const wildcards = origins.map(wildcardBase).filter((base) => base !== null)
  if (wildcards.length === 0) return origins
  const { getDomain } = await import('tldts')
  for (const base of wildcards) {
    const isSuffix = getDomain(base, { allowPrivateDomains: true }) === null
    if (isSuffix || base === 'localhost' || base.endsWith('.localhost')) {
      throw new Error(
        `config.json: auth.trustedOrigins: "*.${base}" would cover names of strangers, since anybody can have one below ${base}.`,
      )
    }
  }
  return origins
}

function originAt(given: unknown, name: string): string {
  if (typeof given !== 'string') throw new Error(`config.json: ${name} is not a text.`)
  try {
    return canonicalOrigin(given)
  } catch (error) {
    throw new Error(`config.json: ${name}: ${(error as Error).message}`, { cause: error })
  }
}

function checkMutualTls(mutualTls: MutualTls, warnings: string[]): void {
  const mode = mutualTls.certificateValidation
  if (mode !== 'none' && mutualTls.trustedCAs.length === 0) {
    throw new Error(
      `config.json: auth.mutualTls.trustedCAs is empty: no client certificate could pass "${mode}" validation.`,
    )
  }
  if (mutualTls.pinning?.enabled === true && mutualTls.pinning.pins.length === 0) {
    throw new Error('config.json: auth.mutualTls.pinning is on without a pin: no client certificate could pass.')
  }
  if (mode === 'none') {
    warnings.push('auth.mutualTls.certificateValidation is "none": any client certificate passes, whoever made it.')
  }
  if (mode === 'strict') return
  const unused = (['crlUrl', 'ocspUrl', 'allowedCNs', 'allowedOUs'] as const).filter((key) => key in mutualTls)
  const ignored = [...unused, ...(mutualTls.pinning?.enabled === true ? ['pinning'] : [])]
  if (ignored.length > 0) {
    warnings.push(`auth.mutualTls: ${ignored.join(', ')} count in "strict" validation only, which is not chosen.`)
  }
}

function parsePart<S extends z.ZodType>(schema: S, value: unknown, name: string): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${[name, ...path].join('.')}: ${message}`)
  throw new Error(`config.json: ${problems.join(' ')}`)
}
