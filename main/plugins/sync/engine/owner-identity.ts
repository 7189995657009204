// Who the owner of this machine is to the others. The owner of every host has one and the same id; on a machine that was
// invited for somebody else's use the owner is that person. Ids are exchanged for each other where rows become documents and
// documents become rows, both ways, so that neither of the two is ever taken for the other.
import { localOwnerId } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { FeedService } from '#main/plugins/feed/api.ts'

/** Exchanges two ids of people; its own inverse. Everything else stays as it is. */
export type OwnerIdentity = ReturnType<typeof createOwnerIdentity>

/**
 * Makes the identity of this machine's owner.
 * @param person whose machine it is to the others; undefined where the owner is the owner everywhere
 */
export function createOwnerIdentity(person: () => string | undefined) {
  const swapped = (value: unknown, other: string): unknown => {
    if (value === localOwnerId) return other
    if (value === other) return localOwnerId
    if (Array.isArray(value)) return value.map((one) => swapped(one, other))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, swapped(one, other)]))
  }
  const value = <T>(given: T): T => {
    const other = person()
    return other === undefined ? given : (swapped(given, other) as T)
  }
  return {
    /** The id a person has on the other side. */
    id: (id: string): string => value(id),
    /** A JSON value with all ids in it exchanged that are values of their own. */
    value,
  }
}

/** The door for peers' changes, with ids as this machine has them. */
export function withIdentity(data: DataService, identity: OwnerIdentity): DataService {
  return {
    ...data,
    applyRemote: (tx, ctx, change) => data.applyRemote(tx, contextHere(ctx, identity), identity.value(change)),
    wholeRecords: (...asked) => identity.value(data.wholeRecords(...asked)),
  }
}

/** The same of feeds. */
export function feedWithIdentity(feed: FeedService, identity: OwnerIdentity): FeedService {
  return {
    ...feed,
    travelling: (...asked) => identity.value(feed.travelling(...asked)),
    applyRemote: (tx, ctx, place, items, options) =>
      feed.applyRemote(tx, contextHere(ctx, identity), place, identity.value(items), options),
  }
}

/** A context with the actor as this machine has them. */
export function contextHere(ctx: RequestContext, identity: OwnerIdentity): RequestContext {
  const id = identity.id(ctx.actor.id)
  return id === ctx.actor.id ? ctx : { ...ctx, actor: { ...ctx.actor, id } }
}
