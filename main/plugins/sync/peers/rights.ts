// Who may bring a machine into the workspace, and which machine may come: a whole reader, and an empty one. Knows no
// socket.
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import { hasRows } from '#main/database/query/object-rows.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'

type Objects = Pick<MetadataService, 'objectSchemas'>

/**
 * Whether somebody may read everything that travels: a document is all or nothing for its reader, so a machine of
 * anybody else would hold what they may not see.
 * @source design of sync, section 14
 */
export function maySeeEverything(ctx: RequestContext, authorizer: Authorizer, metadata: Objects): boolean {
  if (authorizer.closedBecause?.(ctx) !== undefined) return false
  if (authorizer.isUnrestricted(ctx)) return true
  return metadata
    .objectSchemas()
    .filter((schema) => schema.enable.sync && !schema.abstract)
    .every(
      ({ name, visibleFields }) =>
        authorizer.canObject(ctx, name, 'read') &&
        authorizer.rowCondition(ctx, name, 'read') === null &&
        visibleFields.every((field) => authorizer.canField(ctx, name, field.name, 'readable')),
    )
}

/** Whether this machine holds nothing a join would mix with the workspace: no object of people, no record that travels. */
export function isEmptyHere(read: Pick<Reads, 'get'>, metadata: Objects & Pick<MetadataService, 'list'>): boolean {
  if (metadata.list('object').some(({ packageId }) => packageId === null)) return false
  return metadata
    .objectSchemas()
    .filter((schema) => schema.enable.sync && !schema.abstract)
    .every((schema) => !hasRows(read, schema))
}
