// A node of a hub as a process of its own, without HTTP: the real store, file, follower and write queue; writes and reads
// come and are answered as messages. It ends at once when it may answer nothing any more, as a host does.
import { createDatabase } from '#main/database/create-database.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import { statement } from '#main/kernel/database.ts'
import { createEventBus } from '#main/kernel/events.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { createHubNode } from '#main/hub/node.ts'
import { forkSpawner } from '#main/workers/fork-spawner.ts'

/** What a node is told on its command line, as JSON. */
export interface HubChildSettings {
  readonly url: string
  readonly workspace: string
  readonly key: string
  readonly file: string
  readonly name: string
  readonly leaseMs: number
}

/** What it is sent. */
export type HubChildAsk =
  | { readonly write: number }
  | { readonly read: number }
  | { readonly handOver: string }
  | { readonly stop: true }

/** What it says. */
export type HubChildWord =
  | { readonly leads: { readonly epoch: number; readonly seq: number } }
  | { readonly node: string }
  | { readonly written: number }
  | { readonly failed: number; readonly message: string }
  | { readonly ids: readonly number[]; readonly read: number }

const settings = JSON.parse(process.argv[2]!) as HubChildSettings
const say = (word: HubChildWord): void => void process.send?.(word)
const log = createLogger({ destination: { write: (line: string) => void process.stderr.write(line) } })
const node = createHubNode({
  ...settings,
  key: Buffer.from(settings.key, 'base64'),
  address: settings.name,
  log,
  onEnd: (reason) => {
    process.stderr.write(`${reason.message}\n`)
    process.exit(3)
  },
  snapshots: { everyRows: 100, lookMs: 500, keepMs: 0 },
})
say({ node: node.node })
process.on('disconnect', () => process.exit(4))
let closeDatabase = (): Promise<void> => Promise.resolve()
process.on('message', (ask: HubChildAsk) => {
  if (!('stop' in ask)) return
  void closeDatabase()
    .then(() => node.close())
    .then(() => process.exit(0))
})
const led = await node.lead()
if (led !== null) {
  const clock = createManualClock(0)
  const bus = createEventBus({ clock, log })
  const ports = { spawn: forkSpawner }
  const database = await createDatabase({ file: settings.file, bus, clock, log, ports, openLog: led.openLog })
  closeDatabase = database.close
  process.on('message', (ask: HubChildAsk) => {
    if ('write' in ask) {
      const { write: id } = ask
      database
        .write('insert', (tx) =>
          tx.run({ sql: 'INSERT INTO item (id, body) VALUES (?, ?)', parameters: [id, 'x'.repeat(id % 3000)] }),
        )
        .then(
          () => say({ written: id }),
          (error: Error) => say({ failed: id, message: error.message }),
        )
    } else if ('read' in ask) {
      if (!led.lease.holds()) return
      const rows = database.read.all<{ id: number }>(statement('SELECT id FROM item'))
      say({ read: ask.read, ids: rows.map(({ id }) => id) })
    } else if ('handOver' in ask) void led.handOver(ask.handOver).catch(() => undefined)
  })
  say({ leads: led.chain.stored() })
}
