// The permissions service as other plugins see it.
import type { Authorizer } from '#main/kernel/authorize.ts'
import { hasTable } from '#main/database/query/object-rows.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { PermissionsService } from './api.ts'
import { systemPermissions } from '#shared/system-permissions.ts'
import { isSystemPermission } from './permissions.ts'
import type { Directory } from './service/directory.ts'
import { administratorProfile } from './service/delivered-profiles.ts'
import type { VisibleObjectsParts } from './service/visible-objects.ts'
import { createVisibleObjects } from './service/visible-objects.ts'
import { adoptRecords, readRecordOrganization, recordOrganization } from './store.ts'

/** Makes the service over an authorizer and the directory. */
export function createPermissionsService(
  authorizer: Authorizer,
  directory: Pick<Directory, 'assignments' | 'assign'> & Pick<VisibleObjectsParts['directory'], 'rightsOf'>,
  metadata: Pick<MetadataService, 'epoch' | 'get' | 'objectSchema' | 'objectSchemas'>,
): PermissionsService {
  return {
    visibleObjects: createVisibleObjects({ metadata, directory, authorizer }),
    systemPermissions: (ctx) => systemPermissions.filter((word) => authorizer.hasSystemPermission(ctx, word)),
    isSystemPermission,
    isPermissionSet: (name) => metadata.get('permission', name) !== undefined,
    assignments: directory.assignments,
    isAdministrator: ({ actor, credential, scope }) =>
      actor.type === 'user' &&
      credential !== 'none' &&
      (scope?.permissionSets ?? null) === null &&
      directory.assignments(actor.id).profile === administratorProfile,
    assign: directory.assign,
    adoptRecords(tx, organizationId, homes) {
      const byUser = Object.fromEntries(homes.map((home) => [home.userId, home.organizationId]))
      return metadata
        .objectSchemas()
        .filter((schema) => !schema.abstract && hasTable(tx, schema))
        .reduce((sum, schema) => sum + adoptRecords(tx, schema, organizationId, byUser), 0)
    },
    organizationOf(read, object, recordId) {
      const schema = metadata.objectSchema(object)
      return schema === undefined ? null : readRecordOrganization(read, schema.uid, recordId)
    },
    recordOrganization,
  }
}
