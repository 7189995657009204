// What must hold when real hosts are at rest: they are equal, their rows are what their documents say, and the documents
// are what follows from who had seen what, worked out from the logs without merging them.
import * as Y from 'yjs'
import { statement } from '#main/kernel/database.ts'
import { canonicalJson } from '#main/kernel/canonical-json.ts'
import { compareHlc } from '#main/replication/core/hlc.ts'
import { loadDoc, mergeUpdate } from '#main/replication/core/record-doc.ts'
import { logicalHash } from '#main/replication/core/logical-hash.ts'
import { mergeValues } from '#main/replication/core/merge-values.ts'
import { parseKey } from '#main/replication/core/register-keys.ts'
import { invalidEntries, readRegister } from '#main/replication/core/register.ts'
import type { Register } from '#main/replication/core/register.ts'
import { readText } from '#main/replication/core/text-doc.ts'
import type { Hlc, RegisterEntry } from '#main/replication/core/types.ts'
import { needsProject } from '#main/plugins/sync/store/doc-store.ts'
import { syncedFields } from '#main/plugins/sync/write/synced-fields.ts'
import type { ModelMachine } from './host-machine.ts'
import type { Written } from './host-journal.ts'
import { hadSeen, placeOf } from './host-journal.ts'
import type { HostOutcome } from './host-run.ts'
import type { Rows } from './oracle-derived.ts'
import type { Mark } from './oracle-marks.ts'
import { aliveOf, latestFirst, same } from './oracle-marks.ts'
import { assertMemos } from './oracle-memos.ts'
import { assertSchema, schemaConflicts, schemaDump } from './oracle-schema.ts'
import { assertDerived, assertNumbers, assertStock, shownIn } from './oracle-derived.ts'
import { assertTalk, lostTalk, removesOfTalk, saidItems } from './oracle-talk.ts'
import { isAside } from './table-image.ts'

/** What a schedule showed, for the figures. */
export interface Seen {
  readonly envelopes: number
  readonly lost: number
  readonly concurrent: number
  readonly conflicts: Readonly<Record<string, number>>
}

const compared: ReadonlySet<string> = new Set(['field', 'delete_edit', 'unique', 'orphan', 'type'])

/**
 * Checks everything; the message of the error says what was broken.
 */
export function assertHosts(outcome: HostOutcome): Seen {
  const { machines, journal } = outcome
  const first = machines[0]!
  const vector = first.engine.replica.vector()
  const isHere = ({ inc, seq }: Written): boolean => (vector.get(inc) ?? 0) >= seq
  const hopeless = hopelessOf([...journal.written.values()], isHere)
  for (const machine of machines) assertAtRest(machine, hopeless)
  const dumps = machines.map((machine) => dumpOf(machine))
  for (const [index, machine] of machines.entries()) {
    same(`what lies aside on ${machine.name}`, asideOf(machine), asideOf(first))
    same(`vector of ${machine.name}`, vectorOf(machine), vectorOf(first))
    same(`documents of ${machine.name}`, hashesOf(machine), hashesOf(first))
    same(`digest of ${machine.name}`, digestOf(machine), digestOf(first))
    same(`definitions of ${machine.name}`, schemaDump(machine), schemaDump(first))
    same(`what was said on ${machine.name}`, talkDump(machine), talkDump(first))
    for (const [object, rows] of dumps[index]!) sameRows(`${object} of ${machine.name}`, rows, dumps[0]!.get(object)!)
  }
  const stored = [...journal.written.values()].filter(isHere)
  const known = new Set(stored.map(placeOf))
  const survivors = stored.filter((one) => !asideOf(first).includes(placeOf(one)))
  for (const [inc, last] of vector)
    for (let seq = 1; seq <= last; seq += 1)
      if (!known.has(placeOf({ inc, seq }))) throw new Error(`Nobody wrote ${inc}/${seq}.`)
  let concurrent = 0
  const expected: string[] = []
  const purged = new Set<string>()
  const byDoc = new Map<string, Written[]>()
  for (const one of survivors) for (const { doc } of one.docs) byDoc.set(doc, [...(byDoc.get(doc) ?? []), one])
  same('names of documents', [...byDoc.keys()].sort(), docNames(first))
  // Who removes a record for good empties what they have seen of it.
  const purges = Map.groupBy(
    stored.filter(({ docs }) => docs.some(({ entries }) => entries.some(([key]) => key === '_purge'))),
    ({ docs }) => docs[0]!.doc.split('/')[2]!,
  )
  const isSurvivor = new Set(survivors)
  // Its values move between documents as its definition changes.
  const memos = first.uidOf('memo')
  for (const [doc, writes] of byDoc) {
    const loaded = loadDoc(stateOf(first, doc))
    assertReplay(doc, writes, hashOf(first, doc))
    assertRank(doc, writes)
    // A removal that waits for good because what its author had seen of the record is lost has still emptied the others.
    const emptied = (purges.get(doc.split('/')[2]!) ?? []).filter(
      (one) => isSurvivor.has(one) || writes.some(({ call }) => call === one.call),
    )
    if (doc.startsWith(`t/${memos}/`)) continue
    if (doc.startsWith('t/')) {
      assertText(doc, writes, readText(loaded), emptied)
      continue
    }
    same(`entries that are none in ${doc}`, invalidEntries(loaded), [])
    const register = readRegister(loaded)
    const alive = aliveOf(doc, writes, removesOfTalk, emptied)
    concurrent += assertRegister(doc, register, alive, outcome.skewed)
    if (doc.startsWith('m/')) {
      for (const machine of machines) assertSchema(machine, doc, register)
      expected.push(...schemaConflicts(doc, register))
    }
    if (doc.startsWith('r/') && !doc.startsWith(`r/${memos}/`)) {
      assertStock(first, doc, register, writes, emptied)
      expected.push(...conflictsOf(first, doc, { register, alive, byDoc }))
      if (isMark(register.get('_purge')?.winner[1])) purged.add(doc.split('/')[2]!)
    }
  }
  const said = saidItems(survivors, outcome.skewed).filter(({ feed }) => byDoc.has(feed.replace(/^f(.*)\/$/, 'r$1')))
  const lostWords = lostTalk(said, purged).sort()
  for (const [index, machine] of machines.entries()) {
    assertProjection(machine, dumps[index]!)
    assertDerived(machine, dumps[index]!)
    assertNumbers(machine, dumps[index]!, outcome.isCounterLost)
    assertTalk(machine, said, purged)
    const found = openConflicts(machine)
    assertMemos(machine, survivors)
    const isOfMemos = ({ kind, doc }: (typeof found)[number]): boolean =>
      doc.startsWith(`r/${memos}/`) || (doc === `m/object/${memos}` && kind === 'delete_edit')
    const listed = found.filter((one) => ['field', 'delete_edit'].includes(one.kind) && !isOfMemos(one))
    same(`conflicts of ${machine.name}`, listed.map(({ key }) => key).sort(), expected.toSorted())
    const words = found.filter(({ doc }) => doc.startsWith('f/'))
    same(`lost words on ${machine.name}`, words.map(({ words: lost }) => lost).sort(), lostWords)
    const texts = (all: typeof found): string[] =>
      all.filter(({ kind, doc }) => compared.has(kind) || doc.startsWith('f/')).map(({ text }) => text)
    same(`open conflicts of ${machine.name}`, texts(found), texts(openConflicts(first)))
  }
  const conflicts: Record<string, number> = {}
  for (const { kind, doc } of openConflicts(first)) {
    const what = doc.startsWith('f/') ? 'words' : kind
    conflicts[what] = (conflicts[what] ?? 0) + 1
  }
  return { envelopes: survivors.length, lost: journal.written.size - survivors.length, concurrent, conflicts }
}

/**
 * Envelopes that may lie aside for good: their author had seen one that no machine has any more, because the databases of
 * all who had it were lost.
 */
function hopelessOf(written: readonly Written[], isHere: (one: Written) => boolean): ReadonlySet<string> {
  const lost = written.filter((one) => !isHere(one))
  return new Set(written.filter((one) => isHere(one) && lost.some((other) => hadSeen(one, other))).map(placeOf))
}

function asideOf(machine: ModelMachine): readonly string[] {
  const sql = "SELECT inc, seq FROM sync_problem WHERE kind = 'parked' AND reason = 'missing_dep' ORDER BY inc, seq"
  return machine.plugin.read.all(statement<{ inc: number; seq: number }>(sql)).map(placeOf)
}

/** Checks what holds even among machines of different schemas: nothing is refused, and the documents are equal. */
export function assertExchanged({ machines, journal }: HostOutcome): void {
  const first = machines[0]!
  const vector = first.engine.replica.vector()
  const hopeless = hopelessOf([...journal.written.values()], ({ inc, seq }) => (vector.get(inc) ?? 0) >= seq)
  for (const machine of machines) {
    const sql = "SELECT inc, seq, reason, detail FROM sync_problem WHERE reason <> 'missing_dep'"
    same(`what was refused on ${machine.name}`, machine.plugin.read.all(statement(sql)), [])
    const waiting = asideOf(machine).filter((place) => !hopeless.has(place))
    same(`what lies aside on ${machine.name}`, waiting, [])
    same(`vector of ${machine.name}`, vectorOf(machine), vectorOf(first))
    same(`documents of ${machine.name}`, hashesOf(machine), hashesOf(first))
  }
}

function assertAtRest(machine: ModelMachine, hopeless: ReadonlySet<string>): void {
  const { read } = machine.plugin
  const problems = read.all(
    statement<{ inc: number; seq: number; reason: string; detail: string }>('SELECT * FROM sync_problem'),
  )
  const parked = asideOf(machine).filter((place) => hopeless.has(place))
  same(
    `what lies aside on ${machine.name}`,
    problems
      .filter((problem) => !parked.includes(placeOf(problem)))
      .map(({ inc, seq, reason, detail }) => ({ inc, seq, reason, detail })),
    [],
  )
  const waiting = read.all(
    statement<{ name: string }>(`SELECT name FROM sync_doc WHERE flags & ${needsProject} <> 0 ORDER BY name`),
  )
  const lonely = waiting.map(({ name }) => name).filter((name) => !waitsForGood(machine, name))
  same(`documents that wait on ${machine.name}`, lonely, [])
  same(`backlog of ${machine.name}`, machine.engine.replica.backlog(), {
    waiting: 0,
    parked: parked.length,
    quarantined: 0,
  })
}

/**
 * Whether a document waits for what no machine has any more, because the databases of all who had it were lost: the record
 * it is about, or a field.
 */
function waitsForGood(machine: ModelMachine, name: string): boolean {
  const [kind, object, record] = name.split('/')
  if (kind === 'f' || kind === 't') return stateOf(machine, `r/${object}/${record}`) === null
  const definition = stateOf(machine, `m/object/${object}`)
  if (kind !== 'r' || definition === null) return false
  const known = new Set([...readRegister(loadDoc(definition)).keys()].map((key) => key.split('.')[1]))
  const keys = [...readRegister(loadDoc(stateOf(machine, name))).keys()]
  return keys.some((key) => !key.startsWith('_') && !known.has(parseKey(key).uid))
}

/**
 * Rows of all objects as every machine must have them. Left out are `updated_at`, the version token, which may differ by
 * milliseconds, `updated_by`: a machine that merges two changes names the one whose envelope came last there, `rowid`,
 * which counts the rows as they came, and summaries of records in the trash, which nobody counts there.
 */
function dumpOf(machine: ModelMachine): ReadonlyMap<string, Rows> {
  return new Map(
    machine.metadata.objectSchemas().map((schema) => {
      const rows = machine.plugin.read.all(statement<Record<string, unknown>>(`SELECT * FROM "${schema.table}"`))
      const kept = rows.map(
        ({ rowid: _row, updated_at: _at, updated_by: _by, ...rest }) =>
          [rest['id'] as string, shownIn(schema, ordered(rest))] as const,
      )
      return [schema.name, new Map(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)))]
    }),
  )
}

/** Columns by name, since tables have them in the order in which they came; without what is put aside. */
function ordered(row: Record<string, unknown>): Record<string, unknown> {
  const columns = Object.entries(row).filter(([name]) => !isAside(name))
  return Object.fromEntries(columns.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Rows of feeds as every machine must have them: all but the number, which counts them as they came. */
function talkDump(machine: ModelMachine): unknown {
  return ['feed_item', 'feed_reaction', 'feed_pin'].map((table) =>
    machine.plugin.read
      .all(statement<Record<string, unknown>>(`SELECT * FROM ${table}`))
      .map(({ number: _number, data, ...row }) =>
        canonicalJson({ ...row, data: typeof data === 'string' ? JSON.parse(data) : null }),
      )
      .sort(),
  )
}

function assertRegister(
  doc: string,
  register: Register,
  alive: ReadonlyMap<string, readonly Mark[]>,
  skewed: boolean,
): number {
  same(`keys of ${doc}`, [...register.keys()].sort(), [...alive.keys()].sort())
  let concurrent = 0
  for (const [key, marks] of alive) {
    const { winner, losers } = register.get(key)!
    same(
      `entries of ${key} in ${doc}`,
      [winner, ...losers].map(stampOf).sort(),
      marks.map(({ entry }) => stampOf(entry)).sort(),
    )
    const [latest] = latestFirst(marks, skewed, ({ entry: [, , ms, ctr, inc] }) => ({ ms, ctr, inc }))
    same(`winner of ${key} in ${doc}`, stampOf(winner), stampOf(latest!.entry))
    same(`value of ${key} in ${doc}`, winner[1], latest!.entry[1])
    if (losers.length > 0) concurrent += 1
  }
  return concurrent
}

/** Conflicts that follow from the log alone, as `kind doc field`. */
function conflictsOf(
  machine: ModelMachine,
  doc: string,
  found: {
    readonly register: Register
    readonly alive: ReadonlyMap<string, readonly Mark[]>
    readonly byDoc: ReadonlyMap<string, readonly Written[]>
  },
): string[] {
  const { register, alive, byDoc } = found
  const schema = machine.metadata.objectSchemas().find(({ uid }) => doc.startsWith(`r/${uid}/`))!
  const fields = new Map(syncedFields(schema).merged.map(({ uid, merge }) => [uid, merge]))
  const conflicts = new Set<string>()
  const winnerOf = (key: string): Mark | undefined => {
    const winner = register.get(key)?.winner
    return alive.get(key)?.find(({ entry }) => winner !== undefined && stampOf(entry) === stampOf(winner))
  }
  const isPurged = isMark(register.get('_purge')?.winner[1])
  for (const [key, marks] of alive) {
    const { uid, part } = parseKey(key)
    const merge = fields.get(uid)
    if (isPurged || merge === undefined || (merge === 'latest' && part !== null)) continue
    if (new Set(marks.map(({ entry }) => JSON.stringify(entry[1]))).size > 1) conflicts.add(`field ${doc} ${uid}`)
  }
  const mark = ['_purge', '_del'].map(winnerOf).find((one) => isMark(one?.entry[1]))
  if (mark !== undefined) {
    const unseen = [...alive.keys()]
      // A number is given to a record, whether somebody deleted it or not: nobody edited it.
      .filter((key) => !key.startsWith('_') && schema.fields.find(({ uid }) => uid === key)?.type !== 'autonumber')
      .filter((key) => {
        const { by } = winnerOf(key)!
        return by !== mark.by && !hadSeen(mark.by, by)
      })
    const isTextUnseen =
      !isPurged &&
      [...byDoc].some(
        ([name, writes]) => name.startsWith(`t/${doc.slice(2)}/`) && isOtherText(machine, name, writes, mark.by),
      )
    if (unseen.length > 0 || isTextUnseen) conflicts.add(`delete_edit ${doc} `)
  }
  return [...conflicts]
}

/** Whether a long text is another one than what an author had seen of it. */
function isOtherText(machine: ModelMachine, doc: string, writes: readonly Written[], by: Written): boolean {
  const seen = new Y.Doc()
  for (const one of writes.filter((each) => each === by || hadSeen(by, each)))
    for (const { doc: name, update } of one.docs) if (name === doc) Y.applyUpdate(seen, update)
  return readText(seen) !== readText(loadDoc(stateOf(machine, doc)))
}

/** Values that do not fit, or moved, are in rows what the field makes of them. */
const noFields: Pick<ReturnType<typeof syncedFields>, 'merged' | 'byUid' | 'texts'> = {
  merged: [],
  byUid: new Map(),
  texts: [],
}

/** Rows are what the documents say, and there is none without a document. */
function assertProjection(machine: ModelMachine, dump: ReadonlyMap<string, Rows>): void {
  for (const schema of machine.metadata.objectSchemas()) {
    const rows = dump.get(schema.name)!
    const { merged, byUid, texts } = schema.uid === machine.uidOf('memo') ? noFields : syncedFields(schema)
    const prefix = `r/${schema.uid}/`
    const names = docNames(machine).filter((name) => name.startsWith(prefix))
    const live = new Set<string>()
    for (const name of names) {
      const id = name.slice(prefix.length)
      const register = readRegister(loadDoc(stateOf(machine, name)))
      const row = rows.get(id)
      if (isMark(register.get('_purge')?.winner[1])) {
        same(`${schema.name} ${id} on ${machine.name} after it was purged`, row, undefined)
        continue
      }
      live.add(id)
      if (row === undefined) throw new Error(`${schema.name} ${id} is gone on ${machine.name} and nobody deleted it.`)
      const { values } = mergeValues(register, merged)
      for (const { uid } of merged) {
        const field = byUid.get(uid)!
        same(
          `${field.name} of ${id} on ${machine.name}`,
          plain(row[field.column], Array.isArray(values.get(uid))),
          values.get(uid) ?? null,
        )
      }
      for (const field of texts) {
        const text = stateOf(machine, `t/${schema.uid}/${id}/${field.uid}`)
        same(
          `${field.name} of ${id} on ${machine.name}`,
          row[field.column] ?? '',
          text === null ? '' : readText(loadDoc(text)),
        )
      }
      const deleted = register.get('_del')?.winner[1] as { at: string; by: string } | null | undefined
      same(
        `deletion of ${id} on ${machine.name}`,
        [row['deleted_at'], row['deleted_by']],
        [deleted?.at ?? null, deleted?.by ?? null],
      )
      const created = register.get('_created')?.winner[1] as { at: string; by: string }
      same(
        `creation of ${id} on ${machine.name}`,
        [row['created_at'], row['created_by'], row['owner']],
        [created.at, created.by, register.get('_owner')?.winner[1]],
      )
    }
    same(
      `rows of ${schema.name} without documents on ${machine.name}`,
      [...rows.keys()].filter((id) => !live.has(id)),
      [],
    )
  }
}

/** Every character that was typed is there once, unless somebody removed it. */
function assertText(doc: string, writes: readonly Written[], text: string, emptied: readonly Written[]): void {
  const kept = writes.filter((one) => !emptied.some((other) => hadSeen(other, one)))
  const removed = new Set(writes.flatMap((one) => one.notes.map((note) => note.removed)))
  const notes = kept.flatMap((one) => one.notes.filter((note) => note.doc === doc))
  const expected = notes.map(({ added }) => added).filter((added) => added !== undefined && !removed.has(added))
  same(`characters of ${doc}`, [...text].sort(), expected.sort())
}

/** An edit ranks above everything its author had seen in the document. */
function assertRank(doc: string, writes: readonly Written[]): void {
  const stampsOf = (one: Written): Hlc[] =>
    one.docs.filter((part) => part.doc === doc).flatMap(({ entries }) => entries.map(([, , ms, ctr]) => ({ ms, ctr })))
  for (const later of writes) {
    for (const earlier of writes) {
      if (later === earlier || !hadSeen(later, earlier)) continue
      const [first, last] = [stampsOf(later), stampsOf(earlier)]
      if (first.some((stamp) => last.some((other) => compareHlc(stamp, other) <= 0)))
        throw new Error(`An edit of ${doc} ranks below one that its author had seen.`)
    }
  }
}

/** The log alone makes the document that is stored. */
function assertReplay(doc: string, writes: readonly Written[], expected: string): void {
  let state: Uint8Array | null = null
  let waiting = writes.flatMap((one) => one.docs.filter((part) => part.doc === doc).map(({ update }) => update))
  for (let before = Infinity; waiting.length < before;) {
    before = waiting.length
    waiting = waiting.filter((update) => {
      const merged = mergeUpdate(state, update)
      state = merged.state
      return merged.pending
    })
  }
  same(`log of ${doc}`, [waiting.length, hex(logicalHash(doc, loadDoc(state)))], [0, expected])
}

function openConflicts(
  machine: ModelMachine,
): { kind: string; doc: string; key: string; text: string; words: string }[] {
  const sql = `SELECT id, kind, doc, field, winner, losers FROM sync_conflict WHERE state = 'open' ORDER BY id`
  const rows = machine.plugin.read.all(
    statement<{ id: string; kind: string; doc: string; field: string; winner: string; losers: string }>(sql),
  )
  return rows.map(({ id, kind, doc, field, winner, losers }) => ({
    kind,
    doc,
    key: `${kind} ${doc} ${field}`,
    words: `${kind} ${doc} ${JSON.stringify(losersOf(losers))}`,
    text: `${kind} ${doc} ${field} ${winner} ${canonicalJson((JSON.parse(losers) as unknown[]).map((one) => canonicalJson(one)).sort())} ${id}`,
  }))
}

/** What people wrote that gave way: of words only the text, of other members of a task its note. */
function losersOf(losers: string): string[] {
  const values = (JSON.parse(losers) as { value: { text?: unknown; note?: unknown } | boolean | null }[]).map(
    ({ value }) => (typeof value === 'object' && value !== null ? (value.text ?? value.note) : value),
  )
  return values.map((value) => JSON.stringify(value)).sort()
}

function vectorOf(machine: ModelMachine): unknown {
  return [...machine.engine.replica.vector()].sort(([a], [b]) => a - b)
}

function digestOf(machine: ModelMachine): unknown {
  const digest = machine.engine.replica.digest()
  return digest === null ? null : hex(digest.buckets)
}

function hashesOf(machine: ModelMachine): unknown {
  const rows = machine.plugin.read.all(
    statement<{ name: string; lhash: Uint8Array }>('SELECT name, lhash FROM sync_doc ORDER BY name'),
  )
  return rows.map(({ name, lhash }) => [name, hex(lhash)])
}

function docNames(machine: ModelMachine): string[] {
  return machine.plugin.read
    .all(statement<{ name: string }>('SELECT name FROM sync_doc'))
    .map(({ name }) => name)
    .sort()
}

function stateOf(machine: ModelMachine, name: string): Uint8Array | null {
  const sql = 'SELECT state FROM sync_doc WHERE name = ?'
  return machine.plugin.read.get(statement<{ state: Uint8Array }>(sql, [name]))?.state ?? null
}

function hashOf(machine: ModelMachine, name: string): string {
  const sql = 'SELECT lhash FROM sync_doc WHERE name = ?'
  return hex(machine.plugin.read.get(statement<{ lhash: Uint8Array }>(sql, [name]))!.lhash)
}

function isMark(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function plain(value: unknown, isList: boolean): unknown {
  return isList && typeof value === 'string' ? JSON.parse(value) : value
}

function stampOf([, , ms, ctr, inc]: RegisterEntry): string {
  return `${ms}.${ctr}.${inc}`
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function sameRows(what: string, actual: Rows, expected: Rows): void {
  same(`ids of ${what}`, [...actual.keys()], [...expected.keys()])
  for (const [id, row] of actual) same(`row ${id} in ${what}`, row, expected.get(id))
}
