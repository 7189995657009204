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

/**
 * How much more processor time one piece of work takes than another, each by its shortest run. They take turns: what runs
 * beside them takes from both alike.
 */
export async function moreProcessorMs(
  runs: number,
  work: () => Promise<unknown>,
  other: () => Promise<unknown>,
): Promise<number> {
  let least = Infinity
  let leastOther = Infinity
  for (let count = 0; count < runs; count += 1) {
    least = Math.min(least, await leastProcessorMs(1, work))
    leastOther = Math.min(leastOther, await leastProcessorMs(1, other))
  }
  return least - leastOther
}
