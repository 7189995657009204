// The twin of the check of a full disk: the real host that keeps nothing for that day.
import { startHost } from '#main/index.ts'

const dataDir = process.argv[process.argv.indexOf('--data') + 1]!
const host = await startHost({ dataDir, port: 0, ballastBytes: 0 })
process.stdout.write(`The host without a ballast is running at ${host.url}\n`)
process.once('SIGTERM', () => void host.stop())
