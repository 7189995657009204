// Owns the rows of groups: one block cache per group that is on screen, a few requests at a time, old groups dropped.
// Knows a load function; knows no HTTP, no React and no headings.
import { createBlockCache } from '../../components/grid/index.ts'
import type { BlockAnswer, BlockCache, BlockRequest } from '../../components/grid/index.ts'

/** Groups whose rows are kept; the ones on screen longest ago are dropped first. */
const maxKept = 60
/** Requests under way at the same time, over all groups. */
const maxLoading = 4
/** Rest after a jump before rows are asked for, in milliseconds. */
const settleMs = 60

/** Rows of one group that are on screen, `end` excluded. */
export interface ShownGroup {
  key: string
  first: number
  end: number
}

/** State over all groups; a new object whenever anything changed. */
export interface GroupRowsSnapshot {
  version: number
  loading: boolean
  error: unknown
}

/** Loads a block of a group's rows. */
export type GroupLoader<Row> = (key: string, request: BlockRequest) => Promise<BlockAnswer<Row>>

/** Rows by group and place in it. */
export interface GroupRows<Row> {
  /** Forgets everything and loads with another function from now on. */
  reset(load: GroupLoader<Row>): void
  row(key: string, offset: number): Row | undefined
  /** Rows of one group that may not be on screen. */
  rows(key: string, first: number, end: number): Promise<Row[]>
  /** Tells what is on screen; `far` that it is far from what was before. */
  show(groups: readonly ShownGroup[], far: boolean): void
  patch(change: (row: Row) => Row): number
  /** Loads groups anew: those on screen keep their rows meanwhile, the others are forgotten. */
  refresh(isAffected?: (key: string) => boolean): void
  retry(): void
  snapshot(): GroupRowsSnapshot
  subscribe(listener: () => void): () => void
  stop(): void
}

/** Creates an empty collection. */
export function createGroupRows<Row>(): GroupRows<Row> {
  const caches = new Map<string, BlockCache<Row>>()
  const listeners = new Set<() => void>()
  const gate = createGate(maxLoading)
  let load: GroupLoader<Row> = () => Promise.reject(new Error('Nothing to load with has been set.'))
  let shown: readonly ShownGroup[] = []
  let round = 0
  let settle: ReturnType<typeof setTimeout> | undefined
  let current: GroupRowsSnapshot = { version: 0, loading: false, error: undefined }

  const changed = (): void => {
    const states = [...caches.values()].map((cache) => cache.snapshot())
    current = {
      version: current.version + 1,
      loading: states.some(({ loading }) => loading),
      error: states.find(({ error }) => error !== undefined)?.error,
    }
    for (const listener of listeners) listener()
  }

  const cacheOf = (key: string): BlockCache<Row> => {
    const known = caches.get(key)
    if (known) {
      caches.delete(key)
      caches.set(key, known)
      return known
    }
    const cache = createBlockCache<Row>()
    const mine = round
    cache.setQuery(key, (request) => gate(request.signal, async () => load(key, request)))
    cache.subscribe(() => mine === round && changed())
    caches.set(key, cache)
    return cache
  }

  const drop = (key: string): void => {
    caches.get(key)?.stop()
    caches.delete(key)
  }

  const apply = (): void => {
    settle = undefined
    const here = new Set(shown.map(({ key }) => key))
    for (const [key, cache] of caches) if (!here.has(key)) cache.stop()
    for (const { key, first, end } of shown) cacheOf(key).show(first, end)
    for (const key of caches.keys()) {
      if (caches.size <= maxKept) break
      if (!here.has(key)) drop(key)
    }
  }

  return {
    reset(next) {
      round++
      load = next
      for (const key of caches.keys()) drop(key)
      shown = []
      clearTimeout(settle)
      settle = undefined
      changed()
    },
    row: (key, offset) => caches.get(key)?.row(offset),
    rows: async (key, first, end) => cacheOf(key).rows(first, end),
    show(groups, far) {
      shown = groups
      clearTimeout(settle)
      if (far) settle = setTimeout(apply, settleMs)
      else apply()
    },
    patch: (change) => [...caches.values()].reduce((count, cache) => count + cache.patch(change), 0),
    refresh(isAffected = () => true) {
      const here = new Set(shown.map(({ key }) => key))
      for (const [key, cache] of caches) {
        if (!isAffected(key)) continue
        if (here.has(key)) cache.refresh()
        else drop(key)
      }
      changed()
    },
    retry() {
      for (const cache of caches.values()) if (cache.snapshot().error !== undefined) cache.retry()
    },
    snapshot: () => current,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stop() {
      clearTimeout(settle)
      settle = undefined
      for (const cache of caches.values()) cache.stop()
    },
  }
}

/** Lets a number of tasks run at a time, in order; one whose signal is aborted while it waits never starts. */
function createGate(places: number) {
  let running = 0
  const waiting: (() => void)[] = []
  return async <T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> => {
    if (running >= places) await new Promise<void>((resolve) => waiting.push(resolve))
    running++
    try {
      signal.throwIfAborted()
      return await task()
    } finally {
      running--
      waiting.shift()?.()
    }
  }
}
