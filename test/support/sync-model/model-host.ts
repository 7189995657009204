// The program as a process of its own for schedules of the model: it makes no backups, and notes beside each envelope what had
// been applied by then. Knows no step.
import { definePlugin } from '#main/kernel/plugin.ts'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { startHost } from '#main/index.ts'
import { withoutBackups } from '../synced-hosts.ts'
import { notePasts } from './host-journal.ts'

const dataDir = process.argv[process.argv.indexOf('--data') + 1]!
const model = definePlugin({ id: 'model', version: '1.0.0', requires: ['sync'], register: notePasts })
const plugins = [...withoutBackups([...corePlugins, ...optionalPlugins]), model]
/** How far the clock of this machine is wrong. */
const offset = Number(process.env['CAIRN_MODEL_CLOCK_MS'] ?? 0)
const now = (): number => Date.now() + offset
const clock = { now, iso: () => new Date(now()).toISOString() }
const host = await startHost({ dataDir, port: 0, plugins, clock })
process.on('SIGTERM', () => {
  void host.stop().then(() => process.exit(0))
})
process.stdout.write(`The host is running at ${host.url}\n`)
