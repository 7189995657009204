// Owns what a link from a mail, a device or a provider carries: values before or behind the hash. They leave the address
// once the page has them, so that neither history nor a bookmark nor a shared screen keeps them.
import { useEffect, useState } from 'react'

/** The values the page was opened with; they are removed from the address. The names must not change. */
export function useLinkParameters<K extends string>(...names: K[]): Partial<Record<K, string>> {
  // Read while drawing, removed afterwards: a drawing may be thrown away and begun anew.
  const [taken] = useState(() => readLinkParameters(names))
  useEffect(() => removeLinkParameters(Object.keys(taken)), [taken])
  return taken
}

/** Reads values without removing them. */
export function readLinkParameters<K extends string>(names: readonly K[]): Partial<Record<K, string>> {
  const { before, behind } = parts()
  const found: Partial<Record<K, string>> = {}
  for (const name of names) {
    const value = before.get(name) ?? behind.get(name)
    if (value !== null) found[name] = value
  }
  return found
}

/** Removes values from the address; everything else in it stays. */
export function removeLinkParameters(names: readonly string[]): void {
  if (names.length === 0) return
  const { path, before, behind } = parts()
  for (const name of names) {
    before.delete(name)
    behind.delete(name)
  }
  const search = before.size > 0 ? `?${before.toString()}` : ''
  const rest = behind.size > 0 ? `?${behind.toString()}` : ''
  window.history.replaceState(null, '', `${window.location.pathname}${search}#${path}${rest}`)
}

function parts(): { path: string; before: URLSearchParams; behind: URLSearchParams } {
  const [path = '', search = ''] = window.location.hash.replace(/^#/, '').split('?')
  return { path, before: new URLSearchParams(window.location.search), behind: new URLSearchParams(search) }
}
