// The authorizer of a workspace in which nobody was given anything: the host and its owner may do everything.
import type { Authorizer } from '#main/kernel/authorize.ts'
import { createAuthorizer } from '#main/plugins/permissions/service/authorizer.ts'
import { createUserRights } from '#main/plugins/permissions/service/user-rights.ts'

/** Makes it; no database is needed. */
export function createOwnerAuthorizer(): Authorizer {
  const rightsOf = () => {
    const user = { id: '', email: null, roles: [], profile: 'guest', organizationId: null }
    const own = createUserRights({
      user,
      sources: [],
      principals: [],
      hasShares: () => false,
      subordinates: [],
      schemaOf: () => undefined,
    })
    return { isAdministrator: false, own, narrowed: null, isTimeless: true, fingerprint: 'guest' }
  }
  return createAuthorizer({ directory: { rightsOf }, schemaOf: () => undefined, hasOrganizations: () => false })
}
