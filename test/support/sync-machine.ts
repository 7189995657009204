// A host with the engine of sync on it and no connection: what tests of the log and the documents start from. Machines
// are joined by `exchange`, which carries what one has and the other lacks.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { statement } from '#main/kernel/database.ts'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { syncConflictRoutes } from '#shared/contracts/sync-conflicts.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { createConflictEngine } from '#main/plugins/sync/conflicts/conflict-engine.ts'
import type { Conflicts } from '#main/plugins/sync/conflicts/register-conflicts.ts'
import { registerConflicts } from '#main/plugins/sync/conflicts/register-conflicts.ts'
import { createEngine } from '#main/plugins/sync/engine/create-engine.ts'
import type { SyncEngine } from '#main/plugins/sync/engine/create-engine.ts'
import type { Devices, KnownDevice } from '#main/plugins/sync/engine/replica.ts'
import type { DocKindHandler, DocWriter } from '#main/plugins/sync/engine/docs.ts'
import { syncPlugin } from '#main/plugins/sync/index.ts'
import { rawPublicKey, signerOf } from '#main/replication/wire/device-key.ts'
import { missingRanges } from '#main/replication/wire/vector-codec.ts'
import { captureRecords } from '#main/plugins/sync/write/record-capture.ts'
import { createTestHost } from './create-test-host.ts'
import type { TestHost } from './create-test-host.ts'

/** The devices of a workspace, known to all of them. */
export interface TestWorkspace {
  readonly id: Uint8Array
  readonly devices: Devices
  /** The device that gives numbers: the first. */
  issuer(): string | undefined
  add(name: string, role?: KnownDevice['role']): { device: string; privateKey: KeyObject }
  /** Says anew whose a device is. */
  give(name: string, user: string, role: KnownDevice['role']): void
  /** Unpairs a device: of its logs counts what is named. */
  unpair(name: string, seen: Readonly<Record<string, number>>): void
}

/** A machine of a workspace. */
export interface SyncMachine {
  readonly host: TestHost
  readonly plugin: PluginHost
  readonly data: DataService
  readonly metadata: MetadataService
  readonly engine: SyncEngine
  readonly inc: number
  /** Ends the engine and opens it anew on what is stored, as another incarnation unless `inc` is given. */
  reopen(inc?: number): Promise<void>
  stop(): Promise<void>
}

/** Makes a workspace without machines. */
export function createTestWorkspace(): TestWorkspace {
  const known = new Map<string, KnownDevice>()
  return {
    id: new Uint8Array(randomBytes(16)),
    devices: {
      all: () => [...known.values()],
      find: (device) => known.get(device),
      nameOf: (user) => `Name of ${user}`,
    },
    issuer: () => known.keys().next().value,
    unpair: (name, seen) => void known.set(name, { ...known.get(name)!, isRevoked: true, seen }),
    give: (name, user, role) => void known.set(name, { ...known.get(name)!, user, role }),
    add(name, role = 'admin') {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519')
      known.set(name, { device: name, user: `user of ${name}`, publicKey, role, isRevoked: false })
      return { device: name, privateKey }
    },
  }
}

/** Starts a host with a machine's engine. @param found whether what it has becomes documents */
export async function createSyncMachine(
  workspace: TestWorkspace,
  name: string,
  options: {
    readonly handlers?: (docs: DocWriter, host: PluginHost) => readonly DocKindHandler[]
    readonly role?: KnownDevice['role']
  } = {},
): Promise<SyncMachine> {
  const { device, privateKey } = workspace.add(name, options.role)
  const signer = { ...signerOf(privateKey), signKey: rawPublicKey(privateKey) }
  let plugin: PluginHost | undefined
  let engine: SyncEngine | undefined
  let provisional = 0
  const probe = definePlugin({
    id: 'sync_probe',
    version: '1.0.0',
    requires: ['metadata', 'data', 'permissions', 'feed'],
    register(host) {
      plugin = host
      captureRecords(host, host.service('metadata'), () => engine?.docs)
      host.service('data').setNumbering({
        provisional: () => (workspace.issuer() === name ? null : `#~${name}-${(provisional += 1)}`),
      })
      host.onCommitted('*', ({ type }) => {
        if (type.startsWith('metadata.')) engine?.reproject()
      })
    },
  })
  let conflicts: Conflicts | undefined
  // In place of the plugin, whose engine nobody reaches: its tables, and the routes of conflicts.
  const sync = definePlugin({
    ...syncPlugin,
    contract: syncConflictRoutes,
    register(host) {
      conflicts = registerConflicts(host)
    },
  })
  const others = optionalPlugins.filter(({ id }) => id !== 'sync')
  const host = await createTestHost({ plugins: [...corePlugins, ...others, sync, probe] })
  const data = plugin!.service('data')
  const metadata = plugin!.service('metadata')
  let inc = randomBytes(4).readUInt32LE() || 1
  await plugin!.write('test.workspace', (tx) =>
    tx.run(
      statement(
        `INSERT INTO sync_workspace (only, ws, epoch, device, inc, boot_counter, hlc, state, founder, genesis, settings)
         VALUES (1, ?, 1, ?, ?, 1, '', 'on', 0, '', '{}')`,
        [workspace.id, device, inc],
      ),
    ),
  )
  const { devices } = workspace
  const open = async (): Promise<SyncEngine> => {
    const opened = await createEngine({
      host: plugin!,
      data,
      metadata,
      devices,
      workspace: workspace.id,
      epoch: 1,
      own: { device, inc, signer },
      beforeSending: () => undefined,
      issuesNumbers: () => name === workspace.issuer(),
      handlers: (docs) => options.handlers?.(docs, plugin!) ?? [],
    })
    const deviceName = (id: string): string => `Machine ${id}`
    conflicts!.join(createConflictEngine({ host: plugin!, metadata, engine: opened, devices, device, deviceName }))
    return opened
  }
  engine = await open()
  return {
    host,
    plugin: plugin!,
    data,
    metadata,
    get engine() {
      return engine!
    },
    get inc() {
      return inc
    },
    async reopen(next = randomBytes(4).readUInt32LE() || 1) {
      await engine!.stop()
      inc = next
      engine = await open()
    },
    async stop() {
      await engine!.stop()
      await host.stop()
    },
  }
}

/** Carries to `to` what it lacks of `from`, in runs of about `maxBytes`; answers how many envelopes came over. */
export async function carry(from: SyncMachine, to: SyncMachine, maxBytes = 256 * 1024): Promise<number> {
  const source = from.engine.replica
  const target = to.engine.replica
  let carried = 0
  for (const range of missingRanges(target.vector(), source.vector())) {
    for (let at = range.from; at <= range.to;) {
      const { envelopes, heads } = source.read({ ...range, from: at }, maxBytes)
      const last = envelopes.at(-1)
      const head = heads.find(({ seq }) => seq === last?.seq)
      if (last === undefined || head === undefined) throw new Error('A part of the log has no head.')
      const received = await target.receive(envelopes, head)
      if (!received.ok) throw new Error(`A run was refused: ${received.reason}.`)
      carried += received.stored
      at = last.seq + 1
    }
  }
  await target.settled()
  return carried
}

/** Carries both ways until nobody lacks anything. */
export async function exchange(...machines: readonly SyncMachine[]): Promise<void> {
  for (let moved = 1; moved > 0;) {
    moved = 0
    for (const from of machines) for (const to of machines) if (from !== to) moved += await carry(from, to)
  }
}
