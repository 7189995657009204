// Registering one new item (D-108): a save that refuses to replace.
import type { MetadataState } from '#shared/contracts/metadata.ts'
import { validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataCore } from '../service.ts'
import { typeOfSegment, typeOfWord } from './type-words.ts'

/** What a caller registers; `type` may stand in the path instead. */
export interface RegisterRequest {
  readonly type?: string | undefined
  readonly name: string
  readonly data: Record<string, unknown>
  readonly namespace?: string | undefined
}

/** A registered item as the caller sees it. */
export interface Registered {
  readonly type: string
  readonly name: string
  readonly item: Record<string, unknown>
  readonly version: number
  readonly etag: string
  readonly state: MetadataState
}

/** Stores a new item. @throws conflict when it exists, and as a save does */
export async function registerItem(
  service: MetadataCore,
  ctx: RequestContext,
  request: RegisterRequest,
  segment?: string,
): Promise<Registered> {
  const type = segment === undefined ? typeOfWord('type', requireType(request.type)) : typeOfSegment(segment)
  if (segment !== undefined && request.type !== undefined && typeOfWord('type', request.type) !== type) {
    throw validationError([
      {
        field: 'type',
        code: 'not_allowed',
        message: 'The type differs from the one in the path.',
        value: request.type,
      },
    ])
  }
  const { name, data, namespace } = request
  const saved = await service.save(ctx, {
    type,
    name,
    item: { ...data },
    ifNoneMatch: '*',
    ...(namespace === undefined ? {} : { namespace }),
  })
  const stored = service.item(type, name)!
  const item = { ...(service.seen(ctx, stored) ?? stored.item) }
  return { type, name, item, version: saved.version, etag: saved.etag, state: saved.state }
}

function requireType(type: string | undefined): string {
  if (type !== undefined) return type
  throw validationError([{ field: 'type', code: 'required', message: 'A value is required.' }])
}
