// `Content-Disposition`, read from parts of forms and written for downloads. Pure. @source RFC 6266, RFC 7578, RFC 8187

/** What a part of a form says of itself. */
export interface PartDisposition {
  /** Null when it has none. */
  readonly name: string | null
  /** Null for a field. */
  readonly filename: string | null
}

/** Reads the header of a part. @param header each byte a character, as parsers hand it on */
export function parseDisposition(header: string): PartDisposition {
  const text = Buffer.from(header, 'latin1').toString('utf8')
  const found = new Map<string, string>()
  for (const [, key, quoted, bare] of text.matchAll(/;\s*([\w*]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g))
    if (!found.has(key!.toLowerCase())) found.set(key!.toLowerCase(), quoted?.replaceAll('\\"', '"') ?? bare ?? '')
  if (!/^\s*form-data\b/i.test(text)) return { name: null, filename: null }
  return {
    name: found.get('name') ?? null,
    filename: extended(found.get('filename*')) ?? found.get('filename') ?? null,
  }
}

function extended(given: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(given ?? '')?.[1]
  if (encoded === undefined) return undefined
  try {
    return decodeURIComponent(encoded)
  } catch {
    // A broken escape: the plain name counts.
    return undefined
  }
}

/** Writes the header of a download, with the name in both spellings. */
export function writeDisposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
