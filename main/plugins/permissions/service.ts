// The permissions service as other plugins see it.
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { PermissionsService } from './api.ts'
import { isSystemPermission, systemPermissions } from './permissions.ts'
import type { Directory } from './service/directory.ts'

/** Makes the service over an authorizer and the directory. */
export function createPermissionsService(
  authorizer: Authorizer,
  directory: Pick<Directory, 'assignments' | 'assign'>,
): PermissionsService {
  return {
    systemPermissions: (ctx) => systemPermissions.filter((word) => authorizer.hasSystemPermission(ctx, word)),
    isSystemPermission,
    assignments: directory.assignments,
    assign: directory.assign,
  }
}
