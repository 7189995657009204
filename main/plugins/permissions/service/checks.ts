// Answers to "may this be done?" (D-49) and "from where?" for one caller: the same authorizer that guards the
// operations, asked without doing anything.
import { notFound, platformError, validationError } from '#shared/errors.ts'
import type { Filter } from '#shared/filter/filter.ts'
import { parseUuid } from '#shared/field-types/uuid.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RecordAction } from '#shared/route.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireSystemPermission } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { Assignments } from '../api.ts'
import { systemPermissions } from '#shared/system-permissions.ts'
import { guestProfile } from './delivered-profiles.ts'
import type { Directory } from './directory.ts'
import { callerKind } from './authorizer.ts'
import type { ObjectRights } from './right-set.ts'
import { noObjectRights, objectRightsOf, recordActions } from './right-set.ts'
import type { UserRights } from './user-rights.ts'

/** A question about one action. */
export interface PermissionQuestion {
  readonly object: string
  readonly action: RecordAction
  readonly recordId?: string | undefined
  readonly field?: string | undefined
  readonly userId?: string | undefined
}

/** Why an action is refused (D-49). */
export type RefusalReason =
  | 'no_object_permission'
  | 'no_record_access'
  | 'no_field_permission'
  | 'record_locked'
  | 'record_not_found'
  | 'object_not_found'

/** The answer to a question. */
export interface PermissionAnswer {
  readonly allowed: boolean
  readonly reason?: RefusalReason
}

/** One reason for which something is allowed. */
export interface Because {
  readonly source: 'profile' | 'permission' | 'role' | 'organization' | 'share' | 'owner' | 'sharing_model' | 'row_rule'
  readonly name: string
  readonly grants: string
}

/** What the checks work with. */
export interface CheckParts {
  readonly authorizer: () => Authorizer
  readonly metadata: MetadataService
  readonly directory: Directory
  /** Whether a stored record passes a filter, deleted or not; null asks whether there is the record. */
  readonly passes: (schema: ObjectSchema, id: string, filter: Filter | null, userId: string) => boolean
  readonly userExists: (id: string) => boolean
  /** Whether a record waits for something that keeps others from writing it. */
  readonly isHeld: (ctx: RequestContext, object: string, recordId: string) => boolean
}

/** Rights over all objects, and what they come from. */
export type Effective = Assignments & {
  objects: Record<string, ObjectRights>
  systemPermissions: string[]
}

/** The answers; one per host. */
export interface PermissionChecks {
  check(ctx: RequestContext, question: PermissionQuestion): PermissionAnswer
  /** Everything somebody may do, or what a role gives to whoever has nothing else. */
  effective(
    ctx: RequestContext,
    of: { readonly userId?: string | undefined; readonly role?: string | undefined },
  ): Effective
  object(
    ctx: RequestContext,
    object: string,
    userId?: string,
  ): {
    object: string
    permissions: ObjectRights
    fieldPermissions: Record<string, { readable: boolean; editable: boolean }>
  }
  explain(ctx: RequestContext, question: PermissionQuestion): PermissionAnswer & { because: Because[] }
}

/** Makes the answers. */
export function createPermissionChecks(parts: CheckParts): PermissionChecks {
  const { authorizer, metadata, directory } = parts

  /** Whoever is asked about: the caller, or a user whom somebody with manage_permissions looks at. */
  const subject = (ctx: RequestContext, userId: string | undefined): RequestContext => {
    if (userId === undefined || userId === ctx.actor.id) return ctx
    requireSystemPermission(authorizer(), ctx, 'manage_permissions')
    if (!parts.userExists(userId)) throw notFound('user', userId)
    const { scope: _scope, impersonatorId: _impersonator, ...rest } = ctx
    return { ...rest, actor: { type: 'user', id: userId }, credential: 'session' }
  }

  const visibleSchema = (object: string): ObjectSchema | undefined => {
    const schema = metadata.objectSchema(object)
    return schema === undefined || schema.abstract ? undefined : schema
  }

  const objectRights = (ctx: RequestContext, object: string): ObjectRights => {
    const can = Object.fromEntries(
      recordActions.map((action) => [action, authorizer().canObject(ctx, object, action)]),
    ) as Record<RecordAction, boolean>
    if (authorizer().isUnrestricted(ctx)) return { ...can, viewAllRecords: true, modifyAllRecords: true }
    if (callerKind(ctx) !== 'user') return noObjectRights
    const { own, narrowed, isAdministrator } = directory.rightsOf(ctx)
    const flags = [...(isAdministrator ? [] : [own]), ...(narrowed === null ? [] : [narrowed])].map((one) =>
      one.object(object),
    )
    return {
      ...can,
      viewAllRecords: flags.every((one) => one.viewAllRecords),
      modifyAllRecords: flags.every((one) => one.modifyAllRecords) && ctx.scope?.readOnly !== true,
    }
  }

  const recordRefusal = (
    ctx: RequestContext,
    schema: ObjectSchema,
    { action, recordId }: PermissionQuestion,
  ): RefusalReason | null => {
    const id = parseUuid(recordId)
    const covers = (asked: RecordAction): boolean => {
      const rows = authorizer().rowCondition(ctx, schema.name, asked)
      return rows !== false && parts.passes(schema, id!, rows, ctx.actor.id)
    }
    // What may not be read is told from what is not there by nothing.
    if (id === null || !covers('read')) return 'record_not_found'
    if (action === 'read') return null
    if (!covers(action)) return 'no_record_access'
    return parts.isHeld(ctx, schema.name, id) ? 'record_locked' : null
  }

  const fieldRefusal = (
    ctx: RequestContext,
    schema: ObjectSchema,
    { action, field }: PermissionQuestion,
  ): RefusalReason | null => {
    const found = schema.byName.get(field!)
    const access = action === 'create' || action === 'edit' ? 'editable' : 'readable'
    const isOpen =
      found !== undefined &&
      (found.system
        ? access === 'readable' || found.name === 'owner'
        : authorizer().canField(ctx, schema.name, found.name, access))
    return isOpen ? null : 'no_field_permission'
  }

  const openObjects = (rightsOf: (object: string) => ObjectRights): Record<string, ObjectRights> =>
    Object.fromEntries(
      metadata
        .objectSchemas()
        .filter((schema) => !schema.abstract)
        .map((schema): [string, ObjectRights] => [schema.name, rightsOf(schema.name)])
        .filter(([, rights]) => Object.values(rights).some(Boolean)),
    )

  const ofRole = (ctx: RequestContext, role: string): Effective => {
    requireSystemPermission(authorizer(), ctx, 'manage_permissions')
    const found = directory.rightsOfRole(role)
    if (found === undefined) throw notFound('role', role)
    const { rights, permissionSets } = found
    return {
      objects: openObjects(rights.object),
      systemPermissions: systemPermissions.filter(rights.hasSystem),
      profile: guestProfile,
      roles: [role],
      permissionSets,
    }
  }

  const answer = (ctx: RequestContext, question: PermissionQuestion): PermissionAnswer => {
    const refusal = (reason: RefusalReason): PermissionAnswer => ({ allowed: false, reason })
    const schema = visibleSchema(question.object)
    if (schema === undefined) return refusal('object_not_found')
    if (!authorizer().canObject(ctx, schema.name, question.action)) return refusal('no_object_permission')
    const record = question.recordId === undefined ? null : recordRefusal(ctx, schema, question)
    if (record !== null) return refusal(record)
    const field = question.field === undefined ? null : fieldRefusal(ctx, schema, question)
    return field === null ? { allowed: true } : refusal(field)
  }

  return {
    check: (ctx, question) => answer(subject(ctx, question.userId), question),

    effective(ctx, { userId, role }) {
      if (role !== undefined) {
        if (userId !== undefined) {
          const message = 'Either a user or a role can be asked about.'
          throw validationError([{ field: 'role', code: 'invalid_option', message, value: role }])
        }
        return ofRole(ctx, role)
      }
      const who = subject(ctx, userId)
      return {
        objects: openObjects((object) => objectRights(who, object)),
        systemPermissions: systemPermissions.filter((word) => authorizer().hasSystemPermission(who, word)),
        ...directory.assignments(who.actor.id),
      }
    },

    object(ctx, object, userId) {
      const who = subject(ctx, userId)
      const schema = visibleSchema(object)
      if (schema === undefined) throw notFound('object', object)
      const rights = objectRights(who, object)
      // Nobody learns the fields of an object that is closed.
      if (!Object.values(rights).some(Boolean)) throw platformError('permission_denied', { object, action: 'read' })
      const canField = (field: string, access: 'readable' | 'editable'): boolean =>
        authorizer().canField(who, object, field, access)
      const fields = schema.fields
        .filter(({ name }) => canField(name, 'readable'))
        .map(({ name, computed, readonly }) => [
          name,
          { readable: true, editable: !computed && !readonly && canField(name, 'editable') },
        ])
      return { object, permissions: rights, fieldPermissions: Object.fromEntries(fields) }
    },

    explain(ctx, question) {
      const who = subject(ctx, question.userId)
      const found = answer(who, question)
      const schema = visibleSchema(question.object)
      if (schema === undefined || callerKind(who) !== 'user') return { ...found, because: [] }
      const { own } = directory.rightsOf(who)
      const id = parseUuid(question.recordId)
      return {
        ...found,
        because: [
          ...grantsOf(own, schema, question),
          ...(id === null ? [] : recordGrants(own, schema, question.action, id, who.actor.id)),
        ],
      }
    },
  }

  /** Why a record is covered. */
  function recordGrants(
    own: UserRights,
    schema: ObjectSchema,
    action: RecordAction,
    id: string,
    userId: string,
  ): Because[] {
    if (!parts.passes(schema, id, null, userId)) return []
    const covered = own.coverage(schema, action)
    if (covered.all === 'sharing_model') return [{ source: 'sharing_model', name: schema.sharingModel, grants: action }]
    if (covered.all !== null) return []
    return covered.branches
      .filter(({ filter }) => parts.passes(schema, id, filter, userId))
      .map(({ source, name }) => ({ source: source === 'parent' ? 'sharing_model' : source, name, grants: action }))
  }
}

/** The sets that allow an action, that free it of rows, and that open a field. */
function grantsOf(own: UserRights, schema: ObjectSchema, { action, field }: PermissionQuestion): Because[] {
  return own.input.sources.flatMap(({ source, name, set, rights }): Because[] => {
    const flags = objectRightsOf(rights, schema.name)
    const label = set === undefined ? name : `${name} (${set})`
    const said = field === undefined ? undefined : rights.fields.get(`${schema.name}.${field}`)
    const access = action === 'create' || action === 'edit' ? 'editable' : 'readable'
    return [
      ...(flags[action] ? [{ source, name: label, grants: action }] : []),
      ...(flags.modifyAllRecords ? [{ source, name: label, grants: 'modifyAllRecords' }] : []),
      ...(flags.viewAllRecords && !flags.modifyAllRecords && action === 'read'
        ? [{ source, name: label, grants: 'viewAllRecords' }]
        : []),
      ...(said?.[access] === true ? [{ source, name: label, grants: `${access} ${schema.name}.${field}` }] : []),
    ]
  })
}
