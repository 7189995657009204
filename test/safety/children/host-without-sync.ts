// The twin of the sync check: the real host with the durability of its database switched off.
import { startHost } from '#main/index.ts'

const dataDir = process.argv[process.argv.indexOf('--data') + 1]!
const host = await startHost({ dataDir, port: 0, durable: false })
process.stdout.write(`The host without sync is running at ${host.url}\n`)
process.once('SIGTERM', () => void host.stop())
