// Who may install what (D-125): nobody brings along through a package what they could not do or give themselves.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { platformError } from '#shared/errors.ts'
import type { RecordAction } from '#shared/route.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Release } from './release.ts'
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

/** The system permissions whoever installs needs for what the items do, beside those the package asks for. */
export function rightsOf({ items, manifest }: Pick<Release, 'items' | 'manifest'>): string[] {
  return [...new Set(items.flatMap(({ type, item }) => rightsIn(type, item, manifest.namespace)))]
}

/** @throws permission_denied with every right that is missing, in `details.permissions` */
export function requireRights(authorizer: Authorizer, ctx: RequestContext, release: Release): void {
  const { manifest } = release
  const missing = rightsOf(release).filter((right) => !authorizer.hasSystemPermission(ctx, right))
  const refused = manifest.permissions.filter((asked) => !mayGive(authorizer, ctx, manifest.namespace, asked))
  const permissions = [...new Set([...missing, ...refused])]
  if (permissions.length > 0) throw platformError('permission_denied', { permissions })
}

function rightsIn(type: MetadataType, item: Readonly<Record<string, unknown>>, namespace: string): string[] {
  const right = rightsOfTypes[type]
  if (right !== undefined) return [right]
  const { triggers, object } = item
  // A rule decides what others may write, so on an object that is there already it is a change of that object.
  if (type === 'validation' && !isNamed(String(object), namespace)) return ['manage_metadata']
  return type === 'object' && Array.isArray(triggers) && triggers.length > 0 ? ['manage_metadata'] : []
}

function mayGive(authorizer: Authorizer, ctx: RequestContext, namespace: string, asked: string): boolean {
  const [kind, object, action] = asked.split(':')
  if (kind !== 'object') return authorizer.hasSystemPermission(ctx, asked)
  if (isNamed(object!, namespace)) return true
  if (object === '*') return authorizer.isUnrestricted(ctx)
  return authorizer.canObject(ctx, object!, action as RecordAction)
}
