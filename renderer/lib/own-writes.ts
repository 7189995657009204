// Owns which records this window is writing at this moment, so that what the host tells of these writes is not taken for
// somebody else's.
const counts = new Map<string, number>()

/** Marks records for as long as a write of them has no answer. */
export async function whileWriting<T>(ids: readonly string[], write: () => Promise<T>): Promise<T> {
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  try {
    return await write()
  } finally {
    for (const id of ids) {
      const left = (counts.get(id) ?? 1) - 1
      if (left > 0) counts.set(id, left)
      else counts.delete(id)
    }
  }
}

/** Whether a write of the record waits for its answer. */
export function isBeingWritten(id: string | undefined): boolean {
  return id !== undefined && counts.has(id)
}
