// Who may start a flow how, for whom, and act on its runs (D-156, D-245, D-246). A flow that runs as the system does more
// than whoever starts it may: what they send opens nothing that its author left shut.
import { platformError, validationError } from '#shared/errors.ts'
import { isSelfStarting } from '#shared/flow-starts.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext, localOwnerId } from '#main/kernel/context.ts'
import { absenceOf, narrowedKey, whyNotLent } from '#main/kernel/identity.ts'
import type { PermissionsService } from '#main/plugins/permissions/api.ts'
import type { StartInput } from '../api.ts'
import type { RunRow } from '../store.ts'
import type { Accounts, Caller } from './caller.ts'
import type { KnownFlow } from './flow-book.ts'
import { nobody } from './flow-state-store.ts'
import { startConfig } from './flow.ts'

/** What people do with a run. */
export type RunAct = 'resume' | 'cancel' | 'retry' | 'signal'

/** The rights around starts and runs. */
export interface RunRights {
  readonly managesFlows: (ctx: RequestContext) => boolean
  /** Whether a run is shown: it is the caller's own, or they manage flows. A narrowed key has those it started. */
  sees(ctx: RequestContext, run: RunRow): boolean
  /**
   * Of a run as the system its user answers the screen it waits with, or cancels it there; all else is for those who
   * manage flows.
   * @param waitsFor the type of what it waits for
   */
  mayAct(ctx: RequestContext, run: RunRow, act: RunAct, waitsFor: string | undefined): boolean
  /** @throws permission_denied when the caller starts no flow in this state, or none that starts by itself as the system */
  requireStart(ctx: RequestContext, known: KnownFlow): void
  /**
   * The person another one starts a run for has no right of the system that they lack.
   * @throws permission_denied
   */
  requireLent(ctx: RequestContext, userId: string): void
  /**
   * Whether whoever saved a flow last may still let it act as the system. What nobody here saved was judged where it
   * was; so was what a person saved who has no account on this machine of several.
   * @source D-419
   */
  standsForSystem(savedBy: string | null): boolean
  /**
   * What of the record a caller sends counts: for a run as the system one with an id is the record as the caller may read
   * it, of the object of the flow.
   * @throws validation_error
   */
  recordOf(
    ctx: RequestContext,
    known: KnownFlow,
    input: StartInput,
  ): {
    readonly object: string | undefined
    readonly id: string | undefined
    readonly given: StartInput['record'] | null
  }
}

/** What judging needs. */
export interface RunRightParts {
  readonly authorizer: () => Authorizer
  readonly permissions: Pick<PermissionsService, 'isAdministrator' | 'systemPermissions'>
  readonly isAdministrator: (ctx: RequestContext) => boolean
  readonly accounts: Accounts
  /** Whether flows come from no other machine. */
  readonly isAlone: () => boolean
}

/** Makes the judge. */
export function createRunRights(parts: RunRightParts): RunRights {
  const { authorizer, permissions, isAdministrator } = parts
  const managesFlows = (ctx: RequestContext): boolean => authorizer().hasSystemPermission(ctx, 'manage_flows')
  const refuse = (reason: string): Error => platformError('permission_denied', { permission: 'manage_flows', reason })
  const asPerson = (id: string): RequestContext => ({
    ...internalContext('automation'),
    actor: { type: 'user', id },
    credential: 'session',
  })

  return {
    managesFlows,
    sees(ctx, run) {
      if (managesFlows(ctx)) return true
      const key = narrowedKey(ctx)
      return run.userId === ctx.actor.id && (key === null || (JSON.parse(run.caller) as Caller).keyId === key)
    },
    mayAct(ctx, run, act, waitsFor) {
      if (run.runAs !== 'system' || managesFlows(ctx)) return true
      return waitsFor === 'screen' && (act === 'resume' || act === 'cancel')
    },
    requireStart(ctx, { flow, status }) {
      const isOwn = isSelfStarting(flow)
      if (!isOwn && status !== 'draft') return
      if (!managesFlows(ctx)) throw refuse(isOwn ? 'starts_itself' : 'draft')
    },
    requireLent(ctx, userId) {
      if (!managesFlows(ctx)) throw refuse('other_user')
      if (isAdministrator(ctx)) return
      const reason = whyNotLent(ctx)
      if (reason !== null) throw platformError('permission_denied', { reason })
      const own = new Set(permissions.systemPermissions(ctx))
      const theirs = { ...asPerson(userId), organizationId: ctx.organizationId }
      if (permissions.isAdministrator(theirs) || permissions.systemPermissions(theirs).some((one) => !own.has(one)))
        throw platformError('permission_denied', { reason: 'other_user', required: 'administrator' })
    },
    standsForSystem(savedBy) {
      if (savedBy === null || savedBy === localOwnerId) return true
      if (savedBy === nobody) return false
      if (!parts.isAlone() && parts.accounts()?.user(savedBy) === undefined) return true
      return (
        absenceOf(parts.accounts(), savedBy, { organizationId: null }) === undefined &&
        isAdministrator(asPerson(savedBy))
      )
    },
    recordOf(ctx, { flow }, input) {
      const configured = textOf(startConfig(flow)['object'])
      const object = input.object ?? configured
      const given = input.record ?? null
      const id = input.recordId ?? textOf(given?.['id'])
      if (flow.runAs !== 'system' || id === undefined || managesFlows(ctx)) return { object, id, given }
      // Another object's record, or one nobody has looked up, would be taken for one that the caller may read.
      if (object === undefined) throw objectError('required', 'The run needs the object of this record.')
      if (configured !== undefined && object !== configured)
        throw objectError('not_allowed', `The flow is about records of ${configured}.`)
      return { object, id, given: null }
    },
  }
}

function objectError(code: 'required' | 'not_allowed', message: string): Error {
  return validationError([{ field: 'object', code, message }])
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
