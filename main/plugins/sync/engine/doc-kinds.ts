// The kinds of documents of a host: records, metadata, feeds and workflows, each with what it listens to. Made once, with the first
// engine; each engine joins them and leaves them again. Knows no connection.
import { localOwnerId } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { nameOfEntry } from '#main/replication/core/replaced.ts'
import type { RegisterEntry } from '#main/replication/core/types.ts'
import { createEntryHistory } from '../conflicts/base-value.ts'
import { closeOthers, openConflict } from '../conflicts/conflict-store.ts'
import type { ConflictSide } from '../conflicts/conflict-store.ts'
import { createFeedConflicts } from '../feed/feed-conflicts.ts'
import { createFeedSync } from '../feed/feed-sync.ts'
import { createFileSync } from '../files/file-sync.ts'
import { createMetadataDocs } from '../metadata/index.ts'
import { flagRecord } from '../metadata/store.ts'
import { createRemovedItemJudge } from '../metadata/removed-items.ts'
import type { Roster } from '../peers/roster.ts'
import type { WingParts } from '../peers/service.ts'
import { isObjectAside } from '../store/aside-store.ts'
import { clearFlags } from '../store/doc-store.ts'
import { readIncarnation } from '../store/log-store.ts'
import { createLetters } from '../write/letters.ts'
import { capturePurges } from '../write/purge-capture.ts'
import { createWorkflowSync } from '../workflows/workflow-sync.ts'
import { captureRecords } from '../write/record-capture.ts'
import { syncedObjects } from '../write/record-backfill.ts'
import type { SyncEngine } from './create-engine.ts'
import type { DocKindHandler, DocWriter } from './docs.ts'
import { createOwnerIdentity, feedWithIdentity } from './owner-identity.ts'

/** The profile of administrators. */
const administrator = 'administrator'

/** An engine that documents are written into, and who takes part in its workspace. */
export interface JoinedKinds {
  readonly engine: SyncEngine
  readonly roster: Pick<Roster, 'device' | 'devices' | 'issuer' | 'isAdmin' | 'changeDevice'>
  readonly device: string
  /** Rights of people may be others. */
  readonly rightsChanged?: () => void
}

/** The kinds of documents of a host. */
export type DocKinds = ReturnType<typeof createDocKinds>

/** Makes the kinds; nothing is recorded before an engine joins. */
export function createDocKinds(parts: Pick<WingParts, 'host' | 'metadata' | 'feed' | 'workflow' | 'storage'>) {
  const { host, metadata } = parts
  let joined: JoinedKinds | null = null
  /** Who is who, also while an engine that has left ends what it has begun. */
  let people: JoinedKinds['roster'] | undefined
  const current = (): DocWriter | undefined => joined?.engine.docs
  const docs: DocWriter = {
    isRecording: (ctx) => current()?.isRecording(ctx) ?? false,
    edit: (tx, ctx, name, edit) => current()?.edit(tx, ctx, name, edit),
    read: (reads, name) => current()?.read(reads, name) ?? null,
  }
  const sideOf = (entry: RegisterEntry): ConflictSide => {
    const device = readIncarnation(host.read, entry[4])?.device ?? ''
    const actor = people?.device(device)?.user ?? ''
    return { value: entry[1], actor, device, at: new Date(entry[2]).toISOString() }
  }
  let ownDevice: () => string | undefined = () => undefined
  const auth = host.optionalService('auth')
  const identity = createOwnerIdentity(() => {
    const user = ownDevice()
    // Whoever has an account here is somebody else than the owner.
    return user === undefined || user === localOwnerId || auth()?.user(user) !== undefined ? undefined : user
  })
  const letters = createLetters()
  captureRecords(host, metadata, current, { letters, identity })
  // After the mark, which says what its writer had seen.
  capturePurges(host, metadata, current)
  // Of what is gone for good nobody needs a right to say anything.
  host.on('record.purged', (_event, tx) => tx.afterCommit(() => joined?.engine.retryRefused()))
  host.on('auth.user_unbanned', (_event, tx) => tx.afterCommit(() => joined?.engine.retryRefused()))
  // Who may not read everything any more is sent nothing from here on.
  for (const events of ['auth.*', 'metadata.*', 'permissions.*'])
    host.on(events, (_event, tx) => tx.afterCommit(() => joined?.rightsChanged?.()))
  const unpairAll = (tx: Tx, ctx: RequestContext, userId: string, only?: 'admin'): void => {
    if (joined?.roster.isAdmin(joined.device) !== true) return
    for (const { device, user, role, revokedAt } of joined.roster.devices())
      if (user === userId && revokedAt === null && (only ?? role) === role) {
        joined.roster.changeDevice(tx, ctx, docs, device, { revokedAt: host.clock.iso() })
        tx.emit(ctx, { type: 'machine.unpaired', payload: { device } })
      }
  }
  // Nobody could judge any more what their machines write.
  host.on('auth.user_deleted', ({ payload }, tx, ctx) => unpairAll(tx, ctx, (payload as { userId: string }).userId))
  // One of administrators defines things and speaks for others, more than its person may from then on.
  host.on('auth.role_changed', ({ payload }, tx, ctx) => {
    const { userId, to } = payload as { userId: string; to: string }
    if (to !== 'admin') unpairAll(tx, ctx, userId, 'admin')
  })
  host.on('permissions.assigned', ({ payload }, tx, ctx) => {
    const { userId, profile, before } = payload as { userId: string; profile: string; before?: { profile: string } }
    if (profile !== administrator && before?.profile === administrator) unpairAll(tx, ctx, userId, 'admin')
  })
  // Nor whose they are, of an account that somebody made for an address of somebody else (D-35).
  host.on('auth.email_verified', ({ payload }, tx, ctx) => {
    const { userId, endedAccess } = payload as { userId: string; endedAccess?: true }
    if (endedAccess === true) unpairAll(tx, ctx, userId)
  })
  const converted = (tx: Tx, ctx: RequestContext, object: string): void => {
    // Whoever changed the definition writes what it did for all; what was made here meanwhile nobody else can tell.
    joined?.engine.mend(tx, ctx.source === 'sync' ? { object, isOwn: true } : { object })
  }
  // Links name the object they lead to: its new name is in the rows by now.
  host.on('metadata.item.saved', ({ payload }, tx, ctx) => {
    const { type, renamedFrom } = payload as { type: string; renamedFrom?: string }
    if (type !== 'object' || renamedFrom === undefined) return
    for (const { uid, fields } of syncedObjects(metadata)) {
      const isLinked = fields.some(
        (field) => field.type === 'record' && (field.settings.references?.includes(renamedFrom) ?? true),
      )
      if (isLinked) converted(tx, ctx, uid)
    }
  })
  const judgeRemoved = createRemovedItemJudge({ docs, clock: host.clock, sideOf })
  const items = createMetadataDocs({
    read: host.read,
    write: host.write,
    clock: host.clock,
    ids: host.ids,
    log: host.log,
    docs,
    exchange: metadata.exchange,
    backfillActorId: 'system',
    onConflict(tx, { type, uid, key, winner, losers }) {
      const doc = formatDocName({ kind: 'metadata', type, uid })
      const draft = { kind: 'field' as const, doc, object: '', recordId: '', field: key }
      const base = createEntryHistory(tx).commonBase(doc, [winner, ...losers].map(nameOfEntry))
      const sides = { winner: sideOf(winner), losers: losers.map(sideOf) }
      openConflict(tx, { ...draft, ...sides, ...(base === null ? {} : { base: base.value }) }, host.clock.iso())
    },
    // What a definition of another machine does to rows could not be told from what people wrote in them.
    waits: () => joined?.engine.isComparing() ?? false,
    onConverted: converted,
    isAside: isObjectAside,
    // On every machine: each has written rows of its own meanwhile, removed some, and let people talk about them.
    onBegun: (tx) => joined?.engine.compareRecords(tx),
    onChanged: judgeRemoved,
    onSettled(tx, { type, uid, still, by }) {
      const doc = formatDocName({ kind: 'metadata', type, uid })
      closeOthers(tx, { doc }, ['field'], { has: (_id, { field }) => still.has(field) }, host.clock.iso(), by)
    },
  })
  items.listen(host)
  const feed = parts.feed()
  const feeds =
    feed === undefined
      ? undefined
      : createFeedSync({
          docs,
          feed: feedWithIdentity(feed, identity),
          localId: identity.id,
          metadata,
          now: () => host.clock.iso(),
          placed: (tx, name) => clearFlags(tx, formatDocName(name)),
          onConflicts: createFeedConflicts(sideOf, () => host.clock.iso()),
        })
  feeds?.listen(host)
  const workflows = createWorkflowSync({ docs, workflow: parts.workflow, metadata, identity })
  workflows.listen(host)
  const files = createFileSync({
    docs,
    storage: parts.storage,
    identity,
    write: host.write,
    clock: host.clock,
    ids: host.ids,
    log: host.log,
    lookAgain(tx, { object, record }) {
      flagRecord(tx, formatDocName({ kind: 'record', object, record }))
      tx.afterCommit(() => joined?.engine.reproject())
    },
    waits: (tx, name) => flagRecord(tx, formatDocName(name)),
    placed: (tx, name) => clearFlags(tx, formatDocName(name)),
    here: () =>
      joined === null
        ? null
        : { device: joined.device, isAdmin: joined.roster.device(joined.device)?.role === 'admin' },
  })
  files.listen(host)
  // What waited for an object or a field may have its place now.
  host.onCommitted('*', ({ type }) => {
    if (type.startsWith('metadata.')) joined?.engine.redefined()
  })
  const handlers: readonly DocKindHandler[] = [
    items.handler,
    ...(feeds === undefined ? [] : [feeds.handler]),
    workflows.handler,
    files.handler,
  ]
  return {
    items,
    handlers,
    /** Letters of texts that are edited live, on their way into documents. */
    letters,
    /** Who the owner of this machine is to the others. */
    identity,
    /** Lists what was written to an object that was removed. */
    judgeRemoved: (tx: Tx, uid: string): void => judgeRemoved(tx, { type: 'object', uid }),
    /** Says whose machine this is, before anything is recorded or taken over. */
    identify: (roster: Pick<Roster, 'device'>, device: string): void =>
      void (ownDevice = () => roster.device(device)?.user),
    /** What marks provisional numbers of this machine; null where numbers are given as always. */
    provisionalMark(): string | null {
      if (joined === null) return null
      const { roster, device } = joined
      return roster.issuer() === device ? null : device.slice(0, 4).toUpperCase()
    },
    /** Begins and ends to write into an engine. */
    join(next: JoinedKinds | null): void {
      joined = next
      people = next?.roster ?? people
    },
  }
}

/** Has numbers given that are replaced by the machine that gives final ones, wherever this machine is not that one. */
export function numberProvisionally({ host, data }: Pick<WingParts, 'host' | 'data'>, kinds: DocKinds): void {
  let count = 0
  data.setNumbering({
    provisional() {
      const mark = kinds.provisionalMark()
      if (mark === null) return null
      count = (count + 1) % 1000
      return `#~${mark}-${host.clock.now().toString().slice(-9)}${count}`
    },
  })
}
