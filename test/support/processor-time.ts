// Processor time of what the host under test does, which other work of the machine does not lengthen. Knows no test.

/**
 * Milliseconds of processor time that a run takes, the client's part included: the least of some runs, into
 * which no collection of garbage fell that belongs to others.
 */
export async function leastProcessorMs(runs: number, run: () => Promise<unknown>): Promise<number> {
  const took: number[] = []
  for (let count = 0; count < runs; count += 1) {
    const before = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(before)
    took.push((user + system) / 1_000)
  }
  return Math.min(...took)
}
