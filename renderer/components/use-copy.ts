// Owns copying a text into the clipboard, and saying so for a moment.
import { useEffect, useState } from 'react'

const shownMs = 2_000

/**
 * How a text is copied, and whether that has just happened.
 * @param onClosed called where the browser keeps the clipboard closed: then the person copies it
 */
export function useCopy(text: string, onClosed: () => void = () => undefined): [copied: boolean, copy: () => void] {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => {
        setCopied(false)
        onClosed()
      },
    )
  }
  return [copied, copy]
}
