// Owns what is open on screen and the choices a person keeps: navigation, palette, shortcut sheet.
import { create } from 'zustand'
import { readStored, writeStored } from '../lib/storage.ts'
import { keepEarlyKeys, takeEarlyKeys } from './early-keys.ts'

interface UiState {
  /** Whether the navigation has its full width. */
  railOpen: boolean
  /** Whether the navigation lies over a narrow screen. */
  drawerOpen: boolean
  paletteOpen: boolean
  shortcutsOpen: boolean
  /** Whether the list of steps that can be undone is open. */
  undoListOpen: boolean
}

/** State of the frame. */
export const useUi = create<UiState>(() => ({
  railOpen: readStored('rail') !== 'closed',
  drawerOpen: false,
  paletteOpen: false,
  shortcutsOpen: false,
  undoListOpen: false,
}))

/** Shows or hides the navigation and remembers it. */
export function setRailOpen(open: boolean): void {
  writeStored('rail', open ? undefined : 'closed')
  useUi.setState({ railOpen: open })
}

/** Lays the navigation over a narrow screen, or takes it away. */
export function setDrawerOpen(open: boolean): void {
  useUi.setState({ drawerOpen: open })
}

/** Opens or closes the command palette. */
export function setPaletteOpen(open: boolean): void {
  if (open) keepEarlyKeys()
  else takeEarlyKeys()
  useUi.setState({ paletteOpen: open })
}

/** Opens or closes the sheet of shortcuts. */
export function setShortcutsOpen(open: boolean): void {
  useUi.setState({ shortcutsOpen: open })
}

/** Opens or closes the list of steps. */
export function setUndoListOpen(open: boolean): void {
  useUi.setState({ undoListOpen: open })
}
