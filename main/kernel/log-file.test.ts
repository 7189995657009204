import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
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
