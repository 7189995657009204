// The log of a leader as the write queue knows it: what commits wrote is taken from the log file and is stored in the second
// place before anybody is answered. The file itself is not waited for: the second place is the durable one.
import type { OpenLog } from '#main/database/log-sync.ts'
import { createFrameReader } from './frames.ts'
import type { FrameReader } from './frames.ts'
import { positionWriter } from './store/position.ts'
import type { RowChain } from './row-chain.ts'

/** The log of one leader. */
export interface LeaderLog {
  /** Makes the part that the write queue calls, before the first write; again after that one was closed and its log folded. */
  readonly open: OpenLog
}

/**
 * Makes the log of a leader.
 * @param file path of the database, closed
 * @param chain takes the pages
 * @throws Error when the file has a log beside it
 */
export function createLeaderLog(file: string, chain: RowChain): LeaderLog {
  // Before anybody opens the file: what is in the log from its beginning on is seen.
  let ready: FrameReader | undefined = createFrameReader(file)
  return {
    open(connection, logPages) {
      const frames = ready ?? createFrameReader(file)
      ready = undefined
      let writePosition: ReturnType<typeof positionWriter> | undefined
      return {
        sync: chain.settled,
        copy: {
          mark(isLent = false) {
            writePosition ??= positionWriter(connection)
            const { epoch, seq } = chain.next()
            writePosition({ epoch, seq: isLent ? -seq : seq })
          },
          take() {
            if (chain.ended() !== undefined) return true
            try {
              chain.take(frames.take(logPages()))
            } catch (error) {
              // What would be missing in the second place must not be answered.
              chain.end(error instanceof Error ? error : new Error(String(error)))
              return true
            }
            return chain.hasPending()
          },
          isBehind: () => chain.ended() !== undefined || chain.isBehind(),
        },
        async close() {
          // What nobody waited for; where the store does not answer it was acknowledged to nobody.
          if (chain.ended() === undefined) await chain.settled().catch(() => undefined)
          frames.close()
        },
      }
    },
  }
}
