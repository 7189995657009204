// Who may install what (D-125): nobody brings along through a package what they could not do or give themselves.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { platformError } from '#shared/errors.ts'
import type { RecordAction } from '#shared/route.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { packageError } from '../errors.ts'
import type { PackageParts } from './parts.ts'
import type { Release, ReleaseItem, ReleaseOrigin } from './release.ts'
import { isNamed } from './release.ts'

/** What items of a type need beside the right to install; those of others come with it. */
const rightsOfTypes: Readonly<Partial<Record<MetadataType, string>>> = {
  permission: 'manage_permissions',
  profile: 'manage_permissions',
  role: 'manage_permissions',
  flow: 'manage_flows',
  // They act in the name of the system, not of whoever starts them.
  trigger: 'manage_metadata',
  job: 'manage_metadata',
  // Their code runs in the name of whoever writes a record.
  hook: 'manage_metadata',
  function: 'manage_metadata',
}

/** What is brought along, or brought back. */
export interface Brought {
  readonly items: readonly ReleaseItem[]
  readonly manifest: Pick<Release['manifest'], 'namespace' | 'permissions'>
}

/** The system permissions whoever installs needs for what the items do, beside those the package asks for. */
export function rightsOf({ items, manifest }: Brought): string[] {
  return [...new Set(items.flatMap(({ type, item }) => rightsIn(type, item, manifest.namespace)))]
}

/** @throws permission_denied with every right that is missing, in `details.permissions` */
export function requireRights(authorizer: Authorizer, ctx: RequestContext, brought: Brought): void {
  const { manifest } = brought
  const missing = rightsOf(brought).filter((right) => !authorizer.hasSystemPermission(ctx, right))
  const refused = manifest.permissions.filter((asked) => !mayGive(authorizer, ctx, manifest.namespace, asked))
  const permissions = [...new Set([...missing, ...refused])]
  if (permissions.length > 0) throw platformError('permission_denied', { permissions })
}

/** @throws signature_invalid for what is revoked, or not signed where everything has to be */
export function requireSource(
  parts: Pick<PackageParts, 'keys' | 'requireSigned'>,
  { trust, publicKey }: Pick<ReleaseOrigin, 'trust' | 'publicKey'>,
): void {
  parts.keys.requireNotRevoked(publicKey)
  if (parts.requireSigned() && trust !== 'signed' && trust !== 'bundled')
    throw packageError('signature_invalid', { reason: 'signature_required', trust })
}

function rightsIn(type: MetadataType, item: Readonly<Record<string, unknown>>, namespace: string): string[] {
  const right = rightsOfTypes[type]
  if (right !== undefined) return [right]
  const { object, extend } = item
  // A rule decides what others may write, so on an object that is there already it is a change of that object.
  if (type === 'validation' && !isNamed(String(object), namespace)) return ['manage_metadata']
  // So are the fields, rules and code of an extension; and code inside of an object is code like any other.
  const isOthers = typeof extend === 'string' && !isNamed(extend, namespace)
  return type === 'object' && (isOthers || acting.some((part) => isFilled(item[part]))) ? ['manage_metadata'] : []
}

/** Parts of an object that act by themselves when somebody writes a record. */
const acting = ['triggers', 'hooks'] as const

function isFilled(part: unknown): boolean {
  return typeof part === 'object' && part !== null && Object.keys(part).length > 0
}

function mayGive(authorizer: Authorizer, ctx: RequestContext, namespace: string, asked: string): boolean {
  const [kind, object, action] = asked.split(':')
  if (kind !== 'object') return authorizer.hasSystemPermission(ctx, asked)
  if (isNamed(object!, namespace)) return true
  if (object === '*') return authorizer.isUnrestricted(ctx)
  return authorizer.canObject(ctx, object!, action as RecordAction)
}
