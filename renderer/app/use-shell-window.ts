// Owns what the desktop's window asks of the screens: it is told their language and commands, and runs those chosen in its menu.
import { useEffect } from 'react'
import { shellBridge } from '../lib/bridge.ts'
import { currentCommands, useCommandList } from '../lib/commands.ts'
import { language } from '../lib/language.ts'

/** Keeps the native menu as the command registry is; nothing in a browser. */
export function useShellWindow(): void {
  const commands = useCommandList()
  useEffect(() => void shellBridge()?.sayLanguage(language), [])
  useEffect(() => {
    void shellBridge()?.sayCommands(
      commands.map(({ id, label, group, shortcut, enabled }) => ({
        id,
        label,
        group,
        ...(shortcut === undefined ? {} : { shortcut }),
        enabled: enabled !== false,
      })),
    )
  }, [commands])
  useEffect(
    () =>
      shellBridge()?.onCommand((id) => {
        // As with keys: nothing runs while a dialog is open except what the dialog does.
        if (document.querySelector('[aria-modal="true"]')) return
        const command = currentCommands().find((candidate) => candidate.id === id)
        if (command && command.enabled !== false) command.run()
      }),
    [],
  )
}
