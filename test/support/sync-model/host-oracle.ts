// What must hold when machines are at rest: those that have taken the same are equal, their rows are what their documents
// say, the documents are what follows from who had seen what, worked out from the logs without merging them, and what lies
// aside is what had to be refused.
import { statement } from '#main/kernel/database.ts'
import { targetOf } from '#main/plugins/sync/refusals/refusal-doc.ts'
import { needsProject } from '#main/plugins/sync/store/doc-store.ts'
import { compareHlc } from '#main/replication/core/hlc.ts'
import { loadDoc } from '#main/replication/core/record-doc.ts'
import { parseKey } from '#main/replication/core/register-keys.ts'
import { invalidEntries, readRegister } from '#main/replication/core/register.ts'
import { readText } from '#main/replication/core/text-doc.ts'
import type { Written } from './host-journal.ts'
import { hadSeen, placeOf } from './host-journal.ts'
import type { AtRest, Machine } from './machine.ts'
import { conflictsOf, openConflicts, ringsOf } from './oracle-conflicts.ts'
import { assertDerived, assertNumbers, assertStock } from './oracle-derived.ts'
import { assertRank, assertRegister, assertReplay, assertText, withFollowing } from './oracle-documents.ts'
import { assertChangelog, assertNothingLost } from './oracle-history.ts'
import { createLimitOracle } from './oracle-limits.ts'
import { aliveOf, removalIn, same } from './oracle-marks.ts'
import { assertProjection, dumpOf, sameRows, talkDump } from './oracle-rows.ts'
import { assertSchema, schemaConflicts, schemaDump } from './oracle-schema.ts'
import { assertTalk, lostTalk, recordOf, removesOfTalk, saidItems } from './oracle-talk.ts'
import { isForbidden, purgedBy, worldOf } from './rights.ts'
import type { RightUids } from './rights.ts'
import { digestOf, docNames, hashesOf, hashOf, isMark, stateOf, vectorOf } from './stored-docs.ts'

/** What a schedule showed, for the figures. */
export interface Seen {
  readonly envelopes: number
  readonly lost: number
  readonly concurrent: number
  /** Envelopes that lie aside because their author may not write them, on all machines together. */
  readonly refused: number
  readonly conflicts: Readonly<Record<string, number>>
}

const compared: ReadonlySet<string> = new Set([
  'field',
  'delete_edit',
  'unique',
  'orphan',
  'cycle',
  'type',
  'validation',
])

/**
 * Checks everything; the message of the error says what was broken.
 */
export function assertHosts(outcome: AtRest): Seen {
  const { machines, journal } = outcome
  const first = machines[0]!
  const vector = first.engine.replica.vector()
  const isHere = ({ inc, seq }: Written): boolean => (vector.get(inc) ?? 0) >= seq
  const written = [...journal.written.values()]
  const stored = written.filter(isHere)
  const known = new Set(stored.map(placeOf))
  for (const [inc, last] of vector)
    for (let seq = 1; seq <= last; seq += 1)
      if (!known.has(placeOf({ inc, seq }))) throw new Error(`Nobody wrote ${inc}/${seq}.`)
  const hopeless = hopelessOf(written, isHere)
  const refused = machines.map((machine) => assertAtRest(machine, outcome, stored, hopeless))
  for (const machine of machines) {
    same(`vector of ${machine.name}`, vectorOf(machine), vectorOf(first))
    same(`definitions of ${machine.name}`, schemaDump(machine), schemaDump(first))
  }
  const alike = Map.groupBy(machines, (machine) => JSON.stringify(asideOf(machine)))
  if (outcome.members.size === 0) same('machines on which the same lies aside', alike.size, 1)
  const seen = [...alike.values()].map((group) => assertAlike(group, outcome, stored))
  return {
    ...seen[0]!,
    lost: written.length - seen[0]!.envelopes,
    refused: refused.reduce((sum, one) => sum + one, 0),
  }
}

/** Checks machines that have taken the same of what is stored. */
function assertAlike(
  machines: readonly Machine[],
  { skewed, isCounterLost, machines: [issuer] }: AtRest,
  stored: readonly Written[],
): Pick<Seen, 'envelopes' | 'concurrent' | 'conflicts'> {
  const first = machines[0]!
  const dumps = machines.map((machine) => dumpOf(machine))
  for (const [index, machine] of machines.entries()) {
    same(`documents of ${machine.name}`, hashesOf(machine), hashesOf(first))
    same(`digest of ${machine.name}`, digestOf(machine), digestOf(first))
    same(`what was said on ${machine.name}`, talkDump(machine), talkDump(first))
    for (const [object, rows] of dumps[index]!) sameRows(`${object} of ${machine.name}`, rows, dumps[0]!.get(object)!)
  }
  const aside = new Set(asideOf(first))
  const survivors = stored.filter((one) => !aside.has(placeOf(one)))
  let concurrent = 0
  const expected: string[] = []
  const contested: string[] = []
  const purged = new Set<string>()
  const limited = createLimitOracle(first)
  const byDoc = new Map<string, Written[]>()
  for (const one of survivors) for (const { doc } of one.docs) byDoc.set(doc, [...(byDoc.get(doc) ?? []), one])
  // Whoever deletes a record has seen its texts with what is refused elsewhere of them.
  const textWrites = [...byDoc.keys()]
    .filter((doc) => doc.startsWith('t/'))
    .map((doc) => ({ doc, writes: stored.filter(({ docs }) => docs.some((one) => one.doc === doc)) }))
  // Who removes a record for good empties what they have seen of it.
  const purges = Map.groupBy(
    stored.filter((one) => purgedBy(one).length > 0),
    ({ docs }) => docs[0]!.doc.split('/')[2]!,
  )
  const isSurvivor = new Set(survivors)
  const back = new Set(
    survivors.flatMap((one) => (one.isComeback ? one.docs.map(({ doc }) => doc.split('/')[2]!) : [])),
  )
  // Its values move between documents as its definition changes.
  const memos = first.uidOf('memo')
  const stock = first.metadata.objectSchema('part')!.byName.get('stock')!.uid
  for (const [doc, writes] of byDoc) {
    const loaded = loadDoc(stateOf(first, doc))
    assertRank(doc, writes)
    // A removal that waits for good because what its author had seen of the record is lost has still emptied the others.
    const emptied = (purges.get(doc.split('/')[2]!) ?? []).filter(
      (one) => isSurvivor.has(one) || writes.some(({ call }) => call === one.call),
    )
    assertReplay(doc, writes, hashOf(first, doc), emptied)
    if (doc.startsWith(`t/${memos}/`) || doc.startsWith('w/') || doc.startsWith('x/')) continue
    if (doc.startsWith('t/')) {
      assertText(doc, writes, readText(loaded), emptied)
      continue
    }
    same(`entries that are none in ${doc}`, invalidEntries(loaded), [])
    const register = readRegister(loaded)
    const alive = aliveOf(doc, writes, removesOfTalk, emptied)
    concurrent += assertRegister(doc, register, alive, skewed)
    limited.note(doc, register, alive)
    if (doc.startsWith('m/object/')) {
      for (const machine of machines) assertSchema(machine, doc, register)
      const removal = removalIn(alive, isMark(register.get('_del')?.winner[1]))
      // Nobody has to choose between values of what is removed by somebody who saw them.
      const isOpen = (key: string): boolean => removal !== 'seen' || key.endsWith(' _del')
      expected.push(...schemaConflicts(doc, register).filter(isOpen))
      if (removal === 'unseen') contested.push(`delete_edit ${doc} `)
    }
    if (doc.startsWith('r/') && !doc.startsWith(`r/${memos}/`)) {
      // Of what came back, what others added meanwhile may stand beside it.
      const isBeside = [...alive].some(
        ([key, marks]) => parseKey(key).uid === stock && marks.length > 1 && marks.some(({ by }) => by.isComeback),
      )
      if (!isBeside) assertStock(first, doc, register, writes, emptied)
      expected.push(...conflictsOf(first, doc, { register, alive, textWrites }))
    }
    if (doc.startsWith('r/') && isMark(register.get('_purge')?.winner[1])) purged.add(doc.split('/')[2]!)
  }
  const said = saidItems(survivors, skewed).filter(({ feed }) => byDoc.has(feed.replace(/^f(.*)\/$/, 'r$1')))
  // Of what came back, what others said meanwhile may stand beside it, and what stood beside it is decided.
  const comebacks = survivors.filter(({ isComeback }) => isComeback)
  const isBeside = ({ feed, by, lost }: (typeof said)[number]): boolean =>
    back.has(recordOf(feed)) &&
    (lost.size > 0 ||
      comebacks
        .filter(({ docs }) => docs.some(({ doc }) => recordOf(doc) === recordOf(feed)))
        .some((one) => by.some((other) => !hadSeen(one, other) && !hadSeen(other, one))))
  const beside = new Set(said.filter(isBeside).map(({ id }) => id))
  const lostWords = lostTalk(
    said.filter(({ id }) => !beside.has(id)),
    purged,
  ).sort()
  const numbered = new Set(docNames(issuer!))
  for (const [index, machine] of machines.entries()) {
    const dump = dumps[index]!
    assertProjection(machine, dump)
    assertDerived(machine, dump)
    assertNumbers(machine, dump, { numbered, isCounterLost })
    assertTalk(machine, said, purged, beside)
    assertNothingLost(machine, survivors, dump, { purged, back })
    for (const object of ['part', 'item']) assertChangelog(machine, object, dump.get(object)!)
    const found = openConflicts(machine)
    const isOfMemos = ({ kind, doc }: (typeof found)[number]): boolean =>
      doc.startsWith(`r/${memos}/`) || (doc === `m/object/${memos}` && kind === 'delete_edit')
    const listed = found.filter((one) => ['field', 'delete_edit'].includes(one.kind) && !isOfMemos(one))
    same(`conflicts of ${machine.name}`, listed.map(({ key }) => key).sort(), expected.toSorted())
    const broken = found.filter(({ key }) => limited.isOf(key)).map(({ key }) => key)
    same(`limits that are broken on ${machine.name}`, broken.sort(), limited.expected())
    const keys = new Set(found.map(({ key }) => key))
    const unlisted = contested.filter((key) => !keys.has(key))
    same(`contested removals on ${machine.name}`, unlisted, [])
    const rings = found.filter(({ kind }) => kind === 'cycle').map(({ key }) => key)
    same(`rings of ${machine.name}`, rings.sort(), ringsOf(machine, dump.get('part')!).sort())
    const words = found.filter(({ doc }) => doc.startsWith('f/') && !beside.has(doc.split('#')[1]!))
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
  return { envelopes: survivors.length, concurrent, conflicts }
}

/**
 * Envelopes that may lie aside for good: their author had seen one that no machine has any more, because the databases of
 * all who had it were lost.
 */
function hopelessOf(written: readonly Written[], isHere: (one: Written) => boolean): ReadonlySet<string> {
  const lost = written.filter((one) => !isHere(one))
  return new Set(written.filter((one) => isHere(one) && lost.some((other) => hadSeen(one, other))).map(placeOf))
}

interface Aside {
  readonly inc: number
  readonly seq: number
  readonly kind: string
  readonly reason: string
  readonly detail: string
}

function problemsOf(machine: Machine): readonly Aside[] {
  const sql = 'SELECT inc, seq, kind, reason, detail FROM sync_problem ORDER BY inc, seq'
  return machine.plugin.read.all(statement<Aside>(sql))
}

function asideOf(machine: Machine): readonly string[] {
  return problemsOf(machine).map(placeOf)
}

/** Checks what holds even among machines of different schemas: nothing is refused, and the documents are equal. */
export function assertExchanged({ machines, journal }: AtRest): void {
  const first = machines[0]!
  const vector = first.engine.replica.vector()
  const hopeless = hopelessOf([...journal.written.values()], ({ inc, seq }) => (vector.get(inc) ?? 0) >= seq)
  for (const machine of machines) {
    const found = problemsOf(machine).filter((one) => one.reason !== 'missing_dep' || !hopeless.has(placeOf(one)))
    same(`what lies aside on ${machine.name}`, found, [])
    same(`vector of ${machine.name}`, vectorOf(machine), vectorOf(first))
    same(`documents of ${machine.name}`, hashesOf(machine), hashesOf(first))
  }
}

/** Nothing waits that could be taken, and what was refused is what had to be. @returns how much was refused */
function assertAtRest(
  machine: Machine,
  outcome: AtRest,
  stored: readonly Written[],
  hopeless: ReadonlySet<string>,
): number {
  const { name } = machine
  const problems = problemsOf(machine)
  const { must, may } = refusalsOn(machine, outcome, stored)
  const refused = new Set(problems.filter(({ reason }) => reason === 'forbidden').map(placeOf))
  const { isRefused, isWaiting } = asideOn(machine, outcome, {
    stored,
    hopeless,
    judged: new Set([...refused].filter((place) => must.has(place) || may.has(place))),
  })
  const isExpected = (one: Aside): boolean =>
    one.kind === 'quarantine'
      ? one.reason === 'forbidden' && isRefused(placeOf(one))
      : one.reason !== 'unknown_kind' && isWaiting(placeOf(one))
  same(
    `what lies aside on ${name}`,
    problems.filter((one) => !isExpected(one)),
    [],
  )
  const waits = new Set(problems.filter(({ kind }) => kind === 'parked').map(placeOf))
  // What builds on something refused waits for that.
  const unlisted = [...must].filter((place) => !refused.has(place) && !waits.has(place))
  same(`what had to be refused on ${name} and is not listed`, unlisted, [])
  const waiting = machine.plugin.read.all(
    statement<{ name: string }>(`SELECT name FROM sync_doc WHERE flags & ${needsProject} <> 0 ORDER BY name`),
  )
  const lonely = waiting.filter((doc) => !waitsForGood(machine, doc.name))
  same(`documents that wait on ${name}`, lonely, [])
  const backlog = { waiting: 0, parked: waits.size, quarantined: refused.size }
  same(`backlog of ${name}`, machine.engine.replica.backlog(), backlog)
  return refused.size
}

/**
 * What lies aside beside what was refused for itself: what builds on that cannot be merged. From the device that wrote the
 * refused it is refused along with it, by record (D-241); from others it waits, as does what is judged by a row that is not
 * here; and with each of these what else its call does to the record (D-357).
 */
function asideOn(
  machine: Machine,
  { journal, members }: AtRest,
  found: {
    readonly stored: readonly Written[]
    readonly hopeless: ReadonlySet<string>
    readonly judged: ReadonlySet<string>
  },
): { isRefused(place: string): boolean; isWaiting(place: string): boolean } {
  const { stored, hopeless, judged } = found
  const behind = withFollowing(stored, judged)
  const targets = new Set(stored.filter((one) => judged.has(placeOf(one))).flatMap(devicePartsOf))
  const { masters } = worldOf(journal.written.values(), rightUidsOf(machine))
  const { part } = rightUidsOf(machine)
  const isUnknown = (doc: string): boolean => {
    const [kind, object, id = ''] = doc.split('/')
    const of = kind === 'r' ? `r/${part}/${masters.get(id)}` : `r/${object}/${id}`
    return (kind === 'r' ? masters.has(id) : 'tf'.includes(kind!)) && stateOf(machine, of) === null
  }
  const isByRow = ({ machine: by }: Written): boolean =>
    by !== machine.name && members.get(by)?.rights === 'own_records'
  const waits = (one: Written): boolean =>
    hopeless.has(placeOf(one)) ||
    behind.has(placeOf(one)) ||
    (isByRow(one) && one.docs.some(({ doc }) => isUnknown(doc)))
  const waiting = new Set(stored.filter(waits).flatMap(callPartsOf))
  return {
    isRefused: (place) =>
      judged.has(place) ||
      (behind.has(place) && devicePartsOf(journal.written.get(place)!).some((one) => targets.has(one))),
    isWaiting: (place) => callPartsOf(journal.written.get(place)!).some((one) => waiting.has(one)),
  }
}

/** What an envelope does to which record, by the device that wrote it. */
function devicePartsOf({ machine, docs }: Written): string[] {
  return docs.map(({ doc }) => `${machine} ${targetOf(doc)}`)
}

/** What an envelope does to which record, by the call it was written in. */
function callPartsOf({ call, docs }: Written): string[] {
  return docs.map(({ doc }) => `${call} ${targetOf(doc)}`)
}

/** What a machine must refuse of what people of narrower rights wrote elsewhere, and what it may refuse. */
function refusalsOn(
  machine: Machine,
  { journal, members }: AtRest,
  stored: readonly Written[],
): { readonly must: ReadonlySet<string>; readonly may: ReadonlySet<string> } {
  const [must, may] = [new Set<string>(), new Set<string>()]
  const uids = rightUidsOf(machine)
  const world = worldOf(journal.written.values(), uids)
  const aside = new Set(asideOf(machine))
  const purged = new Set<string>()
  const verdictOf = (one: Written): boolean => {
    const member = one.machine === machine.name ? undefined : members.get(one.machine)
    return member !== undefined && isForbidden(member.rights, one, uids, world, purged)
  }
  const purges = stored.filter((one) => purgedBy(one).length > 0 && !aside.has(placeOf(one)))
  for (let before = -1; before < purged.size;) {
    before = purged.size
    for (const one of purges) if (!verdictOf(one)) for (const id of purgedBy(one)) purged.add(id)
  }
  const verdicts = stored.map((one) => {
    const verdict = verdictOf(one)
    if (verdict && members.get(one.machine)!.isKnownAtHome)
      throw new Error(`${one.machine} let its person write ${one.docs[0]!.doc}, who may not.`)
    return { one, verdict }
  })
  // What a device wrote into a text comes to nothing where it took its letters back, or took away what somebody else took away
  // who may: it is merged as that where it is tried together (D-241), which is up to what comes first.
  const lettersOf = (all: readonly Written[], what: 'added' | 'removed'): ReadonlySet<string> =>
    new Set(all.flatMap(({ notes }) => notes.flatMap((note) => note[what] ?? [])))
  const allowed = verdicts.flatMap(({ one, verdict }) => (verdict ? [] : [one]))
  const taken = lettersOf(allowed, 'removed')
  const isMoot = (one: Written): boolean => {
    const own = stored.filter(({ machine: by }) => by === one.machine)
    return (
      one.docs.every(({ doc }) => doc.startsWith('t/')) &&
      one.notes.length > 0 &&
      lettersOf([one], 'added').isSubsetOf(lettersOf(own, 'removed')) &&
      lettersOf([one], 'removed').isSubsetOf(taken.union(lettersOf(own, 'added')))
    )
  }
  for (const { one, verdict } of verdicts)
    if (verdict) (isMoot(one) || isTakenBack(one, stored) ? may : must).add(placeOf(one))
  // What a call does to one record is taken whole or not at all.
  for (const places of [must, may]) {
    const parts = new Set(stored.flatMap((one) => (places.has(placeOf(one)) ? callPartsOf(one) : [])))
    for (const one of stored) if (callPartsOf(one).some((part) => parts.has(part))) places.add(placeOf(one))
  }
  return { must, may }
}

/**
 * Whether an envelope does nothing but delete records and restore them, and its device left none of them deleted that was
 * not; or is about a record that its device made and removed for good: tried together that changes nothing (D-241), unless
 * somebody else deleted it meanwhile and came first.
 */
function isTakenBack(one: Written, stored: readonly Written[]): boolean {
  return one.docs.every(({ doc, entries }) => {
    const own = stored.filter(({ machine }) => machine === one.machine).toSorted((a, b) => compareHlc(a.hlc, b.hlc))
    const marks = own.flatMap(({ docs }) =>
      docs.filter((other) => other.doc === doc).flatMap((other) => other.entries.filter(([key]) => key === '_del')),
    )
    const of = own.flatMap(({ docs }) => docs.filter((other) => targetOf(other.doc) === targetOf(doc)))
    const keys = new Set(of.flatMap((other) => other.entries.map(([key]) => key)))
    if (keys.has('_created') && keys.has('_purge')) return true
    const isDeletion = entries.length > 0 && entries.every(([key]) => key === '_del')
    return isDeletion && marks[0]![1] !== null && marks.at(-1)![1] === null
  })
}

function rightUidsOf({ metadata }: Machine): RightUids {
  const [part, item] = [metadata.objectSchema('part')!, metadata.objectSchema('item')!]
  return {
    part: part.uid,
    item: item.uid,
    size: part.byName.get('size')!.uid,
    master: item.byName.get('part')!.uid,
  }
}

/**
 * Whether a document waits for what no machine has any more, because the databases of all who had it were lost, or that was
 * refused here: the record it is about, or a field.
 */
function waitsForGood(machine: Machine, name: string): boolean {
  const [kind, object, record] = name.split('/')
  if (kind === 'f' || kind === 't') return stateOf(machine, `r/${object}/${record}`) === null
  const definition = stateOf(machine, `m/object/${object}`)
  if (kind !== 'r' || definition === null) return false
  const known = new Set([...readRegister(loadDoc(definition)).keys()].map((key) => key.split('.')[1]))
  const keys = [...readRegister(loadDoc(stateOf(machine, name))).keys()]
  return keys.some((key) => !key.startsWith('_') && !known.has(parseKey(key).uid))
}
