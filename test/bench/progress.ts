// What a benchmark tells while it runs, on standard error: standard output holds the figures.
import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Type of a file system in memory, from statfs(2). */
const tmpfsMagic = 0x0102_1994

/** Whether temporary files are in memory, which makes writes look quicker than they are. */
export const isInMemory = process.platform === 'linux' && statfsSync(tmpdir()).type === tmpfsMagic

/** Writes a line behind the seconds since the start. */
export type Say = (line: string) => void

/** Begins to count, and warns where {@link isInMemory}. */
export function createProgress(): Say {
  const startedAt = performance.now()
  const say: Say = (line) => {
    process.stderr.write(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${line}\n`)
  }
  if (isInMemory) say(`${tmpdir()} is in memory: set TMPDIR to a disk for true write figures`)
  return say
}
