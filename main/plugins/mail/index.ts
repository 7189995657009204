// The mail plugin: the one way to the mail server of the workspace.
import { definePlugin } from '#main/kernel/plugin.ts'
import { mailMigrations } from './migrations/index.ts'
import { createMailService } from './service.ts'
import { readMailConfig } from './service/mail-config.ts'
import { createSender } from './service/sender.ts'
import { createTransport } from './service/transport.ts'
import { forgetCauses, removeMessagesAbout, removeMessagesBefore } from './store.ts'

const dayMs = 86_400_000
/** A cause that comes again after this long is a new one. */
const causesKeptMs = 90 * dayMs

/** Sends mails, at once or from a durable queue. */
export const mailPlugin = definePlugin({
  id: 'mail',
  version: '1.0.0',
  discovery: { service: 'mail' },
  migrations: mailMigrations,
  register(host) {
    const { read, write, clock, ids, log } = host
    const settings = readMailConfig(host.options.config)
    const transport = settings === undefined ? undefined : createTransport(settings)
    const sender = transport === undefined ? undefined : createSender({ transport, read, write, clock, log })
    host.provide(
      'mail',
      createMailService({
        transport,
        openTransport: () => createTransport(settings!),
        wake: () => sender?.wake(),
        clock,
        ids,
        log,
      }),
    )
    host.on('record.purged', ({ object, recordId }, tx) => {
      if (object !== undefined && recordId !== undefined) removeMessagesAbout(tx, object, recordId)
    })
    host.job('retention', { cron: '41 3 * * *' }, async () => {
      await write('mail.retention', (tx) => {
        forgetCauses(tx, clock.now() - causesKeptMs)
        // What waits for a server that is configured no more.
        if (sender === undefined) removeMessagesBefore(tx, clock.now() - dayMs)
      })
    })
    host.dispose(() => sender?.stop())
  },
})
