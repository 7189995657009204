// The door every permission question goes through. The kernel denies everything until a plugin sets the authorizer.
import type { Filter } from '#shared/filter/filter.ts'
import type { RecordAction } from '#shared/route.ts'
import { platformError } from '#shared/errors.ts'
import type { RequestContext } from './context.ts'

/** The records an action covers: a filter, or null for every record. */
export type RowCondition = Filter | null

/** Answers what an actor may do. Set once, by the `permissions` plugin. */
export interface Authorizer {
  /** Whether the actor holds a system permission (D-48). */
  hasSystemPermission(ctx: RequestContext, permission: string): boolean
  /** Whether the actor may perform the action on the object at all. */
  canObject(ctx: RequestContext, object: string, action: RecordAction): boolean
  /** The rows the action covers: null for all of them, false for none. */
  rowCondition(ctx: RequestContext, object: string, action: RecordAction): RowCondition | false
  /** Whether the actor may read or edit the field. */
  canField(ctx: RequestContext, object: string, field: string, access: 'readable' | 'editable'): boolean
  /** Whether no mask applies: every field readable and editable, every row covered. Lets hot paths skip checks. */
  isUnrestricted(ctx: RequestContext): boolean
  /** Why records are closed to the actor whatever the object; undefined when they are not. The reason of the refusal. */
  closedBecause?(ctx: RequestContext): string | undefined
  /**
   * Stands for the actor's rights: the same value as long as none of them changes. Null when they change with time alone.
   * Lets hot paths remember what they worked out for a caller.
   */
  standing?(ctx: RequestContext): object | null
  /** Stable text that changes when the actor's rights change; part of metadata ETags (D-104). */
  fingerprint(ctx: RequestContext): string
}

/** The authorizer before any is set: nobody may do anything. */
export const denyingAuthorizer: Authorizer = {
  hasSystemPermission: () => false,
  canObject: () => false,
  rowCondition: () => false,
  canField: () => false,
  isUnrestricted: () => false,
  fingerprint: () => 'none',
}

/**
 * Refuses when a system permission is missing.
 * @throws permission_denied
 */
export function requireSystemPermission(authorizer: Authorizer, ctx: RequestContext, permission: string): void {
  if (!authorizer.hasSystemPermission(ctx, permission)) throw platformError('permission_denied', { permission })
}

/**
 * Refuses when records are closed to the actor whatever the object, and with them what tells of records (D-41).
 * @throws permission_denied
 */
export function requireOpenRecords(authorizer: Authorizer, ctx: RequestContext): void {
  const reason = authorizer.closedBecause?.(ctx)
  if (reason !== undefined) throw platformError('permission_denied', { reason })
}

/**
 * Refuses when an object action is missing.
 * @throws permission_denied
 */
export function requireObjectAction(
  authorizer: Authorizer,
  ctx: RequestContext,
  object: string,
  action: RecordAction,
): void {
  requireOpenRecords(authorizer, ctx)
  if (!authorizer.canObject(ctx, object, action)) throw platformError('permission_denied', { object, action })
}
