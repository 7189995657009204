// The picture in the system's notification area: shows the window, or ends the program.
import { Menu, Tray } from 'electron'
import type { ShellWords } from './words.ts'

/** What the tray can ask for. */
export interface TrayActions {
  openWindow(): void
  quit(): void
}

let tray: Tray | undefined

/** Puts the picture up; a desktop without a notification area goes without. */
export function showTray(icon: string, words: ShellWords, actions: TrayActions): void {
  try {
    // Kept in the module: a collected tray vanishes from the screen.
    tray = new Tray(icon)
  } catch {
    return // Linux desktops without a tray refuse it; the window and the menu do the same
  }
  tray.setToolTip('Cairn')
  sayTray(words, actions)
  tray.on('click', actions.openWindow)
}

/** Gives the menu of the picture other words. */
export function sayTray(words: ShellWords, actions: TrayActions): void {
  tray?.setContextMenu(
    Menu.buildFromTemplate([
      { label: words.openCairn, click: actions.openWindow },
      { type: 'separator' },
      { label: words.quit, click: actions.quit },
    ]),
  )
}

/** Takes the picture away. */
export function removeTray(): void {
  tray?.destroy()
  tray = undefined
}
