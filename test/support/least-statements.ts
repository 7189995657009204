// How many statements a call costs, where the host works in the background too.
import type { createTestHost } from './create-test-host.ts'

/** The least statements of five rounds of a call: jobs in the background are counted by the same counter. */
export async function leastStatements(
  { host }: Pick<Awaited<ReturnType<typeof createTestHost>>, 'host'>,
  call: () => Promise<unknown>,
): Promise<number> {
  const counts: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const before = host.database.statementCount()
    await call()
    counts.push(host.database.statementCount() - before)
  }
  return Math.min(...counts)
}
