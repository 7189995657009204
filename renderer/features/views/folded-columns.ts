// Owns which columns of a kanban are folded, kept per view in the browser.
import { useState } from 'react'
import { readStored, writeStored } from '../../lib/storage.ts'

/** Keys of the folded columns of a view, and folding one or unfolding it. */
export function useFoldedColumns(view: string): [ReadonlySet<string>, (key: string, folded: boolean) => void] {
  const name = `kanban.${view}`
  const [changed, setChanged] = useState<{ name: string; keys: readonly string[] }>()
  const keys = changed?.name === name ? changed.keys : read(name)
  return [
    new Set(keys),
    (key, folded) => {
      const next = [...keys.filter((other) => other !== key), ...(folded ? [key] : [])]
      writeStored(name, next.length === 0 ? undefined : JSON.stringify(next))
      setChanged({ name, keys: next })
    },
  ]
}

function read(name: string): readonly string[] {
  try {
    const stored: unknown = JSON.parse(readStored(name) ?? '[]')
    return Array.isArray(stored) ? stored.filter((key) => typeof key === 'string') : []
  } catch {
    return [] // damaged: every column is open
  }
}
