// A machine of the model over a real host: its database, its clock, its engine and the sidecar beside the database. A pool
// of them is started once and emptied before each schedule. Knows no network and nothing of what is expected.
import { corePlugins } from '../../../main/host.ts'
import { feedPlugin } from '#main/plugins/feed/index.ts'
import { createFeedService } from '#main/plugins/feed/service.ts'
import type { ManualClock } from '#main/kernel/clock.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { internalContext } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { IncarnationVerdict, Sidecar } from '#main/replication/channel/incarnation.ts'
import { judgeIncarnation } from '#main/replication/channel/incarnation.ts'
import { followRecords } from '#main/plugins/sync/conflicts/conflict-service.ts'
import { createEngine } from '#main/plugins/sync/engine/create-engine.ts'
import type { SyncEngine } from '#main/plugins/sync/engine/create-engine.ts'
import type { JoinedKinds } from '#main/plugins/sync/engine/doc-kinds.ts'
import { syncMigrations } from '#main/plugins/sync/migrations/index.ts'
import { rawPublicKey, signerOf } from '#main/replication/wire/device-key.ts'
import { createTestHost } from '../create-test-host.ts'
import type { TestHost } from '../create-test-host.ts'
import { createTestWorkspace } from '../sync-machine.ts'
import type { TestWorkspace } from '../sync-machine.ts'
import { createModelKinds } from './host-kinds.ts'
import { notePasts } from './host-journal.ts'
import type { Machine, Member } from './machine.ts'
import { personOf, profiles } from './rights.ts'
import type { Rights } from './rights.ts'
import { itemOf, newer, OBJECTS, sums } from './objects.ts'
import { dropAside, putSchemas, takeSchemas } from './schema-image.ts'
import type { SchemaImage } from './schema-image.ts'
import { imageTables, putImage, takeImage } from './table-image.ts'
import type { TableImage } from './table-image.ts'

/** The beginning of the model's time. */
export const START = 1_790_000_000_000

/** A machine of the model. */
export interface ModelMachine extends Machine {
  readonly host: TestHost
  readonly plugin: PluginHost
  readonly metadata: MetadataService
  readonly clock: ManualClock
  readonly engine: SyncEngine
  readonly isOn: boolean
  /** Says whose machine it is, while sync is off: an administrator's without a member. */
  join(member: Member | undefined): void
  /** Empties the machine; sync is off after it. */
  clear(): Promise<void>
  /**
   * Turns sync on, or starts it again on what is stored; `fresh` is the number of an incarnation that must begin. Without
   * options definitions travel as they did last.
   */
  open(fresh: number, options?: { readonly withSchemas: boolean }): Promise<IncarnationVerdict>
  /** Ends sync, in order or as a crash would. */
  close(inOrder: boolean): Promise<void>
  image(): MachineImage
  /** Puts what an image has in place of the machine's; sync has to be closed. */
  restore(image: MachineImage): Promise<void>
  /** A copy of the whole data folder, the sidecar included. */
  folder(): DataFolder
  /** Puts a copy of the folder in its place, made when the host had stopped or while it ran; sync has to be closed. */
  putBack(folder: DataFolder, stopped: boolean): Promise<void>
  stop(): Promise<void>
}

/** A copy of a machine's database. */
export interface MachineImage {
  readonly schemas: SchemaImage
  readonly rows: TableImage
}

/** A copy of a machine's data folder. */
export interface DataFolder {
  readonly image: MachineImage
  readonly sidecar: Sidecar | undefined
}

/** What a mistake in a test double of the network or the restart may change. */
export interface MachineRules {
  judge(...facts: Parameters<typeof judgeIncarnation>): IncarnationVerdict
}

const faithful: MachineRules = { judge: judgeIncarnation }

/** Thrown by a write that {@link ModelMachine.failNext} was told of. */
export class Failed extends Error {}

/** Starts a machine whose clock stands at {@link START}. */
export async function createModelMachine(
  workspace: TestWorkspace,
  name: string,
  rules: MachineRules = faithful,
): Promise<ModelMachine> {
  const { device, privateKey } = workspace.add(name)
  const signer = { ...signerOf(privateKey), signKey: rawPublicKey(privateKey) }
  const clock = createManualClock(START)
  let member: Member | undefined
  let plugin: PluginHost | undefined
  let engine: SyncEngine | undefined
  let mark = (): string | null => null
  let provisional = 0
  let inc = 0
  let boots = 0
  let sidecar: Sidecar | undefined
  /** The database file, as the file system knows it: no copy of it is the same. */
  let file = 0
  let failing: string | null = null
  let requests = 0
  /** Fails behind everything else that is gathered, and what that gathers: the log has grown by then. */
  const fail = ([later]: readonly { readonly tx: Tx; readonly turns: number }[]): void => {
    const { tx, turns } = later!
    if (turns === 0) throw new Failed('The write was taken back.')
    tx.gather(fail, { tx, turns: turns - 1 })
  }
  const probe = definePlugin({
    id: 'sync',
    version: '1.0.0',
    requires: ['settings', 'metadata', 'data', 'permissions', 'feed'],
    optional: ['auth'],
    migrations: syncMigrations,
    emits: ['sync.conflict.opened', 'sync.conflict.resolved', 'sync.problem.opened', 'sync.problem.closed'],
    register(host) {
      plugin = host
      const metadata = host.service('metadata')
      host.service('data').setNumbering({
        provisional: () => (mark() === null ? null : `#~${mark()!}-${(provisional += 1)}`),
      })
      followRecords(host, metadata, () => engine !== undefined)
      for (const type of ['created', 'updated', 'deleted', 'restored', 'purged']) {
        host.on(`record.${type}`, (event, tx) => {
          if (failing === null || event.source === 'sync') return
          if (failing !== '' && failing !== event.recordId) return
          tx.gather(fail, { tx, turns: 4 })
        })
      }
    },
  })
  const plugins = [...corePlugins.filter(({ id }) => id !== 'search'), feedPlugin, probe]
  const host = await createTestHost({ plugins, clock, validateResponses: false })
  const { read, write } = plugin!
  await notePasts(plugin!)
  const metadata = plugin!.service('metadata')
  const kinds = createModelKinds(plugin!)
  const feed = createFeedService({
    read,
    write,
    heavy: plugin!.heavy,
    clock,
    ids: plugin!.ids,
    authorizer: () => plugin!.authorizer,
    data: plugin!.service('data'),
    metadata,
    permissions: plugin!.service('permissions'),
    settings: plugin!.service('settings'),
    auth: () => undefined,
    storage: () => undefined,
  })
  /** A call of somebody with the rights of their account. */
  const asPerson = (id: string, requestId: string, source: 'API' | 'sync'): RequestContext => ({
    ...internalContext(requestId, source),
    actor: { type: 'user', id, name: id },
    credential: 'session',
    permissionEpoch: plugin!.permissionEpoch(),
  })
  let withSchemas = false
  let leave: () => void = () => undefined
  /** The definitions that {@link createPool} made. */
  let origin: SchemaImage = []
  const tables = (): readonly string[] => imageTables(read)

  const workspaceRow = (): { device: string; inc: number; boots: number; lastSeq: number } | undefined =>
    read.get(
      statement<{ device: string; inc: number; boots: number; lastSeq: number }>(
        `SELECT w.device, w.inc, w.boot_counter AS boots, coalesce(i.stored_seq, 0) AS lastSeq
         FROM sync_workspace w LEFT JOIN sync_inc i ON i.inc = w.inc`,
      ),
    )

  const image = (withAside = false): MachineImage => ({
    schemas: takeSchemas(metadata),
    rows: takeImage(read, tables(), withAside),
  })
  const restore = async ({ schemas, rows }: MachineImage): Promise<void> => {
    await putSchemas(plugin!, schemas)
    await write('model.restore', (tx) => putImage(tx, rows))
  }
  const putImageOf = async (from: MachineImage): Promise<void> => {
    await restore(from)
    // What changes of definitions put aside is in no image.
    await dropAside(plugin!)
  }
  const end = async (): Promise<void> => {
    await engine!.stop(leave)
    engine = undefined
    await kinds.close()
  }

  return {
    name,
    host,
    plugin: plugin!,
    data: plugin!.service('data'),
    metadata,
    feed,
    clock,
    get engine() {
      return engine!
    },
    get inc() {
      return inc
    },
    get isOn() {
      return engine !== undefined
    },
    get member() {
      return member
    },
    get people() {
      return member === undefined ? ['user-a', 'user-b'] : [personOf(member.rights)]
    },
    ctx(person = member === undefined ? `user-${name}` : personOf(member.rights)) {
      const ctx = asPerson(person, `model-${(requests += 1)}`, 'API')
      // Whom nobody gave an account works as the owner of the machine.
      return member?.isKnownAtHome === true ? ctx : { ...ctx, credential: 'internal' }
    },
    join(next) {
      member = next
      workspace.give(
        name,
        next === undefined ? `user of ${name}` : personOf(next.rights),
        next === undefined ? 'admin' : 'member',
      )
    },
    async bringBack(object) {
      const { body } = await host.get(`/meta/object/${object}/backups`)
      const [newest] = (body.data ?? []) as { readonly id: string }[]
      if (newest === undefined) return
      const { status, body: answer } = await host.post(`/meta/object/${object}/backups/${newest.id}/restore`)
      if (status >= 500) throw new Error(`What was put aside did not come back: ${JSON.stringify(answer)}`)
    },
    failNext(recordId) {
      failing = recordId
    },
    async clear() {
      if (engine !== undefined) await end()
      sidecar = undefined
      boots = 0
      host.takeEvents()
      if (origin.length === 0) origin = takeSchemas(metadata)
      await putSchemas(plugin!, origin)
      await dropAside(plugin!)
      await write('model.clear', (tx) => {
        putImage(tx, new Map(tables().map((table) => [table, []])))
        tx.run(statement('DELETE FROM model_past'))
      })
    },
    async open(fresh, options) {
      withSchemas = options?.withSchemas ?? withSchemas
      const row = workspaceRow()
      const database =
        row === undefined
          ? undefined
          : { device: row.device, inc: row.inc, bootCounter: row.boots, lastSeq: row.lastSeq }
      const verdict = rules.judge({ device, database, sidecar, file: String(file) })
      inc = verdict.keep ? verdict.inc : fresh
      boots = Math.max(row?.boots ?? 0, sidecar?.bootCounter ?? 0, boots) + 1
      await write('model.open', (tx) =>
        tx.run(
          statement(
            `INSERT INTO sync_workspace (only, ws, epoch, device, inc, boot_counter, hlc, state, founder, genesis, settings)
             VALUES (1, ?, 1, ?, ?, ?, '', 'on', 0, '', '{}') ON CONFLICT (only) DO UPDATE
             SET device = excluded.device, inc = excluded.inc, boot_counter = excluded.boot_counter`,
            [workspace.id, device, inc, boots],
          ),
        ),
      )
      const sent = verdict.keep ? (sidecar?.lastSeqSent ?? 0) : 0
      sidecar = { device, inc, bootCounter: boots, lastSeqSent: sent, stopped: false, file: String(file) }
      const made = kinds.open(withSchemas)
      mark = made.provisionalMark
      engine = await createEngine({
        host: plugin!,
        data: plugin!.service('data'),
        metadata: plugin!.service('metadata'),
        devices: workspace.devices,
        workspace: workspace.id,
        epoch: 1,
        own: { device, inc, signer },
        beforeSending: (lastSeq) => {
          sidecar = { ...sidecar!, lastSeqSent: Math.max(sidecar!.lastSeqSent, lastSeq) }
        },
        issuesNumbers: () => name === workspace.issuer(),
        personOf: (_author, from) => {
          const isFree = from?.device === device && member?.isKnownAtHome !== true
          return from?.role !== 'member' || isFree ? undefined : asPerson(from.user, 'sync', 'sync')
        },
        keptAside: made.judgeRemoved,
        handlers: () => made.handlers,
      })
      made.join({ engine, roster: rosterOf(workspace), device })
      leave = () => made.join(null)
      engine.reproject()
      return verdict
    },
    async close(inOrder) {
      // What an orderly end would still write is not there after a crash.
      const left = inOrder ? null : image(true)
      await end()
      if (left !== null) await restore(left)
      if (inOrder) sidecar = { ...sidecar!, stopped: true }
    },
    image: () => image(),
    restore: putImageOf,
    folder: () => ({ image: image(), sidecar }),
    async putBack(folder, stopped) {
      await putImageOf(folder.image)
      sidecar = folder.sidecar === undefined ? undefined : { ...folder.sidecar, stopped }
      file += 1
    },
    uidOf: (object) => origin.find(({ name: one }) => one === object)!.uid,
    fieldName(object, field) {
      const item = origin.find(({ name: one }) => one === object)!
      const { uid } = item.fields!.find(({ name: one }) => one === field)!
      return metadata.objectSchema(object)!.fields.find((one) => one.uid === uid)!.name
    },
    async stop() {
      if (engine !== undefined) await end()
      await host.stop()
    },
  }
}

/** Who takes part, as the roster would say it. */
function rosterOf({ devices, issuer }: TestWorkspace): JoinedKinds['roster'] {
  return {
    issuer: () => issuer() ?? null,
    devices: () => [],
    isAdmin: () => false,
    changeDevice: () => undefined,
    device(id) {
      const found = devices.find(id)
      if (found === undefined) return undefined
      const { device, user, role } = found
      const keys = { signKey: '', fingerprint: '' }
      return { device, name: device, user, userName: user, ...keys, role, addedAt: '', revokedAt: null }
    },
  }
}

/**
 * Starts machines that know the same objects.
 * @param options `newer`: the first machine has a field that {@link upgradePool} gives to the others
 */
export async function createPool(
  count: number,
  rules?: MachineRules,
  options: { readonly newer?: boolean } = {},
): Promise<readonly ModelMachine[]> {
  const workspace = createTestWorkspace()
  const machines: ModelMachine[] = []
  for (let index = 0; index < count; index += 1) {
    const machine = await createModelMachine(workspace, 'abcdefg'[index]!, rules)
    machines.push(machine)
    const part = options.newer === true && index === 0 ? { ...OBJECTS.part, ...newer } : OBJECTS.part
    await define(machine, 'part', part, machines[0]!)
    await define(machine, 'item', OBJECTS.item, machines[0]!)
    await define(machine, 'memo', OBJECTS.memo, machines[0]!)
    await define(machine, 'part', { ...part, ...sums }, machines[0]!)
    await knowPeople(machine)
  }
  return machines
}

/** Gives people their rights, as an administrator does on each machine. */
async function knowPeople({ metadata, plugin }: ModelMachine): Promise<void> {
  for (const [rights, item] of Object.entries(profiles) as [Rights, Record<string, unknown>][]) {
    const body = { name: rights, label: rights, ...item }
    const profile = { type: 'profile', name: rights, item: body, packageId: 'org.example.model' } as const
    await metadata.save(internalContext('model'), { ...profile, authorized: true })
    await plugin.write('model.rights', (tx) =>
      plugin.service('permissions').assign(tx, personOf(rights), { profile: rights, roles: [], permissionSets: [] }),
    )
  }
}

/** Gives all machines the field that the first one has. */
export async function upgradePool(machines: readonly ModelMachine[]): Promise<void> {
  for (const machine of machines.slice(1))
    await define(machine, 'part', { ...OBJECTS.part, ...newer, ...sums }, machines[0]!)
}

async function define(machine: ModelMachine, name: string, fields: object, first: ModelMachine): Promise<void> {
  const schema = machine === first ? undefined : first.metadata.objectSchema(name)
  const uids =
    schema === undefined
      ? {}
      : {
          returningUids: {
            object: schema.uid,
            fields: Object.fromEntries(schema.fields.map((field) => [field.name, field.uid])),
          },
        }
  await machine.metadata.save(internalContext('model'), {
    type: 'object',
    name,
    item: itemOf(name, fields),
    ...uids,
  })
}
