// The sync plugin: long texts that several people edit at once, this machine among its peers, and what people decide after
// machines were merged.
import { syncConflictRoutes } from '#shared/contracts/sync-conflicts.ts'
import { syncPeerRoutes, syncRoutes } from '#shared/contracts/sync.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { registerConflicts } from './conflicts/register-conflicts.ts'
import { syncErrors } from './errors.ts'
import { syncMigrations } from './migrations/index.ts'
import { syncPeerHandlers } from './peers/peer-routes.ts'
import { peerEvents } from './peers/announcer.ts'
import { createSyncService } from './peers/machines.ts'
import { createPeers } from './peers/service.ts'
import { syncHandlers } from './routes.ts'
import { createLiveTexts } from './service.ts'

/** How often credentials, rights and silent sockets are looked at: what is taken back is felt within a second. */
const sweepMs = 250

/** Lets several people edit a long text at once, and several machines keep the same data. */
export const syncPlugin = definePlugin({
  id: 'sync',
  version: '1.0.0',
  requires: ['metadata', 'permissions', 'data'],
  optional: ['auth', 'backup', 'feed', 'storage', 'workflow'],
  discovery: { service: 'sync', routeKey: 'sync', route: '/sync', feature: 'sync', capabilities: ['sync'] },
  contract: { ...syncRoutes, ...syncPeerRoutes, ...syncConflictRoutes },
  errors: syncErrors,
  migrations: syncMigrations,
  emits: [
    ...peerEvents,
    'sync.conflict.opened',
    'sync.conflict.resolved',
    'sync.problem.opened',
    'sync.problem.closed',
    'machine.paired',
    'machine.unpaired',
    'settings.changed',
  ],
  async register(host) {
    const auth = host.optionalService('auth')
    const data = host.service('data')
    const metadata = host.service('metadata')
    const texts = createLiveTexts({
      host,
      data,
      metadata,
      nameOf: ({ actor }) => auth()?.user(actor.id)?.name ?? actor.name ?? actor.id,
    })
    host.socket(texts.route)
    host.handle(syncRoutes, syncHandlers({ texts, baseUrl: () => host.options.baseUrl(), prefix: host.options.prefix }))
    const conflicts = registerConflicts(host)
    host.onCommitted('*', (event) => texts.hear(event))
    const timer = setInterval(() => texts.sweep(), sweepMs)
    timer.unref()
    // Windows go on with the next start, or the next leader, from a text that is stored whole.
    host.beforeClose(() => texts.stop())
    host.dispose(async () => {
      clearInterval(timer)
      await texts.stop()
    })

    const backup = host.optionalService('backup')
    const feed = host.optionalService('feed')
    const workflow = host.optionalService('workflow')
    const storage = host.optionalService('storage')
    const machineListeners = new Set<() => void>()
    const machinesChanged = (): void => machineListeners.forEach((listener) => listener())
    const wing = { host, data, metadata, auth, backup, feed, workflow, storage, conflicts, texts, machinesChanged }
    const peers = createPeers(wing)
    host.handle(syncPeerRoutes, syncPeerHandlers(peers, wing))
    host.provide(
      'sync',
      createSyncService(peers, host.ids, (listener) => machineListeners.add(listener)),
    )
    host.showFeature(() => peers.running() !== null)
    host.dispose(() => peers.stop())
    feed()?.nameOthers((id) => peers.running()?.roster.nameOf(peers.loaded()!.sharedId(id)))
    for (const type of ['auth.user_created', 'auth.user_updated'])
      host.onCommitted(type, () => void peers.loaded()?.tellNames({ renamed: true }))
    // Before anybody can write: what is written while sync is on is recorded.
    await peers.start()
  },
})
