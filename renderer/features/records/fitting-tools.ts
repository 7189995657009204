// Owns how many tools fit beside each other: they are measured before the page is painted, so nothing jumps, and what
// does not fit is left to a menu.
import { useLayoutEffect, useRef, useState } from 'react'

const gap = 8

/**
 * The number of tools that fit. The row's elements with `data-tool` are the ones that may go, the first stays longest;
 * `data-always` stays in any case, `data-more` is the button of the menu, there only when something has gone.
 * `signature` changes whenever a label does.
 */
export function useFittingTools(signature: string) {
  const row = useRef<HTMLDivElement>(null)
  const [count, setCount] = useState(99)
  useLayoutEffect(() => {
    const element = row.current
    if (!element) return
    const fit = (): void => setCount(countFitting(element))
    fit()
    const observer = new ResizeObserver(fit)
    observer.observe(element)
    // Words are measured anew in the font that came after them.
    document.fonts.addEventListener('loadingdone', fit)
    return () => {
      observer.disconnect()
      document.fonts.removeEventListener('loadingdone', fit)
    }
  }, [signature])
  return { row, count }
}

function countFitting(row: HTMLElement): number {
  const width = row.clientWidth
  // Shown for the time of measuring only: this runs before painting.
  row.dataset.measuring = ''
  const widthOf = (selector: string): number[] =>
    [...row.querySelectorAll<HTMLElement>(selector)].map((tool) => Math.ceil(tool.getBoundingClientRect().width) + gap)
  const sum = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0)
  const tools = widthOf(':scope > [data-tool]')
  const always = sum(widthOf(':scope > [data-always]'))
  const more = sum(widthOf(':scope > [data-more]'))
  const room = width + gap - always
  delete row.dataset.measuring
  if (sum(tools) <= room) return tools.length
  let count = tools.length
  while (count > 0 && sum(tools.slice(0, count)) > room - more) count--
  return count
}
