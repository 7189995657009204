// Owns what a role gives by itself: the union of its permission sets. Pure; the exact answer for a person is the host's.
import type { RightItem } from '../../lib/right-sets.ts'
import type { EffectiveRights } from './access-queries.ts'
import { draftOfSet, hasFlag } from './set-draft.ts'
import type { ObjectFlag } from './set-draft.ts'

/** The rights on one object as the host answers them. */
export type ObjectRights = EffectiveRights['objects'][string]

/** The flag of a permission set that allows an action. */
export const flagOf = {
  create: 'allowCreate',
  read: 'allowRead',
  edit: 'allowEdit',
  delete: 'allowDelete',
  transfer: 'allowTransfer',
  restore: 'allowRestore',
  purge: 'allowPurge',
  viewAllRecords: 'viewAllRecords',
  modifyAllRecords: 'modifyAllRecords',
} as const satisfies Record<keyof ObjectRights, ObjectFlag>

/** The actions of the matrix, in its order. */
export const shownActions = Object.keys(flagOf) as (keyof ObjectRights)[]

/** The rights a role's sets give on an object; editing and deleting give reading (D-45). */
export function roleRights(sets: readonly RightItem[], object: string): ObjectRights {
  const drafts = sets.map(draftOfSet)
  const given = Object.fromEntries(
    shownActions.map((action) => [action, drafts.some((draft) => hasFlag(draft, object, flagOf[action]))]),
  ) as ObjectRights
  return { ...given, read: given.read || given.edit || given.delete }
}
