// Puts a relay together: its file, what it keeps, whom it admits, how fast. Knows no socket; sessions are attached to one
// by whoever opens it.
import type { Admission } from './admission.ts'
import { createAdmission } from './admission.ts'
import { openRelayDatabase } from './row-store.ts'
import type { RelayStore } from './relay-store.ts'
import { createRelayStore } from './relay-store.ts'
import type { Rooms } from './rooms.ts'
import { createRooms } from './rooms.ts'
import type { TokenBuckets } from './token-bucket.ts'
import { createTokenBuckets } from './token-bucket.ts'

/** Everything a session of a relay works with. */
export interface Relay {
  readonly store: RelayStore
  readonly admission: Admission
  readonly rooms: Rooms
  readonly rates: TokenBuckets
  readonly now: () => number
  readonly version: string
  readonly onFailure: (error: unknown) => void
  /** Commits what has arrived and closes the file. */
  close(): void
}

/** How a relay is opened. */
export interface RelayOptions {
  readonly file: string
  /** SHA-256 of the admin token (hashToken). */
  readonly adminTokenHash: Uint8Array
  readonly version: string
  /** Bytes of envelopes each workspace may have. Default: 1 GiB. */
  readonly quotaBytes?: number
  /** Envelopes a device may send in a second. Default: 200. */
  readonly envelopesPerSecond?: number
  /** Milliseconds since 1970. Default: the machine's clock. */
  readonly now?: () => number
  /** Milliseconds by a clock that does not go back. Default: the machine's. */
  readonly monotonic?: () => number
  /** Told of errors nobody else is told of. */
  readonly onFailure: (error: unknown) => void
}

const defaultQuotaBytes = 1024 ** 3
const defaultPerSecond = 200

/** Opens a relay over a file, which it makes where there is none. @throws Error when another process has it open */
export function openRelay(options: RelayOptions): Relay {
  const { now = Date.now, monotonic = () => performance.now(), onFailure, version } = options
  const database = openRelayDatabase(options.file)
  const store = createRelayStore(database, { quotaBytes: options.quotaBytes ?? defaultQuotaBytes, onFailure })
  const rooms = createRooms()
  store.onCommitted((workspaces) => rooms.wake(workspaces))
  return {
    store,
    admission: createAdmission({ connection: database.connection, adminTokenHash: options.adminTokenHash, now }),
    rooms,
    rates: createTokenBuckets({ perSecond: options.envelopesPerSecond ?? defaultPerSecond, now: monotonic }),
    now,
    version,
    onFailure,
    close() {
      store.commit()
      database.close()
    },
  }
}
