// Opens the engine for the peers of this machine: with records, metadata, feeds and the roster as kinds of documents, and
// with what the roster says of who may write. Knows no connection.
import { internalContext, localOwnerId } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { MachineryParts, RoomsJoint } from '../service/machinery.ts'
import { createConflictEngine } from '../conflicts/conflict-engine.ts'
import { closeOthers, openConflict } from '../conflicts/conflict-store.ts'
import type { ConflictSide } from '../conflicts/conflict-store.ts'
import { createEntryHistory } from '../conflicts/base-value.ts'
import { createFeedConflicts } from '../feed/feed-conflicts.ts'
import { createFeedSync } from '../feed/feed-sync.ts'
import { createMetadataDocs } from '../metadata/index.ts'
import { createRemovedObjectJudge } from '../metadata/removed-objects.ts'
import type { JudgeRemovedObject } from '../metadata/removed-objects.ts'
import type { MetadataDocs } from '../metadata/index.ts'
import type { OpenEngine } from '../peers/engine-port.ts'
import type { Roster } from '../peers/roster.ts'
import { createLetters } from '../write/letters.ts'
import type { Letters } from '../write/letters.ts'
import { capturePurges } from '../write/purge-capture.ts'
import { captureRecords } from '../write/record-capture.ts'
import { syncedObjects } from '../write/record-genesis.ts'
import { createPeerRights } from '../service/shared/peer-rights.ts'
import { createPeerRooms } from '../service/shared/peer-rooms.ts'
import { createSharedTexts } from '../service/shared/shared-texts.ts'
import { createVouching } from '../service/shared/vouched.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { nameOfEntry } from '#main/replication/core/replaced.ts'
import type { RegisterEntry } from '#main/replication/core/types.ts'
import { createEngine } from './create-engine.ts'
import type { JudgedPerson, SyncEngine } from './create-engine.ts'
import type { Devices, KnownDevice } from './devices.ts'
import type { DocKindHandler, DocWriter } from './docs.ts'
import { createOwnerIdentity, feedWithIdentity, withIdentity } from './owner-identity.ts'
import type { OwnerIdentity } from './owner-identity.ts'
import { clearFlags } from '../store/doc-store.ts'
import { readIncarnation } from '../store/log-store.ts'

/** An engine that documents are written into, and who takes part in its workspace. */
export interface JoinedEngine {
  readonly engine: SyncEngine
  readonly roster: Pick<Roster, 'device' | 'issuer'>
  readonly device: string
}

/** The kinds of documents of a host: made once, since what they listen to is listened to once. */
export interface DocKinds {
  readonly items: MetadataDocs
  readonly handlers: readonly DocKindHandler[]
  /** What marks provisional numbers of this machine; null where numbers are given as always. */
  provisionalMark(): string | null
  /** Who the owner of this machine is to the others. */
  readonly identity: OwnerIdentity
  /** Says whose machine this is, before anything is recorded or taken over. */
  identify(roster: Pick<Roster, 'device'>, device: string): void
  /** Lists what was written to an object that was removed. */
  readonly judgeRemoved: JudgeRemovedObject
  /** Letters of texts that are edited live, on their way into documents. */
  readonly letters: Letters
  /** Begins and ends to write into an engine. */
  join(joined: JoinedEngine | null): void
}

/** Makes the kinds; nothing is recorded before an engine joins. */
export function createDocKinds(parts: Pick<MachineryParts, 'host' | 'data' | 'metadata' | 'feed'>): DocKinds {
  const { host, metadata } = parts
  let joined: JoinedEngine | null = null
  /** Who is who, also while an engine that has left ends what it has begun. */
  let people: JoinedEngine['roster'] | undefined
  const current = (): DocWriter | undefined => joined?.engine.docs
  const docs: DocWriter = {
    isRecording: (ctx) => current()?.isRecording(ctx) ?? false,
    edit: (tx, ctx, name, edit) => current()?.edit(tx, ctx, name, edit),
    read: (reads, name, read) => current()?.read(reads, name, read) ?? null,
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
  const judgeRemoved = createRemovedObjectJudge({ docs, clock: host.clock })
  const items = createMetadataDocs({
    read: host.read,
    write: host.write,
    clock: host.clock,
    ids: host.ids,
    log: host.log,
    docs,
    exchange: metadata.exchange,
    genesisActorId: 'system',
    onConflict(tx, { type, uid, key, winner, losers }) {
      const doc = formatDocName({ kind: 'metadata', type, uid })
      const draft = { kind: 'field' as const, doc, object: '', recordId: '', field: key }
      const base = createEntryHistory(tx).commonBase(doc, [winner, ...losers].map(nameOfEntry))
      const sides = { winner: sideOf(winner), losers: losers.map(sideOf) }
      openConflict(tx, { ...draft, ...sides, ...(base === null ? {} : { base: base.value }) }, host.clock.iso())
    },
    onConverted: converted,
    onObject: judgeRemoved,
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
  // What waited for an object or a field may have its place now.
  host.onCommitted('*', ({ type }) => {
    if (type.startsWith('metadata.')) joined?.engine.reproject()
  })
  return {
    letters,
    items,
    identity,
    identify: (roster, device) => void (ownDevice = () => roster.device(device)?.user),
    judgeRemoved,
    handlers: [items.handler, ...(feeds === undefined ? [] : [feeds.handler])],
    provisionalMark() {
      if (joined === null) return null
      const { roster, device } = joined
      return roster.issuer() === device ? null : device.slice(0, 4).toUpperCase()
    },
    join(next) {
      joined = next
      people = next?.roster ?? people
    },
  }
}

/** Opens what is stored; a workspace that is founded here gets documents of everything, in the background. */
export async function openEngine(
  parts: MachineryParts & { readonly kinds: DocKinds; readonly rooms: RoomsJoint },
  ...[start, own, roster]: Parameters<OpenEngine>
): Promise<SyncEngine> {
  const { host, data, metadata, kinds, conflicts } = parts
  const devices = devicesOf(roster)
  kinds.identify(roster, own.device)
  const { identity } = kinds
  const personHere = (author: string, device: KnownDevice | undefined): JudgedPerson =>
    personOf(parts, { author, id: identity.id(author) }, device)
  const engine = await createEngine({
    host,
    data: withIdentity(data, identity),
    identity,
    metadata,
    devices,
    workspace: start.workspace,
    epoch: start.epoch,
    own,
    beforeSending: (lastSeq) => own.beforeSending(lastSeq),
    issuesNumbers: () => roster.issuer() === own.device,
    personOf: personHere,
    keptAside: kinds.judgeRemoved,
    mayModerate: (ctx) => host.authorizer.hasSystemPermission(ctx, 'moderate_feed'),
    handlers: () => [roster.handler, ...kinds.handlers],
  })
  const join = (): void => {
    kinds.join({ engine, roster, device: own.device })
    conflicts.join(
      createConflictEngine({
        host,
        metadata,
        engine,
        devices,
        device: own.device,
        deviceName: (device) => roster.device(device)?.name,
        localId: identity.id,
        items: {
          mayChange: () => roster.isAdmin(own.device),
          settle: (...given) => kinds.items.settleEntry(...given),
          keepRemoved: (...given) => kinds.items.keepRemoved(...given),
          follow: () => kinds.items.handler.settle(),
        },
      }),
    )
  }
  join()
  // What waited while the host was stopped; the kinds read documents only from here on.
  engine.reproject()
  const { read, write, clock, log } = host
  const { inc, signer } = own
  const workspace = { id: start.workspace, epoch: start.epoch }
  const rooms = createPeerRooms({
    now: () => clock.now(),
    log,
    mayEdit: createPeerRights({
      devices,
      data,
      authorizer: () => host.authorizer,
      schemas: () => metadata.objectSchemas(),
      personOf: personHere,
    }),
    others: () =>
      devices
        .all()
        .filter(({ device, isRevoked }) => !isRevoked && device !== own.device)
        .map(({ device }) => device),
    vouching: createVouching({ workspace, device: own.device, signer, devices, now: () => clock.now() }),
    settled: () => engine.replica.settled(),
  })
  let isOn = true
  parts.rooms.use(rooms)
  const { docs } = engine
  const { letters } = kinds
  const shared = { read, write, data, metadata, docs, letters, rooms, inc, workspace, signer, isOn: () => isOn }
  await parts.texts.share(createSharedTexts(shared))
  if (start.kind === 'found' || start.kind === 'again') await engine.prepare()
  return {
    ...engine,
    async stop() {
      // What is typed and not stored is recorded as ever.
      await parts.texts.share(undefined)
      isOn = false
      parts.rooms.use(undefined)
      kinds.join(null)
      conflicts.join(null)
      await engine.stop()
    },
  }
}

/** The devices as the log knows them. */
function devicesOf(roster: Roster): Devices {
  const keys = new Map<string, KeyObject>()
  const keyOf = (device: string, raw: Uint8Array): KeyObject => {
    let key = keys.get(device)
    if (key === undefined) {
      const x = Buffer.from(raw).toString('base64url')
      keys.set(device, (key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })))
    }
    return key
  }
  const known = ({ device, user, signKey, role, revokedAt }: ReturnType<Roster['devices']>[number]): KnownDevice => ({
    device,
    user,
    publicKey: keyOf(device, new Uint8Array(Buffer.from(signKey, 'base64'))),
    role,
    isRevoked: revokedAt !== null,
  })
  return {
    all: () => roster.devices().map(known),
    find(id) {
      const device = roster.device(id)
      return device === undefined ? undefined : known(device)
    },
    nameOf: (user) => roster.nameOfUser(user),
  }
}

/**
 * A person with an account here has the rights of the account also from another machine. Whom nobody here knows writes with
 * the rights of whose machine it is, unless that is an administrator's: it speaks for its people.
 */
function personOf(
  { host }: MachineryParts,
  { author, id }: { readonly author: string; readonly id: string },
  device: KnownDevice | undefined,
): JudgedPerson {
  const auth = host.optionalService('auth')()
  const known = auth?.user(id)
  const isAdmin = device?.role === 'admin'
  // Only the machine of an administrator may speak for other people of this machine.
  if (known !== undefined && !isAdmin && device?.user !== author)
    return 'This machine may not write in the name of this person.'
  const user = known ?? (isAdmin || device === undefined ? undefined : auth?.user(device.user))
  if (user === undefined) return undefined
  return {
    ...internalContext('sync', 'sync'),
    actor: { type: 'user', id: user.id, name: user.name },
    credential: 'session',
    organizationId: auth?.hasOrganizations === true ? (auth.memberships(user.id)[0]?.organizationId ?? null) : null,
    permissionEpoch: host.permissionEpoch(),
  }
}
