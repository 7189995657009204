// Texts that several people edit at once on this host: opening one, and everything that keeps its rooms going. Works
// whether or not machines exchange data. Knows no HTTP.
import type { PlatformEvent } from '#shared/events.ts'
import { platformError } from '#shared/errors.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { SocketRoute } from '#main/kernel/sockets.ts'
import { createTickets } from '#main/kernel/tickets.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { TextPlace } from './service/text/access.ts'
import { createTextAccess, textContext } from './service/text/access.ts'
import { createRooms } from './service/text/rooms.ts'
import type { SharedTexts } from './service/text/shared-text.ts'
import type { Admission } from './service/text/socket.ts'
import { createTextSocket } from './service/text/socket.ts'

/** What somebody who opens a text is given. */
export interface OpenedText {
  readonly room: string
  readonly ticket: string
  readonly clientId: number
  readonly epoch: number
  readonly readOnly: boolean
  /** Shown by a window that comes back, also after the host was started anew. */
  readonly lease?: string
}

/** The client id of an earlier time, and what was given with it. */
export interface FormerText {
  readonly clientId?: number | undefined
  readonly lease?: string | undefined
}

/** Live texts of a host. */
export interface LiveTexts {
  readonly route: SocketRoute
  /**
   * Opens a text.
   * @throws resource_not_found, permission_denied, sync_document_not_found, sync_update_too_large, service_unavailable
   */
  open(ctx: RequestContext, place: TextPlace, before: FormerText): Promise<OpenedText>
  hear(event: PlatformEvent): void
  /** Begins, or with undefined ends, to share texts with other machines: rooms are begun anew. */
  share(texts: SharedTexts | undefined): Promise<void>
  sweep(): void
  stop(): Promise<void>
}

/** What live texts work with. */
export interface LiveTextParts extends Pick<PluginHost, 'clock' | 'ids' | 'log' | 'permissionEpoch'> {
  readonly data: DataService
  readonly metadata: MetadataService
  authorizer(): PluginHost['authorizer']
  nameOf(ctx: RequestContext): string
}

/** Makes the live texts. */
export function createLiveTexts(parts: LiveTextParts): LiveTexts {
  const { data, metadata, clock, ids, log } = parts
  const now = (): number => clock.now()
  const random = (bytes: number): string => ids.token(bytes)
  const tickets = createTickets<Admission>(now, () => ids.token(32))
  const access = createTextAccess({ data, schemaOf: metadata.objectSchema, authorizer: parts.authorizer })

  const readRow = async ({ object, recordId }: TextPlace): Promise<Record<string, unknown> | null> => {
    try {
      return (await data.get(internalContext(ids.uuid()), { object, id: recordId })).record
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'resource_not_found') return null
      throw error
    }
  }

  const failed = (error: unknown): void => log.error({ err: error }, 'A text that is edited live was not stored.')
  let sharing: SharedTexts | undefined
  const rooms = createRooms({
    access,
    data,
    readRow,
    requestId: () => ids.uuid(),
    random,
    now,
    log,
    failed,
    sharing: () => sharing,
  })

  const memberParts = (place: TextPlace) => ({
    now,
    stamp: () => `${parts.permissionEpoch()} ${metadata.epoch()}`,
    contextOf: (caller: Admission['caller'], requestId: string, source: Admission['source']) =>
      textContext(caller, { requestId, source, permissionEpoch: parts.permissionEpoch() }),
    reach: (ctx: RequestContext) => access.reach(ctx, place),
  })

  return {
    route: createTextSocket({
      redeem: tickets.redeem,
      find: rooms.find,
      member: (room) => memberParts(room.place),
    }),
    async open(ctx, asked, { clientId: wanted, lease: shown }) {
      const text = access.open(ctx, asked)
      const credentials = ctx.credentials!
      const caller = credentials.recheck()
      if (caller === null) throw platformError('unauthenticated', { reason: 'credential_invalid' })
      const room = await rooms.open(text)
      const { epoch, name } = room
      const user = caller.actor.id
      const holder = `${user} ${caller.credentialId}`
      if (wanted !== undefined && shown !== undefined) room.resume(holder, user, { clientId: wanted, lease: shown })
      const clientId = room.leases.lease(holder, wanted)
      const lease = room.leaseOf(user, clientId)
      const isReadOnly = !text.mayEdit
      const ticket = tickets.issue({
        room: name,
        epoch,
        clientId,
        caller,
        name: parts.nameOf(ctx),
        source: ctx.source,
        isReadOnly,
        recheck: () => credentials.recheck(),
      })
      return { room: name, ticket, clientId, epoch, readOnly: isReadOnly, ...(lease === undefined ? {} : { lease }) }
    },
    hear(event) {
      rooms.hear(event)
      if (event.type.startsWith('metadata.')) rooms.recheckAll()
      // Sessions that ended and users who are shut out are out at once.
      if (!event.type.startsWith('auth.')) return
      rooms.recheckAll()
      setImmediate(() => rooms.recheckAll())
    },
    share(texts) {
      sharing = texts
      return rooms.beginAnew()
    },
    sweep() {
      rooms.sweep()
      tickets.sweep()
    },
    stop: () => rooms.stop(),
  }
}
