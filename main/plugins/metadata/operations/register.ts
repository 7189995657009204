// Registering one new item (D-108): a save that refuses to replace.
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataCore } from '../service.ts'
import { refusal } from '../service/check-input.ts'
import type { Answer, RequestBody } from './contract-forms.ts'
import { typeOfSegment, typeOfWord } from './type-words.ts'

/** Stores a new item. @throws conflict when it exists, and as a save does */
export async function registerItem(
  service: MetadataCore,
  ctx: RequestContext,
  request: RequestBody<'registerMetadata'>,
  segment?: string,
): Promise<Answer<'registerMetadata'>> {
  const type = segment === undefined ? typeOfWord('type', requireType(request.type)) : typeOfSegment(segment)
  if (segment !== undefined && request.type !== undefined && typeOfWord('type', request.type) !== type) {
    throw refusal('type', 'not_allowed', 'The type differs from the one in the path.', { value: request.type })
  }
  const { name, data, namespace } = request
  const saved = await service.save(ctx, { type, name, item: { ...data }, ifNoneMatch: '*', namespace })
  const stored = service.item(type, name)!
  const item = { ...(service.seen(ctx, stored) ?? stored.item) }
  return { type, name, item, version: saved.version, etag: saved.etag, state: saved.state }
}

function requireType(type: string | undefined): string {
  if (type !== undefined) return type
  throw refusal('type', 'required', 'A value is required.')
}
