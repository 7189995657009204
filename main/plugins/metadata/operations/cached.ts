// The cached get (D-108): an item with everything a client's cache needs, always 200.
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataCore } from '../service.ts'
import { matchesEtag } from '../service/etag.ts'
import { typeOfSegment } from './type-words.ts'

/** What the caller's cache holds. */
export interface CacheConditions {
  readonly ifNoneMatch?: string | undefined
  /** An HTTP date or a timestamp; counts only without ifNoneMatch (D-104). */
  readonly ifModifiedSince?: string | undefined
  readonly locale?: string | undefined
  /** The header Accept-Language; counts only without locale. */
  readonly acceptLanguage?: string | undefined
}

/** An item with its cache data; `data` is absent when the caller's copy is still good. */
export interface CachedItem {
  readonly data?: Record<string, unknown>
  readonly etag: { readonly value: string; readonly weak: false }
  readonly lastModified: string
  readonly cacheControl: { readonly directives: string[] }
  readonly notModified: boolean
  readonly version: number
}

/** The item as the caller sees it, in the language asked for. @throws resource_not_found, validation_error */
export function cachedItem(
  service: MetadataCore,
  ctx: RequestContext,
  path: { type: string; name: string },
  { ifNoneMatch, ifModifiedSince, locale, acceptLanguage }: CacheConditions,
): CachedItem {
  const { stored, body, etag, modifiedAt } = service.visible(ctx, typeOfSegment(path.type), path.name, {
    ...(locale === undefined ? {} : { locale }),
    ...(acceptLanguage === undefined ? {} : { acceptLanguage }),
  })
  const notModified =
    ifNoneMatch === undefined ? isUnchangedSince(modifiedAt, ifModifiedSince) : matchesEtag(ifNoneMatch, etag)
  return {
    ...(notModified ? {} : { data: { ...body } }),
    etag: { value: etag.slice(1, -1), weak: false },
    lastModified: modifiedAt,
    cacheControl: { directives: ['private', 'no-cache'] },
    notModified,
    version: stored.version,
  }
}

/** HTTP dates have no fractions of a second, so neither side's count. */
function isUnchangedSince(updatedAt: string, since: string | undefined): boolean {
  const instant = Date.parse(since ?? '')
  return !Number.isNaN(instant) && Math.floor(Date.parse(updatedAt) / 1000) <= Math.floor(instant / 1000)
}
