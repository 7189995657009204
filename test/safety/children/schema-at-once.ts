// The twin of the check of schema changes: the real host, changing tables of every size at once on its main thread.
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { startHost } from '#main/index.ts'
import { dataPlugin } from '#main/plugins/data/index.ts'
import type { PluginDefinition } from '#main/kernel/plugin.ts'

const never = Number.POSITIVE_INFINITY
const atOnce: PluginDefinition = {
  ...dataPlugin,
  register: (host) => dataPlugin.register(host, { slicedFrom: never, asideFrom: never }),
}

const dataDir = process.argv[process.argv.indexOf('--data') + 1]!
const plugins = [...corePlugins, ...optionalPlugins].map((plugin) => (plugin.id === 'data' ? atOnce : plugin))
const host = await startHost({ dataDir, port: 0, plugins })
process.stdout.write(`The hasty host is running at ${host.url}\n`)
process.once('SIGTERM', () => void host.stop())
