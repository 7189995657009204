// What an item needs and what needs it, as far as the caller may see both ends (D-108).
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Dependency, Items } from '../references/dependencies.ts'
import { dependenciesOf, dependentsOf } from '../references/dependencies.ts'
import type { MetadataCore } from '../service.ts'

/** What the item needs. @throws resource_not_found */
export function visibleDependencies(
  service: MetadataCore,
  ctx: RequestContext,
  type: MetadataType,
  name: string,
): Dependency[] {
  const item = service.visible(ctx, type, name).stored
  return dependenciesOf(item, itemsOf(service)).filter((one) => isVisible(service, ctx, one))
}

/** What needs the item. @throws resource_not_found */
export function visibleDependents(
  service: MetadataCore,
  ctx: RequestContext,
  type: MetadataType,
  name: string,
): Dependency[] {
  service.visible(ctx, type, name)
  return dependentsOf({ type, name }, itemsOf(service)).filter((one) => isVisible(service, ctx, one))
}

/** The items in any state: a draft needs what it names too. */
function itemsOf(service: MetadataCore): Items {
  return { get: service.item, list: service.items }
}

/** A target that does not exist is shown: that it is missing is what the caller wants to know. */
function isVisible(service: MetadataCore, ctx: RequestContext, dependency: Dependency): boolean {
  const { sourceType, sourceName, targetType, targetName } = dependency
  const ends = [service.item(sourceType, sourceName), service.item(targetType, targetName)]
  return ends.every((end) => end === undefined || service.seen(ctx, end) !== null)
}
