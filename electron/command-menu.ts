// The commands of the screens as entries of the native menu. Pure; the screens run them and own their keys.
import type { MenuItemConstructorOptions } from 'electron'
import type { ShellCommand } from '#shared/ipc.ts'
import type { ShellWords } from './words.ts'

const groups = ['navigation', 'records', 'general'] as const

/** A shortcut of the screens in Electron's notation; undefined for sequences and single keys, which a menu cannot have. */
export function acceleratorOf(shortcut: string): string | undefined {
  const words = shortcut.split('+')
  const isCombination = words.length > 1 || /^F\d{1,2}$/.test(shortcut)
  if (shortcut.includes(' ') || !isCombination) return undefined
  const names: Readonly<Record<string, string>> = {
    Mod: 'CmdOrCtrl',
    ArrowUp: 'Up',
    ArrowDown: 'Down',
    ArrowLeft: 'Left',
    ArrowRight: 'Right',
  }
  return words.map((word) => names[word] ?? word).join('+')
}

function entryOf(command: ShellCommand, run: (id: string) => void): MenuItemConstructorOptions {
  const accelerator = command.shortcut === undefined ? undefined : acceleratorOf(command.shortcut)
  const keys = command.shortcut !== undefined && accelerator === undefined ? ` (${command.shortcut})` : ''
  return {
    id: command.id,
    // A lone ampersand would underline the next letter.
    label: `${command.label.replaceAll('&', '&&')}${keys}`,
    enabled: command.enabled,
    // The page listens for the keys itself, so that they mean the same in a browser; here they are only shown.
    ...(accelerator === undefined ? {} : { accelerator, registerAccelerator: false }),
    click: () => {
      run(command.id)
    },
  }
}

/** One submenu per group that has commands, in the order of the registry. */
export function commandMenus(
  commands: readonly ShellCommand[],
  run: (id: string) => void,
  words: ShellWords,
): MenuItemConstructorOptions[] {
  return groups.flatMap((group) => {
    const entries = commands.filter((command) => command.group === group)
    return entries.length === 0
      ? []
      : [{ label: words[group], submenu: entries.map((command) => entryOf(command, run)) }]
  })
}
