import { describe, expect, it } from 'vitest'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext, localOwner } from '#main/kernel/context.ts'
import { systemPermissions } from '#shared/system-permissions.ts'
import { createOwnerAuthorizer } from '../../../test/support/owner-authorizer.ts'
import { createPermissionsService } from './service.ts'

const authorizer = createOwnerAuthorizer()
const service = createPermissionsService(
  authorizer,
  {
    assignments: () => ({ profile: 'standard', roles: [], permissionSets: [] }),
    assign: () => undefined,
    rightsOf: () => ({}),
  },
  { epoch: () => 0, get: () => undefined, objectSchema: () => undefined, objectSchemas: () => [] },
)

function context(change: Partial<RequestContext>): RequestContext {
  return { ...internalContext('request-1', 'API'), ...change }
}

const allowed: readonly [string, RequestContext][] = [
  ['the local owner with the connection token', context({ actor: localOwner, credential: 'connection-token' })],
  ['the local owner with a console session', context({ actor: localOwner, credential: 'console-session' })],
  ['work the host starts itself', internalContext('request-2')],
  ['automation the host runs', context({ actor: { type: 'automation', id: 'flow' }, credential: 'internal' })],
  [
    'the system on behalf of a signed-in caller',
    context({ actor: { type: 'system', id: 'system' }, credential: 'connection-token' }),
  ],
]

const denied: readonly [string, RequestContext][] = [
  ['the local owner without a credential', context({ actor: localOwner, credential: 'none' })],
  [
    'another user',
    context({ actor: { type: 'user', id: '0190f2a4-0000-7000-8000-000000000002' }, credential: 'connection-token' }),
  ],
  ['a service', context({ actor: { type: 'service', id: 'webhook' }, credential: 'connection-token' })],
  [
    'a service that carries the id of the owner',
    context({ actor: { type: 'service', id: localOwner.id }, credential: 'connection-token' }),
  ],
]

describe('owner authorizer', () => {
  it.each(allowed)('lets %s do everything', (_who, ctx) => {
    expect(authorizer.isUnrestricted(ctx)).toBe(true)
    expect(authorizer.canObject(ctx, 'task', 'purge')).toBe(true)
    expect(authorizer.rowCondition(ctx, 'task', 'read')).toBeNull()
    expect(authorizer.canField(ctx, 'task', 'title', 'editable')).toBe(true)
    expect(service.systemPermissions(ctx)).toEqual(systemPermissions)
  })

  it.each(denied)('lets %s do nothing', (_who, ctx) => {
    expect(authorizer.isUnrestricted(ctx)).toBe(false)
    expect(authorizer.canObject(ctx, 'task', 'read')).toBe(false)
    expect(authorizer.rowCondition(ctx, 'task', 'read')).toBe(false)
    expect(authorizer.canField(ctx, 'task', 'title', 'readable')).toBe(false)
    expect(service.systemPermissions(ctx)).toEqual([])
  })

  it('gives callers of different rights different fingerprints', () => {
    expect(authorizer.fingerprint(allowed[0]![1])).not.toBe(authorizer.fingerprint(denied[1]![1]))
  })

  it('grants only words of the vocabulary of D-48', () => {
    expect(authorizer.hasSystemPermission(allowed[0]![1], 'manage_everything')).toBe(false)
    expect(service.isSystemPermission('run_sql')).toBe(true)
    expect(service.isSystemPermission('constructor')).toBe(false)
  })
})
