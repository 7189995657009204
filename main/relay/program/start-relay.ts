// Starts a relay on a data folder and a port, and stops it in reverse. Knows the order of things, no command line.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { openDataDir } from '#main/data-dir.ts'
import { createFileSecrets } from '#main/kernel/file-secrets.ts'
import { openLogFile } from '#main/kernel/log-file.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { loadDeviceKeys } from '#main/replication/channel/device-keys.ts'
import { createPeerListener } from '#main/replication/channel/peer-listener.ts'
import { systemTimers } from '#main/replication/channel/timers.ts'
import { boxMessageLimit } from '#main/replication/wire/mailbox-words.ts'
import { programVersion } from '#main/program-version.ts'
import { createMailboxes } from '../mailboxes.ts'
import { openRelay } from '../relay.ts'
import { createTokenBuckets } from '../token-bucket.ts'
import { openAdminToken } from './admin-token.ts'
import { serveLink } from './serve-link.ts'
import { serveMailbox } from './serve-mailbox.ts'

/** How a relay is started. */
export interface RelayStart {
  readonly dataDir: string
  /** Addresses of chosen interfaces. */
  readonly addresses: readonly string[]
  readonly port: number
  readonly adminTokenFile?: string
}

/** A relay that takes connections. */
export interface RunningRelay {
  /** Names this relay to whoever connects. */
  readonly fingerprint: string
  /** The admin token, at the start that made it. */
  readonly madeToken: string | undefined
  readonly listening: readonly { readonly address: string; readonly port: number }[]
  /** Commits what has arrived, ends every connection and gives the folder free. */
  stop(): Promise<void>
}

/** A relay is for many devices, and several of them may be behind one address; the rest is as for any device. */
const doorLimits = { unproved: 128, perAddress: 64, all: 10_000 } as const

/**
 * A relay has many links: what waits does so where every message is counted with what it costs, and little of it in the
 * link itself.
 */
const linkBounds = { maxQueuedBytes: 256 * 1024, maxWaitingBytes: 128 * 1024 } as const

/** A person types a code three times, and comes again a few times; whoever tries names of mailboxes needs far more. */
const mailboxRates = { perSecond: 0.2, capacity: 24 } as const

/** Longer than a device waits before it tries a relay again that was gone, and its connection takes. */
const mailboxReturnMs = 10_000

/**
 * Starts a relay; it makes its folder, keys and file where there are none.
 * @throws DataDirInUse when another process holds the folder, DeviceKeysUnreadable when its keys are damaged, Error when
 * an address cannot be bound. Nothing stays open after a throw.
 */
export async function startRelay(options: RelayStart): Promise<RunningRelay> {
  const cleanup: (() => void | Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const step of cleanup.splice(0).toReversed()) await step()
  }
  try {
    return await assemble(options, cleanup, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

async function assemble(
  options: RelayStart,
  cleanup: (() => void | Promise<void>)[],
  stop: () => Promise<void>,
): Promise<RunningRelay> {
  const dataDir = openDataDir(options.dataDir)
  cleanup.push(() => dataDir.release())
  const inFolder = (name: string): string => path.join(dataDir.path, name)
  const logFile = openLogFile(dataDir.file('logs'))
  cleanup.push(() => logFile.close())
  const log = createLogger({ destination: logFile })
  const wasHere = existsSync(inFolder('relay.db'))
  const keys = await loadDeviceKeys(inFolder('relay-keys.json'), createFileSecrets(inFolder('secret.key')))
  const token = openAdminToken(inFolder('admin-token.sha256'), options.adminTokenFile)
  const relay = openRelay({
    file: inFolder('relay.db'),
    adminTokenHash: token.hash,
    version: programVersion,
    onFailure: (error) => log.error({ err: error }, 'The relay could not store or answer something.'),
  })
  cleanup.push(() => {
    relay.close()
    log.info({}, 'The relay has stopped.')
  })
  const mailboxes = createMailboxes({
    timers: systemTimers,
    rates: createTokenBuckets({ ...mailboxRates, now: systemTimers.now }),
    returnMs: wasHere ? mailboxReturnMs : 0,
  })
  const listener = createPeerListener({
    identity: keys.channel,
    fingerprint: keys.fingerprint,
    // A certificate says nothing here: who may use a workspace is settled by AUTH and GRANT.
    admit: () => 'known',
    onLink(link) {
      if (link.purpose === 'mailbox') serveMailbox({ mailboxes, admission: relay.admission, log }, link)
      else serveLink(relay, link, log)
    },
    mailboxMessageBytes: boxMessageLimit,
    onRefused: (refusal) => log.info({ ...refusal }, 'A connection was refused.'),
    limits: doorLimits,
    link: linkBounds,
  })
  cleanup.push(async () => {
    // What has arrived is acknowledged before the farewell.
    relay.store.commit()
    await listener.close()
  })
  await listener.listen(options.addresses, options.port)
  token.keep()
  const listening = listener.listening()
  log.info({ listening, fingerprint: keys.fingerprint, version: programVersion }, 'The relay is running.')
  return { fingerprint: keys.fingerprint, madeToken: token.made, listening, stop }
}
