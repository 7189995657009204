// Who a run speaks for: what is kept of the call that started it, and the context its nodes work in (D-161).
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext, localOwnerId } from '#main/kernel/context.ts'
import { absenceOf } from '#main/kernel/identity.ts'
import type { CredentialScope } from '#main/kernel/identity.ts'
import { platformError } from '#shared/errors.ts'
import type { AuthService } from '../../auth/api.ts'
import type { RunRow } from '../store.ts'

/** What is kept of the call that started a run. */
export interface Caller {
  readonly organizationId: string | null
  /** What the credential may do at most; a key that is narrowed starts no run that may do more. */
  readonly scope: CredentialScope | null
  /** The id of the API key that made it. */
  readonly keyId?: string | undefined
  readonly locale: string
  readonly requestId: string
  readonly causeEventId: number | null
  /** Stands for the rights of the user at the start: the content of a run is shown while they are the same. */
  readonly rights: string | null
}

/** The people a run may speak for. */
export type Accounts = () => Pick<AuthService, 'user' | 'absence'> | undefined

/** The organization a run was started in; null for none. */
export function organizationOf({ caller }: Pick<RunRow, 'caller'>): string | null {
  return (JSON.parse(caller) as Caller).organizationId
}

/** Whether a run belongs where somebody works; one that was started before there were organizations does everywhere. */
export function belongsTo(run: Pick<RunRow, 'caller'>, { organizationId }: RequestContext): boolean {
  const own = organizationOf(run)
  return own === null || own === organizationId
}

/** A user as expressions see it. */
export function userOf(accounts: Accounts, userId: string | null): Readonly<Record<string, unknown>> | null {
  if (userId === null) return null
  const user = accounts()?.user(userId)
  if (user === undefined) return { id: userId, name: userId === localOwnerId ? 'owner' : null, email: null }
  return { id: user.id, name: user.name, email: user.email }
}

/**
 * The context of a run's nodes.
 * @throws permission_denied when the run speaks for nobody, or for somebody who may not act there any more
 */
export function contextOf(accounts: Accounts, run: RunRow, signal: AbortSignal): RequestContext {
  const caller = JSON.parse(run.caller) as Caller
  const sets = caller.scope?.permissionSets ?? null
  const shared: RequestContext = {
    ...internalContext(caller.requestId, 'automation'),
    organizationId: caller.organizationId,
    locale: caller.locale,
    depth: run.depth,
    signal,
    ...(caller.causeEventId === null ? {} : { causeEventId: caller.causeEventId }),
    ...(sets === null || caller.keyId === undefined ? {} : { key: { id: caller.keyId, permissionSets: sets } }),
  }
  if (run.runAs === 'system') {
    return {
      ...shared,
      // The system's rights are those over one organization.
      isWalled: true,
      actor: { type: 'automation', id: run.flowName },
      ...(run.userId === null ? {} : { onBehalfOf: run.userId }),
    }
  }
  const reason = run.userId === null ? 'no_user' : absenceOf(accounts(), run.userId, caller)
  if (run.userId === null || reason !== undefined) throw platformError('permission_denied', { reason })
  const name = accounts()?.user(run.userId)?.name
  return {
    ...shared,
    actor: { type: 'user', id: run.userId, ...(name === undefined ? {} : { name }) },
    credential: 'session',
    ...(caller.scope === null ? {} : { scope: caller.scope }),
  }
}
