// The real host with four people in place of accounts, for the checks of sync. CAIRN_TWIN names a guard that is taken out
// of it. On SIGUSR2 it notes in the file `heap` of its data folder what lives in its memory.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { SyncGuard } from '../sync/mutations.ts'
import { takeOut } from '../sync/mutations.ts'

const dataDir = process.argv[process.argv.indexOf('--data') + 1]!
const guard = process.env['CAIRN_TWIN'] ?? ''
if (guard !== '') takeOut(guard as SyncGuard)
const [{ startHost }, { testIdentityPlugins }] = await Promise.all([
  import('#main/index.ts'),
  import('../../support/test-identities.ts'),
])

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
process.on('SIGUSR2', () => {
  collect()
  collect()
  writeFileSync(join(dataDir, 'heap'), String(process.memoryUsage().heapUsed))
})

const host = await startHost({ dataDir, port: 0, plugins: testIdentityPlugins({ users: [{}, {}, {}, {}] }) })
process.on('SIGTERM', () => {
  void host.stop().then(() => process.exit(0))
})
process.stdout.write(`The host is running at ${host.url}\n`)
