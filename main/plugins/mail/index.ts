// The mail plugin: the one way to the mail server of the workspace.
import { definePlugin } from '#main/kernel/plugin.ts'
import { mailMigrations } from './migrations/index.ts'
import { createMailService } from './service.ts'
import { readMailConfig } from './service/mail-config.ts'
import { createSender } from './service/sender.ts'
import { createTransport } from './service/transport.ts'
import { endSent, forgetCauses, readQueue, removeMessagesAbout, removeMessagesBefore } from './store.ts'

const dayMs = 86_400_000
/** A cause that comes again after this long is a new one. */
const causesKeptMs = 90 * dayMs

/** Sends mails, at once or from a durable queue. */
export const mailPlugin = definePlugin({
  id: 'mail',
  version: '1.0.0',
  optional: ['notifications'],
  discovery: { service: 'mail' },
  migrations: mailMigrations,
  async register(host) {
    const { read, write, clock, ids, log } = host
    // What was sent since a backup is not sent again when that is put back (D-410).
    const replaced = host.options.restored?.read(readQueue)
    if (replaced != null) await write('mail.end-sent', (tx) => endSent(tx, replaced))
    const settings = readMailConfig(host.options.config)
    const { onDisk } = host.database
    const transport = settings === undefined ? undefined : createTransport(settings, onDisk)
    const notifications = host.optionalService('notifications')
    const isReady = (): boolean => host.options.baseUrl() !== '' && host.database.health() !== 'degraded'
    const wordsOf = (material: string) => notifications()?.wordsOf(material) ?? null
    const sender =
      transport === undefined ? undefined : createSender({ transport, read, write, clock, log, isReady, wordsOf })
    host.provide(
      'mail',
      createMailService({
        transport,
        openTransport: () => createTransport(settings!, onDisk),
        wake: () => sender?.wake(),
        clock,
        ids,
        log,
      }),
    )
    // By its id alone: the object may have got another name since.
    host.on('record.purged', ({ recordId }, tx) => {
      if (recordId !== undefined) removeMessagesAbout(tx, recordId)
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
