// Turns of the event loop for work that comes in crowds. Knows nothing of the work.

/** Makes a queue that begins one piece of work per turn of the event loop, so that requests come in between. */
export function createTurns(): (work: () => void) => void {
  const waiting: (() => void)[] = []
  const turn = (): void => {
    const work = waiting.shift()
    if (waiting.length > 0) setImmediate(turn)
    work?.()
  }
  return (work) => {
    if (waiting.push(work) === 1) setImmediate(turn)
  }
}
