// What of a step's input and output is stored to be shown: without secrets, and cut (D-158). Pure.

/** What stands in place of a secret. */
export const mask = '********'

/** UTF-16 units of one input or output as it is stored. @source D-158 */
const maxShown = 16_384

const secretName =
  /(?:^|[_-])(?:auth|authorization|cookie|credentials?|passphrase|password|passwd|pin|private[_-]?key|secret|token)s?$|api[_-]?key$|secret$|password$|token$/i

/**
 * A value as it is shown: what is named like a secret is masked, what is longer than 16 KB is cut and says so.
 * @returns JSON text; null for what is null or undefined
 */
export function shownText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  const text = JSON.stringify(masked(value))
  if (text.length <= maxShown) return text
  return JSON.stringify({ cut: true, characters: text.length, text: text.slice(0, maxShown - 100).toWellFormed() })
}

/** A copy in which every member named like a secret is masked. */
export function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecretName(name) && member !== null && member !== '' ? mask : masked(member),
    ]),
  )
}

/** Whether a member of this name holds something nobody should read. */
export function isSecretName(name: string): boolean {
  return secretName.test(name.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2'))
}

/** A value in which given texts are masked wherever they stand: what was sent as a credential may come back. */
export function withoutTexts(value: unknown, secrets: readonly string[]): unknown {
  // Short texts occur by chance, and tell little.
  const long = secrets.filter((secret) => secret.length >= 4)
  if (long.length === 0) return value
  const clean = (part: unknown): unknown => {
    if (typeof part === 'string') return long.reduce((text, secret) => text.replaceAll(secret, mask), part)
    if (Array.isArray(part)) return part.map(clean)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, clean(member)]))
  }
  return clean(value)
}
