// Owns making one message of notifications that come together: what one action causes is told once.

/** How long nothing has to come before what came is shown, in milliseconds. */
export const restMs = 300

/** Gathers titles by id; shows the first one and how many more there are. */
export function createNoticeGatherer(show: (first: string, more: number) => void): (id: string, title: string) => void {
  const waiting = new Map<string, string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  return (id, title) => {
    waiting.set(id, title)
    clearTimeout(timer)
    timer = setTimeout(() => {
      const [first = ''] = waiting.values()
      const more = waiting.size - 1
      waiting.clear()
      show(first, more)
    }, restMs)
  }
}
