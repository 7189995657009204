// Strong ETags of metadata items and the conditions requests put on them (D-104, D-105).
import { canonicalHash } from '#main/kernel/canonical-json.ts'
import { platformError } from '#shared/errors.ts'
import type { MetadataItem } from '../api.ts'
import type { Body } from './json-values.ts'

/** What an ETag stands for beside the item: language and rights of the caller. */
export interface EtagScope {
  readonly locale: string
  /** The caller's permission fingerprint (C7). */
  readonly fingerprint: string
  readonly organizationId: string | null
}

/** Remembered per item; more locales than this start over, so that a caller cannot fill memory with them. */
const rememberedPerItem = 32

const known = new WeakMap<object, Map<string, string>>()

/** The ETag of an item's body with its quotes, remembered per value: bodies are frozen, so the value itself is the key. */
export function etagOf(item: Body, { locale, fingerprint, organizationId }: EtagScope): string {
  const scope = canonicalHash({ fingerprint, organizationId })
  const key = `${scope} ${locale}`
  let tags = known.get(item)
  if (tags === undefined) known.set(item, (tags = new Map()))
  let tag = tags.get(key)
  if (tag === undefined) {
    if (tags.size >= rememberedPerItem) tags.clear()
    tag = `"${canonicalHash({ item, locale, scope }).slice(0, 32)}"`
    tags.set(key, tag)
  }
  return tag
}

/**
 * Whether an If-None-Match header names the ETag: a list, weak comparison, `*` for anything (RFC 9110 13.1.2). The bare
 * value, as cached reads answer it, counts too.
 */
export function matchesEtag(header: string, etag: string): boolean {
  return entityTags(header).some((tag) => tag === '*' || tag === etag || `"${tag}"` === etag)
}

/** Whether an item is no younger than a date; dates of HTTP have no fractions of a second, so neither side's count. */
export function isUnchangedSince(modifiedAt: string, since: string | undefined): boolean {
  const instant = Date.parse(since ?? '')
  return !Number.isNaN(instant) && Math.floor(Date.parse(modifiedAt) / 1000) <= Math.floor(instant / 1000)
}

/** Whether an If-Match header names the ETag, the integer version, or anything at all with `*`. */
export function matchesVersion(header: string, current: { etag: string; version: number }): boolean {
  return entityTags(header).some((tag) => tag === '*' || tag === current.etag || bare(tag) === String(current.version))
}

function entityTags(header: string): string[] {
  return header.split(',').map((part) => part.trim().replace(/^W\//, ''))
}

function bare(tag: string): string {
  return tag.replace(/^"(.*)"$/, '$1')
}

/**
 * Refuses a write whose conditions do not hold.
 * @param etags every ETag under which the caller may have read the item: one per language
 * @throws conflict, CONCURRENT_UPDATE
 */
export function requireConditions(
  input: { readonly ifMatch?: string; readonly ifNoneMatch?: string },
  existing: MetadataItem | null,
  etags: (item: MetadataItem) => readonly string[],
): void {
  if (input.ifNoneMatch?.trim() === '*' && existing !== null) {
    throw platformError('conflict', { reason: 'exists', type: existing.type, name: existing.name })
  }
  const { ifMatch } = input
  if (ifMatch === undefined) return
  if (existing !== null) {
    const { version } = existing
    if (etags(existing).some((etag) => matchesVersion(ifMatch, { etag, version }))) return
  }
  throw platformError('CONCURRENT_UPDATE', {
    currentVersion: existing?.version ?? null,
    currentItem: existing?.item ?? null,
  })
}
