// The application menu: what belongs to the window and the system, and the commands that the screens tell of.
import { Menu } from 'electron'
import type { MenuItemConstructorOptions } from 'electron'
import type { ShellCommand } from '#shared/ipc.ts'
import { commandMenus } from './command-menu.ts'
import type { Preferences } from './preferences.ts'
import type { ShellWords } from './words.ts'

/** What the menu can ask for. */
export interface MenuActions {
  readonly packaged: boolean
  readonly platform: NodeJS.Platform
  /** What the screens can do now; empty until they have said so. */
  readonly commands: readonly ShellCommand[]
  readonly preferences: Preferences
  readonly words: ShellWords
  openWindow(): void
  openDataFolder(): void
  runCommand(id: string): void
  choose(preferences: Preferences): void
  /** Absent where this copy has no feed of updates. */
  checkUpdates?: () => void
}

/** The menu's template; pure, so that its entries can be checked. */
export function menuTemplate(actions: MenuActions): MenuItemConstructorOptions[] {
  const { words } = actions
  const isMac = actions.platform === 'darwin'
  // Roles bring English words of their own.
  const said = (
    role: keyof ShellWords & NonNullable<MenuItemConstructorOptions['role']>,
  ): MenuItemConstructorOptions => ({
    role,
    label: words[role],
  })
  const line: MenuItemConstructorOptions = { type: 'separator' }
  const check: MenuItemConstructorOptions[] =
    actions.checkUpdates === undefined ? [] : [{ label: words.updatesCheck, click: actions.checkUpdates }]
  const appMenu: MenuItemConstructorOptions[] = isMac
    ? [
        {
          role: 'appMenu',
          submenu: [
            said('about'),
            ...check,
            line,
            said('services'),
            line,
            said('hide'),
            said('hideOthers'),
            said('unhide'),
            line,
            said('quit'),
          ],
        },
      ]
    : []
  const developer: MenuItemConstructorOptions[] = actions.packaged ? [] : [line, { role: 'toggleDevTools' }]
  return [
    ...appMenu,
    {
      label: words.file,
      submenu: [
        { label: words.openWindow, accelerator: 'CmdOrCtrl+Shift+N', click: actions.openWindow },
        { label: words.showDataFolder, click: actions.openDataFolder },
        ...(isMac ? [] : check),
        line,
        said(isMac ? 'close' : 'quit'),
      ],
    },
    {
      role: 'editMenu',
      label: words.edit,
      submenu: [
        said('undo'),
        said('redo'),
        line,
        said('cut'),
        said('copy'),
        said('paste'),
        said('delete'),
        line,
        said('selectAll'),
      ],
    },
    ...commandMenus(actions.commands, actions.runCommand, words),
    {
      label: words.view,
      submenu: [
        said('reload'),
        line,
        said('resetZoom'),
        said('zoomIn'),
        said('zoomOut'),
        line,
        said('togglefullscreen'),
        line,
        ...choices(actions),
        ...developer,
      ],
    },
    { role: 'windowMenu', label: words.window, submenu: [said('minimize'), said('zoom'), said('close')] },
  ]
}

function choices({ preferences, platform, words, choose, checkUpdates }: MenuActions): MenuItemConstructorOptions[] {
  const toggle = (name: keyof Preferences, label: string): MenuItemConstructorOptions => ({
    label,
    type: 'checkbox',
    checked: preferences[name],
    click: ({ checked }) => {
      choose({ ...preferences, [name]: checked })
    },
  })
  // Only macOS brings dictionaries.
  const spelling = platform === 'darwin' ? words.spelling : words.spellingLoads
  const updates = checkUpdates === undefined ? [] : [toggle('updates', words.updatesDaily)]
  return [toggle('spelling', spelling), toggle('notices', words.notices), ...updates]
}

/** Sets the application menu. */
export function setApplicationMenu(actions: MenuActions): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(actions)))
}
