// The cached get (D-108): an item with everything a client's cache needs, always 200.
import type { LanguageRequest } from '#shared/language.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataCore } from '../service.ts'
import { isUnchangedSince, matchesEtag } from '../service/etag.ts'
import type { Answer } from './contract-forms.ts'
import { typeOfSegment } from './type-words.ts'

/** What the caller's cache holds. */
export interface CacheConditions extends LanguageRequest {
  readonly ifNoneMatch?: string | undefined
  /** An HTTP date or a timestamp; counts only without ifNoneMatch (D-104). */
  readonly ifModifiedSince?: string | undefined
}

/** The item as the caller sees it, in the language asked for; `data` is absent when the copy is still good. @throws resource_not_found, validation_error */
export function cachedItem(
  service: MetadataCore,
  ctx: RequestContext,
  path: { type: string; name: string },
  { ifNoneMatch, ifModifiedSince, ...language }: CacheConditions,
): Answer<'getCachedMetadataItem'> {
  const { stored, body, etag, modifiedAt } = service.visible(ctx, typeOfSegment(path.type), path.name, language)
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
