// Keeps the memory of a host small while many bytes pass through it. The engine lets dead buffers pile up to 64 MB before it
// looks at them; freeing those that died young takes it about a millisecond. Knows nothing of where bytes come from or go.
import type { Collect } from './traffic.ts'
import { collector } from './traffic.ts'

/** As many bytes are left to the engine. */
const leftBytes = 16 * 1_048_576

let collect: Collect | undefined
let passed = 0

/** Told of bytes that were read or received and are soon forgotten; frees what those before them have left. */
export function bytesPassed(count: number): void {
  passed += count
  if (passed < leftBytes) return
  passed = 0
  collect ??= collector()
  collect({ type: 'minor', execution: 'sync' })
}
