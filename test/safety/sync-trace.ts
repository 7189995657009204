// Reads a system-call trace of a server: whether each answer left only after the log of its write was forced to disk.
// Knows the output of `strace -f -y`, nothing of the server but the names of its files.

/** What a trace shows. */
export interface SyncReport {
  /** Answers `201 Created` that were sent. */
  readonly acknowledged: number
  /** Answers that left while a write to the log was not on disk, or without a write and a sync since the one before. */
  readonly unsynced: number
  /** Number of fsync and fdatasync calls on the log. */
  readonly syncs: number
}

/**
 * Walks the trace in the order of the calls' ends.
 * @param lonely true when requests came one by one: each answer then needs a write and a sync of its own
 */
export function readSyncTrace(text: string, lonely: boolean): SyncReport {
  let acknowledged = 0
  let unsynced = 0
  let syncs = 0
  let dirty = false
  let wrote = false
  let synced = false
  const unfinished = new Map<string, string>()
  for (const line of text.split('\n')) {
    const call = completeCall(line, unfinished)
    if (call === undefined) continue
    if (/^pwrite64\(\d+<[^>]*cairn\.db-wal>/.test(call)) {
      dirty = true
      wrote = true
      synced = false
    } else if (/^f(data)?sync\(\d+<[^>]*cairn\.db-wal>\) += 0/.test(call)) {
      syncs += 1
      dirty = false
      synced = wrote
    } else if (/^(write|writev|sendto|sendmsg)\(\d+<(socket|TCP)/.test(call)) {
      const answers = call.split('HTTP/1.1 201').length - 1
      acknowledged += answers
      if (answers > 0 && (dirty || (lonely && !synced))) unsynced += answers
      if (answers > 0) {
        wrote = false
        synced = false
      }
    }
  }
  return { acknowledged, unsynced, syncs }
}

/** Joins a call that another thread interrupted in the output; undefined while it is not complete. */
function completeCall(line: string, unfinished: Map<string, string>): string | undefined {
  const match = /^(\d+)\s+(.*)$/.exec(line)
  if (match === null) return undefined
  const [, thread, rest] = match as unknown as [string, string, string]
  if (rest.endsWith('<unfinished ...>')) {
    unfinished.set(thread, rest.slice(0, -'<unfinished ...>'.length).trimEnd())
    // A write of an answer counts from its beginning: that is when its bytes may leave.
    return /^(write|writev|sendto|sendmsg)\(/.test(rest) ? rest : undefined
  }
  const resumed = /^<\.\.\. (\w+) resumed>(.*)$/.exec(rest)
  if (resumed === null) return rest
  const begun = unfinished.get(thread) ?? ''
  unfinished.delete(thread)
  return /^(write|writev|sendto|sendmsg)\(/.test(begun) ? undefined : begun + resumed[2]!
}
