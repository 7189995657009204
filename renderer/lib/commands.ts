// Owns the registry of everything a person can do: id, label, shortcut and what runs. Screens add their commands while
// they are mounted; palette, shortcut sheet and key handler read them here. Knows no screen.
import { useEffect, useRef } from 'react'
import { create } from 'zustand'
import { parseShortcut } from './shortcuts.ts'

/** Sections of the shortcut sheet. */
export type CommandGroup = 'general' | 'navigation' | 'records'

/** One action. */
export interface Command {
  /** Dotted name, unique, stable: shortcuts are remapped by it. */
  id: string
  label: string
  group: CommandGroup
  /** As {@link parseShortcut} reads it, for example `Mod+K` or `G O`. */
  shortcut?: string
  /** Extra words the palette finds it by. */
  keywords?: string
  /** False hides the command and disables its shortcut. */
  enabled?: boolean
  /** Kept out of the palette: it makes no sense there. */
  shortcutOnly?: boolean
  /** Also runs while a text field has the focus; single keys never do. */
  inTextFields?: boolean
  run(): void
}

interface CommandState {
  commands: readonly Command[]
}

const useStore = create<CommandState>(() => ({ commands: [] }))

function add(commands: readonly Command[]): () => void {
  for (const command of commands) if (command.shortcut) parseShortcut(command.shortcut)
  const ids = new Set(commands.map((command) => command.id))
  useStore.setState((state) => ({
    commands: [...state.commands.filter((command) => !ids.has(command.id)), ...commands],
  }))
  return () => {
    const mine = new Set(commands)
    useStore.setState((state) => ({ commands: state.commands.filter((command) => !mine.has(command)) }))
  }
}

/** Adds commands while the component is mounted; they always run with the latest props. */
export function useCommands(commands: readonly Command[]): void {
  const latest = useRef(commands)
  useEffect(() => {
    latest.current = commands
  })
  const signature = commands
    .map(({ id, label, shortcut, enabled }) => [id, label, shortcut, enabled].join('|'))
    .join('\n')
  useEffect(
    () =>
      add(
        latest.current.map((command) => ({
          ...command,
          run: () => latest.current.find(({ id }) => id === command.id)?.run(),
        })),
      ),
    [signature],
  )
}

/** All commands that can run now. */
export function useCommandList(): readonly Command[] {
  return useStore((state) => state.commands)
}

/** The commands at this moment, for code outside components. */
export function currentCommands(): readonly Command[] {
  return useStore.getState().commands
}
