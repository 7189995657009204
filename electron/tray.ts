// The picture in the system's notification area: shows the window, or ends the program.
import { Menu, Tray } from 'electron'

/** What the tray can ask for. */
export interface TrayActions {
  openWindow(): void
  quit(): void
}

let tray: Tray | undefined

/** Puts the picture up; a desktop without a notification area goes without. */
export function showTray(icon: string, actions: TrayActions): void {
  try {
    // Kept in the module: a collected tray vanishes from the screen.
    tray = new Tray(icon)
  } catch {
    return // Linux desktops without a tray refuse it; the window and the menu do the same
  }
  tray.setToolTip('Cairn')
  tray.setContextMenu(
    Menu.buildFromTemplate([
      { label: 'Open Cairn', click: actions.openWindow },
      { type: 'separator' },
      { label: 'Quit', click: actions.quit },
    ]),
  )
  tray.on('click', actions.openWindow)
}

/** Takes the picture away. */
export function removeTray(): void {
  tray?.destroy()
  tray = undefined
}
