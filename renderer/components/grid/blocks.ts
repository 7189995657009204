// Owns the sparse row cache behind a grid: blocks of rows by query, loaded for what is on screen, dropped when old.
// Knows a load function and timers; knows no HTTP, no React and no fields.

/** Rows per request; the server pages by `skip` and `top`. @source D-75 */
export const BLOCK_ROWS = 200
/** Blocks kept over all queries; the least recently used is dropped first. */
export const MAX_BLOCKS = 40
/** Rest after a fling before its rows are asked for, in milliseconds. */
export const SETTLE_MS = 60
/** Requests under way at the same time. */
export const MAX_LOADING = 3
/** Rows beyond the screen that may be drawn already. */
const NEAR_ROWS = 50
/** How often a block that changes while it is asked for is asked for again before its rows are taken as they are. */
const maxTurns = 3

/** One request for rows. `count` is true once per query: only that answer has to carry `total`. */
export interface BlockRequest {
  query: string
  skip: number
  top: number
  count: boolean
  signal: AbortSignal
}

/** Rows of a block in order, and the number of all matches when it was asked for. */
export interface BlockAnswer<Row> {
  rows: readonly Row[]
  total?: number
}

/** Loads one block; must honour the signal. */
export type BlockLoader<Row> = (request: BlockRequest) => Promise<BlockAnswer<Row>>

/** Numbers that differ from the defaults. */
export interface BlockCacheOptions {
  blockRows?: number
  maxBlocks?: number
  settleMs?: number
}

/** State of the current query; a new object whenever anything changed, so it can be compared by identity. */
export interface BlockSnapshot {
  query: string
  /** Rises when a row on screen, or close to it, may be another one. */
  version: number
  total: number | undefined
  loading: boolean
  error: unknown
}

/** A cache of rows by index for one query at a time. */
export interface BlockCache<Row> {
  /**
   * Makes a query current, with the function that loads it; blocks of other queries stay until they are the oldest.
   * False when it was current already: then only the function is replaced, for later requests.
   */
  setQuery(query: string, load: BlockLoader<Row>): boolean
  /** Tells which rows are on screen (`end` excluded) and starts or stops requests accordingly. */
  show(first: number, end: number): void
  /** Row at an index; undefined while it is not loaded. The same object until the row changes. */
  row(index: number): Row | undefined
  /** Rows of a range that may not be on screen (copying), loading what is missing. @throws what `load` throws */
  rows(first: number, end: number, signal?: AbortSignal): Promise<Row[]>
  /** Replaces loaded rows for which `change` returns a different object; returns how many there were. */
  patch(change: (row: Row) => Row): number
  /** Keeps showing what is there but loads it anew, count included. */
  refresh(): void
  /** Loads again what failed. */
  retry(): void
  snapshot(): BlockSnapshot
  /** Calls back after every change until the returned function is called. */
  subscribe(listener: () => void): () => void
  /** Stops all requests and timers; the next `show` starts again. */
  stop(): void
}

interface Block<Row> {
  rows: readonly Row[]
  stale: boolean
}

interface Loading<Row> {
  controller: AbortController
  /** What became of rows meanwhile: the answer may be from before. */
  changes: ((row: Row) => Row)[]
  /** Asked for by `rows`: scrolling does not stop it. */
  pinned: boolean
  done: Promise<void>
}

/** Creates an empty cache; nothing is loaded before `setQuery` and `show`. */
export function createBlockCache<Row>(options: BlockCacheOptions = {}): BlockCache<Row> {
  const { blockRows = BLOCK_ROWS, maxBlocks = MAX_BLOCKS, settleMs = SETTLE_MS } = options
  const blocks = new Map<string, Block<Row>>()
  const loading = new Map<string, Loading<Row>>()
  const failed = new Map<string, unknown>()
  const totals = new Map<string, number>()
  const recount = new Set<string>()
  const listeners = new Set<() => void>()
  let query = ''
  let load: BlockLoader<Row> = () => Promise.reject(new Error('No query has been set.'))
  let epoch = 0
  let shown = { first: 0, end: 0 }
  let direction = 1
  let settle: ReturnType<typeof setTimeout> | undefined
  let counting: AbortController | null = null
  let current: BlockSnapshot = { query, version: 0, total: undefined, loading: false, error: undefined }

  const keyOf = (block: number): string => `${query}\n${block}`

  const changed = (isOnScreen = true): void => {
    const prefix = `${query}\n`
    const here = (key: string): boolean => key.startsWith(prefix)
    current = {
      query,
      version: current.version + (isOnScreen ? 1 : 0),
      total: totals.get(query),
      loading: [...loading.keys()].some(here),
      error: [...failed].find(([key]) => here(key))?.[1],
    }
    for (const listener of listeners) listener()
  }

  const touch = (key: string, block: Block<Row>): void => {
    blocks.delete(key)
    blocks.set(key, block)
  }

  const evict = (): void => {
    const keep = new Set(range(shown.first, shown.end).map(keyOf))
    for (const key of blocks.keys()) {
      if (blocks.size <= maxBlocks) return
      if (!keep.has(key)) blocks.delete(key)
    }
  }

  const lastBlock = (): number => {
    const total = totals.get(query)
    return total === undefined ? Number.POSITIVE_INFINITY : Math.ceil(total / blockRows) - 1
  }

  function range(first: number, end: number): number[] {
    if (end <= first) return []
    const from = Math.floor(first / blockRows)
    const to = Math.min(Math.floor((end - 1) / blockRows), lastBlock())
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
  }

  // On screen first, then the neighbour in scroll direction once half of the last block is behind.
  const wanted = (): number[] => {
    const needed = range(shown.first, Math.max(shown.end, shown.first + 1))
    const edge = direction > 0 ? needed.at(-1) : needed[0]
    if (edge === undefined) return needed
    const passed =
      direction > 0 ? shown.end - edge * blockRows > blockRows / 2 : shown.first - edge * blockRows < blockRows / 2
    const next = edge + direction
    return passed && next >= 0 && next <= lastBlock() ? [...needed, next] : needed
  }

  const accept = (requestQuery: string, block: number, answer: BlockAnswer<Row>, counted: boolean): void => {
    const key = `${requestQuery}\n${block}`
    const skip = block * blockRows
    touch(key, { rows: answer.rows, stale: false })
    failed.delete(key)
    if (counted && answer.total !== undefined) {
      totals.set(requestQuery, answer.total)
      recount.delete(requestQuery)
    }
    const known = totals.get(requestQuery)
    // Rows vanish or appear between requests; a short or overfull block knows better than an old count.
    if (answer.rows.length < blockRows && (answer.rows.length > 0 || skip === 0)) {
      if (known === undefined || known > skip + answer.rows.length) {
        totals.set(requestQuery, skip + answer.rows.length)
      }
    } else if (answer.rows.length === 0 && known !== undefined && known > skip) {
      totals.set(requestQuery, skip)
    }
    if (known !== undefined && skip + answer.rows.length > known) totals.set(requestQuery, skip + answer.rows.length)
    evict()
  }

  const start = (block: number, pinned: boolean): Promise<void> => {
    const requestQuery = query
    const key = keyOf(block)
    const running = loading.get(key)
    if (running) {
      running.pinned ||= pinned
      return running.done
    }
    const startedIn = epoch
    const controller = new AbortController()
    const count = counting === null && (!totals.has(query) || recount.has(query))
    if (count) counting = controller
    const changes: Loading<Row>['changes'] = []
    const request = { query, skip: block * blockRows, top: blockRows, count, signal: controller.signal }
    const run = async (): Promise<void> => {
      try {
        const answer = await load(request)
        const rows = answer.rows.map((row) => changes.reduce((made, change) => change(made), row))
        if (!controller.signal.aborted && (startedIn === epoch || (entry.pinned && requestQuery === query))) {
          accept(requestQuery, block, { ...answer, rows }, count)
          // Whoever waits for these rows has them, though not the last ones.
          if (startedIn !== epoch) blocks.set(key, { rows, stale: true })
        }
      } catch (error) {
        if (!controller.signal.aborted && startedIn === epoch) failed.set(key, error)
      } finally {
        if (counting === controller) counting = null
        if (loading.get(key)?.controller === controller) loading.delete(key)
        // Most blocks are loaded before they are seen: nothing is drawn for them yet.
        changed(range(Math.max(0, shown.first - NEAR_ROWS), shown.end + NEAR_ROWS).includes(block))
        pump()
      }
    }
    const entry: Loading<Row> = { controller, changes, pinned, done: Promise.resolve() }
    loading.set(key, entry)
    entry.done = run()
    return entry.done
  }

  const pump = (): void => {
    if (settle !== undefined || shown.end <= shown.first) return
    let started = false
    for (const block of wanted()) {
      const key = keyOf(block)
      const have = blocks.get(key)
      if (have) touch(key, have)
      if ((have && !have.stale) || failed.has(key) || loading.has(key)) continue
      if (loading.size >= MAX_LOADING) break
      // Without a count the first block alone is asked for: it tells how many there are.
      if (loading.size > 0 && !totals.has(query)) break
      void start(block, false)
      started = true
    }
    if (started) changed(false)
  }

  const stop = (keep: (key: string) => boolean): void => {
    for (const [key, entry] of loading) {
      if (entry.pinned || keep(key)) continue
      loading.delete(key)
      if (counting === entry.controller) counting = null
      entry.controller.abort()
    }
  }

  return {
    setQuery(next, loader) {
      load = loader
      if (next === query) return false
      query = next
      epoch++
      stop(() => false)
      clearTimeout(settle)
      settle = undefined
      shown = { first: 0, end: 0 }
      direction = 1
      changed()
      return true
    },
    show(first, end) {
      const jump = Math.abs(first - shown.first)
      const hadRows = shown.end > shown.first
      if (first !== shown.first) direction = first > shown.first ? 1 : -1
      shown = { first, end: Math.max(end, first) }
      const keep = new Set(wanted().map(keyOf))
      stop((key) => keep.has(key))
      clearTimeout(settle)
      settle = undefined
      // A fling passes blocks nobody reads: wait until it slows down. Loaded rows are shown either way.
      if (hadRows && jump > blockRows / 4) {
        settle = setTimeout(() => {
          settle = undefined
          pump()
        }, settleMs)
      } else {
        pump()
      }
    },
    row(index) {
      return blocks.get(keyOf(Math.floor(index / blockRows)))?.rows[index % blockRows]
    },
    async rows(first, end, signal) {
      const askedFor = query
      const found: Row[] = []
      for (const block of range(first, end)) {
        signal?.throwIfAborted()
        const key = keyOf(block)
        failed.delete(key)
        // Rows that may have changed are asked for again: what is written over them tells which version it was read from.
        for (let turn = 0; turn < maxTurns && blocks.get(key)?.stale !== false && !failed.has(key); turn++) {
          await start(block, true)
          if (query !== askedFor) break
        }
        if (query !== askedFor) throw new DOMException('The query changed.', 'AbortError')
        if (failed.has(key)) throw failed.get(key)
        const from = block * blockRows
        const have = blocks.get(key)?.rows
        // Fewer rows than asked for would be taken for all of them.
        if (have === undefined) throw new DOMException('The rows are asked for no more.', 'AbortError')
        found.push(...have.slice(Math.max(0, first - from), Math.max(0, end - from)))
      }
      return found
    },
    patch(change) {
      let count = 0
      for (const { changes } of loading.values()) changes.push(change)
      for (const [key, block] of blocks) {
        let touched = false
        const rows = block.rows.map((row) => {
          const next = change(row)
          if (next !== row) {
            touched = true
            count++
          }
          return next
        })
        if (touched) blocks.set(key, { ...block, rows })
      }
      if (count > 0) changed()
      return count
    },
    refresh() {
      epoch++
      stop(() => false)
      recount.add(query)
      failed.clear()
      for (const [key, block] of blocks) blocks.set(key, { ...block, stale: true })
      changed()
      pump()
    },
    retry() {
      failed.clear()
      changed()
      pump()
    },
    snapshot: () => current,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stop() {
      clearTimeout(settle)
      settle = undefined
      shown = { first: 0, end: 0 }
      for (const entry of loading.values()) entry.pinned = false
      stop(() => false)
    },
  }
}
