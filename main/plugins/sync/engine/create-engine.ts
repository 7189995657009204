// Puts the parts of sync together for one workspace: the log, the documents, what is recorded, what is applied. Loaded
// only where sync is on. Knows no connection and no HTTP.
import { setImmediate as nextTurn, setTimeout as later } from 'node:timers/promises'
import type { Actor } from '#shared/events.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Steps, Tx } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { createApplier } from '../apply/applier.ts'
import { project } from '../apply/merge-step.ts'
import { createChangeJudge } from '../apply/change-judge.ts'
import type { ChangeRefusal, DocChange } from '../apply/change-judge.ts'
import type { MergeParts } from '../apply/merge-step.ts'
import { createReceiver } from '../apply/receiver.ts'
import type { WriterOf } from '../apply/record-conflicts.ts'
import { createRecordHandlers, schemasByUid } from '../apply/record-handler.ts'
import { isAtRest, isRemoved } from '../apply/removed.ts'
import type { IsRemoved } from '../apply/removed.ts'
import { refuseChange } from '../apply/refusals.ts'
import { createRelationJudge } from '../apply/relation-conflicts.ts'
import { removedPlaces, settleRemoved } from '../conflicts/conflict-store.ts'
import { createDigest } from '#main/replication/core/digest.ts'
import { DocError } from '#main/replication/core/doc-error.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import { formatDocName, parseDocName } from '#main/replication/core/doc-names.ts'
import { parseKey } from '#main/replication/core/register-keys.ts'
import { createHlcClock } from '#main/replication/core/hlc.ts'
import { openDocument } from '#main/replication/core/sync-document.ts'
import type { Hlc } from '#main/replication/core/types.ts'
import {
  countUnprojected,
  hasDoc,
  hasFlagged,
  readDoc,
  readFlagged,
  readNames,
  walkHashes,
} from '../store/doc-store.ts'
import { flagRecords } from '../metadata/store.ts'
import { putFlags } from '../store/doc-store.ts'
import { readEnvelopes, readIncarnation, readIncarnations } from '../store/log-store.ts'
import { countProblems } from '../store/problem-store.ts'
import { decodeBody, isOpaque } from '#main/replication/wire/envelope-codec.ts'
import type { Signer } from '#main/replication/wire/device-key.ts'
import { REFUSED_KEY } from '../refusals/refusal-doc.ts'
import { createRefusedDocs } from '../refusals/refused-docs.ts'
import { createDocWriter } from '../write/doc-writer.ts'
import type { NamedEdit } from '../write/record-edits.ts'
import { createOwnLog, signOwnEnds } from '../write/own-log.ts'
import { reissueLogs } from './reissue-logs.ts'
import type { Devices, Disputed, KnownDevice } from './replica.ts'
import type { BackfillWriter, DocKindHandler, DocWriter } from './docs.ts'
import { addToBackfill, beginBackfill, isComparing, readBackfill, runBackfill } from './backfill.ts'
import type { Backfill } from './backfill.ts'
import type { RecordsOfObject } from '../write/record-backfill.ts'
import { createRepeated } from './repeated.ts'
import { createListeners, createLogState } from './log-state.ts'
import type { OwnerIdentity } from './owner-identity.ts'
import { createReplica } from './log-replica.ts'

/** What the engine works with. */
export interface EngineParts {
  readonly host: Pick<PluginHost, 'read' | 'write' | 'writeStepwise' | 'clock' | 'ids' | 'log'>
  readonly data: DataService
  readonly metadata: MetadataService
  readonly devices: Devices
  readonly workspace: Uint8Array
  readonly epoch: number
  readonly own: { readonly device: string; readonly inc: number; readonly signer: Signer }
  /** Up to where the log of a number of this machine is the one others have. */
  readonly disputed?: Disputed | undefined
  /** Notes on disk what is about to leave; see the sidecar of incarnations. */
  beforeSending(lastSeq: number): void
  /** Whose rights count for what a person wrote on a device; without it nobody is judged. */
  personOf?(author: string, device: KnownDevice | undefined): JudgedPerson
  /** Whether somebody may change what others wrote in feeds. */
  mayModerate?(ctx: RequestContext): boolean
  /** Whether a file is there for people of this machine; without it the documents of files say so. */
  hasFile?(tx: Tx, file: string): boolean
  /** Whether this machine gives final numbers. */
  issuesNumbers(): boolean
  /** Who the owner of this machine is to the others; without it the owner is the owner everywhere. */
  readonly identity?: OwnerIdentity
  /** Hears of an object, by uid, that was removed and that somebody wrote to. */
  keptAside?(tx: Tx, object: string): void
  /** Handlers of further kinds, made with the writer of documents. In the order of backfill, before records. */
  handlers(docs: DocWriter): readonly DocKindHandler[]
}

/** Whose rights count: a context of theirs; undefined: nobody's are known here; a text: why nothing they wrote counts. */
export type JudgedPerson = RequestContext | string | undefined

/** Sync of one workspace. */
export type SyncEngine = Awaited<ReturnType<typeof createEngine>>

/** What people wrote about records, what they decide about them, and files, which records that are brought in later name. */
const afterRecords: ReadonlySet<DocKindHandler['kind']> = new Set(['feed', 'workflow', 'file'])

/** Documents projected again in one transaction. */
const reprojected = 64
/** A table that is being changed is open again within moments. */
const soonMs = 250

/** Opens the engine on what is stored. */
export async function createEngine(parts: EngineParts) {
  const { host, data, metadata, devices, workspace, epoch, own } = parts
  const { read, write, clock, log } = host
  const digest = createDigest()
  for await (const slice of walkHashes(read)) for (const { bucket, lhash } of slice) digest.toggle(bucket, lhash)
  await reissueLogs(parts)
  const state = createLogState(readIncarnations(read), digest.bytes())
  state.setProblems(countProblems(read))
  const hlc = createHlcClock({ now: () => clock.now(), last: lastStamp(parts) })
  const append = createOwnLog({ workspace, epoch, ...own, state })
  const schemaRev = (): number => metadata.epoch()

  const writerOf = (tx: Tx): WriterOf => {
    const known = new Map<number, { actor: string; device: string }>()
    return (inc) => {
      let writer = known.get(inc)
      if (writer === undefined) {
        const device = inc === own.inc ? own.device : (readIncarnation(tx, inc)?.device ?? '')
        known.set(inc, (writer = { actor: devices.find(device)?.user ?? '', device }))
      }
      return writer
    }
  }
  const schemaOf = schemasByUid(metadata)
  const written = createRelationJudge({ data, metadata, clock, schemaOf, writerOf })
  const docs = createDocWriter({
    inc: own.inc,
    clock: hlc,
    state,
    append,
    schemaRev,
    authorOf: (id) => parts.identity?.id(id) ?? id,
    changed: (tx, name) => edited(tx, name),
  })
  const edited = (tx: Tx, name: DocName): void => {
    if (name.kind === 'record') written(tx, { ...name, isRemote: false })
    else byKind.get(name.kind)?.edited?.(tx, name)
  }
  const isOwn = (inc: number): boolean => inc === own.inc || readIncarnation(read, inc)?.device === own.device
  let changedRows = 0
  const rowChanged = (): void => void (changedRows += 1)
  const hasFile = (tx: Tx, file: string): boolean => parts.hasFile?.(tx, file) ?? false
  const place = (tx: Tx, doc: string): void => projectOne(tx, doc)
  const editAs = (tx: Tx, by: string, { name, edit }: NamedEdit): void => {
    const actor: Actor = { type: 'user', id: parts.identity?.id(by) ?? by }
    docs.edit(tx, { ...internalContext(host.ids.uuid()), actor }, name, edit)
  }
  const records = {
    data,
    metadata,
    clock,
    schemaOf,
    writerOf,
    written,
    isOwn,
    rowChanged,
    hasFile,
    place,
    edit: (tx: Tx, edit: NamedEdit) => editAs(tx, author(), edit),
    editFeed: (tx: Tx, record: { readonly object: string; readonly record: string }) =>
      byKind
        .get('feed')
        ?.compare?.(tx, { kind: 'feed', object: record.object, record: record.record, segment: 0 }, (name, by, edit) =>
          editAs(tx, by, { name, edit }),
        ),
    ids: host.ids,
  }
  const refused = createRefusedDocs({
    ...{ clock, docs, schemaOf, isOwn, device: own.device },
    author: () => author(),
    retry: (name, asked) => void applier.retryTarget(name.writer, name.target, asked).catch(notRetried),
    place: (tx, name, by) => placeNow(tx, formatDocName(name), by),
  })
  const notRetried = (error: unknown): void => log.error({ err: error }, 'What was refused could not be tried again.')
  const given = parts.handlers(docs)
  const handlers: readonly DocKindHandler[] = [
    ...given.filter(({ kind }) => !afterRecords.has(kind)),
    ...createRecordHandlers({ ...records, issuesNumbers: parts.issuesNumbers }),
    ...given.filter(({ kind }) => afterRecords.has(kind)),
    refused.handler,
  ]
  const byKind = new Map(handlers.map((handler) => [handler.kind, handler]))
  const contextOf = (actor: Actor): RequestContext => ({
    ...internalContext(host.ids.uuid(), 'sync'),
    actor,
    runAutomations: false,
  })
  // An object that stands here was not removed, or is about to be: then what is left of it is settled at once.
  const isGone: IsRemoved = (reads, object, field) =>
    schemaOf(object) === undefined ? isAtRest(reads, object) : field !== undefined && isRemoved(reads, object, field)
  /** Comparing goes through all there is: what is touched before it got there is compared first. */
  const compared = (tx: Tx, name: DocName): void => {
    if (backfill === undefined || !isComparing(tx, handlers.length)) return
    const put: BackfillWriter = (doc, actorId, edit, options) => {
      if (options?.mend !== true && hasDoc(tx, formatDocName(doc))) return
      if (docs.editNow(tx, actorId, doc, edit)) edited(tx, doc)
    }
    try {
      tx.savepoint(() => {
        if ('record' in name) byKind.get('record')?.compare?.(tx, { ...name, kind: 'record' }, put)
        if (name.kind !== 'record' && name.kind !== 'text') byKind.get(name.kind)?.compare?.(tx, name, put)
      })
    } catch (error) {
      // A damaged document is for its repair, which comes this way too.
      if (!(error instanceof DocError)) throw error
    }
  }
  const merge: MergeParts = {
    state,
    compared,
    handler: (kind) => byKind.get(kind),
    contextOf,
    retrySoon: () => retrySoon(),
    isRemoved: isGone,
    keptAside: (tx, object) => parts.keptAside?.(tx, object),
  }
  const waitingOfKinds = (): number => handlers.reduce((sum, handler) => sum + (handler.waiting?.(read) ?? 0), 0)
  const settle = async (): Promise<void> => {
    const before = waitingOfKinds()
    for (const handler of handlers) await handler.settle?.()
    // What took effect without a change of metadata, such as the removal of what never was here, ends a wait as well.
    if (waitingOfKinds() < before) reproject()
  }

  /** What every machine can decide alike: only machines of administrators change metadata and the roster. */
  const refuse = (doc: string, device: string): string | undefined => {
    const name = parseDocName(doc)
    if (name?.kind === 'refusal')
      return device === name.by || device === name.writer
        ? undefined
        : 'A refusal is between the machine that refused and the one that wrote.'
    if (name?.kind !== 'metadata' && name?.kind !== 'workspace') return undefined
    return devices.find(device)?.role === 'admin' ? undefined : 'Only the machine of an administrator may change this.'
  }

  const judgeChange = createChangeJudge({
    data,
    schemaOf,
    schemaNamed: (name) => metadata.objectSchema(name),
    isRemoved: isGone,
    mayModerate: (ctx) => parts.mayModerate?.(ctx) ?? false,
  })
  /** Nothing in a transaction of the log changes who has which account here; what the roster says may change. */
  const judged = new WeakMap<Tx, Map<string, JudgedPerson>>()
  const personIn = (tx: Tx, author: string, device: KnownDevice | undefined): JudgedPerson => {
    const persons = judged.get(tx) ?? new Map<string, JudgedPerson>()
    judged.set(tx, persons)
    const key = `${device?.role} ${device?.user} ${author}`
    if (!persons.has(key)) persons.set(key, parts.personOf?.(author, device))
    return persons.get(key)
  }
  /** What every machine decides for itself: a person changes what the rights they have here let them change. */
  const judge = (tx: Tx, author: string, device: string, change: DocChange): ChangeRefusal | undefined => {
    const { name, changedKeys } = change
    // The machine that wrote says nothing but that it asks again.
    if (name.kind === 'refusal' && device !== name.by && changedKeys.has(REFUSED_KEY))
      return { forbidden: 'Only the machine that refused says what is refused.', code: 'name' }
    const known = devices.find(device)
    const person = personIn(tx, author, known)
    if (typeof person === 'string') return { forbidden: person, code: 'name' }
    if (person === undefined) return undefined
    return judgeChange(tx, person, { author, speaksForOthers: known?.role === 'admin' }, change)
  }

  /** Nobody learns by a refusal what they may not read. */
  const mayTell = (tx: Tx, device: string, name: DocName, key = ''): boolean => {
    const known = devices.find(device)
    const person = personIn(tx, known?.user ?? '', known)
    if (typeof person === 'string') return false
    if (person === undefined || (name.kind !== 'record' && name.kind !== 'text')) return true
    const schema = schemaOf(name.object)
    const uid = name.kind === 'text' ? name.field : parseKey(key).uid
    const field = schema?.fields.find((one) => one.uid === uid)
    return schema === undefined || field === undefined || data.canReadField(person, schema.name, field.name)
  }

  const system = contextOf({ type: 'system', id: 'system' })
  const group = <T>(tx: Tx, fn: () => T): T => data.applyGroup(tx, system, fn)
  const groupSteps = <T>(tx: Tx, fn: () => Steps<T>): Steps<T> => data.applyGroupSteps(tx, system, fn)
  const author = (): string => devices.find(own.device)?.user ?? 'system'
  const applier = createApplier({
    ...{ ...merge, read, write, writeStepwise: host.writeStepwise, clock, hlc, log, devices, refuse, judge },
    ...{ group, groupSteps, settle },
    ...{ device: own.device, author, docs, mayTell },
  })
  const receive = createReceiver({ workspace, epoch, own, read, write, devices, state, stored: () => applier.wake() })
  const replica = createReplica({
    identity: { workspace, epoch, device: own.device, inc: own.inc },
    signer: own.signer,
    read,
    write,
    log,
    state,
    applier,
    merge,
    receive,
    beforeSending: parts.beforeSending,
    projected: () => projecting.settled(),
    unprojected: () => ({
      waiting: waitingOfKinds() + countUnprojected(read),
      isTrying: applier.isRunning() || projecting.isRunning() || soon !== undefined || backfill !== undefined,
    }),
    refuse,
    judge: (tx, device, change) => refuseChange(judge(tx, devices.find(device)?.user ?? '', device, change)),
    // It comes without the author of anything in it: machines of administrators bring it, where there is another one.
    mayMend(device) {
      const admins = devices.all().filter(({ role, isRevoked }) => role === 'admin' && !isRevoked)
      const others = admins.filter((one) => one.device !== own.device)
      return others.length === 0 || others.some((one) => one.device === device)
    },
    now: () => clock.iso(),
  })

  const listeners = createListeners()
  const changed = (): void => listeners.tell()
  let backfill: Backfill | undefined
  let stopped = false
  const ending = Promise.withResolvers<void>()
  const caughtUp = (): Promise<void> =>
    Promise.race([ending.promise, applier.settled().then(() => projecting.settled())])
  const lookAgain = (tx: Tx, { object, isOwn }: RecordsOfObject): void => {
    if (isOwn !== true) flagRecords(tx, object)
    tx.afterCommit(() => reproject())
  }
  const begin = (): void => {
    const made = runBackfill({
      ...{ read, write, docs, append, handlers, schemaRev, changed, lookAgain, caughtUp },
      localId: (id) => parts.identity?.id(id) ?? id,
    })
    backfill = made
    void made.done
      .catch((error: unknown) => log.error({ err: error }, 'Documents of what exists could not be made.'))
      .finally(() => {
        if (backfill !== made || stopped) return
        backfill = undefined
        // What was noted while the last slice was written.
        if (readBackfill(read) !== null) begin()
        // Definitions of other machines wait for the end of it, and others for them.
        applier.lookAgain()
        reproject()
        changed()
      })
  }
  const beginNoted = (): void => {
    if (backfill === undefined && !stopped) begin()
    changed()
  }
  const prepare = (tx: Tx, first: number): void => {
    const total = handlers.slice(first).reduce((sum, handler) => sum + (handler.backfillTotal?.(tx) ?? 0), 0)
    beginBackfill(tx, first, total)
    tx.afterCommit(beginNoted)
  }

  const projectAgain = async (): Promise<void> => {
    const hasWaited = hasFlagged(read)
    const before = hasWaited ? countUnprojected(read) : 0
    for (let after = 0; hasWaited && !stopped;) {
      const flagged = readFlagged(read, after, reprojected)
      const last = flagged.at(-1)
      if (last === undefined) break
      after = last.doc
      await write('sync.reproject', (tx) => {
        for (const { name } of flagged) tx.savepoint(() => projectOne(tx, name))
      })
    }
    // What was not stored when the host stopped is due without any document that waits.
    await settle()
    const removed = removedPlaces(read, (object, field) => isRemoved(read, object, field))
    if (removed.length > 0) await write('sync.removed', (tx) => settleRemoved(tx, removed, clock.iso()))
    if (numbersAreDue && parts.issuesNumbers()) await giveNumbers()
    if (hasWaited) state.tellApplied()
    // What lies aside may be of what has its place now.
    if (before > 0 && countUnprojected(read) < before) lookAside()
  }
  /**
   * Gives numbers to records that came here by another way than through the log, or before this machine was the one that
   * gives them: with a copied database, or from those who waited for a machine that is unpaired.
   */
  let numbersAreDue = true
  const giveNumbers = async (): Promise<void> => {
    numbersAreDue = false
    for (const schema of metadata.objectSchemas()) {
      for (let after = ''; !stopped;) {
        const ids = data.awaitingNumbers(read, schema, { after, limit: reprojected })
        const last = ids.at(-1)
        if (last === undefined) break
        after = last
        await write('sync.numbers', (tx) => {
          for (const id of ids) data.issueNumbers(tx, internalContext(host.ids.uuid()), { object: schema.name, id })
        })
      }
    }
  }
  const projectOne = (tx: Tx, text: string): void => placeNow(tx, text, { type: 'system', id: 'system' })
  /** Makes a row what its document says. @param actor as peers name people */
  const placeNow = (tx: Tx, text: string, actor: Actor): void => {
    const name = parseDocName(text)
    const handler = name === null ? undefined : byKind.get(name.kind)
    if (name === null || handler === undefined) return
    compared(tx, name)
    const found = readDoc(tx, text)
    if (found === undefined) return
    const document = openDocument(text, found.state)
    const merged = { name, document, changedKeys: null, actor, at: clock.iso(), isNew: false }
    const flags = project(tx, merge, handler, merged)
    if (flags !== found.flags) putFlags(tx, found.doc, flags)
  }
  const projecting = createRepeated(projectAgain, (error) =>
    log.error({ err: error }, 'Changes that waited could not be projected.'),
  )
  const reproject = projecting.start
  const lookAside = (): void => {
    if (state.problems().parked > 0) applier.lookAgain()
  }

  let repairedRows = 0
  let checking: Promise<number> | undefined
  const checkRows = async (): Promise<number> => {
    let found = 0
    for (const letter of ['r/', 't/']) {
      for (let after = ''; !stopped;) {
        const slice = readNames(read, letter, after, reprojected)
        const last = slice.at(-1)
        if (last === undefined) break
        after = last.name
        await write('sync.check-rows', (tx) => {
          const before = changedRows
          // What waits for its place has no row to be compared with.
          for (const { name, flags } of slice) if (flags === 0) tx.savepoint(() => projectOne(tx, name))
          found += changedRows - before
        })
        await nextTurn()
      }
    }
    repairedRows += found
    if (found > 0) {
      log.warn({ found }, 'Records were not what their documents say, and are now.')
      changed()
    }
    return found
  }

  let soon: NodeJS.Timeout | undefined
  const retrySoon = (): void => {
    soon ??= setTimeout(() => {
      soon = undefined
      reproject()
    }, soonMs)
  }

  if (readBackfill(read) !== null) begin()
  applier.wake()
  reproject()
  // Rights may have changed while the host was stopped.
  applier.retryRefused()
  // The program that failed may be another one by now.
  applier.retryFailed()

  return {
    replica,
    docs,
    /** `preparing` while documents are made of what existed before. */
    state: () => (backfill === undefined ? 'on' : 'preparing'),
    /** Whether rows may have what nothing recorded, and are compared with their documents. */
    isComparing: () => backfill !== undefined && isComparing(read, handlers.length),
    progress: () => backfill?.progress() ?? { done: 0, total: 0 },
    /** Hears whenever something that is shown has changed. Answers how to stop. */
    onChange(listener: () => void) {
      const off = [listeners.add(listener), state.onApplied(listener), state.onGrown(listener)]
      return () => {
        for (const stop of off) stop()
      }
    },
    /** Makes documents of everything that exists; for the machine that founds a workspace. */
    prepare: () => write('sync.prepare', (tx) => prepare(tx, 0)),
    /** Has records and what is said of them compared with their documents, which get what they lack. */
    compareRecords: (tx: Tx) =>
      prepare(
        tx,
        handlers.findIndex(({ kind }) => kind === 'record'),
      ),
    /** Has records of an object written into their documents: a change of the object has changed them. */
    mend(tx: Tx, records: RecordsOfObject) {
      addToBackfill(tx, records)
      tx.afterCommit(beginNoted)
    },
    /**
     * Compares the row of every record with its documents, in the background, and makes it what they say.
     * @returns how many were not
     */
    checkRows: (): Promise<number> => (checking ??= checkRows().finally(() => (checking = undefined))),
    /** How many rows were found to be something else than their documents say since the engine was opened. */
    repairedRows: () => repairedRows,
    /** Tries documents again whose projection had to wait. */
    reproject,
    /** Tries what waits for a definition: documents, and what lies aside. */
    redefined() {
      reproject()
      lookAside()
    },
    /** To be called when this machine may have become the one that gives numbers. */
    numbersDue() {
      numbersAreDue = true
      reproject()
    },
    /** Tries an envelope again that lies aside; resolves with whether it was applied. */
    retry: applier.retry,
    /** {@link Applier.retryRefused} */
    retryRefused: applier.retryRefused,
    /** What other machines refused of this one. */
    refused: {
      ...refused,
      /** Work that follows from what was taken back, outside of the transaction. */
      settle,
    },
    /** Counts anew what lies aside; to be called when somebody took something away from there. */
    recount() {
      state.setProblems(countProblems(read))
      state.tellApplied()
    },
    /**
     * Makes rows what their documents say, waiting for tables that are being changed. To be awaited before writes are recorded
     * no more: nothing tells what is written then in a row that is behind.
     */
    async catchUp() {
      reproject()
      while (projecting.isRunning() || soon !== undefined) {
        await projecting.settled()
        if (soon !== undefined) await later(soonMs)
      }
    },
    /**
     * Ends the engine. `leave` has to end the capture of writes: it is called when nothing that the engine itself writes,
     * such as the final number of a record that just arrived, can miss its document.
     */
    async stop(leave: () => void = () => undefined) {
      stopped = true
      ending.resolve()
      clearTimeout(soon)
      backfill?.stop()
      await backfill?.done.catch(() => undefined)
      await projecting.stop()
      await checking?.catch(() => undefined)
      await applier.stop()
      leave()
      await write('sync.stop', (tx) => signOwnEnds(tx, { workspace, device: own.device, signer: own.signer }))
    },
  }
}

/** The last stamp this machine wrote: its clock goes on from there. */
function lastStamp({ host, own }: EngineParts): Hlc | undefined {
  const rows = readIncarnations(host.read).filter(({ device }) => device === own.device)
  let latest: Hlc | undefined
  for (const { inc, storedSeq } of rows) {
    const [envelope] = readEnvelopes(host.read, inc, storedSeq, 1)
    if (envelope === undefined) continue
    const body = decodeBody(envelope.body)
    if (!isOpaque(body) && (latest === undefined || body.hlc.ms > latest.ms)) latest = body.hlc
  }
  return latest
}
