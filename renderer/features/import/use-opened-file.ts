// Owns the file that somebody opened with the desktop program: it becomes the source of a new table.
import { useEffect, useRef } from 'react'
import { shellBridge } from '../../lib/bridge.ts'
import type { TableSource } from './table-types.ts'

/**
 * Hands over the file that waits, at once and when another one comes; nothing in a browser.
 * @param isFree false while a table is being prepared: the file waits for it
 * @param onProblem gets a sentence when the file cannot be read
 */
export function useOpenedFile(
  isFree: boolean,
  onSource: (source: TableSource) => void,
  onProblem: (sentence: string) => void,
): void {
  const latest = useRef({ onSource, onProblem })
  useEffect(() => {
    latest.current = { onSource, onProblem }
  })
  useEffect(() => {
    const bridge = shellBridge()
    if (!bridge || !isFree) return
    const take = async (): Promise<void> => {
      try {
        const opened = await bridge.takeFile()
        if (opened) latest.current.onSource({ kind: 'file', file: new File([opened.bytes], opened.name) })
      } catch (error) {
        latest.current.onProblem(error instanceof Error ? error.message : String(error))
      }
    }
    void take()
    return bridge.onFile(() => void take())
  }, [isFree])
}
