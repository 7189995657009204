// Who decides an approval: found when it is asked for, and fixed from then on but for reassignment (D-167, D-252).
import type { Approver } from '#shared/rules/approval-definition.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import type { AuthService } from '#main/plugins/auth/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { PermissionsService } from '#main/plugins/permissions/api.ts'

/** What finding approvers works with. */
export interface ApproverParts {
  readonly auth: () => AuthService | undefined
  readonly permissions: Pick<PermissionsService, 'assignments'>
  readonly metadata: Pick<MetadataService, 'get'>
}

/** About what somebody is to decide. */
export interface ApprovalSubject {
  /** All of the record. */
  readonly record: Readonly<Record<string, unknown>>
  readonly submitterId: string
  /** Only its members decide; null while there are no organizations. */
  readonly organizationId: string | null
}

/** Finds approvers; one per host. */
export interface Approvers {
  /** The ids of those who decide, each once; empty when nobody is found. */
  find(approvers: readonly Approver[], subject: ApprovalSubject): string[]
  /** Whether a user is there and may decide things of an organization. */
  mayDecide(userId: string, organizationId: string | null): boolean
}

const everybody = 1_000_000
const maxRoles = 50

/** Makes the finder. */
export function createApprovers({ auth, permissions, metadata }: ApproverParts): Approvers {
  const mayDecide: Approvers['mayDecide'] = (userId, organizationId) => {
    const user = auth()?.user(userId)
    if (user === undefined ? userId !== localOwnerId : user.banned) return false
    return (
      organizationId === null ||
      auth()?.hasOrganizations !== true ||
      auth()!
        .memberships(userId)
        .some((membership) => membership.organizationId === organizationId)
    )
  }

  const inRoles = (roles: ReadonlySet<string>): string[] => {
    const users = auth()?.users({ limit: everybody }) ?? []
    const ids = new Set([localOwnerId, ...users.map(({ id }) => id)])
    return [...ids].filter((id) => permissions.assignments(id).roles.some((role) => roles.has(role)))
  }

  /** Those of the nearest role above the submitter's that anybody has. */
  const managersOf = (subject: ApprovalSubject): string[] => {
    let roles: readonly string[] = permissions.assignments(subject.submitterId).roles
    for (let level = 0; level < maxRoles && roles.length > 0; level += 1) {
      roles = roles.flatMap((role) => {
        const parent: unknown = metadata.get('role', role)?.item['parent']
        return typeof parent === 'string' ? [parent] : []
      })
      const found = inRoles(new Set(roles)).filter(
        (id) => id !== subject.submitterId && mayDecide(id, subject.organizationId),
      )
      if (found.length > 0) return found
    }
    return []
  }

  const findOne = ({ type, value = '' }: Approver, subject: ApprovalSubject): readonly unknown[] => {
    switch (type) {
      case 'user':
        return [value]
      case 'role':
        return inRoles(new Set([value]))
      case 'team':
        return auth()?.teamMembers(value) ?? []
      case 'manager':
        return managersOf(subject)
      case 'field':
        return [subject.record[value]].flat()
      case 'owner':
        return [subject.record['owner']]
    }
  }

  return {
    mayDecide,
    find(approvers, subject) {
      const found = approvers.flatMap((one) => findOne(one, subject))
      const ids = found.filter((id): id is string => typeof id === 'string')
      return [...new Set(ids)].filter((id) => mayDecide(id, subject.organizationId))
    },
  }
}
