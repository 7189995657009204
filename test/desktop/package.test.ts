// Packs the program with a dummy Electron folder, so that the real app.asar can be checked and started under Node.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { extractAll, listPackage } from '@electron/asar'
import { build, Platform } from 'electron-builder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readUpdateFeed } from '../../electron/update-feed.ts'
import { createApiCall } from '../support/api-call.ts'
import { buildApp, root } from './launcher.ts'

const work = mkdtempSync(join(tmpdir(), 'cairn-package-'))
const resources = join(work, 'out/linux-unpacked/resources')
const app = join(work, 'app')

/** Where the packed program is told to look for new versions. */
const feed = 'https://updates.test/cairn/'

/** Marks the switches inside an Electron binary; one character per switch follows, '1' on and '0' off. */
const fuseMark = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'

/** A folder that looks like an unpacked Electron, with every fuse the wrong way round. */
function makeDummyElectron(): string {
  const folder = join(work, 'electron')
  mkdirSync(join(folder, 'resources'), { recursive: true })
  const binary = [
    Buffer.alloc(64),
    Buffer.from(fuseMark),
    Buffer.from([1, 8]),
    Buffer.from('10110010'),
    Buffer.alloc(64),
  ]
  writeFileSync(join(folder, 'electron'), Buffer.concat(binary), { mode: 0o755 })
  const { version } = createRequire(import.meta.url)('electron/package.json') as { version: string }
  writeFileSync(join(folder, 'version'), `v${version}`)
  for (const name of ['LICENSE', 'LICENSES.chromium.html']) writeFileSync(join(folder, name), 'dummy')
  return folder
}

// The dummy folder is laid out as on Linux; the contents of the archive do not depend on the system.
describe.runIf(process.platform === 'linux')('package', () => {
  let files: string[] = []

  beforeAll(async () => {
    buildApp()
    await build({
      projectDir: root,
      targets: Platform.LINUX.createTarget('dir'),
      config: {
        extends: join(root, 'build/electron-builder.yml'),
        electronDist: makeDummyElectron(),
        directories: { output: join(work, 'out'), buildResources: 'build' },
        publish: { provider: 'generic', url: feed },
      },
      publish: 'never',
    })
    files = listPackage(join(resources, 'app.asar'), { isPack: false })
    extractAll(join(resources, 'app.asar'), app)
  }, 180_000)

  afterAll(() => {
    rmSync(work, { recursive: true, force: true })
  })

  it('has the bundles, the screens, the pictures and the packages the host needs', () => {
    for (const file of [
      '/package.json',
      '/LICENSE',
      '/dist/host/electron.js',
      '/dist/host/cli.js',
      '/dist/host/preload.cjs',
      '/dist/host/child-bootstrap.js',
      '/dist/host/workers/reader.js',
      '/dist/renderer/index.html',
      '/build/icons/32x32.png',
      '/node_modules/fastify/package.json',
      '/node_modules/better-sqlite3/package.json',
    ]) {
      expect(files).toContain(file)
    }
  })

  it('has no sources, tests, tools or Node runtimes', () => {
    const top = new Set(files.map((file) => file.split('/')[1]))
    expect(top).toEqual(new Set(['LICENSE', 'build', 'dist', 'node_modules', 'package.json', 'packages']))
    const packages = new Set(files.map((file) => file.split('/').slice(1, 4).join('/')))
    const strangers = [...packages].filter((name) =>
      /^node_modules\/(node-(linux|win|darwin|bin)|electron(?!-updater(\/|$))|vite|vitest|typescript|react|playwright|@mantine)/.test(
        name,
      ),
    )
    expect(strangers).toEqual([])
    expect(files.filter((file) => /\.(ts|tsx|map)$/.test(file))).toEqual([])
    expect(files.filter((file) => /^\/node_modules\/better-sqlite3\/(deps|src|build)(\/|$)/.test(file))).toEqual([])
    expect(files.filter((file) => /^\/dist\/(types|package|host\.)/.test(file))).toEqual([])
  })

  it('keeps native modules outside the archive, for this system only', () => {
    const native = files.filter((file) => file.endsWith('.node'))
    expect(native).toContain('/node_modules/better-sqlite3/prebuilds/linux-x64.node')
    expect(native.filter((file) => !/\/linux(musl)?-/.test(file))).toEqual([])
    const inside = native.filter((file) => !existsSync(join(resources, 'app.asar.unpacked', file)))
    expect(inside).toEqual([])
  })

  it('knows its feed of new versions, and only when it is packed with one', () => {
    expect(readUpdateFeed(resources)).toBe(feed)
    expect(readFileSync(join(root, 'build/electron-builder.yml'), 'utf8')).toContain('publish: null')
  })

  it('sets every fuse of the safety list', () => {
    const binary = readFileSync(join(work, 'out/linux-unpacked/cairn'))
    const at = binary.indexOf(fuseMark) + fuseMark.length + 2
    // runAsNode, cookie encryption, NODE_OPTIONS, --inspect, asar integrity, only from asar
    expect(binary.toString('latin1', at, at + 6)).toBe('010011')
  })

  it('starts from the archive, answers discovery, a write and the console, and ends cleanly', async () => {
    const dataDir = join(work, 'data')
    const starter = fileURLToPath(new URL('./packed-start.ts', import.meta.url))
    const child = spawn(process.execPath, [starter, app, '--data', dataDir, '--port', '0'], {
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let errors = ''
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    const exited = new Promise<number | null>((resolve) => {
      child.once('exit', resolve)
    })
    try {
      const line = await new Promise<string>((resolve, reject) => {
        child.stdout.once('data', (chunk: Buffer) => {
          resolve(chunk.toString())
        })
        void exited.then((code) => {
          reject(new Error(`the packed program ended with ${code}: ${errors}`))
        })
      })
      const { connection, page } = JSON.parse(line) as { connection: { url: string; token: string }; page: number }
      expect(page).toBe(200)
      const call = createApiCall(connection.url, connection.token)
      expect((await call('GET', '/api/v1/discovery')).status).toBe(200)
      const object = { name: 'note', fields: { title: { type: 'text' } } }
      expect((await call('PUT', '/api/v1/meta/object/note', object)).status).toBe(200)
      expect((await call('POST', '/api/v1/data/note', { title: 'Packed' })).status).toBe(201)
      const grouped = { groupBy: ['title'], aggregations: [{ function: 'count' }] }
      expect((await call('POST', '/api/v1/data/note/query', grouped)).status).toBe(200)
      const console = await fetch(`${connection.url}/_console/`)
      expect([console.status, console.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    } finally {
      child.stdin.end()
    }
    expect([await exited, errors]).toEqual([0, ''])
    expect(existsSync(join(dataDir, 'connection.json'))).toBe(false)
  })

  it('serves by the command line without its sources', async () => {
    const dataDir = join(work, 'served')
    const child = spawn(process.execPath, [join(app, 'dist/host/cli.js'), 'serve', '--data', dataDir, '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = new Promise<number | null>((resolve) => {
      child.once('exit', resolve)
    })
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()))
      void exited.then((code) => reject(new Error(`the command ended with ${code}`)))
    })
    const { url, token } = JSON.parse(readFileSync(join(dataDir, 'connection.json'), 'utf8')) as Record<string, string>
    expect(line).toContain(url)
    const call = createApiCall(url!, token!)
    expect(
      (await call('PUT', '/api/v1/meta/object/note', { name: 'note', fields: { title: { type: 'text' } } })).status,
    ).toBe(200)
    expect((await call('POST', '/api/v1/data/note', { title: 'Served' })).status).toBe(201)
    expect((await call('POST', '/api/v1/graphql', { query: '{ __typename }' })).status).toBe(200)
    expect((await fetch(`${url}/_console/`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  })
})
