// Owns small choices kept in the browser: reading and writing never throws, also where storage is forbidden.

/** The stored text of a key, or undefined. */
export function readStored(key: string): string | undefined {
  try {
    return window.localStorage.getItem(`cairn.${key}`) ?? undefined
  } catch {
    return undefined // storage is blocked: the choice lives as long as the page
  }
}

/** Stores a text; undefined removes it. */
export function writeStored(key: string, value: string | undefined): void {
  try {
    if (value === undefined) window.localStorage.removeItem(`cairn.${key}`)
    else window.localStorage.setItem(`cairn.${key}`, value)
  } catch {
    // storage is blocked or full: a lost preference is not worth a message
  }
}
