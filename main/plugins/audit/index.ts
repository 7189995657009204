// The audit plugin: who did what, in a chain of keyed hashes that shows when it was tampered with.
import { join } from 'node:path'
import { auditRoutes } from '#shared/contracts/audit.ts'
import { internalContext } from '#main/kernel/context.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { AuditService } from './api.ts'
import { auditMigrations } from './migrations/index.ts'
import { auditPermissions } from './permissions.ts'
import { auditHandlers } from './routes.ts'
import { openAnchor } from './service/anchor.ts'
import { createChain } from './service/chain.ts'
import { keepEntries } from './service/entries-since.ts'
import { entryFacts } from './service/entry.ts'
import { createFlood } from './service/flood.ts'
import { openKeys } from './service/keys.ts'
import { heardEvents } from './service/kinds.ts'
import { createNotes } from './service/notes.ts'
import { openingOf, writeOpening } from './service/opening.ts'
import { cutOutdated, keepDaysOf } from './service/retention.ts'
import { verifyChain } from './service/verify.ts'
import { createAuditSink } from './service/audit-sink.ts'
import { eventRecorder } from './subscribers.ts'

/** After the listeners of other plugins: what one of them refuses needs no entry. */
const lastPriority = 10_000

/** Keeps, shows and checks the audit (D-230). */
export const auditPlugin = definePlugin({
  id: 'audit',
  version: '1.0.0',
  requires: ['settings', 'permissions'],
  optional: ['auth'],
  discovery: { service: 'audit' },
  contract: auditRoutes,
  permissions: auditPermissions,
  migrations: auditMigrations,
  async register(host) {
    const { read, write, clock, log, secrets, options } = host
    const auth = host.optionalService('auth')
    const { restored } = options
    if (restored !== undefined) await keepEntries({ read, write, restored, at: clock.iso() })
    const keys = await openKeys({ read, write, secrets, at: clock.iso() })
    const anchor = openAnchor(join(options.dataDir, 'audit.head'), keys.current)
    const opening = openingOf(read, anchor, restored?.note)
    const chain = createChain({ key: keys.current, anchor, head: opening.head, log })

    host.dispose(() => {
      // Both places say the same while no host runs: spoiling one of them does not lead back to the one before.
      anchor.reset(chain.head())
      anchor.close()
    })
    const record: AuditService['record'] = (tx, subject, draft) =>
      chain.append(tx, entryFacts(clock.iso(), subject, draft))
    const recordAtEnd: AuditService['record'] = (tx, about, draft) =>
      chain.appendAtEnd(tx, entryFacts(clock.iso(), about, draft))
    const subject = internalContext('audit')
    await writeOpening(opening, { write, record, anchor, note: restored?.note, subject, log })

    const flood = createFlood(() => clock.now())
    const notes = createNotes({
      write,
      append: (tx, facts) => chain.append(tx, facts),
      factsOf: (about, draft) => entryFacts(clock.iso(), about, draft),
      flood,
      log,
    })
    host.dispose(() => notes.close())
    const verify = () => verifyChain({ read, keys, anchor, head: chain.head })
    const service: AuditService = { record, note: (about, draft) => notes.add(about, draft), verify }
    host.provide('audit', service)
    host.setAuditSink(createAuditSink({ note: service.note, clock }))
    const listener = eventRecorder({ record, recordAtEnd, flood })
    for (const type of heardEvents) host.on(type, listener, { priority: lastPriority })

    host.handle(
      auditRoutes,
      auditHandlers({
        read,
        write,
        clock,
        record,
        verify,
        authorizer: () => host.authorizer,
        firstOrganization: () => auth()?.firstOrganization(),
        timeZone: () => host.service('settings').get('timezone'),
      }),
    )
    const keepDays = keepDaysOf(options.config('audit'))
    host.job('retention', { cron: '17 4 * * *' }, async (signal) => {
      await cutOutdated({ keepDays, clock, write, record, subject, signal })
    })
  },
})
