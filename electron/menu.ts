// The application menu: what belongs to the window and the system, and the commands that the screens tell of.
import { Menu } from 'electron'
import type { MenuItemConstructorOptions } from 'electron'
import type { ShellCommand } from '#shared/ipc.ts'
import { commandMenus } from './command-menu.ts'
import type { Preferences } from './preferences.ts'

/** What the menu can ask for. */
export interface MenuActions {
  readonly packaged: boolean
  readonly platform: NodeJS.Platform
  /** What the screens can do now; empty until they have said so. */
  readonly commands: readonly ShellCommand[]
  readonly preferences: Preferences
  openWindow(): void
  openDataFolder(): void
  runCommand(id: string): void
  choose(preferences: Preferences): void
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
    ...commandMenus(actions.commands, actions.runCommand),
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
        { type: 'separator' },
        ...choices(actions),
        ...developer,
      ],
    },
    { role: 'windowMenu' },
  ]
}

function choices({ preferences, platform, choose }: MenuActions): MenuItemConstructorOptions[] {
  const toggle = (name: keyof Preferences, label: string): MenuItemConstructorOptions => ({
    label,
    type: 'checkbox',
    checked: preferences[name],
    click: ({ checked }) => {
      choose({ ...preferences, [name]: checked })
    },
  })
  const loads = platform === 'darwin' ? '' : ' (Loads Dictionaries)'
  return [toggle('spelling', `Check Spelling${loads}`), toggle('notices', 'Notify While in the Background')]
}

/** Sets the application menu. */
export function setApplicationMenu(actions: MenuActions): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(actions)))
}
