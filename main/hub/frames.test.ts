// A frame that does not hold is never passed on.
import { mkdtempSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync, closeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openWriter } from '#main/database/open.ts'
import type { Connection } from '#main/database/open.ts'
import { createFrameReader } from './frames.ts'
import { createPageChanges } from './page-changes.ts'
import type { FrameReader } from './frames.ts'
import { openPageFile } from './page-file.ts'
import { decodePageRow, encodePageRow, hashOfRow, noRow } from './page-row.ts'

let folder: string
let file: string
let connection: Connection
let reader: FrameReader

const frames = (): number => (connection.pragma('wal_checkpoint(NOOP)') as { log: number }[])[0]!.log
const insert = (): unknown => connection.exec(`INSERT INTO item (body) VALUES (hex(randomblob(3000)))`)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-frames-'))
  file = join(folder, 'cairn.db')
  openWriter(file).exec('CREATE TABLE item (id INTEGER PRIMARY KEY, body)').close()
  reader = createFrameReader(file)
  connection = openWriter(file)
})
afterEach(() => {
  reader.close()
  connection.close()
  rmSync(folder, { recursive: true })
})

describe('frames', () => {
  it('are taken once, and go on in the log that comes after', () => {
    insert()
    const first = reader.take(frames())!
    expect(first.size).toBe(connection.pragma('page_count', { simple: true }))
    expect(reader.take(frames())).toBeNull()
    connection.pragma('wal_checkpoint(RESTART)')
    expect(reader.take(frames())).toBeNull()
    insert()
    const second = reader.take(frames())!
    expect(second.pages.size).toBeGreaterThan(0)
  })

  it.each([
    ['of which a byte has changed', 32 + 24 + 100, /checksum of a frame/],
    ['of another log', 32 + 8, /frame is of another log/],
  ])('%s are refused', (_, at, reason) => {
    insert()
    const log = openSync(`${file}-wal`, 'r+')
    const byte = readFileSync(`${file}-wal`)[at]!
    writeSync(log, Buffer.from([byte ^ 1]), 0, 1, at)
    expect(() => reader.take(frames())).toThrow(reason)
    writeSync(log, Buffer.from([byte]), 0, 1, at)
    closeSync(log)
  })

  it('that are missing at the end, or end inside a transaction, are refused', () => {
    insert()
    const count = frames()
    expect(() => reader.take(count - 1)).toThrow(/inside a transaction/)
    const whole = readFileSync(`${file}-wal`)
    truncateSync(`${file}-wal`, whole.length - 10)
    expect(() => reader.take(count)).toThrow(/missing at its end/)
    writeFileSync(`${file}-wal`, whole)
  })

  it('that were there before anybody followed are not passed over', () => {
    insert()
    expect(() => createFrameReader(file)).toThrow(/not folded/)
    expect(() => openPageFile(file)).toThrow(/folded in before/)
  })
})

describe('a row', () => {
  it('is read as it was written', () => {
    insert()
    const pages = reader.take(frames())!
    const row = encodePageRow(createPageChanges().of(pages), hashOfRow(Buffer.from('before')))
    const read = decodePageRow(row)
    expect(read.before).toEqual(hashOfRow(Buffer.from('before')))
    expect(read.fileBytes).toBe(pages.size * pages.pageSize)
    expect(read.writes).toEqual(
      [...pages.pages]
        .toSorted(([a], [b]) => a - b)
        .map(([page, bytes]) => ({ at: (page - 1) * pages.pageSize, bytes })),
    )
  })

  it('that is cut, or of another program, is refused with what to upgrade', () => {
    insert()
    const row = encodePageRow(createPageChanges().of(reader.take(frames())!), noRow)
    expect(() => decodePageRow(row.subarray(0, -1))).toThrow(/cut off/)
    row.writeUInt32BE(9, 0)
    expect(() => decodePageRow(row)).toThrow(/Upgrade this node/)
    row.writeUInt32BE(1, 0)
    expect(() => decodePageRow(row)).toThrow(/Upgrade the node that wrote it/)
  })
})
