// The people behind ids: names and pictures from the accounts, else from the directory of the workspace; names of people
// of other machines from whoever knows them.
import type { FeedActor } from '#shared/contracts/feed.ts'
import type { z } from 'zod'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import { readDirectory } from '#main/kernel/user-store.ts'
import type { AuthService } from '#main/plugins/auth/api.ts'

/** Somebody who did something, as the API shows it. */
export type ActorView = z.output<typeof FeedActor>

/** A user with what is known of it. */
export interface Person {
  readonly name: string | undefined
  readonly image: string | undefined
}

/** Finds people; one per host. */
export interface People {
  /** Undefined for an id that nobody here has. */
  find(id: string): Person | undefined
  /** Somebody the caller may name: of people of other organizations nobody learns. */
  findFor(ctx: RequestContext, id: string): Person | undefined
  /** Several at once, those that are known; for showing what they did, so people of other machines are among them. */
  findAll(ids: Iterable<string>): ReadonlyMap<string, Person>
  /** Takes who knows names of people without an account here. */
  nameOthers(lookup: (id: string) => string | undefined): void
}

/** Makes the directory. */
export function createPeople(parts: { read: Pick<Reads, 'all'>; auth: () => AuthService | undefined }): People {
  let nameOf: (id: string) => string | undefined = () => undefined

  const findHere = (ids: Iterable<string>): Map<string, Person> => {
    const wanted = [...new Set(ids)]
    const found = new Map<string, Person>()
    if (wanted.length === 0) return found
    for (const { id, name, image } of readDirectory(parts.read, wanted))
      found.set(id, { name: name ?? undefined, image: image ?? undefined })
    const accounts = parts.auth()
    for (const id of wanted) {
      const account = accounts?.user(id)
      if (account !== undefined)
        found.set(id, { name: account.name, image: account.image ?? found.get(id)?.image ?? undefined })
    }
    return found
  }
  return {
    find: (id) => findHere([id]).get(id),
    findFor({ organizationId }, id) {
      const accounts = parts.auth()
      const isWithin =
        accounts?.hasOrganizations !== true ||
        accounts.memberships(id).some((membership) => membership.organizationId === organizationId)
      return isWithin ? findHere([id]).get(id) : undefined
    },
    findAll(ids) {
      const wanted = [...ids]
      const found = findHere(wanted)
      for (const id of wanted) {
        if (found.get(id)?.name !== undefined) continue
        const name = nameOf(id)
        if (name !== undefined) found.set(id, { name, image: found.get(id)?.image })
      }
      return found
    },
    nameOthers: (lookup) => void (nameOf = lookup),
  }
}

/** An actor as the API shows it. */
export function actorView(
  row: { readonly actor_type: string; readonly actor_id: string; readonly source?: string },
  people: ReadonlyMap<string, Person>,
): ActorView {
  const person = row.actor_type === 'user' ? people.get(row.actor_id) : undefined
  return {
    type: row.actor_type as ActorView['type'],
    id: row.actor_id,
    ...(person?.name === undefined ? {} : { name: person.name }),
    ...(person?.image === undefined ? {} : { avatarUrl: person.image }),
    ...(row.source === undefined ? {} : { source: row.source }),
  }
}
