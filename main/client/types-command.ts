// `cairn types`: prints declarations of the workspace's objects, for programs in TypeScript.
import { parseArgs } from 'node:util'
import { commonOptions, exitCodeOf } from './command-line.ts'
import { declarationsOf } from './declarations.ts'
import { connectToHost } from './host-client.ts'

const usage = `Usage: cairn types [--data DIR] > cairn.d.ts

  Prints TypeScript declarations of the objects you may read: what records hold, what creating and changing one takes,
  and a client. CAIRN_API_KEY narrows them to what that key may read.
`

/** Prints the declarations and answers the exit code. */
export function runTypes(argv: readonly string[]): Promise<number> {
  const read = () => parseArgs({ args: [...argv], options: commonOptions })
  return exitCodeOf(usage, read, async (_given, dataDir) => {
    const host = await connectToHost(dataDir)
    const { items } = await host.json({ method: 'GET', path: '/meta/object' })
    const { text, left } = declarationsOf(items as Record<string, unknown>[])
    process.stdout.write(text)
    for (const name of left) process.stderr.write(`The object ${name} was left out: you may read too little of it.\n`)
    return 0
  })
}
