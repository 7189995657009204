// Makes the details of an entry fit to be kept for years: small, and without what looks like a credential. Pure.

/** Characters of one text. */
const maxText = 300
/** Members of one list or map. */
const maxMembers = 50
const maxDepth = 4
/** Characters of all of it as JSON. */
const maxJson = 4_000

/** Names of members whose values are credentials or could be. */
const credentialName =
  /pass(word|phrase)?$|secret|token|otp|cookie|authorization|credential|hash|digest|^(key|code|pin)$|(api|private)_?key$/i

/** Details without credentials, shortened until they fit. */
export function cleanDetails(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const cleaned = clean(details, 0) as Readonly<Record<string, unknown>>
  const length = JSON.stringify(cleaned).length
  return length <= maxJson ? cleaned : { truncated: true, members: Object.keys(cleaned) }
}

function clean(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return (value.length > maxText ? `${value.slice(0, maxText)}…` : value).toWellFormed()
    case 'number':
      return Number.isFinite(value) ? value : null
    case 'boolean':
      return value
    case 'object':
      return value === null ? null : cleanObject(value, depth)
    default:
      return undefined
  }
}

function cleanObject(value: object, depth: number): unknown {
  if (depth >= maxDepth) return Array.isArray(value) ? `${value.length} entries` : '…'
  if (Array.isArray(value)) {
    const shown = value.slice(0, maxMembers).map((one) => clean(one, depth + 1) ?? null)
    return value.length > maxMembers ? [...shown, `… ${value.length - maxMembers} more`] : shown
  }
  const cleaned: Record<string, unknown> = Object.create(null)
  for (const [name, member] of Object.entries(value).slice(0, maxMembers)) {
    const key = name.slice(0, 100).toWellFormed()
    const isHidden = credentialName.test(name) && typeof member !== 'boolean' && typeof member !== 'number'
    const shown = isHidden ? undefined : clean(member, depth + 1)
    if (shown !== undefined) cleaned[key] = shown
  }
  return cleaned
}

/** Texts and blobs, quoted names, comments, numbers: whatever comes first, so that none is taken for part of another. */
const sqlTokens =
  /[xX]?'(?:[^']|'')*(?:'|$)|("(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\[[^\]]*(?:\]|$))|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(?<![\w])\d[\w.]*/g

/** A statement without the values in it: quoted texts and numbers become `?`, comments go. */
export function withoutLiterals(sql: string): string {
  return sql
    .replaceAll(sqlTokens, (token, name: string | undefined) => {
      if (name !== undefined) return name
      return token.startsWith('--') || token.startsWith('/*') ? ' ' : '?'
    })
    .replaceAll(/\s+/g, ' ')
    .trim()
}
