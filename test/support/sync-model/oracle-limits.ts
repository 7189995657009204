// Which memos must be listed for a title that breaks its pattern: those that were not removed for good and whose title was written by somebody
// of whom a maker of the pattern had not heard. Knows who had seen what, nothing of what definitions say of it.
import type { Register } from '#main/replication/core/register.ts'
import { hadSeen } from './host-journal.ts'
import type { Machine } from './machine.ts'
import type { Mark } from './oracle-marks.ts'
import { isMark, stampOf } from './stored-docs.ts'

/** Gathers documents, and says what is expected of them. @param machine any of those that have the same */
export function createLimitOracle(machine: Machine) {
  const memo = machine.metadata.objectSchema('memo')
  const title = memo?.byName.get('title')
  const pattern = title?.settings.pattern
  const key = `field.${title?.uid}._limit.pattern`
  let makers: readonly Mark[] = []
  const titles: { readonly doc: string; readonly by: Mark['by'] }[] = []

  return {
    note(doc: string, register: Register, alive: ReadonlyMap<string, readonly Mark[]>): void {
      if (memo === undefined || title === undefined) return
      if (doc === `m/object/${memo.uid}`) makers = alive.get(key) ?? []
      if (!doc.startsWith(`r/${memo.uid}/`) || isMark(register.get('_purge')?.winner[1])) return
      const value = register.get(title.uid)?.winner
      if (value === undefined || typeof value[1] !== 'string' || /^[0-9]*$/.test(value[1])) return
      const mark = alive.get(title.uid)?.find(({ entry }) => stampOf(entry) === stampOf(value))
      if (mark !== undefined) titles.push({ doc, by: mark.by })
    },
    isOf: (conflict: string): boolean => conflict.startsWith('validation ') && conflict.endsWith(` ${title?.uid}`),
    /** As `kind doc field`. */
    expected(): string[] {
      if (pattern === undefined) return []
      return titles
        .filter(({ by }) => makers.some((maker) => maker.by !== by && !hadSeen(maker.by, by)))
        .map(({ doc }) => `validation ${doc} ${title!.uid}`)
        .sort()
    },
  }
}
