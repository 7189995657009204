// Walks over large results: real processes on a real file, no further ahead than asked, ended with their reader.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import type { KillableChild } from '#main/kernel/ports.ts'
import { forkSpawner } from '#main/workers/fork-spawner.ts'
import { translateEngineError } from './engine-errors.ts'
import { openWriter } from './open.ts'
import type { Connection } from './open.ts'
import { createReaderStreams } from './reader-stream.ts'
import type { ReaderStreams } from './reader-stream.ts'

let dir: string
let writer: Connection
let streams: ReaderStreams
let children: KillableChild[]
let received: number

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-stream-'))
  writer = openWriter(join(dir, 'cairn.db'))
  writer.exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);
    WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 20000)
    INSERT INTO t SELECT i, 'name ' || i FROM r`)
  children = []
  received = 0
  open()
})

function open(spareMs?: number): void {
  streams = createReaderStreams({
    file: join(dir, 'cairn.db'),
    translate: translateEngineError,
    patienceMs: 1_000,
    ...(spareMs !== undefined && { spareMs }),
    spawn: (entry, options) => {
      const child = forkSpawner(entry, options)
      child.onMessage(() => (received += 1))
      children.push(child)
      return child
    },
  })
}

afterEach(() => {
  streams.close()
  writer.close()
  rmSync(dir, { recursive: true })
})

const all = statement<{ id: number; name: string }>('SELECT id, name FROM t ORDER BY id')

async function ended(child: KillableChild): Promise<void> {
  for (;;) {
    try {
      process.kill(child.pid!, 0)
    } catch {
      return
    }
    await pause(5)
  }
}

describe('reader streams', () => {
  it('yield every row in order, all of one snapshot', async () => {
    const ids: number[] = []
    for await (const rows of streams.stream(all, {})) {
      if (ids.length === 0) writer.exec('DELETE FROM t')
      ids.push(...rows.map(({ id }) => id))
    }
    expect(ids).toEqual(Array.from({ length: 20_000 }, (_, at) => at + 1))
  })

  it('go one after the other through one process, each of its own snapshot, and those at a time through several', async () => {
    const few = statement<{ n: number }>('SELECT count(*) AS n FROM t')
    const counts: number[] = []
    const count = async (): Promise<void> => {
      for await (const rows of streams.stream(few, {})) counts.push(rows[0]!.n)
    }
    await count()
    writer.exec('DELETE FROM t WHERE id > 10')
    await count()
    expect([counts, children.length]).toEqual([[20_000, 10], 1])
    await Promise.all([count(), count()])
    expect([counts.slice(2), children.length]).toEqual([[10, 10], 2])
    streams.close()
    for (const child of children) await ended(child)
  })

  it('end a process that no other walk has come to', async () => {
    open(20)
    for await (const rows of streams.stream(all, {})) expect(rows.length).toBeGreaterThan(0)
    await ended(children[0]!)
    for await (const rows of streams.stream(all, {})) expect(rows.length).toBeGreaterThan(0)
    expect(children).toHaveLength(2)
  })

  it('pass over what a process says of an earlier walk, and go on after one that ended', async () => {
    for await (const rows of streams.stream(all, {})) expect(rows.length).toBeGreaterThan(0)
    process.kill(children[0]!.pid!, 'SIGKILL')
    await ended(children[0]!)
    let found = 0
    for await (const rows of streams.stream(all, {})) found += rows.length
    expect([found, children.length]).toEqual([20_000, 2])
  })

  it('run no further ahead than a few slices', async () => {
    const walk = streams.stream(all, {})[Symbol.asyncIterator]()
    await walk.next()
    await pause(300)
    expect(received).toBeLessThan(8)
    await walk.return!()
    await ended(children[0]!)
  })

  it('end their process when the reader stops, is aborted or meets an error', async () => {
    for await (const rows of streams.stream(all, {})) {
      expect(rows.length).toBeGreaterThan(0)
      break
    }
    await ended(children[0]!)
    const abort = new AbortController()
    const walk = async (): Promise<void> => {
      for await (const _ of streams.stream(all, { signal: abort.signal })) abort.abort(new Error('enough'))
    }
    await expect(walk()).rejects.toThrow('enough')
    await ended(children[1]!)
    const wrong = async (): Promise<void> => {
      for await (const _ of streams.stream(statement('SELECT nothing FROM t'), {})) continue
    }
    await expect(wrong()).rejects.toThrow()
    await ended(children[2]!)
  })

  it('are limited in number, and free their place at their end', async () => {
    const walks = Array.from({ length: 4 }, () => streams.stream(all, {})[Symbol.asyncIterator]())
    await Promise.all(walks.map((walk) => walk.next()))
    const fifth = streams.stream(all, {})[Symbol.asyncIterator]()
    await expect(fifth.next()).rejects.toMatchObject({ code: 'service_unavailable' })
    const sixth = streams.stream(all, {})[Symbol.asyncIterator]()
    const first = sixth.next()
    await pause(100)
    await walks[0]!.return!()
    expect((await first).done).toBe(false)
    await walks[1]!.return!()
    const seventh = streams.stream(all, {})[Symbol.asyncIterator]()
    expect((await seventh.next()).done).toBe(false)
  })
})
