// `cairn types`: prints declarations of the workspace's objects, for programs in TypeScript.
import { parseArgs } from 'node:util'
import { locateDataDir } from '#main/data-dir.ts'
import { exitCodeOf } from './command-line.ts'
import { declarationsOf } from './declarations.ts'
import { connectToHost } from './host-client.ts'

const usage = `Usage: cairn types [--data DIR] > cairn.d.ts

  Prints TypeScript declarations of the objects you may read: what records hold, what creating and changing one takes,
  and a client. CAIRN_API_KEY narrows them to what that key may read.
`

/** Prints the declarations and answers the exit code. */
export function runTypes(argv: readonly string[]): Promise<number> {
  return exitCodeOf(usage, async () => {
    const { values } = parseArgs({
      args: [...argv],
      options: { data: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    })
    if (values.help === true) {
      process.stdout.write(usage)
      return 0
    }
    const host = await connectToHost(locateDataDir(values.data))
    const { items } = await host.json({ method: 'GET', path: '/meta/object' })
    const { text, left } = declarationsOf(items as Record<string, unknown>[])
    process.stdout.write(text)
    for (const name of left) process.stderr.write(`The object ${name} was left out: you may read too little of it.\n`)
    return 0
  })
}
