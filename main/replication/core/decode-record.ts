// The short way to read a register that is new here: its update is decoded and never integrated. Knows which updates that
// is right for, and leaves all others to `mergeUpdate`.
import * as Y from 'yjs'
import { inspectUpdate } from './inspect-update.ts'
import type { DecodedUpdate, UpdateLimits } from './inspect-update.ts'
import { REGISTER_ROOT, registerOf } from './register.ts'
import type { Register } from './register.ts'

/** A register as its update has it. */
export interface DecodedRecord {
  /** The update itself, which is the whole document. */
  readonly state: Uint8Array
  readonly register: Register
  /** What the register's array would hold, for the hash. */
  readonly entries: readonly unknown[]
}

/**
 * Reads an update that is a whole document of one incarnation, each entry put behind the one before it: what creating a
 * record and editing it on one machine make. The result is what merging it into nothing gives.
 * @param decoded the update as `inspectUpdate` let it pass, where that was done already
 * @returns null for every other update: merge it
 * @throws DocError `too_big` or `invalid`, as `mergeUpdate` does
 * @source sync.md section 10
 */
export function decodeRecord(
  update: Uint8Array,
  limits?: UpdateLimits,
  decoded: DecodedUpdate = inspectUpdate(update, limits),
): DecodedRecord | null {
  const entries = entriesOf(decoded)
  return entries === null ? null : { state: update, register: registerOf(entries), entries }
}

function entriesOf({ structs, ds }: DecodedUpdate): unknown[] | null {
  const client = structs[0]?.id.client
  if (client === undefined || ds.clients.size > 1 || (ds.clients.size === 1 && !ds.clients.has(client))) return null
  const entries: unknown[] = []
  const gone = (ds.clients.get(client) ?? []).toSorted((a, b) => a.clock - b.clock)
  let nextGone = 0
  const isGone = (at: number): boolean => {
    while (nextGone < gone.length && gone[nextGone]!.clock + gone[nextGone]!.len <= at) nextGone++
    return nextGone < gone.length && gone[nextGone]!.clock <= at
  }
  let clock = 0
  for (const struct of structs) {
    if (!(struct instanceof Y.Item) || struct.id.client !== client || struct.id.clock !== clock) return null
    if (!followsBefore(struct)) return null
    const { content } = struct
    if (content instanceof Y.ContentAny) {
      for (const [i, entry] of content.arr.entries()) if (!isGone(clock + i)) entries.push(entry)
    } else if (!(content instanceof Y.ContentDeleted)) {
      return null
    }
    clock += struct.length
  }
  return gone.every((range) => range.clock + range.len <= clock) ? entries : null
}

/** Whether an item stands at the end of the array as far as it was written before. */
function followsBefore({ id, origin, rightOrigin, parent, parentSub }: Y.Item): boolean {
  if (rightOrigin !== null || parentSub !== null) return false
  // An update that was only decoded has the name of a root where an integrated one has the root.
  if (origin === null) return id.clock === 0 && (parent as unknown) === REGISTER_ROOT
  return origin.client === id.client && origin.clock === id.clock - 1
}
