// Origins as people write them in the configuration: exact ones, and wildcards over the subdomains of one name.
// Pure; knows no request.

/** Tells whether an `Origin` header is on a list; compared as text, never decoded. */
export interface OriginList {
  has(origin: string): boolean
}

const wildcardMark = '*.'

/** One label of a host name as browsers send it: ASCII, lower case, punycode for everything else. */
const labelPattern = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/

/**
 * The text browsers send for an origin: lower case, punycode, without a default port.
 * @throws Error when the text is not a plain `scheme://host[:port]`, or its wildcard is anything but the whole first
 * label of a name of at least two more labels
 * @source D-31
 */
export function canonicalOrigin(text: string): string {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@\s\\%]+)\/?$/i.exec(text)
  if (match === null) throw wrongOrigin(text)
  const scheme = match[1]!.toLowerCase()
  const authority = match[2]!
  if (scheme !== 'http' && scheme !== 'https') {
    if (authority.includes('*')) throw wrongOrigin(text)
    return `${scheme}://${authority.toLowerCase()}`
  }
  const url = URL.parse(`${scheme}://${authority}`)
  if (url === null || url.hostname.endsWith('.')) throw wrongOrigin(text)
  if (!url.hostname.includes('*')) return url.origin
  const base = wildcardBase(url.origin)
  // A base of one label is a top-level domain or a name of this machine.
  if (base === null || base.includes('*') || base.split('.').length < 2) throw wrongOrigin(text)
  return url.origin
}

/** The name under a wildcard origin, `example.com` for `https://*.example.com:8443`; null when it has no wildcard. */
export function wildcardBase(origin: string): string | null {
  const host = origin.slice(origin.indexOf('://') + 3).replace(/:\d+$/, '')
  return host.startsWith(wildcardMark) ? host.slice(wildcardMark.length) : null
}

/**
 * Makes a list of exact origins and wildcards. A wildcard stands for exactly one label: `https://*.example.com` covers
 * `https://a.example.com`, and neither `https://example.com` nor `https://a.b.example.com`.
 * @param origins results of {@link canonicalOrigin}
 */
export function createOriginList(origins: Iterable<string>): OriginList {
  const exact = new Set<string>()
  const wildcards: { prefix: string; suffix: string }[] = []
  for (const origin of origins) {
    const star = origin.indexOf(wildcardMark)
    if (star === -1) exact.add(origin)
    else wildcards.push({ prefix: origin.slice(0, star), suffix: origin.slice(star + 1) })
  }
  if (wildcards.length === 0) return exact
  return {
    has: (origin) =>
      exact.has(origin) ||
      wildcards.some(
        ({ prefix, suffix }) =>
          origin.startsWith(prefix) &&
          origin.endsWith(suffix) &&
          labelPattern.test(origin.slice(prefix.length, -suffix.length)),
      ),
  }
}

function wrongOrigin(text: string): Error {
  return new Error(
    `"${text}" is not an origin of the form scheme://host[:port]; a wildcard is the whole first label of a name of at least two more, such as https://*.example.com.`,
  )
}
