// The desktop program: life cycle, the single instance, and the order in which its parts come up and go down. Knows
// four things: start the host, open a window on app://cairn/, give the page its connection, implement the ports.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { app, dialog, protocol, session } from 'electron'
import { locateDataDir } from '#main/index.ts'
import { createAppProtocol } from './app-protocol.ts'
import { linkAmong, linkScheme, placeOfLink } from './deep-link.ts'
import { shellEvents } from '#shared/ipc.ts'
import type { ShellCommand } from '#shared/ipc.ts'
import { keepHost } from './host.ts'
import type { HostKeeper } from './host.ts'
import { registerIpc } from './ipc.ts'
import { setApplicationMenu } from './menu.ts'
import { createFileShelf, fileAmong, isOpenableFile } from './opened-file.ts'
import { createNotifier, createPorts, openOutside } from './ports.ts'
import { readPreferences, writePreferences } from './preferences.ts'
import { asksForDebugger, denyPermissions, lockNavigation, shellScheme } from './security.ts'
import { checkSpelling } from './spelling.ts'
import { removeTray, sayTray, showTray } from './tray.ts'
import { readUpdateFeed } from './update-feed.ts'
import { createUpdates } from './updates.ts'
import type { Updates } from './updates.ts'
import { createMainWindow } from './window.ts'
import { shellWords } from './words.ts'
import type { ShellWords } from './words.ts'

/** The value of `--name VALUE` or `--name=VALUE`; other arguments may be the system's or Chromium's. */
function flagValue(argv: readonly string[], name: string): string | undefined {
  const at = argv.indexOf(name)
  if (at >= 0) return argv[at + 1]
  return argv.find((argument) => argument.startsWith(`${name}=`))?.slice(name.length + 1)
}

function portOf(argv: readonly string[]): number | undefined {
  const text = flagValue(argv, '--port') ?? process.env['CAIRN_PORT']
  return text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : undefined
}

let earlyLink: string | undefined
let earlyFile: string | undefined

/** Everything up to the ready event: what comes later would be too late for Chromium. */
function prepare(): void {
  const dataDir = locateDataDir(flagValue(process.argv, '--data'))
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  // Chromium's files stay in a folder of their own, and one lock per data folder follows from it.
  app.setPath('userData', join(dataDir, 'shell'))
  if (!app.requestSingleInstanceLock()) {
    // The running program got our arguments and shows its window.
    app.quit()
    return
  }
  app.enableSandbox()
  protocol.registerSchemesAsPrivileged([
    { scheme: shellScheme, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ])
  app.on('web-contents-created', (_event, contents) => {
    lockNavigation(contents, openOutside)
  })
  app.on('open-url', (event, link) => {
    event.preventDefault()
    earlyLink = link
  })
  app.on('open-file', (event, path) => {
    event.preventDefault()
    if (isOpenableFile(path)) earlyFile = path
  })
  // Not awaited: the ready event waits for this module to be evaluated.
  void app.whenReady().then(() => run(dataDir))
}

async function run(dataDir: string): Promise<void> {
  const root = app.getAppPath()
  let unsent = 0
  let words = shellWords(app.getPreferredSystemLanguages())
  const window = createMainWindow({
    preload: join(root, 'dist/host/preload.cjs'),
    stateFile: join(dataDir, 'shell', 'window.json'),
    icon: join(root, 'build/icons/256x256.png'),
    packaged: app.isPackaged,
    unsent: () => unsent,
    words: () => words,
  })
  const openWindow = (): void => {
    window.show()
  }
  const openLink = (link: string | undefined): void => {
    window.show(link === undefined ? undefined : placeOfLink(link))
  }
  const shelf = createFileShelf()
  const openFile = (path: string): void => {
    shelf.put(path)
    window.show('#/new')
    window.send(shellEvents.file)
  }
  const port = portOf(process.argv)
  const host = keepHost(
    {
      dataDir,
      consoleDir: join(root, 'dist/renderer'),
      ports: await createPorts({
        bootstrap: join(root, 'dist/host/child-bootstrap.js'),
        onNotice: (actionUrl) => {
          openLink(actionUrl)
        },
      }),
      ...(port === undefined ? {} : { port }),
    },
    (error) => {
      dialog.showErrorBox(words.notStarted, error.message)
      app.exit(1)
    },
  )
  const hostUrl = async (): Promise<string> => (await host.connection()).url
  endAfterHost(host, () => {
    unsent = 0
  })
  denyPermissions(session.defaultSession)
  protocol.handle(shellScheme, createAppProtocol(join(root, 'dist/renderer'), hostUrl))
  const notify = createNotifier(openLink)
  const preferencesFile = join(dataDir, 'shell', 'preferences.json')
  let preferences = readPreferences(preferencesFile, process.platform)
  checkSpelling(session.defaultSession, preferences.spelling)
  const updates = openUpdates(() => words)
  let commands: readonly ShellCommand[] = []
  const showMenu = (): void => {
    setApplicationMenu({
      packaged: app.isPackaged,
      platform: process.platform,
      commands,
      preferences,
      words,
      openWindow,
      openDataFolder: () => {
        openOutside(dataDir)
      },
      runCommand: (id) => {
        window.show()
        window.send(shellEvents.command, id)
      },
      choose: (chosen) => {
        preferences = chosen
        writePreferences(preferencesFile, chosen)
        checkSpelling(session.defaultSession, chosen.spelling)
        updates?.setDaily(chosen.updates)
        showMenu()
      },
      ...(updates === undefined ? {} : { checkUpdates: () => void updates.ask() }),
    })
  }
  const trayActions = {
    openWindow,
    quit: () => {
      app.quit()
    },
  }
  registerIpc({
    getConnection: () => host.connection(),
    sayUnsent: (count) => {
      unsent = count
      return Promise.resolve()
    },
    sayCommands: (told) => {
      commands = told
      showMenu()
      return Promise.resolve()
    },
    sayLanguage: (tag) => {
      words = shellWords([tag])
      showMenu()
      sayTray(words, trayActions)
      return Promise.resolve()
    },
    notify: (notice) => {
      if (preferences.notices && !window.isFocused()) notify({ ...notice, actionUrl: 'cairn://open/notifications' })
      return Promise.resolve()
    },
    takeFile: () => shelf.take(),
  })
  showMenu()
  app.setAsDefaultProtocolClient(linkScheme)
  app.on('second-instance', (_event, argv, folder) => {
    const file = fileAmong(argv, folder)
    if (file === undefined) openLink(linkAmong(argv))
    else openFile(file)
  })
  app.on('activate', openWindow)
  showTray(join(root, 'build/icons/32x32.png'), words, trayActions)
  // macOS hands links and files over as events, which may come before the program is ready.
  const file = fileAmong(process.argv, process.cwd()) ?? earlyFile
  if (file === undefined) openLink(linkAmong(process.argv) ?? earlyLink)
  else openFile(file)
  app.on('open-file', (_event, path) => {
    if (isOpenableFile(path)) openFile(path)
  })
  app.on('open-url', (_event, link) => {
    openLink(link)
  })
  updates?.setDaily(preferences.updates)
}

/** New versions of this program; undefined where it was packaged without a feed of them. */
function openUpdates(words: () => ShellWords): Updates | undefined {
  if (readUpdateFeed(process.resourcesPath) === undefined) return undefined
  const updates: Updates = createUpdates({
    current: app.getVersion(),
    words,
    tell: (notice) => {
      createNotifier(() => void updates.ask())(notice)
    },
    quit: () => {
      app.quit()
    },
  })
  return updates
}

/**
 * The program ends when the host has put its last write on disk, and not before.
 * @param endUnasked called before an end that nobody can be asked about
 */
function endAfterHost(host: HostKeeper, endUnasked: () => void): void {
  let ended = false
  const end = (): void => {
    endUnasked()
    app.quit()
  }
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
  app.on('window-all-closed', () => {
    // On macOS a program stays until it is told to quit.
    if (process.platform !== 'darwin') app.quit()
  })
  app.on('will-quit', (event) => {
    if (ended) return
    event.preventDefault()
    removeTray()
    void host
      .stop()
      .catch((error: unknown) => {
        process.stderr.write(`The host did not stop cleanly: ${String(error)}\n`)
      })
      .finally(() => {
        ended = true
        app.quit()
      })
  })
}

if (asksForDebugger(app.commandLine, app.isPackaged)) {
  process.stderr.write('Cairn does not start with a debugging port.\n')
  app.exit(1)
} else {
  prepare()
}
