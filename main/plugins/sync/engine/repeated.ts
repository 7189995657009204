// Work in the background that is asked for from many sides: it goes on once at a time. Knows nothing of what is done.

/** Work that is done once more where it was asked for while it went on. */
export interface Repeated {
  /** Asks for it; returns at once. */
  start(): void
  isRunning(): boolean
  /** Resolves when nothing of it goes on. */
  settled(): Promise<void>
  /** It is begun no more; resolves when what goes on has ended. */
  stop(): Promise<void>
}

/** Makes it; `failed` hears why a round of it ended early. */
export function createRepeated(work: () => Promise<void>, failed: (error: unknown) => void): Repeated {
  let running: Promise<void> | undefined
  let isAsked = false
  let isStopped = false
  const start = (): void => {
    isAsked = running !== undefined
    if (isAsked || isStopped) return
    running = work()
      .catch(failed)
      .finally(() => {
        running = undefined
        if (isAsked) start()
      })
  }
  const settled = async (): Promise<void> => {
    while (running !== undefined) await running
  }
  return {
    start,
    isRunning: () => running !== undefined,
    settled,
    stop() {
      isStopped = true
      return settled()
    },
  }
}
