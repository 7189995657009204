// Which hosts and origins belong to this server. Pure sets, rebuilt when the port is known; knows no request.
import { canonicalOrigin, createOriginList, wildcardBase } from './trusted-origins.ts'
import type { OriginList } from './trusted-origins.ts'

/** The origin of the desktop shell's window. */
export const shellOrigin = 'app://cairn'

/** What the guard compares with: texts, and origins under a name the configuration lists with a wildcard. */
export interface Authorities {
  /** Accepted values of `Host`. */
  readonly hosts: ReadonlySet<string>
  /** Accepted values of `Origin`. */
  readonly origins: OriginList
  /** The accepted origins that are foreign to the server and therefore get CORS headers. */
  readonly corsOrigins: OriginList
  /** The address people and programs are given; no trailing slash. */
  readonly baseUrl: string
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/**
 * Builds the sets of D-31 for the listener on loopback.
 * @throws Error when `baseUrl` or a trusted origin is not a plain `scheme://host[:port]`
 * @source D-31
 */
export function createAuthorities(options: {
  port: number
  baseUrl?: string
  trustedOrigins: readonly string[]
}): Authorities {
  const hosts = new Set<string>()
  const own = new Set<string>()
  for (const name of loopbackNames) {
    hosts.add(`${name}:${options.port}`)
    own.add(`http://${name}:${options.port}`)
    // Clients leave the default port of the scheme out.
    if (options.port === 80) {
      hosts.add(name)
      own.add(`http://${name}`)
    }
  }
  if (options.baseUrl !== undefined) {
    const url = new URL(requireExactOrigin(options.baseUrl))
    hosts.add(url.host)
    own.add(url.origin)
  }
  const baseUrl = options.baseUrl?.replace(/\/$/, '') ?? `http://127.0.0.1:${options.port}`
  return { hosts, ...originsOf(own, options.trustedOrigins), baseUrl }
}

/**
 * Builds the sets for the listener other machines reach: its one name is that of `baseUrl`. Loopback names are not
 * its own: a page on another port of the caller's machine is a stranger there.
 * @throws Error when `baseUrl` is not an https origin, or a trusted origin is none
 * @source D-31
 */
export function createPublicAuthorities(options: { baseUrl: string; trustedOrigins: readonly string[] }): Authorities {
  const url = new URL(requireExactOrigin(options.baseUrl))
  if (url.protocol !== 'https:') throw new Error(`The address "${options.baseUrl}" does not start with https://.`)
  const origins = originsOf(new Set([url.origin]), options.trustedOrigins)
  return { hosts: new Set([url.host]), ...origins, baseUrl: url.origin }
}

function originsOf(
  own: ReadonlySet<string>,
  trustedOrigins: readonly string[],
): Pick<Authorities, 'origins' | 'corsOrigins'> {
  const foreign = [shellOrigin, ...trustedOrigins.map(canonicalOrigin)]
  return { origins: createOriginList([...own, ...foreign]), corsOrigins: createOriginList(foreign) }
}

function requireExactOrigin(text: string): string {
  const origin = canonicalOrigin(text)
  if (wildcardBase(origin) !== null) throw new Error(`The address "${text}" is not an origin without wildcard.`)
  return origin
}
