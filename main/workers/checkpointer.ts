// Entry of the thread that folds the write-ahead log into the file named by its data, each time the host asks for it.
// Knows no host and no tables; the host keeps its writers waiting meanwhile.
import { parentPort, workerData } from 'node:worker_threads'
import type { FoldReply } from '#main/database/log-folding.ts'
import { openBare } from '#main/database/open-bare.ts'
import { isDiskFull } from '#main/kernel/disk-full.ts'

const { file, durable } = workerData as { file: string; durable: boolean }
const port = parentPort
if (port === null) throw new Error('The thread that folds the log is started by the host only.')
const connection = openBare(file, durable)

port.on('message', (message: 'fold' | 'end') => {
  if (message === 'end') {
    connection.close()
    port.close()
  } else port.postMessage(fold())
})
port.postMessage('ready' satisfies FoldReply)

function fold(): FoldReply {
  try {
    const [state] = connection.pragma('wal_checkpoint(PASSIVE)') as { log: number; checkpointed: number }[]
    return { left: state!.log - state!.checkpointed }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error), diskFull: isDiskFull(error) }
  }
}
