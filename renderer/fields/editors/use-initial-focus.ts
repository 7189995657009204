// Owns putting the caret into an editor when it appears.

import { useLayoutEffect, useRef } from 'react'
import type { RefObject } from 'react'

type TextControl = HTMLInputElement | HTMLTextAreaElement

/**
 * Focuses a control when it is mounted and puts the caret behind its text. Runs before the browser handles the key
 * that opened the editor, so that key is typed into it: this keeps input methods and date pickers working.
 */
export function useInitialFocus<Control extends TextControl>(enabled: boolean | undefined): RefObject<Control | null> {
  const control = useRef<Control>(null)
  useLayoutEffect(() => {
    const element = control.current
    if (!enabled || !element) return
    element.focus({ preventScroll: true })
    if (element instanceof HTMLTextAreaElement || element.type === 'text') {
      element.setSelectionRange(element.value.length, element.value.length)
    }
  }, [enabled])
  return control
}
