// Owns where the caret stands once something was put into a text: at once, because the next key may come within the frame.
import { flushSync } from 'react-dom'

/**
 * Changes a text that React holds, shows it, and puts the caret into it: what is typed next stands there.
 * @param change sets the text; called before this returns
 * @param at where the caret stands after it
 */
export function placeCaret(
  field: HTMLTextAreaElement | HTMLInputElement | null,
  at: number,
  change: () => void = () => undefined,
): void {
  flushSync(change)
  field?.focus()
  field?.setSelectionRange(at, at)
}
