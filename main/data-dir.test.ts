// The data folder on a real file system: place, privacy, links, and the lock within one process.
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  dataDirNames,
  DataDirInUse,
  locateDataDir,
  noHostOn,
  openDataDir,
  readConfig,
  readConnectionFile,
  removeConnectionFile,
  writeConfig,
  writeConnectionFile,
} from './data-dir.ts'

let root: string
const connection = {
  url: 'http://127.0.0.1:7420',
  token: 'secret',
  pid: 1,
  version: '0.1.0',
  startedAt: '2026-01-01T00:00:00.000Z',
}
const mode = (file: string): number => statSync(file).mode & 0o777

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'cairn-dir-'))
})

afterEach(() => {
  delete process.env['CAIRN_DATA_DIR']
  rmSync(root, { recursive: true })
})

describe('data folder', () => {
  it('is the flag, then the environment, then the place of the operating system', () => {
    process.env['CAIRN_DATA_DIR'] = path.join(root, 'environment')
    expect(locateDataDir(path.join(root, 'flag'))).toBe(path.join(root, 'flag'))
    expect(locateDataDir()).toBe(path.join(root, 'environment'))
    delete process.env['CAIRN_DATA_DIR']
    expect(path.basename(locateDataDir()).toLowerCase()).toContain('cairn')
  })

  it.skipIf(process.platform === 'win32')('is created and kept closed to other users', () => {
    const wide = path.join(root, 'wide')
    mkdirSync(wide, { mode: 0o755 })
    for (const dir of [path.join(root, 'new'), wide]) {
      const held = openDataDir(dir)
      expect(mode(dir)).toBe(0o700)
      expect(mode(held.file('lock'))).toBe(0o600)
      held.release()
    }
  })

  it('is held once and free again after its release', () => {
    const dir = path.join(root, 'data')
    const held = openDataDir(dir)
    const started = performance.now()
    expect(() => openDataDir(dir)).toThrow(DataDirInUse)
    expect(performance.now() - started).toBeLessThan(100)
    held.release()
    openDataDir(dir).release()
  })

  it.skipIf(process.platform === 'win32')('refuses a link in the place of the lock', () => {
    const dir = path.join(root, 'data')
    mkdirSync(dir)
    writeFileSync(path.join(root, 'elsewhere'), '')
    symlinkSync(path.join(root, 'elsewhere'), path.join(dir, 'cairn.lock'))
    expect(() => openDataDir(dir)).toThrow('Not a regular file')
  })
})

describe('connection file', () => {
  it('is private, complete and gone after removal', () => {
    writeConnectionFile(root, connection)
    expect(readConnectionFile(root)).toEqual(connection)
    if (process.platform !== 'win32') expect(mode(path.join(root, 'connection.json'))).toBe(0o600)
    expect(readdirSync(root)).toEqual(['connection.json'])
    removeConnectionFile(root)
    removeConnectionFile(root)
    expect(readConnectionFile(root)).toBeUndefined()
  })

  it('replaces an old one', () => {
    writeConnectionFile(root, connection)
    writeConnectionFile(root, { ...connection, token: 'other' })
    expect(readConnectionFile(root)?.token).toBe('other')
  })

  it('counts as absent when it is cut off', () => {
    writeFileSync(path.join(root, 'connection.json'), '{"url": "http://127')
    expect(readConnectionFile(root)).toBeUndefined()
  })

  it.skipIf(process.platform === 'win32')('neither writes through nor reads a link', () => {
    const target = path.join(root, 'target')
    writeFileSync(target, 'untouched')
    symlinkSync(target, path.join(root, 'connection.json'))
    expect(() => writeConnectionFile(root, connection)).toThrow('Not a regular file')
    expect(() => readConnectionFile(root)).toThrow('Not a regular file')
    expect(readFileSync(target, 'utf8')).toBe('untouched')
    expect(lstatSync(path.join(root, 'connection.json')).isSymbolicLink()).toBe(true)
  })

  it('refuses a file with a second name', () => {
    writeFileSync(path.join(root, 'other'), '{}')
    linkSync(path.join(root, 'other'), path.join(root, 'connection.json'))
    expect(() => readConnectionFile(root)).toThrow('hard link')
    expect(() => writeConnectionFile(root, connection)).toThrow('hard link')
  })
})

describe('a folder on which no host answers', () => {
  it('is one to start a host on, or to ask elsewhere where it is part of a hub', () => {
    expect(noHostOn(root)).toBe(`Cairn is not running on ${root}. Start it first.`)
    writeFileSync(path.join(root, dataDirNames.hubKey), '')
    expect(noHostOn(root)).toContain('this node of a hub follows another one, or does not run')
  })
})

describe('config file', () => {
  it('is empty when it is absent', () => {
    expect(readConfig(root).values).toEqual({})
    expect(readConfig(root).of('backup')).toEqual({})
    expect(existsSync(path.join(root, 'config.json'))).toBe(false)
  })

  it('answers the part of a plugin', () => {
    writeConfig(root, { backup: { keepDaily: 3 }, other: 5 })
    expect(readConfig(root).of('backup')).toEqual({ keepDaily: 3 })
    expect(readConfig(root).of('other')).toEqual({})
    expect(readConfig(root).of('constructor')).toEqual({})
  })

  it.skipIf(process.platform === 'win32')('is closed to other users when it is read', () => {
    writeFileSync(path.join(root, 'config.json'), '{}', { mode: 0o644 })
    readConfig(root)
    expect(mode(path.join(root, 'config.json'))).toBe(0o600)
  })

  it('is refused when it is no JSON object', () => {
    writeFileSync(path.join(root, 'config.json'), '[]')
    expect(() => readConfig(root)).toThrow('not a JSON object')
  })
})
