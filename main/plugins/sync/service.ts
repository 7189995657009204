// Texts that several people edit at once on this host: opening one, and everything that keeps its rooms going. Works
// whether or not machines exchange data. Knows no HTTP.
import type { PlatformEvent } from '#shared/events.ts'
import { platformError } from '#shared/errors.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { createTickets } from '#main/kernel/tickets.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { TextPlace } from './service/text/access.ts'
import { createTextAccess, textContext } from './service/text/access.ts'
import { createRooms } from './service/text/rooms.ts'
import type { SharedTexts } from './service/text/shared-text.ts'
import type { Admission } from './service/text/socket.ts'
import { createTextSocket } from './service/text/socket.ts'

/** The client id of an earlier time, and what was given with it. */
export interface FormerText {
  readonly clientId?: number | undefined
  readonly lease?: string | undefined
}

/** Live texts of a host. */
export type LiveTexts = ReturnType<typeof createLiveTexts>

/** Makes the live texts. */
export function createLiveTexts(parts: {
  readonly host: PluginHost
  readonly data: DataService
  readonly metadata: MetadataService
  nameOf(ctx: RequestContext): string
}) {
  const { host, data, metadata } = parts
  const { clock, ids, log } = host
  /** By a clock that nobody sets: one that is put right gives up no text that could not be stored. */
  const now = (): number => performance.now()
  const tickets = createTickets<Admission>(
    () => clock.now(),
    () => ids.token(32),
  )
  const access = createTextAccess({ data, schemaOf: metadata.objectSchema, authorizer: () => host.authorizer })

  const readRow = async ({ object, recordId }: TextPlace): Promise<Record<string, unknown> | null> => {
    try {
      return (await data.get(internalContext(ids.uuid()), { object, id: recordId })).record
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'resource_not_found') return null
      throw error
    }
  }

  let sharing: SharedTexts | undefined
  const rooms = createRooms({
    access,
    data,
    readRow,
    requestId: () => ids.uuid(),
    random: (bytes) => ids.token(bytes),
    now,
    log,
    failed: (error) => log.error({ err: error }, 'A text that is edited live was not stored.'),
    sharing: () => sharing,
  })

  return {
    route: createTextSocket({
      redeem: tickets.redeem,
      find: rooms.find,
      member: ({ place }) => ({
        now,
        stamp: () => `${host.permissionEpoch()} ${metadata.epoch()}`,
        contextOf: (caller, requestId, source) =>
          textContext(caller, { requestId, source, permissionEpoch: host.permissionEpoch() }),
        reach: (ctx) => access.reach(ctx, place),
      }),
    }),
    /**
     * Opens a text.
     * @throws resource_not_found, permission_denied, sync_document_not_found, sync_update_too_large, service_unavailable
     */
    async open(ctx: RequestContext, asked: TextPlace, { clientId: wanted, lease: shown }: FormerText) {
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
    hear(event: PlatformEvent) {
      rooms.hear(event)
      if (event.type.startsWith('metadata.')) rooms.recheckAll()
      // Sessions that ended and users who are shut out are out at once.
      if (!event.type.startsWith('auth.')) return
      rooms.recheckAll()
      setImmediate(() => rooms.recheckAll())
    },
    /** Begins, or with undefined ends, to share texts with other machines: rooms are begun anew. */
    share(texts: SharedTexts | undefined) {
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
