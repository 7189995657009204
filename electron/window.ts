// The one window: its options, its place on the screen, showing and leading it. Knows no host and no menu.
import { BrowserWindow, dialog, nativeTheme, screen } from 'electron'
import { createCrashPlan } from './crash-plan.ts'
import { shellPage, webPreferences } from './security.ts'
import { offerWords } from './spelling.ts'
import type { ShellWords } from './words.ts'
import { nearestZoom, readWindowState, smallestWindow, writeWindowState } from './window-state.ts'

/** What a window needs. */
export interface WindowOptions {
  /** Path of the bundled preload. */
  readonly preload: string
  /** File of the remembered place. */
  readonly stateFile: string
  /** Path of the program's picture. */
  readonly icon: string
  readonly packaged: boolean
  /** Changes that are on this machine only. */
  unsent(): number
  /** Words of the language at the moment. */
  words(): ShellWords
}

/** The window of the program; at most one. */
export interface MainWindow {
  /** Opens the window, or brings the open one to the front; `place` is a fragment such as `#/o/task`. */
  show(place?: string): void
  /** Tells the page something; a page that is not open hears nothing. */
  send(channel: string, told?: string): void
  /** Whether the window has the focus. */
  isFocused(): boolean
}

/** Background until the page is drawn, so that a dark screen does not flash. */
const background = { light: '#ffffff', dark: '#1a1b1e' } as const

/** Asks whether to leave while changes are on this machine only. */
function leavesAnyway(window: BrowserWindow, count: number, said: ShellWords): boolean {
  // Without changes that wait for another device the page holds its window for work that is not saved.
  const words =
    count === 0
      ? { message: said.unsaved, detail: said.unsavedDetail }
      : {
          message: said.unsent[count === 1 ? 'one' : 'other'].replace('{count}', String(count)),
          detail: said.unsentDetail,
        }
  const answer = dialog.showMessageBoxSync(window, {
    type: 'question',
    ...words,
    buttons: [said.stay, said.leave],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  })
  return answer === 1
}

/** Begins with the remembered zoom; the wheel with Ctrl changes it as the keys of the menu do. */
function keepZoom({ webContents }: BrowserWindow, level: number): void {
  webContents.once('did-finish-load', () => {
    webContents.setZoomLevel(level)
  })
  webContents.on('zoom-changed', (_event, direction) => {
    webContents.setZoomLevel(nearestZoom(webContents.getZoomLevel() + (direction === 'in' ? 1 : -1)))
  })
}

/** Loads the page again when its process ended by itself; one that keeps ending is left to the person. */
function reloadAfterCrash(window: BrowserWindow, words: () => ShellWords): void {
  const afterCrash = createCrashPlan(Date.now)
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return
    const plan = afterCrash()
    if (plan.kind === 'ask') {
      askAfterCrashes(window, words())
      return
    }
    setTimeout(() => {
      if (!window.isDestroyed()) window.webContents.reload()
    }, plan.delayMs)
  })
}

/** Starts again at the home page, because the screen that was shown may be what ends it. */
function askAfterCrashes(window: BrowserWindow, said: ShellWords): void {
  const answer = dialog.showMessageBoxSync(window, {
    type: 'error',
    message: said.crashed,
    detail: said.crashedDetail,
    buttons: [said.openHome, said.closeWindow],
    defaultId: 0,
    cancelId: 1,
    noLink: true,
  })
  if (answer === 0) void window.loadURL(`${shellPage}#/`)
  else window.destroy()
}

/** Makes the window's keeper; nothing opens before `show`. */
export function createMainWindow(options: WindowOptions): MainWindow {
  let window: BrowserWindow | undefined
  const open = (place: string): BrowserWindow => {
    const areas = screen.getAllDisplays().map((display) => display.workArea)
    const { maximized, zoom, ...bounds } = readWindowState(options.stateFile, areas)
    const opened = new BrowserWindow({
      ...bounds,
      minWidth: smallestWindow.width,
      minHeight: smallestWindow.height,
      show: false,
      title: 'Cairn',
      icon: options.icon,
      backgroundColor: background[nativeTheme.shouldUseDarkColors ? 'dark' : 'light'],
      webPreferences: webPreferences(options.preload, options.packaged),
    })
    if (maximized) opened.maximize()
    opened.once('ready-to-show', () => {
      opened.show()
    })
    opened.on('close', () => {
      try {
        writeWindowState(options.stateFile, {
          ...opened.getNormalBounds(),
          maximized: opened.isMaximized(),
          zoom: nearestZoom(opened.webContents.getZoomLevel()),
        })
      } catch {
        // Forgotten on a full disk: no reason to keep the window open.
      }
    })
    keepZoom(opened, zoom)
    offerWords(opened.webContents, options.words)
    reloadAfterCrash(opened, options.words)
    // The page holds its window while changes are nowhere else; only a person lets go of it.
    opened.webContents.on('will-prevent-unload', (event) => {
      const count = options.unsent()
      if (leavesAnyway(opened, count, options.words())) event.preventDefault()
    })
    opened.on('closed', () => {
      window = undefined
    })
    void opened.loadURL(shellPage + place)
    return opened
  }
  return {
    show: (place = '') => {
      if (!window) {
        window = open(place)
        return
      }
      if (place !== '') void window.loadURL(shellPage + place)
      if (window.isMinimized()) window.restore()
      window.show()
      window.focus()
    },
    send: (channel, told) => {
      window?.webContents.send(channel, told)
    },
    isFocused: () => window?.isFocused() === true,
  }
}
