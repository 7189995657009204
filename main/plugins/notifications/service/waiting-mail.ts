// The link or code of a mail that waits to be handed on, for those who may see it: read from the waiting mail when the
// list is read, stored with no notification and sent by no other way.
import type { RequestContext } from '#main/kernel/context.ts'
import type { AuthService } from '../../auth/api.ts'
import type { ShownNotification } from './notification.ts'

/**
 * Adds `content` to the data of a notification about a waiting mail, while it waits.
 * @source D-39
 */
export function completeWaitingMail(auth: () => AuthService | undefined) {
  return (ctx: RequestContext, notification: ShownNotification): ShownNotification => {
    const id = notification.data['waitingMailId']
    if (typeof id !== 'string') return notification
    const content = auth()?.waitingMail(ctx, id)
    return content === undefined ? notification : { ...notification, data: { ...notification.data, content } }
  }
}
