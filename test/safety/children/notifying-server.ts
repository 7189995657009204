// The host with a plugin that notifies about records of one object; what was committed is sent, whatever ends it.
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { startHost } from '#main/index.ts'
import { notifyingPlugin } from '../../support/notifying-plugin.ts'

const dataDir = process.argv[process.argv.indexOf('--data') + 1]!
const host = await startHost({ dataDir, port: 0, plugins: [...corePlugins, ...optionalPlugins, notifyingPlugin] })
process.stdout.write(`The host that notifies is running at ${host.url}\n`)
process.once('SIGTERM', () => void host.stop())
