// Which hosts and origins belong to this server. Pure sets, rebuilt when the port is known; knows no request.

/** The origin of the desktop shell's window. */
export const shellOrigin = 'app://cairn'

/** The exact texts the guard compares with; never patterns. */
export interface Authorities {
  /** Accepted values of `Host`. */
  readonly hosts: ReadonlySet<string>
  /** Accepted values of `Origin`. */
  readonly origins: ReadonlySet<string>
  /** The accepted origins that are foreign to the server and therefore get CORS headers. */
  readonly corsOrigins: ReadonlySet<string>
  /** The address people and programs are given; no trailing slash. */
  readonly baseUrl: string
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/**
 * Builds the sets of D-31 for a port.
 * @throws Error when `baseUrl` or a trusted origin is not a plain `scheme://host[:port]`; wildcards are refused.
 * @source D-31
 */
export function createAuthorities(options: {
  port: number
  baseUrl?: string
  trustedOrigins: readonly string[]
}): Authorities {
  const hosts = new Set<string>()
  const origins = new Set<string>()
  for (const name of loopbackNames) {
    hosts.add(`${name}:${options.port}`)
    origins.add(`http://${name}:${options.port}`)
    // Clients leave the default port of the scheme out.
    if (options.port === 80) {
      hosts.add(name)
      origins.add(`http://${name}`)
    }
  }
  if (options.baseUrl !== undefined) {
    const url = new URL(requireOrigin(options.baseUrl))
    hosts.add(url.host)
    origins.add(url.origin)
  }
  const corsOrigins = new Set([shellOrigin, ...options.trustedOrigins.map(requireOrigin)])
  for (const origin of corsOrigins) origins.add(origin)
  const baseUrl = options.baseUrl?.replace(/\/$/, '') ?? `http://127.0.0.1:${options.port}`
  return { hosts, origins, corsOrigins, baseUrl }
}

function requireOrigin(text: string): string {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@*\s]+)\/?$/.exec(text)
  if (match === null) throw new Error(`"${text}" is not an origin of the form scheme://host[:port].`)
  return `${match[1]}://${match[2]!.toLowerCase()}`
}
