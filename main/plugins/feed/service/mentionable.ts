// Who can be mentioned on a record: whoever may read it. Nobody learns of people who may not.
import type { RequestContext } from '#main/kernel/context.ts'
import type { RecordName } from './gate.ts'
import type { ReaderParts } from './reader-context.ts'
import { readerContext } from './reader-context.ts'

/** Somebody who can be mentioned. */
export interface MentionablePerson {
  readonly id: string
  readonly name: string
  readonly avatarUrl?: string
}

/** People answered at once. */
const offered = 200
/** Accounts looked at for one answer. */
const maxLooked = 2_000

/** The people whose name has a word that begins with a text, by name. */
export function mentionablePeople(
  parts: ReaderParts,
  ctx: RequestContext,
  record: RecordName,
  text: string,
): { people: MentionablePerson[]; hasMore: boolean } {
  const auth = parts.auth()
  const wanted = text.trim().toLowerCase()
  const people: MentionablePerson[] = []
  for (const { id, name, image, banned } of auth?.users({ limit: maxLooked }) ?? []) {
    if (banned || name === '' || !beginsWord(name, wanted)) continue
    // Where there are organizations, those of others stay unknown.
    const seen = readerContext(parts, id, record)
    if (seen === null || seen.organizationId !== ctx.organizationId) continue
    if (people.length === offered) return { people, hasMore: true }
    people.push({ id, name, ...(image === null ? {} : { avatarUrl: image }) })
  }
  return { people, hasMore: false }
}

function beginsWord(name: string, wanted: string): boolean {
  const lower = name.toLowerCase()
  return lower.startsWith(wanted) || lower.split(/\s+/).some((word) => word.startsWith(wanted))
}
