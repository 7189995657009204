// What connections say: messages in rooms, as events with an id like any other, and errors of what goes wrong.
import type { Logger } from '#main/kernel/logger.ts'
import type { Write } from '#main/kernel/database.ts'
import { PlatformError, platformError } from '#shared/errors.ts'
import { realtimeError } from '../errors.ts'
import type { Hub } from '../service.ts'
import { broadcastType } from './channels.ts'
import type { SocketTransportParts } from './socket-transport.ts'

/** Makes the two. */
export function createSaying(parts: {
  readonly hub: Pick<Hub, 'channel'>
  readonly write: Write
  readonly log: Logger
}): Pick<SocketTransportParts, 'broadcast' | 'translate'> {
  return {
    broadcast(connection, text, payload) {
      const ctx = connection.context()
      const channel = parts.hub.channel(ctx, text)
      if (channel.kind !== 'room') throw realtimeError('channel_invalid', { channel: channel.name, needs: 'room' })
      if (ctx.scope?.readOnly === true) throw platformError('permission_denied', { reason: 'read_only_key' })
      const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload)
      const said = isObject ? payload : { value: payload ?? null }
      const { organizationId } = ctx
      // Through the write queue, which alone gives ids in order; nothing is stored.
      parts
        .write('realtime.broadcast', (tx) =>
          tx.emit(ctx, { type: broadcastType, payload: { channel: channel.name, said, organizationId } }),
        )
        .catch((error: unknown) => parts.log.warn({ err: error }, 'A message in a room was lost.'))
    },
    translate(thrown) {
      if (thrown instanceof PlatformError) return thrown
      parts.log.error({ err: thrown }, 'A realtime frame failed.')
      return platformError('internal_error')
    },
  }
}
