// Gives the bytes of files to machines that ask for them, as far as the person of such a machine may read the file.
import { hash } from 'node:crypto'
import type { Logger } from '#main/kernel/logger.ts'
import type { StorageService } from '#main/plugins/storage/api.ts'
import type { ByteWord, ByteWordOf } from './byte-words.ts'
import type { byteRefusals } from './byte-words.ts'

/** Pieces one machine may wait for; more of its questions are answered with `busy`. */
export const mostWanted = 8

/** Questions of one machine that are read, sent or answered, above which it does not keep to the rules. */
const tooManyWanted = 64

/** Gives bytes to others. */
export interface ByteGiving {
  wanted(device: string, file: string, word: ByteWordOf<'want'>): void
  /** A machine is not reached any more. */
  stop(): void
}

/** Makes the giving side. */
export function createByteGiving(parts: {
  readonly storage: () => Pick<StorageService, 'openBytes'> | undefined
  /** Whether the person of a machine may read a file. */
  readonly mayRead: (device: string, file: string) => boolean
  readonly say: (file: string, word: ByteWord) => void
  readonly blame: (device: string, code: string) => void
  readonly log: Logger
}): ByteGiving {
  const { storage, mayRead, say, blame, log } = parts
  const waiting = new Map<string, number>()
  let chain: Promise<void> = Promise.resolve()
  let isStopped = false

  const give = async (device: string, file: string, word: ByteWordOf<'want'>): Promise<void> => {
    const { id, from, length } = word
    const no = (code: (typeof byteRefusals)[number]): void => say(file, { kind: 'no', to: device, id, from, code })
    // At each piece: rights that were taken away count at once.
    if (!mayRead(device, file)) return no('forbidden')
    const handle = await storage()?.openBytes(file)
    if (handle === undefined) return no('absent')
    try {
      const bytes = Buffer.alloc(length)
      const { bytesRead } = await handle.read(bytes, 0, length, from)
      if (bytesRead !== length) return no('absent')
      say(file, { kind: 'piece', to: device, id, from, hash: hash('sha256', bytes, 'buffer'), bytes })
    } finally {
      await handle.close()
    }
  }

  return {
    wanted(device, file, word) {
      const count = (waiting.get(device) ?? 0) + 1
      if (count > mostWanted) {
        if (count > tooManyWanted) blame(device, 'file_too_many')
        else say(file, { kind: 'no', to: device, id: word.id, from: word.from, code: 'busy' })
        return
      }
      waiting.set(device, count)
      chain = chain
        .then(() => (isStopped ? undefined : give(device, file, word)))
        .catch((error: unknown) => log.error({ err: error, file }, 'Bytes of a file could not be given to a machine.'))
        .finally(() => {
          const left = waiting.get(device)! - 1
          if (left > 0) waiting.set(device, left)
          else waiting.delete(device)
        })
    },
    stop: () => void (isStopped = true),
  }
}
