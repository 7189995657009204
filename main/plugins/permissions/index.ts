// The permissions plugin: sets the authorizer that every permission question goes through.
import { definePlugin } from '#main/kernel/plugin.ts'
import { permissionsPermissions } from './permissions.ts'
import { createOwnerAuthorizer, createPermissionsService } from './service.ts'

/** Decides what actors may do; without it the kernel denies everything. */
export const permissionsPlugin = definePlugin({
  id: 'permissions',
  version: '1.0.0',
  requires: ['metadata'],
  discovery: { service: 'permissions' },
  permissions: permissionsPermissions,
  register(host) {
    const authorizer = createOwnerAuthorizer()
    host.setAuthorizer(authorizer)
    host.provide('permissions', createPermissionsService(authorizer))
  },
})
