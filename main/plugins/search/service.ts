// The search service: keeps one full-text index per searchable object in step with its records and writes searches as
// SQL conditions. Knows no rights and no routes.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { invalidQuery, platformError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { hasTable, readRowNumber } from '#main/database/query/object-rows.ts'
import type { SearchRow, SearchService } from './api.ts'
import { addDocument, leaveDocument, removeDocuments, replaceDocument } from './service/documents.ts'
import { createIndexBuilder } from './service/index-builder.ts'
import { createIndexMerger } from './service/index-merger.ts'
import type { SearchColumn } from './service/search-document.ts'
import { documentOf, layoutOf } from './service/search-document.ts'
import type { SearchCondition } from '#main/database/query/scope.ts'
import { parseSearch } from '#main/database/full-text/search-query.ts'
import { createStaleCleaner } from './service/stale-cleaner.ts'
import {
  countStale,
  createIndex,
  dropIndex,
  hasAutomerge,
  indexColumn,
  readEntries,
  readEntry,
  selectMatches,
  turnOffAutomerge,
  writeEntry,
} from './store.ts'

/** What the service works with. */
export interface SearchServiceOptions {
  readonly read: Reads
  readonly write: Write
  readonly log: Logger
  /** All objects there are. */
  readonly objects: () => readonly ObjectSchema[]
}

/** The service with its life cycle. */
export interface SearchCore extends SearchService {
  /** Brings every index in line with its object and goes on with unfinished ones. */
  start(): Promise<void>
  /** Ends background work after the present slice. */
  stop(): Promise<void>
}

/** An index as a write sees it; `builtTo` null when complete. */
interface LiveIndex {
  readonly columns: readonly SearchColumn[]
  readonly builtTo: number | null
}

/** Records indexed inside the write that changes the object; more are left to the builder. */
const rowsAtOnce = 1000
const retryAfterSeconds = 2

/** Makes the service. */
export function createSearchService(options: SearchServiceOptions): SearchCore {
  const { read, write, log } = options
  const merger = createIndexMerger()
  const builder = createIndexBuilder({ write, log, merger })
  /**
   * Indexes in which removed rows have left documents, so that a new row of their number must look for a free one; with
   * how often one was left.
   */
  const left = new Map<string, number>()
  const noteLeft = (objectUid: string): void => void left.set(objectUid, (left.get(objectUid) ?? 0) + 1)
  /** Before that, nobody knows. */
  let started = false
  const cleaner = createStaleCleaner({
    write,
    log,
    cleaned(tx, objectUid) {
      const seen = left.get(objectUid)
      // Later writes of the same transaction may have left others.
      tx.afterCommit(() => {
        if (left.get(objectUid) === seen) left.delete(objectUid)
      })
    },
  })
  /** Layout hash of each index known to be complete; missing means: ask the registry. */
  const complete = new Map<string, string>()

  /** The index as this transaction sees it; null when the object has none. */
  const liveIndex = (tx: Tx, schema: ObjectSchema): LiveIndex | null => {
    const layout = layoutOf(schema)
    if (layout.columns.length === 0) return null
    if (complete.get(schema.uid) === layout.hash) return { columns: layout.columns, builtTo: null }
    const entry = readEntry(tx, schema.uid)
    if (entry === undefined) return null
    if (entry.hash === layout.hash && entry.builtTo === null) complete.set(schema.uid, layout.hash)
    // The registry wins over a definition that has changed since the caller looked.
    return entry
  }

  const rowNumber = (tx: Tx, schema: ObjectSchema, row: SearchRow): number => {
    const number = row['rowid'] ?? readRowNumber(tx, schema, row['id'])
    if (typeof number !== 'number')
      throw new Error(`A row of "${schema.name}" is not stored, so its search index cannot be kept.`)
    return number
  }

  const isIndexed = (index: LiveIndex, number: number): boolean => index.builtTo === null || number <= index.builtTo

  /** Where a row stands in its index and the texts of it; null when it is not in one. */
  const placeOf = (tx: Tx, schema: ObjectSchema, row: SearchRow): { number: number; texts: string[] } | null => {
    const index = liveIndex(tx, schema)
    if (index === null) return null
    const number = rowNumber(tx, schema, row)
    return isIndexed(index, number) ? { number, texts: documentOf(index.columns, row) } : null
  }

  const add = (tx: Tx, schema: ObjectSchema, row: SearchRow, mayBeTaken: boolean): void => {
    const index = liveIndex(tx, schema)
    if (index === null) return
    const texts = documentOf(index.columns, row)
    if (isEmpty(texts)) return
    const number = rowNumber(tx, schema, row)
    if (!isIndexed(index, number)) return
    addDocument(tx, schema.uid, number, texts, mayBeTaken)
    merger.added(tx, schema.uid, texts)
  }

  /** Makes the index anew and fills it, at once when the records are few. */
  const rebuild = (tx: Tx, schema: ObjectSchema): void => {
    const { hash, columns } = layoutOf(schema)
    dropIndex(tx, schema.uid)
    createIndex(
      tx,
      schema.uid,
      columns.length,
      columns.findIndex((column) => column.uid === schema.displayField.uid),
    )
    const entry = { objectUid: schema.uid, object: schema.name, objectTable: schema.table, hash, columns, builtTo: 0 }
    writeEntry(tx, entry)
    if (!builder.slice(tx, entry, rowsAtOnce)) tx.afterCommit(() => builder.start(schema.uid))
  }

  const ensure = (tx: Tx, schema: ObjectSchema): void => {
    complete.delete(schema.uid)
    const layout = layoutOf(schema)
    const entry = readEntry(tx, schema.uid)
    if (layout.columns.length === 0) {
      if (entry !== undefined) dropIndex(tx, schema.uid)
    } else if (entry?.hash !== layout.hash) {
      rebuild(tx, schema)
    } else if (entry.objectTable !== schema.table || entry.object !== schema.name) {
      writeEntry(tx, { ...entry, object: schema.name, objectTable: schema.table })
    }
  }

  const requireComplete = (schema: ObjectSchema, hash: string): void => {
    if (complete.get(schema.uid) === hash) return
    const entry = readEntry(read, schema.uid)
    if (entry?.hash !== hash || entry.builtTo !== null) {
      throw platformError('service_unavailable', {
        reason: 'search_index_building',
        object: schema.name,
        retryAfterSeconds,
      })
    }
    complete.set(schema.uid, hash)
  }

  return {
    ensure,
    drop(tx, schema) {
      complete.delete(schema.uid)
      merger.forget(schema.uid)
      dropIndex(tx, schema.uid)
    },
    add: (tx, schema, row) => add(tx, schema, row, !started || left.has(schema.uid)),
    // Its former document may still be there.
    show: (tx, schema, row) => add(tx, schema, row, true),
    change(tx, schema, stored, row) {
      const index = liveIndex(tx, schema)
      if (index === null || index.columns.every(({ column }) => stored[column] === row[column])) return
      const before = documentOf(index.columns, stored)
      const after = documentOf(index.columns, row)
      if (before.every((text, position) => text === after[position])) return
      const number = rowNumber(tx, schema, { id: stored['id'], rowid: stored['rowid'] ?? row['rowid'] })
      if (!isIndexed(index, number)) return
      if (replaceDocument(tx, schema.uid, number, before, after)) tx.afterCommit(() => cleaner.note(schema.uid))
      merger.added(tx, schema.uid, after)
    },
    hide(tx, schema, row) {
      const place = placeOf(tx, schema, row)
      if (place !== null && leaveDocument(tx, schema.uid, place.number, place.texts))
        tx.afterCommit(() => cleaner.note(schema.uid))
    },
    remove(tx, schema, row, later = false) {
      const place = placeOf(tx, schema, row)
      if (place === null) return false
      const { number } = place
      // In the trash a row has no document but stale ones.
      const texts = typeof row['deleted_at'] === 'string' ? [] : place.texts
      if (!later) {
        const isStruck = removeDocuments(tx, schema.uid, number, texts)
        if (isStruck) noteLeft(schema.uid)
        return isStruck
      }
      if (leaveDocument(tx, schema.uid, number, texts)) {
        noteLeft(schema.uid)
        // None of those it hurries for: whoever leaves many clears them at the end.
        tx.afterCommit(() => cleaner.note(schema.uid, 0))
      }
      return false
    },
    async clearStale({ uid }) {
      if (readEntry(read, uid) === undefined) return
      // Counted anew: what could not be cleaned before is not noted any more.
      const stale = countStale(read, uid)
      if (stale === 0) return
      cleaner.note(uid, stale)
      await cleaner.finish()
    },
    condition(schema, text, fields, alias, operator = 'and') {
      if (!schema.enable.searchable)
        throw invalidQuery('search', 'The object is not searchable.', { object: schema.name })
      const query = parseSearch(text, operator)
      if (query === null) return whole('1')
      const { hash, columns } = layoutOf(schema)
      const scope = columnScope(columns, fields)
      if (query.match === null && query.exclude === null) return whole('0')
      if (columns.length === 0) return whole(query.match === null ? '1' : '0')
      requireComplete(schema, hash)
      const { rows, ranked, rankOfDocument } = selectMatches(schema.uid)
      if (query.match === null) {
        return { sql: `${alias}."rowid" NOT IN (${rows})`, parameters: [scope(query.exclude!)], relevance: null }
      }
      const parameters = [scope(query.match)]
      return {
        sql: `${alias}."rowid" IN (${rows})`,
        parameters,
        relevance: {
          joinSql: `JOIN (${ranked}) AS "found" ON "found"."row" = ${alias}."rowid"`,
          matchesSql: ranked,
          rankOfDocumentSql: rankOfDocument,
          parameters,
          rankSql: `"found"."rank"`,
          documentSql: `"found"."document"`,
        },
      }
    },
    async reindexAll() {
      for (const schema of options.objects()) {
        await write('search.reindex', (tx) => {
          complete.delete(schema.uid)
          if (layoutOf(schema).columns.length > 0 && hasTable(tx, schema)) rebuild(tx, schema)
        })
      }
      await builder.settled()
    },
    async settled() {
      await builder.settled()
      await cleaner.finish()
    },
    async start() {
      const objects = new Map(
        options
          .objects()
          .filter((schema) => !schema.abstract)
          .map((schema) => [schema.uid, schema]),
      )
      for (const entry of readEntries(read)) {
        if (!objects.has(entry.objectUid)) {
          await write('search.drop', (tx) => dropIndex(tx, entry.objectUid))
          continue
        }
        if (hasAutomerge(read, entry.objectUid)) {
          await write('search.automerge', (tx) => turnOffAutomerge(tx, entry.objectUid))
        }
        if (entry.builtTo !== null) builder.start(entry.objectUid)
      }
      const hashes = new Map(readEntries(read).map((entry) => [entry.objectUid, entry.hash]))
      for (const schema of objects.values()) {
        const { hash, columns } = layoutOf(schema)
        if (hashes.get(schema.uid) === (columns.length === 0 ? undefined : hash) || !hasTable(read, schema)) continue
        await write('search.ensure', (tx) => ensure(tx, schema))
      }
      for (const { objectUid } of readEntries(read)) {
        const stale = countStale(read, objectUid)
        if (stale === 0) continue
        left.set(objectUid, 1)
        cleaner.note(objectUid, stale)
      }
      started = true
    },
    async stop() {
      await Promise.all([builder.stop(), cleaner.stop()])
    },
  }
}

function isEmpty(texts: readonly string[]): boolean {
  return texts.every((text) => text === '')
}

/** A condition that is the same for every row. */
function whole(sql: '0' | '1'): SearchCondition {
  return { sql, parameters: [], relevance: null }
}

/** Limits an expression to the columns of the named fields. @throws invalid_query */
function columnScope(
  columns: readonly SearchColumn[],
  fields: readonly FieldSchema[] | undefined,
): (expression: string) => string {
  if (fields === undefined || fields.length === 0) return (expression) => expression
  const positions = new Set(
    fields.map((field) => {
      const position = columns.findIndex((column) => column.uid === field.uid)
      if (position === -1) throw invalidQuery('searchFields', 'The field is not searched.', { field: field.name })
      return position
    }),
  )
  if (positions.size === columns.length) return (expression) => expression
  return (expression) => `{${[...positions].map(indexColumn).join(' ')}} : (${expression})`
}
