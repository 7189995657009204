// The whole shell over the recording stand-in, with a real host on a real data folder: in which order its parts come
// up, what the page may ask, and that the end waits for the host.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ipcChannels, shellEvents } from '#shared/ipc.ts'
import { startHost } from '#main/index.ts'
import { createApiCall } from '../support/api-call.ts'
import { app, callNames, fake, lastCall, resetFake } from './fake-electron.ts'

vi.mock('electron', () => import('./fake-electron.ts'))

interface Connection {
  url: string
  token: string
}

const ownPage = { url: 'app://cairn/index.html#/', parent: null }

/** An application folder with one built page, as the bundle leaves it. */
function makeAppFolder(): string {
  const root = mkdtempSync(join(tmpdir(), 'cairn-app-'))
  mkdirSync(join(root, 'dist/renderer'), { recursive: true })
  writeFileSync(join(root, 'dist/renderer/index.html'), '<!doctype html><title>Cairn</title>')
  return root
}

let appDir: string
let dataDir: string
let argv: string[]

/** Loads the program anew, as a start of the process does. */
async function startShell(): Promise<void> {
  vi.resetModules()
  await import('../../electron/main.ts')
}

/** Says that the desktop is ready and waits for the window. */
async function becomeReady(): Promise<void> {
  fake().ready.resolve()
  await vi.waitFor(() => {
    expect(callNames()).toContain('window.loadURL')
  })
}

const askConnection = (senderFrame: unknown = ownPage): unknown =>
  fake().ipc.get(ipcChannels.getConnection)!({ senderFrame })

beforeEach(() => {
  appDir = makeAppFolder()
  resetFake({ appPath: appDir })
  dataDir = mkdtempSync(join(tmpdir(), 'cairn-shell-'))
  argv = process.argv
  process.argv = ['/usr/bin/cairn', '.', '--data', dataDir, '--port', '0']
})

afterEach(async () => {
  process.argv = argv
  // A host left running would hold the data folder and keep this process.
  if (callNames().includes('ipcMain.handle') && !callNames().includes('quit')) {
    app.quit()
    await fake().ended.promise
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal)
  for (const dir of [appDir, dataDir]) rmSync(dir, { recursive: true, force: true })
})

describe('start', () => {
  it('sets folder, lock, sandbox and scheme before the desktop is ready', async () => {
    await startShell()
    expect(callNames()).toEqual([
      'app.setPath',
      'app.requestSingleInstanceLock',
      'app.enableSandbox',
      'protocol.registerSchemesAsPrivileged',
    ])
    expect(lastCall('app.setPath')).toEqual(['userData', join(dataDir, 'shell')])
    expect(lastCall('protocol.registerSchemesAsPrivileged')).toEqual([
      [{ scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } }],
    ])
    await becomeReady()
  })

  it('has refusals, protocol and handlers in place before the page loads', async () => {
    await startShell()
    await becomeReady()
    const names = callNames()
    const loadedAt = names.indexOf('window.loadURL')
    expect(names.slice(0, loadedAt)).toEqual(
      expect.arrayContaining([
        'session.setPermissionRequestHandler',
        'session.setPermissionCheckHandler',
        'session.setDevicePermissionHandler',
        'protocol.handle',
        'ipcMain.handle',
      ]),
    )
    expect(lastCall('window.loadURL')).toEqual(['app://cairn/index.html'])
    expect(lastCall('new BrowserWindow')).toMatchObject([
      {
        show: false,
        webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false, webviewTag: false },
      },
    ])
  })

  it('leaves a data folder that another start of it holds to the running window', async () => {
    resetFake({ lock: false })
    await startShell()
    expect(callNames()).toEqual(['app.setPath', 'app.requestSingleInstanceLock', 'app.quit', 'quit'])
  })

  it('does not start a release with a debugging port', async () => {
    resetFake({ packaged: true, switches: new Set(['remote-debugging-port']) })
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await startShell()
    expect(callNames()).toEqual(['app.exit'])
    expect(written).toHaveBeenCalledWith('Cairn does not start with a debugging port.\n')
  })

  it('shows a linked screen, also when the program runs already', async () => {
    process.argv.push('cairn://open/o/crm_deal')
    await startShell()
    await becomeReady()
    expect(lastCall('window.loadURL')).toEqual(['app://cairn/index.html#/o/crm_deal'])
    app.emit('second-instance', {}, ['/usr/bin/cairn', 'cairn://open/o/task'], appDir)
    expect(lastCall('window.loadURL')).toEqual(['app://cairn/index.html#/o/task'])
    expect(fake().windows).toHaveLength(1)
    expect(callNames().at(-1)).toBe('window.focus')
  })
})

describe('page', () => {
  it('gets the address and token of the host, and both work', async () => {
    await startShell()
    await becomeReady()
    const { url, token } = (await askConnection()) as Connection
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const answer = await createApiCall(url, token)('GET', '/api/v1/meta')
    expect(answer.status).toBe(200)
    const policy = (await fake().schemes.get('app')!({ url: 'app://cairn/', method: 'GET' })).headers
    expect(policy.get('content-security-policy')).toContain(`connect-src ${url} `)
  })

  it('is admitted by the host with its own origin', async () => {
    await startShell()
    await becomeReady()
    const { url, token } = (await askConnection()) as Connection
    const headers = { authorization: `Bearer ${token}`, origin: 'app://cairn' }
    const answer = await fetch(`${url}/api/v1/meta`, { headers })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, 'app://cairn'])
    const foreign = await fetch(`${url}/api/v1/meta`, { headers: { ...headers, origin: 'app://other' } })
    expect(foreign.status).toBe(403)
  })

  it('alone may ask: other origins, frames inside the page and closed frames are refused', async () => {
    await startShell()
    await becomeReady()
    for (const frame of [
      { url: 'https://example.org/', parent: null },
      { url: 'app://cairn/index.html', parent: {} },
      { url: 'app://other/index.html', parent: null },
      null,
    ]) {
      expect(() => askConnection(frame)).toThrow('This page may not call the shell.')
    }
  })

  it('stays on its origin: foreign navigation, new windows and embedded pages are refused', async () => {
    await startShell()
    await becomeReady()
    const { webContents } = fake().windows[0]!
    const refused = (name: string, url: string): boolean => {
      const event = { url, preventDefault: vi.fn() }
      webContents.emit(name, event)
      return event.preventDefault.mock.calls.length > 0
    }
    for (const name of ['will-navigate', 'will-frame-navigate', 'will-redirect']) {
      const places = ['https://example.org/', 'http://127.0.0.1:7420/_console/', 'file:///etc/passwd']
      expect(places.filter((place) => !refused(name, place))).toEqual([])
      expect(refused(name, 'app://cairn/index.html#/objects')).toBe(false)
    }
    expect(refused('will-attach-webview', 'app://cairn/')).toBe(true)
    const open = webContents.openHandler!
    expect(open({ url: 'https://example.org/help' })).toEqual({ action: 'deny' })
    expect(lastCall('shell.openExternal')).toEqual(['https://example.org/help'])
    expect(open({ url: 'file:///etc/passwd' })).toEqual({ action: 'deny' })
    expect(callNames().filter((name) => name === 'shell.openExternal')).toHaveLength(1)
  })

  it('gets no permission but writing to the clipboard', async () => {
    await startShell()
    await becomeReady()
    type Ask = (contents: unknown, name: string, answer: (granted: boolean) => void, details: unknown) => void
    const [ask] = lastCall('session.setPermissionRequestHandler') as [Ask]
    const granted = (name: string, requestingUrl: string): unknown => {
      const answer = vi.fn()
      ask({}, name, answer, { requestingUrl })
      return answer.mock.calls[0]![0]
    }
    const names = ['media', 'geolocation', 'notifications', 'clipboard-read', 'fileSystem', 'openExternal', 'hid']
    expect(names.filter((name) => granted(name, 'app://cairn/index.html') === true)).toEqual([])
    expect(granted('clipboard-sanitized-write', 'app://cairn/index.html')).toBe(true)
    expect(granted('clipboard-sanitized-write', 'https://example.org/')).toBe(false)
    const [device] = lastCall('session.setDevicePermissionHandler') as [() => boolean]
    expect(device()).toBe(false)
  })
})

describe('window', () => {
  const call = (name: keyof typeof ipcChannels, given?: unknown): unknown =>
    fake().ipc.get(ipcChannels[name])!({ senderFrame: ownPage }, given)

  interface Entry {
    label?: string
    submenu?: Entry[]
    click?(item: { checked: boolean }): void
  }

  /** The entry of the present menu with a label. */
  function menuEntry(label: string): Entry {
    const { template } = fake().menus.at(-1) as { template: Entry[] }
    return template.flatMap(({ submenu = [] }) => submenu).find((entry) => entry.label === label)!
  }

  it('refuses each word of a foreign page', async () => {
    await startShell()
    await becomeReady()
    for (const channel of Object.values(ipcChannels)) {
      const ask = (): unknown =>
        fake().ipc.get(channel)!({ senderFrame: { url: 'https://example.org/', parent: null } })
      expect(ask).toThrow('This page may not call the shell.')
    }
    expect([...fake().ipc.keys()].toSorted()).toEqual(Object.values(ipcChannels).toSorted())
  })

  it('has the commands of its page in the menu, and the page runs what is chosen', async () => {
    await startShell()
    await becomeReady()
    await call('sayCommands', [{ id: 'go.home', label: 'Home', group: 'navigation', enabled: true }])
    menuEntry('Home').click!({ checked: false })
    expect(lastCall('webContents.send')).toEqual([shellEvents.command, 'go.home'])
  })

  it('speaks the language of its page, menu and tray alike', async () => {
    await startShell()
    await becomeReady()
    const trayLabels = (): unknown[] => {
      const [menu] = lastCall('tray.setContextMenu') as [{ template: Entry[] }]
      return menu.template.flatMap(({ label }) => label ?? [])
    }
    expect(trayLabels()).toEqual(['Open Cairn', 'Quit'])
    await call('sayCommands', [{ id: 'go.home', label: 'Start', group: 'navigation', enabled: true }])
    await call('sayLanguage', 'de')
    const { template } = fake().menus.at(-1) as { template: Entry[] }
    expect(template.map(({ label }) => label)).toEqual(['&Datei', '&Bearbeiten', '&Gehe zu', '&Ansicht', '&Fenster'])
    const texts = template.flatMap(({ submenu = [] }) => submenu.map(({ label }) => label))
    expect(texts).toContain('Datenordner zeigen')
    expect(texts).toContain('Kopieren')
    expect(trayLabels()).toEqual(['Cairn öffnen', 'Beenden'])
  })

  it('raises notices in the background only, and none once they are switched off', async () => {
    await startShell()
    await becomeReady()
    const notice = { title: 'Cairn', body: 'A task for you' }
    const raised = (): number => callNames().filter((name) => name === 'notification.show').length
    await call('notify', notice)
    expect(raised()).toBe(0)
    fake().windows[0]!.focused = false
    await call('notify', notice)
    expect(lastCall('notification.show')[0]).toEqual(notice)
    const [, shown] = lastCall('notification.show') as [unknown, { emit(name: string): void }]
    shown.emit('click')
    expect(lastCall('window.loadURL')).toEqual(['app://cairn/index.html#/notifications'])
    menuEntry('Notify While in the Background').click!({ checked: false })
    await call('notify', notice)
    expect(raised()).toBe(1)
  })

  it('shows a file that was opened, also by a second start, and hands it over once', async () => {
    const [first, second] = ['first.csv', 'second.csv'].map((name) => join(appDir, name))
    writeFileSync(first!, 'a\n1\n')
    writeFileSync(second!, 'a\n2\n')
    process.argv.push(first!)
    await startShell()
    await becomeReady()
    expect(lastCall('window.loadURL')).toEqual(['app://cairn/index.html#/new'])
    expect(await call('takeFile')).toMatchObject({ name: 'first.csv' })
    expect(await call('takeFile')).toBeNull()
    app.emit('second-instance', {}, ['/usr/bin/cairn', 'second.csv'], appDir)
    expect(lastCall('webContents.send')[0]).toBe(shellEvents.file)
    expect(await call('takeFile')).toMatchObject({ name: 'second.csv' })
  })

  it('checks no words until somebody says so, where that would load dictionaries', async () => {
    await startShell()
    await becomeReady()
    expect(lastCall('session.setSpellCheckerEnabled')).toEqual([process.platform === 'darwin'])
    expect(callNames()).not.toContain('session.setSpellCheckerLanguages')
  })

  it('comes back after its process ended, and asks once it keeps ending', async () => {
    await startShell()
    await becomeReady()
    const { webContents } = fake().windows[0]!
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    try {
      for (let time = 0; time < 3; time++) webContents.emit('render-process-gone', {}, { reason: 'crashed' })
      vi.advanceTimersByTime(3_000)
      expect(callNames().filter((name) => name === 'webContents.reload')).toHaveLength(3)
      webContents.emit('render-process-gone', {}, { reason: 'oom' })
    } finally {
      vi.useRealTimers()
    }
    expect(lastCall('dialog.showMessageBoxSync')).toMatchObject([
      { message: 'The window stopped four times in a minute' },
    ])
    expect(lastCall('window.loadURL')).toEqual(['app://cairn/index.html#/'])
  })
})

describe('end', () => {
  it('waits until the host has stopped and every acknowledged write is on disk', async () => {
    await startShell()
    await becomeReady()
    const { url, token } = (await askConnection()) as Connection
    const call = createApiCall(url, token)
    const object = { name: 'note', fields: { title: { type: 'text' } } }
    expect((await call('PUT', '/api/v1/meta/object/note', object)).status).toBe(200)
    const writes = Array.from({ length: 20 }, (_, index) =>
      call('POST', '/api/v1/data/note', { title: `Note ${index}` }),
    )
    await writes[0]
    app.quit()
    expect(callNames()).not.toContain('quit')
    const answers = await Promise.allSettled(writes)
    const acknowledged = answers.filter((answer) => answer.status === 'fulfilled' && answer.value.status === 201).length
    expect(await fake().ended.promise).toBe(0)
    expect(callNames().slice(-2)).toEqual(['app.quit', 'quit'])
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed')
    expect(existsSync(join(dataDir, 'connection.json'))).toBe(false)
    expect(JSON.parse(readFileSync(join(dataDir, 'shell', 'window.json'), 'utf8'))).toMatchObject({ width: 1_000 })

    const again = await startHost({ dataDir, port: 0 })
    try {
      const list = await createApiCall(again.url, again.token)('GET', '/api/v1/data/note?count=true&top=1')
      expect(acknowledged).toBeGreaterThan(0)
      expect((list.body as { total: number }).total).toBeGreaterThanOrEqual(acknowledged)
    } finally {
      await again.stop()
    }
  })

  it.runIf(process.platform !== 'darwin')('comes with the last window', async () => {
    await startShell()
    await becomeReady()
    fake().windows[0]!.close()
    expect(await fake().ended.promise).toBe(0)
  })

  it('is asked about, with their number, while changes are on this machine only', async () => {
    await startShell()
    await becomeReady()
    const say = (count: unknown): unknown => fake().ipc.get(ipcChannels.sayUnsent)!({ senderFrame: ownPage }, count)
    for (const wrong of [-1, 1.5, '5', undefined]) expect(() => say(wrong)).toThrow('This is not a count.')
    await say(5)
    const { webContents } = fake().windows[0]!
    webContents.holds = true
    app.quit()
    expect(lastCall('dialog.showMessageBoxSync')).toMatchObject([{ message: '5 changes are on this machine only' }])
    expect(fake().windows).toHaveLength(1)
    expect(callNames()).not.toContain('quit')
    fake().answer = 1
    app.quit()
    expect(await fake().ended.promise).toBe(0)
  })

  it('is asked about while the page holds work that is not saved', async () => {
    await startShell()
    await becomeReady()
    fake().windows[0]!.webContents.holds = true
    fake().windows[0]!.close()
    expect(lastCall('dialog.showMessageBoxSync')).toMatchObject([
      { message: 'There is work in this window that is not saved' },
    ])
    expect(fake().windows).toHaveLength(1)
    fake().answer = 1
    fake().windows[0]!.close()
    expect(fake().windows).toHaveLength(0)
    expect(await fake().ended.promise).toBe(0)
  })

  it('is told to the person when the host cannot start', async () => {
    writeFileSync(join(dataDir, 'cairn.db'), 'this is no database'.repeat(100))
    await startShell()
    fake().ready.resolve()
    expect(await fake().ended.promise).toBe(1)
    expect(lastCall('dialog.showErrorBox')[0]).toBe('Cairn could not start')
    expect(lastCall('dialog.showErrorBox')[1]).toContain('It was left as it is.')
  })
})

describe('a host of another process', () => {
  it('is shown in the window after it proved itself, and is left running at the end', async () => {
    const other = await startHost({ dataDir, port: 0 })
    try {
      await startShell()
      await becomeReady()
      expect(await askConnection()).toEqual({ url: other.url, token: other.token })
      app.quit()
      expect(await fake().ended.promise).toBe(0)
      expect((await fetch(`${other.url}/healthz`)).status).toBe(200)
    } finally {
      await other.stop()
    }
  })
})
