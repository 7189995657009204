// Where the bundled program lies, and which programs of the safety checks are bundled with it. Knows paths only.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the program. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The program as a person starts it. */
export const cairnEntry = join(root, 'dist/host/cli.js')

/** The folder of the bundled programs of the checks. */
export const childBundles = join(root, 'dist/test')

/** Programs of test/safety/children that are bundled: whole hosts that many tests start. Twins need the sources. */
export const bundledChildren: readonly string[] = ['sync-host', 'notifying-server', 'socket-host']
