import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeSmallDisk } from '../../test/support/small-disk.ts'
import { openLogFile } from './log-file.ts'
import { createLogger } from './logger.ts'

let dir: string

beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'cairn-log-')), 'logs')
})

afterEach(() => rmSync(join(dir, '..'), { recursive: true }))

describe('openLogFile', () => {
  it('appends to a private file', () => {
    for (const word of ['one', 'two']) {
      const file = openLogFile(dir)
      file.write(`${word}\n`)
      file.close()
    }
    expect(readFileSync(join(dir, 'cairn.log'), 'utf8')).toBe('one\ntwo\n')
    expect(statSync(join(dir, 'cairn.log')).mode & 0o077).toBe(0)
  })

  it('rotates by size and keeps five files', () => {
    for (let round = 0; round < 7; round += 1) {
      const file = openLogFile(dir)
      file.write(`round ${round}\n`)
      file.close()
      truncateSync(join(dir, 'cairn.log'), 10 * 1024 * 1024 + 1)
    }
    expect(readdirSync(dir).toSorted()).toEqual([
      'cairn.log',
      'cairn.log.1',
      'cairn.log.2',
      'cairn.log.3',
      'cairn.log.4',
    ])
    expect(existsSync(join(dir, 'cairn.log.5'))).toBe(false)
  })
})

describe('openLogFile on a full disk', () => {
  const disk = makeSmallDisk(1)
  const why = typeof disk === 'string' ? disk : ''

  it.skipIf(typeof disk === 'string')(`drops lines, counts them and tells their number later ${why}`, () => {
    if (typeof disk === 'string') return
    try {
      const file = openLogFile(join(disk.path, 'logs'))
      file.write('before\n')
      disk.fill()
      for (let index = 0; index < 3; index += 1) file.write(`${'x'.repeat(5000)}\n`)
      disk.free()
      file.write('after\n')
      file.close()
      const [before, dropped, after] = readFileSync(join(disk.path, 'logs', 'cairn.log'), 'utf8').split('\n')
      expect({ before, after }).toEqual({ before: 'before', after: 'after' })
      expect(JSON.parse(dropped!)).toMatchObject({ level: 40, dropped: 3 })
    } finally {
      disk.remove()
    }
  })

  it.skipIf(typeof disk === 'string')(`is opened when there is space again ${why}`, () => {
    const other = makeSmallDisk(1)
    if (typeof other === 'string') return
    try {
      const { path } = other
      other.fill()
      const file = openLogFile(join(path, 'logs'))
      for (let index = 0; index < 2; index += 1) file.write(`${'x'.repeat(5000)}\n`)
      other.free()
      file.write('after\n')
      file.close()
      expect(readFileSync(join(path, 'logs', 'cairn.log'), 'utf8')).toMatch(/"dropped":2.*\nafter\n$/)
    } finally {
      other.remove()
    }
  })
})

describe('createLogger', () => {
  it('redacts credentials wherever they stand and encodes line breaks', () => {
    const lines: string[] = []
    const log = createLogger({ destination: { write: (line) => lines.push(line) } })
    log.info({ token: 'canary-1', nested: { password: 'canary-2', code: 'canary-3' }, note: 'a\nb' }, 'Said\nso.')
    const line = lines.join('')
    expect(line).not.toMatch(/canary/)
    expect(line.trimEnd().split('\n')).toHaveLength(1)
    expect(JSON.parse(line)).toMatchObject({ token: '[redacted]', note: 'a\nb', msg: 'Said\nso.' })
  })
})
