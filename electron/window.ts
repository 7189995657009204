// The one window: its options, its place on the screen, showing and leading it. Knows no host and no menu.
import { BrowserWindow, nativeTheme, screen } from 'electron'
import { shellPage, webPreferences } from './security.ts'
import { readWindowState, smallestWindow, writeWindowState } from './window-state.ts'

/** What a window needs. */
export interface WindowOptions {
  /** Path of the bundled preload. */
  readonly preload: string
  /** File of the remembered place. */
  readonly stateFile: string
  /** Path of the program's picture. */
  readonly icon: string
  readonly packaged: boolean
}

/** The window of the program; at most one. */
export interface MainWindow {
  /** Opens the window, or brings the open one to the front; `place` is a fragment such as `#/o/task`. */
  show(place?: string): void
  /** The open window, for dialogs. */
  current(): BrowserWindow | undefined
}

/** Background until the page is drawn, so that a dark screen does not flash. */
const background = { light: '#ffffff', dark: '#1a1b1e' } as const

/** Makes the window's keeper; nothing opens before `show`. */
export function createMainWindow(options: WindowOptions): MainWindow {
  let window: BrowserWindow | undefined
  const open = (place: string): BrowserWindow => {
    const areas = screen.getAllDisplays().map((display) => display.workArea)
    const { maximized, ...bounds } = readWindowState(options.stateFile, areas)
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
      writeWindowState(options.stateFile, { ...opened.getNormalBounds(), maximized: opened.isMaximized() })
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
    current: () => window,
  }
}
