// Owns what is typed between asking for the palette and its field having the focus: without it a busy page would lose the
// first letters, or take them for commands.

/** How long letters are kept for a palette that does not come, in milliseconds. */
const longestMs = 10_000

let typed = ''
let since = 0

function keep(event: KeyboardEvent): void {
  if (event.timeStamp - since > longestMs) {
    stop()
    return
  }
  if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return
  typed += event.key
  event.preventDefault()
  event.stopPropagation()
}

function stop(): void {
  window.removeEventListener('keydown', keep, true)
}

/** Begins to keep letters. */
export function keepEarlyKeys(): void {
  typed = ''
  since = performance.now()
  window.addEventListener('keydown', keep, true)
}

/** The letters kept so far, once; keys go where the focus is from here on. */
export function takeEarlyKeys(): string {
  stop()
  const taken = typed
  typed = ''
  return taken
}
