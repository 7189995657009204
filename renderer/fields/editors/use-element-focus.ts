// Owns giving the focus to an editor that is no text control when it appears.

import { useLayoutEffect, useRef } from 'react'
import type { RefObject } from 'react'

/** Focuses the first control inside of the element, or the element itself when it takes the focus. */
export function useElementFocus<Element extends HTMLElement>(enabled: boolean | undefined): RefObject<Element | null> {
  const element = useRef<Element>(null)
  useLayoutEffect(() => {
    const root = element.current
    if (!enabled || !root) return
    const control =
      root.tabIndex >= 0 ? root : root.querySelector<HTMLElement>('input:checked, input, select, textarea')
    control?.focus({ preventScroll: true })
  }, [enabled])
  return element
}
