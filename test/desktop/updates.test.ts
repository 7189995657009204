// New versions of the program against a real feed on this machine: the whole shell over the recording stand-in, the real
// library with its real requests, and a real file that is replaced when the program has ended.
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { readUpdateFeed } from '../../electron/update-feed.ts'
import { app, callNames, fake, lastCall, resetFake } from './fake-electron.ts'
import './electron-hook.ts'

vi.mock('electron', () => import('./fake-electron.ts'))

interface MenuEntry {
  label?: string
  checked?: boolean
  click?: (entry: { checked: boolean }) => void
  submenu?: MenuEntry[]
}

const running = 'the version that runs'
const newer = `#!/bin/sh\n# the newer version\n${'x'.repeat(300_000)}\n`
const sha512 = (text: string): string => createHash('sha512').update(text).digest('base64')

let work: string
let program: string
let feed: Server
/** What the feed answers, by path without its query. */
let files: Map<string, string>
let asked: IncomingMessage[]
const kept = { argv: process.argv, appImage: process.env['APPIMAGE'], cache: process.env['XDG_CACHE_HOME'] }

const address = (): string => `http://127.0.0.1:${(feed.address() as AddressInfo).port}/`

/** Puts a version into the feed, as the packager describes it. */
function publish(version: string, file = newer, told = sha512(file)): void {
  const name = `Cairn-${version}.AppImage`
  files.set(`/${name}`, file)
  files.set(
    `/latest-linux${process.arch === 'x64' ? '' : `-${process.arch}`}.yml`,
    [
      `version: ${version}`,
      'files:',
      `  - url: ${name}`,
      `    sha512: ${told}`,
      `    size: ${file.length}`,
      `path: ${name}`,
      `sha512: ${told}`,
      "releaseDate: '2026-11-01T00:00:00.000Z'",
    ].join('\n'),
  )
}

/** Leaves the address of a feed where the packager does. */
function setFeed(url: string): void {
  writeFileSync(join(work, 'app-update.yml'), `provider: generic\nurl: ${url}\nupdaterCacheDirName: cairn-updater\n`)
}

async function startShell(): Promise<void> {
  vi.resetModules()
  await import('../../electron/main.ts')
  fake().ready.resolve()
  await vi.waitFor(() => {
    expect(callNames()).toContain('window.loadURL')
  })
}

/** The entry of the menu with this label. */
function menuEntry(label: string): MenuEntry | undefined {
  const { template } = fake().menus.at(-1) as { template: MenuEntry[] }
  return template.flatMap((menu) => menu.submenu ?? []).find((entry) => entry.label === label)
}

const questions = (): string[] =>
  fake()
    .calls.filter(({ name }) => name === 'dialog.showMessageBox')
    .map(({ args }) => (args[0] as { message: string }).message)

/** Presses "Check for Updates…" and waits until this many questions were asked. */
async function check(count: number): Promise<string[]> {
  menuEntry('Check for Updates…')!.click!({ checked: false })
  await vi.waitFor(() => expect(questions()).toHaveLength(count), 10_000)
  return questions()
}

async function quit(): Promise<void> {
  if (!callNames().includes('quit')) app.quit()
  await fake().ended.promise
}

beforeAll(async () => {
  feed = createServer((request, response) => {
    asked.push(request)
    const body = files.get(new URL(request.url!, 'http://feed').pathname)
    if (body === undefined) response.writeHead(404).end('not here')
    else response.end(body)
  })
  await new Promise<void>((resolve) => feed.listen(0, '127.0.0.1', resolve))
})

afterAll(() => {
  feed.closeAllConnections()
  feed.close()
})

beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'cairn-updates-'))
  mkdirSync(join(work, 'dist/renderer'), { recursive: true })
  writeFileSync(join(work, 'dist/renderer/index.html'), '<!doctype html><title>Cairn</title>')
  program = join(work, 'place/Cairn-0.1.0.AppImage')
  mkdirSync(join(work, 'place'))
  writeFileSync(program, running)
  chmodSync(program, 0o755)
  files = new Map()
  asked = []
  setFeed(address())
  resetFake({ appPath: work, packaged: true })
  process.argv = ['/usr/bin/cairn', '.', '--data', join(work, 'data'), '--port', '0']
  process.env['APPIMAGE'] = program
  process.env['XDG_CACHE_HOME'] = join(work, 'cache')
  Object.defineProperty(process, 'resourcesPath', { value: work, configurable: true })
})

afterEach(async () => {
  await quit()
  process.argv = kept.argv
  for (const [name, value] of [
    ['APPIMAGE', kept.appImage],
    ['XDG_CACHE_HOME', kept.cache],
  ] as const) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  Reflect.deleteProperty(process, 'resourcesPath')
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal)
  rmSync(work, { recursive: true, force: true })
})

describe.runIf(process.platform === 'linux')('updates', () => {
  it('asks nobody until somebody wants it', async () => {
    publish('0.2.0')
    await startShell()
    expect(menuEntry('Look for Updates Daily')?.checked).toBe(false)
    await quit()
    expect(asked).toEqual([])
    expect(readFileSync(program, 'utf8')).toBe(running)
  })

  it('loads a newer version when told to, and puts it in place when the program has ended', async () => {
    publish('0.2.0')
    await startShell()
    // The person presses "Quit and Install"; until the host has stopped the old file is there.
    const atTheEnd: unknown[] = []
    app.once('quit', () => {
      atTheEnd.push(readFileSync(program, 'utf8'), existsSync(join(work, 'data/connection.json')))
    })
    expect(await check(2)).toEqual(['Cairn 0.2.0 is available', 'Cairn 0.2.0 is downloaded'])
    await fake().ended.promise
    expect(atTheEnd).toEqual([running, false])
    expect(readFileSync(program, 'utf8')).toBe(newer)
    expect(readdirSync(join(work, 'place'))).toEqual(['Cairn-0.1.0.AppImage'])
  })

  it('tells the feed nothing about the machine', async () => {
    publish('0.2.0')
    await startShell()
    await check(2)
    expect(asked.length).toBeGreaterThan(1)
    for (const { headers } of asked) {
      expect(headers.authorization).toBeUndefined()
      expect(headers.cookie).toBeUndefined()
      expect(headers['x-user-staging-id'] ?? 'none').toBe('none')
    }
  })

  it('loads nothing after "Later"', async () => {
    publish('0.2.0')
    fake().answer = 1
    await startShell()
    expect(await check(1)).toEqual(['Cairn 0.2.0 is available'])
    await quit()
    expect(asked.filter(({ url }) => url!.includes('.AppImage'))).toEqual([])
    expect(readFileSync(program, 'utf8')).toBe(running)
  })

  it('says so when there is nothing newer, an older version included', async () => {
    publish('0.0.9')
    await startShell()
    expect(await check(1)).toEqual(['Cairn 0.1.0 is the newest version'])
  })

  it('refuses a file that is not what the feed said, and says that nothing was changed', async () => {
    publish('0.2.0', newer, sha512('another file'))
    await startShell()
    expect(await check(2)).toEqual(['Cairn 0.2.0 is available', 'The update did not work'])
    expect(lastCall('dialog.showMessageBox')).toMatchObject([{ detail: /^Nothing was changed.*sha512/s }])
    await quit()
    expect(readFileSync(program, 'utf8')).toBe(running)
  })

  it('says so when the feed is empty', async () => {
    await startShell()
    expect(await check(1)).toEqual(['The update did not work'])
  })

  it('keeps the old version where the new one cannot be written', async () => {
    publish('0.2.0')
    await startShell()
    // A folder in the way stands for a full or a read-only disk.
    mkdirSync(join(work, 'place/Cairn-0.1.0.AppImage.next'))
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await check(2)
    await fake().ended.promise
    expect(written.mock.calls.join()).toContain('Update: ')
    written.mockRestore()
    expect(readFileSync(program, 'utf8')).toBe(running)
  })

  it('looks by itself once it is switched on, tells by a notice, and remembers the choice', async () => {
    publish('0.2.0')
    await startShell()
    menuEntry('Look for Updates Daily')!.click!({ checked: true })
    await vi.waitFor(() => expect(callNames()).toContain('notification.show'), 10_000)
    expect(lastCall('notification.show')).toMatchObject([{ title: 'Cairn 0.2.0 is available' }, {}])
    expect(questions()).toEqual([])
    expect(readFileSync(join(work, 'data/shell/preferences.json'), 'utf8')).toContain('"updates":true')
  })
})

describe('the feed', () => {
  it('is encrypted or on this machine, or there is none', () => {
    const feeds = {
      'https://updates.test/cairn/': true,
      'http://localhost:8080/': true,
      'http://[::1]/': true,
      'http://updates.test/': false,
      'http://127.0.0.1.updates.test/': false,
      'https://name:secret@updates.test/': false,
      'file:///tmp/': false,
      nonsense: false,
    }
    const read = Object.fromEntries(
      Object.keys(feeds).map((url) => {
        setFeed(url)
        return [url, readUpdateFeed(work) === url]
      }),
    )
    expect(read).toEqual(feeds)
    writeFileSync(join(work, 'app-update.yml'), 'provider: [')
    expect([readUpdateFeed(work), readUpdateFeed(join(work, 'none')), readUpdateFeed(undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('is missing from the menu where there is none', async () => {
    rmSync(join(work, 'app-update.yml'))
    await startShell()
    expect([menuEntry('Check for Updates…'), menuEntry('Look for Updates Daily')]).toEqual([undefined, undefined])
  })
})
