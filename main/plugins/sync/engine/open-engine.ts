// Opens the engine for the peers of this machine: joins it with the kinds of documents, with what people decide about
// conflicts, with texts that are edited live, and with what the roster says of who may write. Knows no connection.
import { internalContext } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { createConflictEngine } from '../conflicts/conflict-engine.ts'
import { maySeeEverything } from '../peers/rights.ts'
import type { Roster } from '../peers/roster.ts'
import type { RunningStart } from '../peers/running.ts'
import type { WingParts } from '../peers/service.ts'
import { createPeerRights } from '../service/shared/peer-rights.ts'
import { createPeerRooms } from '../service/shared/peer-rooms.ts'
import { createSharedTexts } from '../service/shared/shared-texts.ts'
import { createVouching } from '../service/shared/vouched.ts'
import type { Vouching } from '../service/shared/vouched.ts'
import { createEngine } from './create-engine.ts'
import type { JudgedPerson } from './create-engine.ts'
import type { DocKinds } from './doc-kinds.ts'
import { createListeners } from './log-state.ts'
import { withIdentity } from './owner-identity.ts'
import type { KnownDevice } from './replica.ts'

/**
 * How log and documents begin: as they are stored, as they are stored but with what was written while sync was off, as
 * those of a new workspace, or empty, to be filled by others.
 */
export type EngineStart = 'open' | 'again' | 'found' | 'join'

/** An engine that is joined with everything that writes into it. */
export type JoinedEngine = Awaited<ReturnType<typeof openEngine>>

/** Opens what is stored; a workspace that is founded here gets documents of everything, in the background. */
export async function openEngine(
  { host, data, metadata, conflicts, texts, storage }: WingParts,
  kinds: DocKinds,
  start: Pick<RunningStart, 'kind' | 'keys' | 'incarnation' | 'workspace' | 'disputed'>,
  roster: Roster,
) {
  const { read, write, clock, log } = host
  const { inc, beforeSending } = start.incarnation
  const { device } = start.keys
  const { identity, letters, items } = kinds
  const devices = roster.known
  kinds.identify(roster, device)
  const personHere = (author: string, known: KnownDevice | undefined): JudgedPerson =>
    personOf(host, { author, id: identity.id(author) }, known)
  const engine = await createEngine({
    host,
    data: withIdentity(data, identity),
    identity,
    metadata,
    devices,
    workspace: start.workspace.workspace,
    epoch: start.workspace.epoch,
    own: { device, inc, signer: start.keys },
    disputed: start.disputed,
    beforeSending,
    hasFile: (tx, file) => storage()?.travelling(tx, file) !== undefined,
    issuesNumbers: () => roster.issuer() === device,
    personOf: personHere,
    keptAside: kinds.judgeRemoved,
    mayModerate: (ctx) => host.authorizer.hasSystemPermission(ctx, 'moderate_feed'),
    handlers: () => [roster.handler, ...kinds.handlers],
  })
  const rights = (): string => `${host.permissionEpoch()} ${metadata.epoch()}`
  /** Whether the person of a device may read everything that travels; true where nobody here can say. */
  const mayReadAll = (known: KnownDevice): boolean => {
    const person = personHere(known.user, known)
    if (person === undefined || typeof person === 'string') return person === undefined
    if (judgedBy !== rights()) whole.clear()
    judgedBy = rights()
    const found = whole.get(person.actor.id) ?? maySeeEverything(person, host.authorizer, metadata)
    whole.set(person.actor.id, found)
    return found
  }
  let judgedBy = ''
  /** Who may read everything, by the rights of that moment. */
  const whole = new Map<string, boolean>()
  const rightsListeners = createListeners()
  kinds.join({ engine, roster, device, rightsChanged: rightsListeners.tell })
  conflicts.join(
    createConflictEngine({
      host,
      metadata,
      engine,
      devices,
      device,
      deviceName: (id) => roster.device(id)?.name,
      localId: identity.id,
      items: () => (roster.isAdmin(device) ? items : undefined),
    }),
  )
  let seenRights = ''
  /** Rights hang on accounts, profiles and definitions, and on whose machine the roster says it is. */
  const lookAtRights = (): void => {
    const now = rights()
    if (now !== seenRights) engine.retryRefused()
    seenRights = now
  }
  // What waited while the host was stopped; the kinds read documents only from here on.
  engine.reproject()
  let wasIssuer = roster.issuer() === device
  const leaveRoster = roster.onChange(() => {
    engine.retryRefused()
    const isIssuer = roster.issuer() === device
    if (isIssuer && !wasIssuer) engine.numbersDue()
    wasIssuer = isIssuer
  })
  const signer = start.keys
  const workspace = { id: start.workspace.workspace, epoch: start.workspace.epoch }
  let relayTime = (): number | undefined => undefined
  const vouch = (): Vouching =>
    createVouching({ workspace, device, signer, devices, now: () => relayTime() ?? clock.now() })
  const rooms = createPeerRooms({
    // A clock that is put right says nothing of who is there.
    now: () => performance.now(),
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
        .filter((one) => !one.isRevoked && one.device !== device)
        .map((one) => one.device),
    vouching: vouch(),
    settled: () => engine.replica.settled(),
  })
  let isOn = true
  const { docs } = engine
  const shared = { read, write, data, metadata, docs, letters, rooms, inc, workspace, signer, isOn: () => isOn }
  await texts.share(createSharedTexts(shared))
  if (start.kind === 'found' || start.kind === 'again') await engine.prepare()
  return {
    ...engine,
    rooms,
    /** Whose rights count for what somebody asks of this machine. */
    personHere,
    mayReadAll,
    /** Another text as soon as rights of accounts or definitions are others. */
    rights,
    /** Hears at once when rights may be others, after the commit. Answers how to stop. */
    onRights: rightsListeners.add,
    /** Makes and judges words through a relay, counted apart from those of others. */
    vouch,
    /** Has words through a relay made and judged by its clock: those of two machines may be far apart. */
    followRelay: (time: () => number | undefined) => void (relayTime = time),
    /** Tries again what was refused where rights may be others than at the last look; to be called often. */
    lookAtRights,
    async stop() {
      leaveRoster()
      // What is typed and not stored is recorded as ever.
      await texts.share(undefined)
      isOn = false
      await engine.stop(() => {
        kinds.join(null)
        conflicts.join(null)
      })
    },
  }
}

/**
 * A person with an account here has the rights of the account also from another machine. Whom nobody here knows writes with
 * the rights of whose machine it is, unless that is an administrator's: it speaks for its people.
 */
function personOf(
  host: PluginHost,
  { author, id }: { readonly author: string; readonly id: string },
  device: KnownDevice | undefined,
): JudgedPerson {
  const auth = host.optionalService('auth')()
  const known = auth?.user(id)
  const isAdmin = device?.role === 'admin'
  if (device !== undefined && auth?.user(device.user)?.banned === true)
    return 'The account of the person whose machine this is is locked.'
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
