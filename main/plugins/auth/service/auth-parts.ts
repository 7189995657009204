// What the services of accounts share: the host's doors, the configuration and each other.
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { OwnerSessions } from '#main/kernel/identity.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { PermissionsService } from '../../permissions/api.ts'
import type { Attempts } from './attempts.ts'
import type { AuthConfig } from './auth-config.ts'
import type { Bridge } from './bridge.ts'
import type { Cookies } from './cookies.ts'
import type { Keys } from './keys.ts'
import type { Library } from './library.ts'
import type { Links } from './links.ts'
import type { Mail } from './mail.ts'
import type { Passwords } from './password.ts'
import type { SessionLookup } from './session-lookup.ts'

/** The parts of accounts, put together once at start. */
export interface AuthParts {
  readonly config: AuthConfig
  readonly passwords: Passwords
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly permissions: PermissionsService
  readonly lookup: SessionLookup
  readonly keys: Keys
  readonly attempts: Attempts
  readonly links: Links
  readonly mail: Mail
  readonly bridge: Bridge
  readonly cookies: Cookies
  /** The browser sessions of the local owner, which are no rows. */
  readonly ownerSessions: OwnerSessions
  readonly library: () => Promise<Library>
  /** The time zone of the workspace (D-10). */
  readonly timeZone: () => string
  /** Sign-up is closed: an owner exists and nobody opened it (D-39). */
  readonly signUpIsClosed: boolean
  /** Forgets remembered sessions and keys, and what others derived from users. */
  readonly changed: () => void
}
