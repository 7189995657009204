// The parts of the shell that need no Electron: addresses, links, remembered places, the policy of the window.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { createAppProtocol, fileFor } from '../../electron/app-protocol.ts'
import { linkAmong, placeOfLink } from '../../electron/deep-link.ts'
import { acceleratorOf, commandMenus } from '../../electron/command-menu.ts'
import { createCrashPlan } from '../../electron/crash-plan.ts'
import { readCommands, readLanguage, readNotice } from '../../electron/ipc-words.ts'
import { menuTemplate } from '../../electron/menu.ts'
import { shellWords } from '../../electron/words.ts'
import { createFileShelf, fileAmong, openableExtensions } from '../../electron/opened-file.ts'
import { firstPreferences, readPreferences, writePreferences } from '../../electron/preferences.ts'
import {
  asksForDebugger,
  isOpenable,
  isShellUrl,
  isTrustedFrame,
  webPreferences,
  windowPolicy,
} from '../../electron/security.ts'
import { spellingLanguages } from '../../electron/spelling.ts'
import { firstWindow, readWindowState, writeWindowState } from '../../electron/window-state.ts'

vi.mock('electron', () => import('./fake-electron.ts'))

const work = mkdtempSync(join(tmpdir(), 'cairn-screens-'))
const folder = join(work, 'screens')
mkdirSync(folder)
writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Cairn</title>')
writeFileSync(join(folder, 'notes.txt'), 'not for the window')

afterAll(() => {
  rmSync(work, { recursive: true, force: true })
})

describe('shell address', () => {
  it('is app://cairn and nothing that looks like it', () => {
    expect(isShellUrl('app://cairn/index.html#/o/task')).toBe(true)
    const lookalikes = [
      'app://cairn.example/index.html',
      'app://other/index.html',
      'app://cairn@other/',
      'app://user:word@cairn/',
      'app:cairn/index.html',
      'http://cairn/',
      'http://127.0.0.1:7420/_console/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'data:text/html,hello',
      '',
    ]
    expect(lookalikes.filter(isShellUrl)).toEqual([])
  })

  it('is trusted in the top frame only', () => {
    const frame = (url: string, parent: unknown = null) => ({ url, parent }) as never
    expect(isTrustedFrame(frame('app://cairn/index.html'))).toBe(true)
    expect(isTrustedFrame(frame('app://cairn/index.html', {}))).toBe(false)
    expect(isTrustedFrame(frame('https://cairn.example/'))).toBe(false)
    expect(isTrustedFrame(null)).toBe(false)
  })

  it('lets https out to the browser and nothing else', () => {
    expect(isOpenable('https://example.org/')).toBe(true)
    const others = ['http://example.org/', 'file:///tmp', 'mailto:a@example.org', 'smb://host/share', 'x']
    expect(others.filter(isOpenable)).toEqual([])
  })
})

describe('window preferences', () => {
  it('give the page no Node and no shared world, in a release no developer tools', () => {
    expect(webPreferences('/x/preload.cjs', true)).toEqual({
      preload: '/x/preload.cjs',
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      safeDialogs: true,
      devTools: false,
    })
    expect(webPreferences('/x/preload.cjs', false).devTools).toBe(true)
  })

  it('have the policy of the host and its address as the one place to connect to', () => {
    const policy = windowPolicy('http://127.0.0.1:7420')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy.split('; ').find((part) => part.startsWith('connect-src'))).toBe(
      'connect-src http://127.0.0.1:7420 ws://127.0.0.1:7420',
    )
    expect(policy).not.toMatch(/script-src[^;]*(unsafe|http|\*)/)
  })

  it('refuse a debugging port in a release, whatever switch asks for it', () => {
    const line = (...names: string[]) => ({ hasSwitch: (name: string) => names.includes(name) }) as never
    expect(asksForDebugger(line('remote-debugging-port'), true)).toBe(true)
    expect(asksForDebugger(line('inspect-brk'), true)).toBe(true)
    expect(asksForDebugger(line('remote-debugging-port'), false)).toBe(false)
    expect(asksForDebugger(line('disable-gpu'), true)).toBe(false)
  })
})

describe('app protocol', () => {
  it('never leaves the folder, whatever the address', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('..', '%2e%2e', '%2f', '/', '\\', '%5c', 'etc', '%00', 'a.js', '%25', 'C:', '.'), {
          maxLength: 12,
        }),
        (parts) => {
          const file = fileFor(folder, `app://cairn/${parts.join('')}`)
          expect(file === undefined || file.startsWith(`${folder}/`)).toBe(true)
        },
      ),
    )
    expect(fileFor(folder, 'app://cairn/')).toBe(join(folder, 'index.html'))
    expect(fileFor(folder, 'app://cairn/%2e%2e%2f%2e%2e%2fetc/passwd')).toBeUndefined()
    expect(fileFor(folder, 'app://other/index.html')).toBeUndefined()
  })

  it('answers the page with its policy, and 404 for what is missing, foreign or no screen file', async () => {
    const handle = createAppProtocol(folder, () => Promise.resolve('http://127.0.0.1:7420'))
    const page = await handle({ url: 'app://cairn/index.html', method: 'GET' })
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('<title>Cairn</title>')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toBe(windowPolicy('http://127.0.0.1:7420'))
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    for (const [url, method] of [
      ['app://cairn/missing.js', 'GET'],
      ['app://cairn/notes.txt', 'GET'],
      ['app://other/index.html', 'GET'],
      ['app://cairn/index.html', 'POST'],
    ] as const) {
      const answer = await handle({ url, method })
      expect([url, method, answer.status]).toEqual([url, method, 404])
    }
  })
})

describe('deep link', () => {
  it('shows a screen and can carry nothing else', () => {
    expect(placeOfLink('cairn://open/o/crm_deal')).toBe('#/o/crm_deal')
    expect(placeOfLink('cairn://open/')).toBe('#/')
    const others = [
      'cairn://open/o/x?filter=1',
      'cairn://open/o/x#y',
      'cairn://open/o/%2fx',
      'cairn://open/o/javascript:alert(1)',
      'cairn://other/o/x',
      'https://open/o/x',
      'cairn:open',
      'nothing',
    ]
    expect(others.filter((link) => placeOfLink(link) !== undefined)).toEqual([])
    const pair = 'cairn://pair?a=192.168.1.20%3A7421#c=1234567&f=ab'
    expect(placeOfLink(pair)).toBe(`#/sync/join?link=${encodeURIComponent(pair)}`)
    const noPairs = ['cairn://pair', 'cairn://pair/x?a=b', `cairn://pair?${'a'.repeat(2_000)}`, 'cairn://pair?a b']
    expect(noPairs.filter((link) => placeOfLink(link) !== undefined)).toEqual([])
    expect(linkAmong(['/usr/bin/cairn', '--data', '/x', 'cairn://open/o/x'])).toBe('cairn://open/o/x')
    expect(linkAmong(['/usr/bin/cairn'])).toBeUndefined()
  })
})

describe('window state', () => {
  const screens = [{ x: 0, y: 0, width: 1_920, height: 1_080 }]
  const file = join(work, 'shell', 'window.json')

  it('comes back as stored, in a private file', () => {
    const state = { x: 10, y: 20, width: 900, height: 700, maximized: true, zoom: 1.5 }
    writeWindowState(file, state)
    expect(readWindowState(file, screens)).toEqual(state)
    expect(statSync(file).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600)
  })

  it('keeps the size and drops a place on no present screen', () => {
    writeWindowState(file, { x: 5_000, y: 20, width: 900, height: 700, maximized: false, zoom: 2 })
    expect(readWindowState(file, screens)).toEqual({ width: 900, height: 700, maximized: false, zoom: 2 })
  })

  it('is no larger than the screens of today', () => {
    writeWindowState(file, { x: 0, y: 0, width: 3_800, height: 2_000, maximized: false, zoom: 40 })
    expect(readWindowState(file, screens)).toEqual({
      x: 0,
      y: 0,
      width: 1_920,
      height: 1_080,
      maximized: false,
      zoom: 9,
    })
  })

  it('is the first window for a missing, broken, foreign or tiny state', () => {
    expect(readWindowState(`${file}.none`, screens)).toEqual(firstWindow)
    const sizes = ['{"width":"900","height":700}', '{"width":10,"height":10}']
    const broken = ['', '{"width": 900', 'null', '[]', ...sizes]
    const states = broken.map((text) => {
      writeFileSync(file, text)
      return readWindowState(file, screens)
    })
    expect(states).toEqual(broken.map(() => firstWindow))
  })
})

describe('menu', () => {
  const template = (packaged: boolean, platform: NodeJS.Platform) =>
    JSON.stringify(
      menuTemplate({
        packaged,
        platform,
        commands: [],
        preferences: firstPreferences(platform),
        words: shellWords(['en']),
        openWindow: () => {},
        openDataFolder: () => {},
        runCommand: () => {},
        choose: () => {},
      }),
    )

  it('has developer tools outside a release only', () => {
    expect(template(false, 'linux')).toContain('toggleDevTools')
    expect(template(true, 'linux')).not.toContain('toggleDevTools')
  })

  it('has the application menu on macOS and an end entry elsewhere', () => {
    expect(template(true, 'darwin')).toContain('"appMenu"')
    expect(template(true, 'linux')).toContain('"quit"')
    expect(template(true, 'linux')).not.toContain('"appMenu"')
  })

  it('shows the commands of the screens with their keys, as they are enabled', () => {
    const run = vi.fn()
    const command = { group: 'navigation', enabled: true } as const
    const menus = commandMenus(
      [
        { ...command, id: 'go.home', label: 'Home', shortcut: 'G H' },
        { ...command, id: 'go.access', label: 'People & access', enabled: false },
        { ...command, id: 'app.palette', label: 'Find', group: 'general', shortcut: 'Mod+K' },
      ],
      run,
      shellWords(['fr-FR', 'en-GB']),
    )
    expect(menus).toMatchObject([
      { label: '&Go', submenu: [{ label: 'Home (G H)' }, { label: 'People && access', enabled: false }] },
      { label: '&Commands', submenu: [{ label: 'Find', accelerator: 'CmdOrCtrl+K', registerAccelerator: false }] },
    ])
    const [home] = menus[0]!.submenu as unknown as { click(): void }[]
    home!.click()
    expect(run.mock.calls).toEqual([['go.home']])
  })

  it('has keys for combinations and function keys only', () => {
    const shortcuts = ['Mod+Shift+Z', 'Shift+F6', 'F2', 'Alt+ArrowUp', '/', 'Escape', 'G O']
    expect(shortcuts.map(acceleratorOf)).toEqual([
      'CmdOrCtrl+Shift+Z',
      'Shift+F6',
      'F2',
      'Alt+Up',
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('words of the page', () => {
  const command = { id: 'go.home', label: 'Home', group: 'general', enabled: true }

  it('are taken as they should be', () => {
    expect(readCommands([command])).toEqual([command])
    expect(readNotice({ title: 'Cairn', body: 'New', icon: 'file:///etc/passwd' })).toEqual({
      title: 'Cairn',
      body: 'New',
    })
  })

  it('are refused otherwise', () => {
    const commands = [
      null,
      {},
      [null],
      [{ ...command, id: 'a b' }],
      [{ ...command, group: 'other' }],
      [{ ...command, label: 'x'.repeat(301) }],
      [{ ...command, enabled: 1 }],
      Array.from({ length: 501 }, () => command),
    ]
    for (const given of commands) expect(() => readCommands(given)).toThrow('These are not commands.')
    for (const given of [null, 'text', { title: 'Cairn' }, { title: 1, body: '' }]) {
      expect(() => readNotice(given)).toThrow('This is not a notice.')
    }
    for (const given of [undefined, '', 'de_DE', '../de', 7]) {
      expect(() => readLanguage(given)).toThrow('This is not a language.')
    }
    expect(readLanguage('de-AT')).toBe('de-AT')
  })
})

describe('opened file', () => {
  const table = join(work, 'Sales 2026.CSV')
  writeFileSync(table, 'a,b\n1,2\n')
  mkdirSync(join(work, 'folder.csv'))

  it('is the first existing file of a kind that imports read, and no option, value, link or folder', () => {
    const rest = [
      '--data',
      'Sales 2026.CSV',
      '-x.csv',
      '.',
      'cairn://open/o/a.csv',
      'notes.txt',
      'folder.csv',
      'none.csv',
    ]
    expect(fileAmong(['cairn', ...rest], work)).toBeUndefined()
    expect(fileAmong(['cairn', ...rest, 'Sales 2026.CSV'], work)).toBe(table)
    expect(fileAmong([table], work)).toBeUndefined()
  })

  it('is handed over once', async () => {
    const shelf = createFileShelf()
    shelf.put(table)
    expect(await shelf.take()).toEqual({ name: 'Sales 2026.CSV', bytes: new Uint8Array(Buffer.from('a,b\n1,2\n')) })
    expect(await shelf.take()).toBeNull()
  })

  it('has the kinds that the packed program registers with the system', () => {
    const config = readFileSync(new URL('../../build/electron-builder.yml', import.meta.url), 'utf8')
    expect([...config.matchAll(/\bext: (\w+)/g)].map((match) => match[1])).toEqual(openableExtensions)
  })
})

describe('choices for the window', () => {
  it('load no dictionaries, look for no updates and are kept', () => {
    const file = join(work, 'shell', 'preferences.json')
    expect(readPreferences(file, 'linux')).toEqual({ notices: true, spelling: false, updates: false })
    writePreferences(file, { notices: false, spelling: true, updates: true })
    expect(readPreferences(file, 'linux')).toEqual({ notices: false, spelling: true, updates: true })
    writeFileSync(file, 'null')
    expect(readPreferences(file, 'darwin')).toEqual({ notices: true, spelling: true, updates: false })
  })

  it('check words in the languages of the person that have a dictionary', () => {
    expect(spellingLanguages(['de-AT', 'en-AU', 'de', 'xx'], ['de', 'en-GB', 'fr'])).toEqual(['de', 'en-GB'])
  })
})

describe('a page whose process ends', () => {
  it('is loaded again with growing pauses of less than 3 s, and asked about at the fourth time in a minute', () => {
    let now = 0
    const plan = createCrashPlan(() => now)
    const first = [plan(), plan(), plan()]
    expect(first.map((step) => step.kind === 'reload' && step.delayMs)).toEqual([0, 1_000, 2_500])
    expect(plan()).toEqual({ kind: 'ask' })
    expect(plan()).toEqual({ kind: 'reload', delayMs: 0 })
    now = 60_000
    expect(plan()).toEqual({ kind: 'reload', delayMs: 0 })
  })
})
