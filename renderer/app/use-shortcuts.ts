// Owns the one key listener: finds the command of a key press or of a sequence and runs it.
import { useEffect } from 'react'
import { currentCommands } from '../lib/commands.ts'
import { isSingleKey, matchesStroke, parseShortcut } from '../lib/shortcuts.ts'
import { hasSingleKeys } from '../lib/single-keys.ts'

const sequenceMs = 1_000

// In these a character is input, so single keys belong to them.
const typingSelector =
  'input, textarea, select, [contenteditable="true"], [role="grid"], [role="treegrid"], [role="listbox"], [role="menu"]'

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(typingSelector) !== null
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable="true"]') !== null
}

/** Runs commands by their shortcuts while mounted; nothing runs while a dialog is open except what the dialog does. */
export function useShortcuts(): void {
  useEffect(() => {
    let pending: { key: string; at: number } | undefined
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return
      if (document.querySelector('[aria-modal="true"]')) return
      const singleKeys = hasSingleKeys()
      const previous = pending && event.timeStamp - pending.at < sequenceMs ? pending.key : undefined
      pending = undefined
      let startsSequence = false
      for (const command of currentCommands()) {
        if (!command.shortcut || command.enabled === false) continue
        const single = isSingleKey(command.shortcut)
        if (single && (!singleKeys || isTyping(event.target))) continue
        if (!single && !command.inTextFields && isTextField(event.target) && event.key.length === 1) continue
        const [first, second] = parseShortcut(command.shortcut)
        if (!first) continue
        if (second) {
          if (previous === first.key && matchesStroke(event, second)) {
            event.preventDefault()
            command.run()
            return
          }
          startsSequence ||= matchesStroke(event, first)
        } else if (previous === undefined && matchesStroke(event, first)) {
          event.preventDefault()
          command.run()
          return
        }
      }
      if (startsSequence) pending = { key: event.key.toLowerCase(), at: event.timeStamp }
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}
