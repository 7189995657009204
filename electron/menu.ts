// The application menu: what belongs to the window and the system. Commands of the screens live in the screens.
import { Menu } from 'electron'
import type { MenuItemConstructorOptions } from 'electron'

/** What the menu can ask for. */
export interface MenuActions {
  readonly packaged: boolean
  readonly platform: NodeJS.Platform
  openWindow(): void
  openDataFolder(): void
}

/** The menu's template; pure, so that its entries can be checked. */
export function menuTemplate(actions: MenuActions): MenuItemConstructorOptions[] {
  const isMac = actions.platform === 'darwin'
  const appMenu: MenuItemConstructorOptions[] = isMac ? [{ role: 'appMenu' }] : []
  const developer: MenuItemConstructorOptions[] = actions.packaged
    ? []
    : [{ type: 'separator' }, { role: 'toggleDevTools' }]
  return [
    ...appMenu,
    {
      label: '&File',
      submenu: [
        { label: 'Open Window', accelerator: 'CmdOrCtrl+Shift+N', click: actions.openWindow },
        { label: 'Show Data Folder', click: actions.openDataFolder },
        { type: 'separator' },
        isMac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        { role: 'reload' },
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        ...developer,
      ],
    },
    { role: 'windowMenu' },
  ]
}

/** Sets the application menu. */
export function setApplicationMenu(actions: MenuActions): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(actions)))
}
