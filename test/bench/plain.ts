// The host without its command line, with every plugin or without the one of sync: both start alike, so that what differs
// is the plugin alone.
//
//   node test/bench/plain.ts --data DIR [--without sync]     prints "Cairn is running at http://127.0.0.1:<port>"
import { parseArgs } from 'node:util'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { startHost } from '#main/index.ts'

const { values: flags } = parseArgs({ options: { data: { type: 'string' }, without: { type: 'string' } } })
if (flags.data === undefined) throw new Error('plain.ts needs --data DIR')

const plugins = [...corePlugins, ...optionalPlugins].filter(({ id }) => id !== flags.without)
const host = await startHost({ dataDir: flags.data, port: 0, returnsMemory: true, plugins })
process.once('SIGTERM', () => void host.stop())
process.stdout.write(`Cairn is running at ${host.url}\n`)
await host.stopped
