// Proves the row cache against a server that pages by skip and top, with delays that are under the test's control.
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BLOCK_ROWS, MAX_BLOCKS, SETTLE_MS, createBlockCache } from './blocks.ts'
import type { BlockAnswer, BlockCache, BlockRequest } from './blocks.ts'

interface Item {
  id: number
  name: string
}

/** A paging source in memory: answers after `delayMs`, honours aborts, and remembers what it was asked. */
function createSource(total: number, delayMs = 20) {
  const requests: BlockRequest[] = []
  const aborted: number[] = []
  const state = { total, failing: false, names: 'item' }
  const load = (request: BlockRequest): Promise<BlockAnswer<Item>> => {
    requests.push(request)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        if (state.failing) return reject(new Error('The server is not reachable.'))
        const count = Math.max(0, Math.min(request.top, state.total - request.skip))
        const rows = Array.from({ length: count }, (_, index) => {
          const id = request.skip + index
          return { id, name: `${state.names} ${id}` }
        })
        resolve(request.count ? { rows, total: state.total } : { rows })
      }, delayMs)
      request.signal.addEventListener('abort', () => {
        clearTimeout(timer)
        aborted.push(request.skip)
        reject(request.signal.reason as Error)
      })
    })
  }
  return { load, requests, aborted, state }
}

const rest = (ms = 1_000): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

describe('createBlockCache', () => {
  let source: ReturnType<typeof createSource>
  let cache: BlockCache<Item>
  beforeEach(() => {
    vi.useFakeTimers()
    source = createSource(100_000)
    cache = createBlockCache<Item>()
    cache.setQuery('all', source.load)
  })
  afterEach(() => {
    cache.stop()
    vi.useRealTimers()
  })

  it('tells of rows on screen by a higher version, and not of those loaded ahead', async () => {
    cache.show(0, 30)
    await rest()
    cache.show(90, 120)
    const { version } = cache.snapshot()
    await rest()
    expect(source.requests.map(({ skip }) => skip)).toEqual([0, 200])
    expect([cache.row(250)?.id, cache.snapshot().version]).toEqual([250, version])
    cache.show(180, 210)
    cache.patch((row) => (row.id === 190 ? { ...row, name: 'another' } : row))
    expect(cache.snapshot().version).toBeGreaterThan(version)
  })

  it('asks for one block of 200 with a count first and knows the total afterwards', async () => {
    cache.show(0, 30)
    expect(source.requests.map(({ skip, top, count }) => ({ skip, top, count }))).toEqual([
      { skip: 0, top: BLOCK_ROWS, count: true },
    ])
    expect(cache.row(0)).toBeUndefined()
    expect(cache.snapshot()).toMatchObject({ loading: true, total: undefined })
    await rest()
    expect(cache.snapshot()).toMatchObject({ loading: false, total: 100_000, error: undefined })
    expect(cache.row(29)).toEqual({ id: 29, name: 'item 29' })
  })

  it('counts once per query', async () => {
    for (const first of [0, 190, 400, 700, 60_000, 99_970]) {
      cache.show(first, first + 30)
      await rest()
      expect(cache.row(first)?.id).toBe(first)
    }
    expect(source.requests.filter(({ count }) => count)).toHaveLength(1)
    cache.setQuery('other', source.load)
    cache.show(0, 30)
    await rest()
    expect(source.requests.filter(({ count }) => count)).toHaveLength(2)
  })

  it('fetches the neighbour in the direction of scrolling before it is reached', async () => {
    cache.show(0, 30)
    await rest()
    cache.show(40, 70)
    cache.show(80, 110)
    await rest()
    expect(cache.row(200)?.id).toBe(200)
    cache.show(5_000, 5_030)
    await rest()
    cache.show(5_040, 5_070)
    await rest()
    const asked = source.requests.length
    cache.show(5_010, 5_040)
    await rest()
    expect(source.requests.slice(asked).map(({ skip }) => skip)).toEqual([4_800])
  })

  it('asks for nothing that a fling only passes', async () => {
    cache.show(0, 30)
    await rest()
    for (let first = 500; first < 50_000; first += 500) {
      cache.show(first, first + 30)
      await rest(16)
    }
    await rest(SETTLE_MS + 100)
    expect(cache.row(49_500)?.id).toBe(49_500)
    expect(source.requests.length).toBeLessThanOrEqual(4)
  })

  it('stops a request whose rows are off the screen', async () => {
    cache.show(0, 30)
    await rest()
    cache.show(1_000, 1_030)
    await rest(SETTLE_MS)
    cache.show(80_000, 80_030)
    await rest()
    expect(source.aborted).toContain(1_000)
    expect(cache.row(80_000)?.id).toBe(80_000)
    expect(cache.row(1_000)).toBeUndefined()
  })

  it('counts although the request that should have counted was stopped', async () => {
    cache.show(0, 30)
    await rest(5)
    cache.show(4_000, 4_030)
    await rest()
    expect(source.aborted).toEqual([0])
    expect(cache.snapshot().total).toBe(100_000)
  })

  it('keeps at most 40 blocks and drops the least recently used', async () => {
    for (let block = 0; block < MAX_BLOCKS + 5; block++) {
      cache.show(block * 200, block * 200 + 30)
      await rest()
    }
    expect(cache.row(0)).toBeUndefined()
    expect(cache.row((MAX_BLOCKS + 4) * 200)?.id).toBe((MAX_BLOCKS + 4) * 200)
    const held = Array.from({ length: MAX_BLOCKS + 10 }, (_, block) => cache.row(block * 200)).filter(Boolean)
    expect(held.length).toBeLessThanOrEqual(MAX_BLOCKS)
  })

  it('shows the blocks of a query it has seen before without asking again', async () => {
    cache.show(0, 30)
    await rest()
    cache.setQuery('other', source.load)
    cache.show(0, 30)
    await rest()
    const asked = source.requests.length
    cache.setQuery('all', source.load)
    cache.show(0, 30)
    expect(cache.row(7)?.id).toBe(7)
    expect(cache.snapshot().total).toBe(100_000)
    await rest()
    expect(source.requests).toHaveLength(asked)
  })

  it('does not let an answer for the old query into the new one', async () => {
    cache.show(0, 30)
    await rest(5)
    cache.setQuery('other', source.load)
    source.state.names = 'other'
    cache.show(0, 30)
    await rest()
    expect(cache.row(3)?.name).toBe('other 3')
  })

  it('reports a failure, keeps what is there and loads again on retry', async () => {
    cache.show(0, 30)
    await rest()
    source.state.failing = true
    cache.show(2_000, 2_030)
    await rest()
    expect(cache.snapshot().error).toEqual(new Error('The server is not reachable.'))
    expect(cache.row(2_000)).toBeUndefined()
    expect(cache.row(0)?.id).toBe(0)
    const asked = source.requests.length
    await rest(60_000)
    expect(source.requests).toHaveLength(asked)
    source.state.failing = false
    cache.retry()
    await rest()
    expect(cache.snapshot().error).toBeUndefined()
    expect(cache.row(2_000)?.id).toBe(2_000)
  })

  it('keeps showing rows while it loads them anew', async () => {
    cache.show(0, 30)
    await rest()
    source.state.names = 'changed'
    source.state.total = 99_000
    cache.refresh()
    expect(cache.row(5)?.name).toBe('item 5')
    expect(cache.snapshot().total).toBe(100_000)
    await rest()
    expect(cache.row(5)?.name).toBe('changed 5')
    expect(cache.snapshot().total).toBe(99_000)
  })

  it('patches rows and gives the others back unchanged', async () => {
    cache.show(0, 30)
    await rest()
    const other = cache.row(4)
    const { version } = cache.snapshot()
    expect(cache.patch((row) => (row.id === 3 ? { ...row, name: 'patched' } : row))).toBe(1)
    expect(cache.row(3)?.name).toBe('patched')
    expect(cache.row(4)).toBe(other)
    expect(cache.snapshot().version).toBeGreaterThan(version)
    expect(cache.patch((row) => row)).toBe(0)
  })

  it('patches what comes later from before the patch', async () => {
    cache.show(0, 30)
    await rest()
    cache.show(400, 430)
    await rest(SETTLE_MS + 10)
    const last = source.requests.at(-1)
    expect(last?.skip).toBe(400)
    expect(cache.row(405)).toBeUndefined()
    for (const name of ['first', 'second'])
      cache.patch((row) => (row.id === 405 ? { ...row, name: `${row.name}, ${name}` } : row))
    await rest()
    expect(cache.row(405)?.name).toBe('item 405, first, second')
    expect(cache.row(406)?.name).toBe('item 406')
  })

  it('learns from a short block that rows have vanished', async () => {
    cache.show(0, 30)
    await rest()
    source.state.total = 450
    cache.show(400, 430)
    await rest()
    expect(cache.snapshot().total).toBe(450)
  })

  it('loads rows for copying that were never on screen', async () => {
    cache.show(0, 30)
    await rest()
    const copied = cache.rows(390, 1_010)
    await rest()
    expect((await copied).map(({ id }) => id)).toEqual(Array.from({ length: 620 }, (_, index) => 390 + index))
  })

  it('asks again for rows that may have changed, also while they are on their way', async () => {
    cache.show(0, 30)
    await rest()
    await Promise.all([cache.rows(400, 410), rest()])
    source.state.names = 'changed'
    cache.refresh()
    await rest()
    const [again] = await Promise.all([cache.rows(400, 401), rest()])
    expect(again.map(({ name }) => name)).toEqual(['changed 400'])
    const meanwhile = cache.rows(800, 801)
    await rest(10)
    source.state.names = 'later'
    cache.refresh()
    await rest()
    expect((await meanwhile).map(({ name }) => name)).toEqual(['later 800'])
  })

  it('answers an empty result with a total of zero', async () => {
    source.state.total = 0
    cache.show(0, 30)
    await rest()
    expect(cache.snapshot()).toMatchObject({ total: 0, loading: false })
    expect(source.requests).toHaveLength(1)
  })

  it('has the right row at every visible index after any scrolling', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3_000 }),
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 5, 16, 100, 500)), {
          maxLength: 30,
        }),
        async (total, path) => {
          const small = createSource(total, 30)
          const rows = createBlockCache<Item>({ maxBlocks: 5 })
          rows.setQuery('q', small.load)
          let first = 0
          for (const [share, ms] of [[0, 500] as const, ...path]) {
            first = Math.floor(share * Math.max(0, total - 1))
            rows.show(first, Math.min(total, first + 40))
            for (let index = first; index < Math.min(total, first + 40); index++) {
              expect([undefined, index]).toContain(rows.row(index)?.id)
            }
            await vi.advanceTimersByTimeAsync(ms)
          }
          await vi.advanceTimersByTimeAsync(2_000)
          for (let index = first; index < Math.min(total, first + 40); index++) expect(rows.row(index)?.id).toBe(index)
          expect(rows.snapshot()).toMatchObject({ total, loading: false, error: undefined })
          rows.stop()
        },
      ),
      { numRuns: 60 },
    )
  })
})
