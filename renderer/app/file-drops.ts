// Owns what becomes of a file that is dropped beside every place for files: without it the browser leaves the page for it.

/** Keeps the page where it is when a file is dropped on a part of it that takes none. */
export function keepPageFromDrops(): void {
  for (const type of ['dragover', 'drop'] as const) {
    window.addEventListener(type, (event) => {
      const isTaken = event.defaultPrevented || (event.target as Element).matches('input[type="file"]')
      if (isTaken || !event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'none'
    })
  }
}
