// Who and what a body names: `@[Name](user:<id>)`, also team and record. Positions are UTF-16 units. Pure.
import type { z } from 'zod'
import type { FeedMention } from '#shared/contracts/feed.ts'

/** A mention as it is stored and shown. */
export type StoredMention = z.output<typeof FeedMention>

/** A mention as clients give it. */
export interface GivenMention {
  readonly type: StoredMention['type']
  readonly id: string
  readonly name?: string | undefined
  readonly offset?: number | undefined
  readonly length?: number | undefined
  readonly object?: string | undefined
}

/** Most mentions of one body; further ones are plain text. */
export const maxMentions = 100

const pattern = /@\[([^\]\n]{1,200})\]\((user|team|record):([^)\s]{1,200})\)/g

/**
 * The mentions a body spells out. A record may be written with its object: `record:<object>/<id>`.
 * @source D-137
 */
export function parseMentions(body: string): StoredMention[] {
  const found: StoredMention[] = []
  for (const match of body.matchAll(pattern)) {
    if (found.length === maxMentions) break
    const [text, name, type, target] = match
    const slash = type === 'record' ? target!.indexOf('/') : -1
    found.push({
      type: type as StoredMention['type'],
      id: slash === -1 ? target! : target!.slice(slash + 1),
      name: name!,
      offset: match.index,
      length: text.length,
      ...(slash === -1 ? {} : { object: target!.slice(0, slash) }),
    })
  }
  return found
}

/**
 * Completes mentions from the body they belong to: from where it spells them out, else from the first `@Name`. What the
 * body does not name stands at 0 with no length.
 * @param nameOf the name of a user whom the body does not name
 */
export function completeMentions(
  given: readonly GivenMention[],
  body: string,
  nameOf: (userId: string) => string | undefined,
): StoredMention[] {
  const spelled = parseMentions(body)
  const taken = new Set<StoredMention>()
  return given.map((mention) => {
    const own = spelled.find((one) => !taken.has(one) && one.type === mention.type && one.id === mention.id)
    if (own !== undefined) taken.add(own)
    const known = mention.type === 'user' ? nameOf(mention.id) : undefined
    const name = mention.name ?? own?.name ?? known ?? mention.id
    const at = own?.offset ?? body.indexOf(`@${name}`)
    const object = mention.object ?? own?.object
    return {
      type: mention.type,
      id: mention.id,
      name,
      offset: mention.offset ?? Math.max(at, 0),
      length: mention.length ?? own?.length ?? (at < 0 ? 0 : name.length + 1),
      ...(object === undefined ? {} : { object }),
    }
  })
}

/** The ids of the users among mentions, each once. */
export function mentionedUsers(mentions: readonly StoredMention[]): string[] {
  return idsOf(mentions, 'user')
}

/** The ids of the teams among mentions, each once. */
export function mentionedTeams(mentions: readonly StoredMention[]): string[] {
  return idsOf(mentions, 'team')
}

function idsOf(mentions: readonly StoredMention[], wanted: StoredMention['type']): string[] {
  return [...new Set(mentions.filter(({ type }) => type === wanted).map(({ id }) => id))]
}
