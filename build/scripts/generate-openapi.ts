// Writes the OpenAPI document of all contracts to test/api/openapi.json, the committed copy that reviews and tests
// compare with. `--check` writes nothing and fails on a difference: a contract changed without its document.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { allContracts } from '#shared/contracts/index.ts'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { buildOpenApi } from '#main/http/openapi.ts'
import { isProgram, repositoryRoot } from './script.ts'

/** Where the committed document lies. */
export const OPENAPI_FILE = 'test/api/openapi.json'

/** The document as text, ready to be written. `version` is that of package.json. */
export function renderOpenApi(version: string): string {
  const errorTables = [...corePlugins, ...optionalPlugins].flatMap(({ errors }) =>
    errors === undefined ? [] : [errors],
  )
  return JSON.stringify(buildOpenApi(allContracts, { version, errorTables }), null, 2) + '\n'
}

/** Names the first lines that differ, so that a reviewer sees which route it is; '' when the texts are equal. */
export function firstDifference(committed: string, generated: string): string {
  if (committed === generated) return ''
  const before = committed.split('\n')
  const after = generated.split('\n')
  const line = after.findIndex((text, index) => text !== before[index])
  const at = line < 0 ? after.length : line
  return `line ${at + 1}\n  - ${before[at] ?? '(end)'}\n  + ${after[at] ?? '(end)'}`
}

function main(): number {
  const root = repositoryRoot()
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const generated = renderOpenApi(version)
  const file = join(root, OPENAPI_FILE)
  if (process.argv.includes('--check')) {
    const committed = existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\r\n', '\n') : ''
    const difference = firstDifference(committed, generated)
    if (difference)
      console.error(`${OPENAPI_FILE} is not what the contracts say (run "npm run openapi"): ${difference}`)
    return difference ? 1 : 0
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, generated)
  console.log(`${OPENAPI_FILE}: ${allContracts.length} routes`)
  return 0
}

if (isProgram(import.meta.url)) process.exitCode = main()
