// Loads the example application into a running host:
//
//   node test/support/load-crm.ts DATA_DIR
import { connectToDataDir } from './api-call.ts'
import { loadCrm } from './crm.ts'

const dataDir = process.argv[2]
if (dataDir === undefined) throw new Error('load-crm.ts needs the data directory of a running host')
for (const [object, count] of await loadCrm(connectToDataDir(dataDir))) {
  process.stdout.write(`${object}: ${count} records\n`)
}
