// A stand-in for the electron package that records what the shell does and plays the events of a desktop. Only what
// the shell uses is here, so an unforeseen call fails as a missing function. Works under vitest and under plain Node.
import { EventEmitter } from 'node:events'
import { fork } from 'node:child_process'
import type { Serializable } from 'node:child_process'
import { request } from 'node:http'
import type { RequestOptions } from 'node:http'
import { fileURLToPath } from 'node:url'

/** One call the shell made, in order. */
export interface Call {
  readonly name: string
  readonly args: readonly unknown[]
}

type OpenHandler = (details: { url: string }) => { action: string }
type ProtocolHandler = (request: { url: string; method: string }) => Promise<Response>
type IpcHandler = (event: { senderFrame: unknown }, given?: unknown) => unknown

/** What the stand-in knows; shared by all copies of this module in one process. */
interface FakeState {
  calls: Call[]
  appPath: string
  packaged: boolean
  switches: Set<string>
  lock: boolean
  backend: string
  encryption: boolean
  notifications: boolean
  ready: PromiseWithResolvers<void>
  quitting: boolean
  ended: PromiseWithResolvers<number>
  windows: BrowserWindow[]
  schemes: Map<string, ProtocolHandler>
  ipc: Map<string, IpcHandler>
  bridge: Map<string, unknown>
  children: FakeUtilityProcess[]
  menus: unknown[]
  /** The button a person presses in a question. */
  answer: number
}

function firstState(): FakeState {
  return {
    calls: [],
    appPath: '',
    packaged: false,
    switches: new Set(),
    lock: true,
    backend: 'gnome_libsecret',
    encryption: true,
    notifications: true,
    ready: Promise.withResolvers(),
    quitting: false,
    ended: Promise.withResolvers(),
    windows: [],
    schemes: new Map(),
    ipc: new Map(),
    bridge: new Map(),
    children: [],
    menus: [],
    answer: 0,
  }
}

const shared = globalThis as unknown as { fakeElectron?: { state: FakeState; app: FakeApp } }

/** The state of the stand-in. */
export function fake(): FakeState {
  return shared.fakeElectron!.state
}

/** Names of the calls made so far, in order. */
export function callNames(): string[] {
  return fake().calls.map((call) => call.name)
}

/** The arguments of the last call of a name. @throws Error when there was none */
export function lastCall(name: string): readonly unknown[] {
  const call = fake().calls.findLast((candidate) => candidate.name === name)
  if (!call) throw new Error(`the shell never called ${name}`)
  return call.args
}

/** Forgets everything. */
export function resetFake(options: Partial<FakeState> = {}): void {
  shared.fakeElectron!.app.removeAllListeners()
  shared.fakeElectron!.state = { ...firstState(), ...options }
}

function record(name: string, ...args: unknown[]): void {
  fake().calls.push({ name, args })
}

class FakeApp extends EventEmitter {
  readonly commandLine = { hasSwitch: (name: string) => fake().switches.has(name) }
  get isPackaged(): boolean {
    return fake().packaged
  }
  getAppPath(): string {
    return fake().appPath
  }
  getVersion(): string {
    return '0.1.0'
  }
  getName(): string {
    return 'Cairn'
  }
  getPath(): string {
    return fake().appPath
  }
  setPath(name: string, path: string): void {
    record('app.setPath', name, path)
  }
  requestSingleInstanceLock(): boolean {
    record('app.requestSingleInstanceLock')
    return fake().lock
  }
  enableSandbox(): void {
    record('app.enableSandbox')
  }
  setAsDefaultProtocolClient(scheme: string): void {
    record('app.setAsDefaultProtocolClient', scheme)
  }
  getPreferredSystemLanguages(): string[] {
    return ['en-US', 'de-AT']
  }
  whenReady(): Promise<void> {
    return fake().ready.promise
  }
  exit(code: number): void {
    record('app.exit', code)
    fake().ended.resolve(code)
  }
  /** As the real one: windows close first, then `will-quit` may hold the end back. */
  quit(): void {
    record('app.quit')
    if (fake().quitting) return
    fake().quitting = true
    this.emit('before-quit', {})
    for (const window of fake().windows.slice()) window.close()
    if (fake().windows.length > 0) {
      fake().quitting = false
      return
    }
    let held = false
    this.emit('will-quit', { preventDefault: () => (held = true) })
    fake().quitting = false
    if (held) return
    record('quit')
    this.emit('quit', {}, 0)
    fake().ended.resolve(0)
  }
}

shared.fakeElectron ??= { state: firstState(), app: new FakeApp() }

/** @see https://www.electronjs.org/docs/latest/api/app */
export const app: FakeApp = shared.fakeElectron.app

class FakeContents extends EventEmitter {
  openHandler: OpenHandler | undefined
  /** Whether the page would keep its window. */
  holds = false
  zoom = 0
  readonly session = session.defaultSession
  getZoomLevel(): number {
    return this.zoom
  }
  setZoomLevel(level: number): void {
    this.zoom = level
  }
  send(channel: string, told?: unknown): void {
    record('webContents.send', channel, told)
  }
  reload(): void {
    record('webContents.reload')
  }
  replaceMisspelling(word: string): void {
    record('webContents.replaceMisspelling', word)
  }
  setWindowOpenHandler(handler: OpenHandler): void {
    this.openHandler = handler
  }
}

/** @see https://www.electronjs.org/docs/latest/api/browser-window */
export class BrowserWindow extends EventEmitter {
  readonly webContents = new FakeContents()
  readonly options: Record<string, unknown>
  maximized = false
  minimized = false
  focused = true
  constructor(options: Record<string, unknown>) {
    super()
    this.options = options
    record('new BrowserWindow', options)
    fake().windows.push(this)
    app.emit('web-contents-created', {}, this.webContents)
  }
  loadURL(address: string): Promise<void> {
    record('window.loadURL', address)
    return Promise.resolve()
  }
  show(): void {
    record('window.show')
  }
  focus(): void {
    record('window.focus')
  }
  maximize(): void {
    this.maximized = true
  }
  isMaximized(): boolean {
    return this.maximized
  }
  isFocused(): boolean {
    return this.focused
  }
  isDestroyed(): boolean {
    return !fake().windows.includes(this)
  }
  destroy(): void {
    this.webContents.holds = false
    this.close()
  }
  isMinimized(): boolean {
    return this.minimized
  }
  restore(): void {
    this.minimized = false
    record('window.restore')
  }
  getNormalBounds(): Record<string, number> {
    return { x: 40, y: 30, width: 1_000, height: 700 }
  }
  close(): void {
    if (this.webContents.holds) {
      let letGo = false
      this.webContents.emit('will-prevent-unload', { preventDefault: () => (letGo = true) })
      if (!letGo) return
    }
    this.emit('close')
    fake().windows = fake().windows.filter((window) => window !== this)
    this.emit('closed')
    if (fake().windows.length === 0) app.emit('window-all-closed')
  }
}

/** @see https://www.electronjs.org/docs/latest/api/protocol */
export const protocol = {
  registerSchemesAsPrivileged: (schemes: unknown) => record('protocol.registerSchemesAsPrivileged', schemes),
  handle: (scheme: string, handler: ProtocolHandler) => {
    record('protocol.handle', scheme)
    fake().schemes.set(scheme, handler)
  },
}

/** @see https://www.electronjs.org/docs/latest/api/session */
export const session = {
  fromPartition: (name: string, options: unknown) => ({ name, options }),
  defaultSession: {
    setPermissionRequestHandler: (handler: unknown) => record('session.setPermissionRequestHandler', handler),
    setPermissionCheckHandler: (handler: unknown) => record('session.setPermissionCheckHandler', handler),
    setDevicePermissionHandler: (handler: unknown) => record('session.setDevicePermissionHandler', handler),
    availableSpellCheckerLanguages: ['de', 'en-GB', 'en-US', 'fr'],
    setSpellCheckerEnabled: (isOn: boolean) => record('session.setSpellCheckerEnabled', isOn),
    setSpellCheckerLanguages: (languages: string[]) => record('session.setSpellCheckerLanguages', languages),
    addWordToSpellCheckerDictionary: (word: string) => record('session.addWordToSpellCheckerDictionary', word),
  },
}

/** @see https://www.electronjs.org/docs/latest/api/ipc-main */
export const ipcMain = {
  handle: (channel: string, handler: IpcHandler) => {
    record('ipcMain.handle', channel)
    fake().ipc.set(channel, handler)
  },
}

/** What the shell tells its page, as the preload hears it. */
export const pageEvents = new EventEmitter()

/** @see https://www.electronjs.org/docs/latest/api/ipc-renderer */
export const ipcRenderer = {
  invoke: (channel: string, ...args: unknown[]) => {
    record('ipcRenderer.invoke', channel, ...args)
    return Promise.resolve({ channel })
  },
  on: (channel: string, listener: (event: unknown, told: unknown) => void) => {
    pageEvents.on(channel, listener)
  },
  removeListener: (channel: string, listener: (event: unknown, told: unknown) => void) => {
    pageEvents.removeListener(channel, listener)
  },
}

/** @see https://www.electronjs.org/docs/latest/api/context-bridge */
export const contextBridge = {
  exposeInMainWorld: (name: string, value: unknown) => fake().bridge.set(name, value),
}

/** @see https://www.electronjs.org/docs/latest/api/menu */
export const Menu = {
  buildFromTemplate: (template: unknown) => ({ template, popup: () => record('menu.popup', template) }),
  setApplicationMenu: (menu: unknown) => fake().menus.push(menu),
}

/** @see https://www.electronjs.org/docs/latest/api/tray */
export class Tray extends EventEmitter {
  constructor(icon: string) {
    super()
    record('new Tray', icon)
  }
  setToolTip(): void {}
  setContextMenu(menu: unknown): void {
    record('tray.setContextMenu', menu)
  }
  destroy(): void {
    record('tray.destroy')
  }
}

/** @see https://www.electronjs.org/docs/latest/api/notification */
export class Notification extends EventEmitter {
  static isSupported(): boolean {
    return fake().notifications
  }
  readonly options: unknown
  constructor(options: unknown) {
    super()
    this.options = options
  }
  show(): void {
    record('notification.show', this.options, this)
  }
}

/** @see https://www.electronjs.org/docs/latest/api/safe-storage */
export const safeStorage = {
  getSelectedStorageBackend: () => fake().backend,
  isAsyncEncryptionAvailable: () => Promise.resolve(fake().encryption),
  encryptStringAsync: (plain: string) => Promise.resolve(Buffer.from([...plain].toReversed().join(''))),
  decryptStringAsync: (sealed: Buffer) =>
    Promise.resolve({ result: [...sealed.toString()].toReversed().join(''), shouldReEncrypt: false }),
}

/** @see https://www.electronjs.org/docs/latest/api/shell */
export const shell = {
  openExternal: (address: string) => {
    record('shell.openExternal', address)
    return Promise.resolve()
  },
  openPath: (path: string) => {
    record('shell.openPath', path)
    return Promise.resolve('')
  },
}

/** @see https://www.electronjs.org/docs/latest/api/dialog */
export const dialog = {
  showErrorBox: (title: string, content: string) => record('dialog.showErrorBox', title, content),
  showMessageBoxSync: (_window: unknown, options: unknown) => {
    record('dialog.showMessageBoxSync', options)
    return fake().answer
  },
  showMessageBox: (options: unknown) => {
    record('dialog.showMessageBox', options)
    return Promise.resolve({ response: fake().answer })
  },
}

/** @see https://www.electronjs.org/docs/latest/api/net */
export const net = {
  request: (options: RequestOptions) => {
    record('net.request', options)
    return request(options)
  },
}

/** @see https://www.electronjs.org/docs/latest/api/native-theme */
export const nativeTheme = { shouldUseDarkColors: false }

/** @see https://www.electronjs.org/docs/latest/api/screen */
export const screen = {
  getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1_920, height: 1_040 } }],
}

/** A child under Node that has `process.parentPort`, as a utility process has, and no channel of Node's own. */
class FakeUtilityProcess extends EventEmitter {
  readonly #child
  constructor(modulePath: string, args: string[], options: { env: Record<string, string> }) {
    super()
    const shim = fileURLToPath(new URL('./parent-port-shim.ts', import.meta.url))
    this.#child = fork(modulePath, args, {
      env: options.env,
      execArgv: ['--import', shim],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#child.on('message', (message) => this.emit('message', message))
    this.#child.on('exit', (code) => this.emit('exit', code))
  }
  get pid(): number | undefined {
    return this.#child.exitCode === null && this.#child.signalCode === null ? this.#child.pid : undefined
  }
  postMessage(message: unknown): void {
    this.#child.send(message as Serializable)
  }
}

/** @see https://www.electronjs.org/docs/latest/api/utility-process */
export const utilityProcess = {
  fork: (modulePath: string, args: string[], options: { env: Record<string, string> }) => {
    record('utilityProcess.fork', modulePath, args, options)
    const child = new FakeUtilityProcess(modulePath, args, options)
    fake().children.push(child)
    return child
  },
}
