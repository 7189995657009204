// The relay as a command: reads the command line, says what a person needs to know, ends on a signal. Holds no capability.
import path from 'node:path'
import { parseArgs } from 'node:util'
import { DataDirInUse } from '#main/data-dir.ts'
import { readableFingerprint } from '#main/replication/channel/fingerprint.ts'
import type { RelayStart, RunningRelay } from './start-relay.ts'
import { startRelay } from './start-relay.ts'

const usage = `Usage: npm run relay -- --data DIR --port N [--listen ADDRESS] [--admin-token-file FILE]

  --data DIR               folder of the relay's data, made where there is none
  --port N                 port to listen on
  --listen ADDRESS         address of one interface (else 127.0.0.1); may be given several times
  --admin-token-file FILE  private file with the admin token that counts from now on; without one the first start makes
                           a token and prints it once
`

/** Runs a relay until SIGINT or SIGTERM, and answers the exit code: 0 after a signal, 1 when it could not start, 2 for a wrong command line. */
export async function runRelay(argv: readonly string[]): Promise<number> {
  let options: RelayStart | undefined
  try {
    options = parse(argv)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`)
    return 2
  }
  if (options === undefined) {
    process.stdout.write(usage)
    return 0
  }
  // Before anything is open: a signal during the start ends what has been started.
  const asked = new Promise<void>((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  let relay: RunningRelay
  try {
    relay = await startRelay(options)
  } catch (error) {
    const message =
      error instanceof DataDirInUse ? error.message : `The relay could not start: ${(error as Error).message}`
    process.stderr.write(`${message}\n`)
    return 1
  }
  process.stdout.write(greeting(relay))
  await asked
  await relay.stop()
  return 0
}

/** The fingerprint at every start; what is needed once, at the start that made the token. */
function greeting({ fingerprint, madeToken, listening }: RunningRelay): string {
  const name = `Fingerprint  ${readableFingerprint(fingerprint)}\n`
  if (madeToken === undefined) return name
  const addresses = listening.map(
    ({ address, port }) => (address.includes(':') ? `[${address}]` : address) + `:${port}`,
  )
  return `Address      ${addresses.join(', ')}\n${name}Admin token  ${madeToken}  (shown this once)\n`
}

function parse(argv: readonly string[]): RelayStart | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      data: { type: 'string' },
      port: { type: 'string' },
      listen: { type: 'string', multiple: true },
      'admin-token-file': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) return undefined
  const { data, port, listen: addresses = ['127.0.0.1'], 'admin-token-file': adminTokenFile } = values
  if (data === undefined || data === '') throw new Error('Which folder? Name it with --data.')
  if (port === undefined || !/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535)
    throw new Error('Which port? Name one from 1 to 65535 with --port.')
  return {
    dataDir: path.resolve(data),
    addresses,
    port: Number(port),
    ...(adminTokenFile !== undefined && { adminTokenFile: path.resolve(adminTokenFile) }),
  }
}
