// Where the bundled program lies, and which programs of the safety checks are bundled with it. Knows paths only.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the program. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The program as a person starts it. */
export const cairnEntry = join(root, 'dist/host/cli.js')

/** The folder of the bundled programs of the checks. */
export const childBundles = join(root, 'dist/test')

/** Programs of the tests that are bundled, by name: whole hosts that many tests start. Twins need the sources. */
export const bundledChildren: Readonly<Record<string, string>> = {
  'model-host': 'test/support/sync-model/model-host.ts',
  'notifying-server': 'test/safety/children/notifying-server.ts',
  'socket-host': 'test/safety/children/socket-host.ts',
  'sync-host': 'test/safety/children/sync-host.ts',
}

/** Path of a bundled program, or of its source where a guard is taken out of it (CAIRN_TWIN). */
export function bundledEntry(name: string): string {
  return (process.env['CAIRN_TWIN'] ?? '') === ''
    ? join(childBundles, `${name}.js`)
    : join(root, bundledChildren[name]!)
}
