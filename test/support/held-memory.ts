// The memory this process holds once everything that nobody refers to is gone, so that figures do not depend on when the
// collector last had time.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes in the heap, and outside of it for buffers, after a collection. */
export function heldMemory(): { heap: number; external: number } {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return { heap: heapUsed, external }
}
