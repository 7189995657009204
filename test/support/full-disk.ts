// A disk without room under a running host: the engine finds none for another page.
import { statement } from '#main/kernel/database.ts'
import type { TestHost } from './create-test-host.ts'

/** Leaves room for a few pages more. Whoever finds none has the host know that its disk is full. */
export async function fillDisk({ host }: TestHost): Promise<void> {
  await host.database.write('fill', (tx) => {
    const [row] = tx.all<{ page_count: number }>(statement('PRAGMA page_count'))
    tx.all(statement(`PRAGMA max_page_count = ${row!.page_count + 8}`))
  })
}

/** Gives the room back; the host finds it within a second. */
export async function freeDisk({ host }: TestHost): Promise<void> {
  const pragma = statement('PRAGMA max_page_count = 1000000')
  await host.database.write('let go', (tx) => tx.all(pragma), { whenFull: true })
}

/** What finds no room on a disk that was filled. */
export const tooLarge = 'x'.repeat(100_000)
