// The way to a record's feed and changelog: what of the object is offered, and what the caller may do with the record.
import { notFound } from '#shared/errors.ts'
import { requireApiMethods } from '#shared/object-api.ts'
import type { RecordAction } from '#shared/route.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { RecordPlace } from './place.ts'

/** A record as requests name it. */
export interface RecordName {
  readonly object: string
  readonly recordId: string
}

/** The gate. */
export interface FeedGate {
  /** @throws resource_not_found also while the record is deleted or the object has no feeds, permission_denied */
  feed(ctx: RequestContext, name: RecordName, action?: RecordAction): RecordPlace & { owner: string | null }
  /**
   * The changelog is open while the record is in the trash, to those who see what lies there (D-60).
   * @throws resource_not_found, permission_denied
   */
  changelog(ctx: RequestContext, name: RecordName): RecordPlace
}

/** Makes the gate. */
export function createFeedGate(parts: {
  data: Pick<DataService, 'requireRecord'>
  metadata: Pick<MetadataService, 'objectSchema'>
  authorizer(): Authorizer
}): FeedGate {
  const enter = (ctx: RequestContext, { object, recordId }: RecordName, action: RecordAction, deletedToo: boolean) => {
    requireApiMethods(parts.metadata.objectSchema(object), 'get')
    const { id, owner } = parts.data.requireRecord(ctx, { object, id: recordId, action, deletedToo })
    const schema = parts.metadata.objectSchema(object)!
    return { object: schema.uid, recordId: id, schema, owner }
  }
  return {
    feed(ctx, name, action = 'read') {
      const place = enter(ctx, name, action, false)
      if (!place.schema.enable.feeds) throw notFound('feed', undefined, name.object)
      return place
    },
    changelog: (ctx, name) => enter(ctx, name, 'read', parts.authorizer().canObject(ctx, name.object, 'restore')),
  }
}
