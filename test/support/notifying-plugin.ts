// A plugin that notifies: each record of the object `letter` becomes a notification, in the record's own transaction. The
// field `draft` holds what is notified beside the record it is about; `mails` holds mails to queue.
import { definePlugin } from '#main/kernel/plugin.ts'
import type { MailDraft } from '#main/plugins/mail/api.ts'
import type { NotificationDraft } from '#main/plugins/notifications/api.ts'

/** Load it beside all plugins; {@link letterFields} is what its object needs. */
export const notifyingPlugin = definePlugin({
  id: 'notifying',
  version: '1.0.0',
  requires: ['notifications', 'mail'],
  register(host) {
    const notifications = host.service('notifications')
    const mail = host.service('mail')
    host.on('record.created', ({ object, recordId, payload }, tx) => {
      if (object !== 'letter') return
      const { record } = payload as { record: { draft?: NotificationDraft | null; mails?: MailDraft[] | null } }
      const about = { object, recordId }
      if (record.draft != null) notifications.notify(tx, { ...record.draft, data: { ...about, ...record.draft.data } })
      for (const draft of record.mails ?? []) mail.queue(tx, draft)
    })
  },
})

/** Fields of the object `letter`. */
export const letterFields = { draft: { type: 'json' }, mails: { type: 'json' } }
