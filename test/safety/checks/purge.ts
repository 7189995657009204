// What a purge leaves behind: nothing of the record in any file of the data folder but backups (D4).
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { localOwnerId } from '#main/kernel/context.ts'
import { createTestHost } from '../../support/create-test-host.ts'
import type { TestHost } from '../../support/create-test-host.ts'
import type { CanaryBook } from '../leak/canaries.ts'
import { createCanaryBook } from '../leak/canaries.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

/** Records whose every value is a canary, made and changed through the doors that keep something of them. */
async function makeRecords(host: TestHost, book: CanaryBook, count: number): Promise<void> {
  const values = (): Record<string, unknown> => ({
    name: book.word('row'),
    code: book.word('row'),
    body: `alpha ${book.word('row')} ${Buffer.from(book.word('row')).toString('base64')}`,
    amount: book.number('row'),
    due: book.date('row'),
    labels: [book.word('row')],
    more: { inner: book.word('row') },
  })
  for (let at = 0; at < count; at += 1) {
    const made = await host.post('/data/matter', values())
    if (made.status !== 201) throw new Error(`A record was refused: ${JSON.stringify(made.body)}`)
    const { id } = made.body
    // Older values must go too.
    await host.patch(`/data/matter/${id}`, values())
    await host.post('/data/line', { name: book.word('row'), matter: id })
    const share = { principalType: 'role', principalId: 'nobody', access: 'read', reason: book.word('row') }
    await host.post(`/data/matter/${id}/shares`, share)
    await makeFeed(host, book, id)
  }
  await notifyOfAll(host, book)
  await host.post('/data/matter/createMany', [values(), values()])
  await host.post('/data/matter/batch', { operation: 'create', records: [{ data: values() }] })
  await host.get('/data/matter?search=alpha')
  await host.post('/data/matter', values(), { 'idempotency-key': 'key-of-a-client-1' })
  const job = await host.post('/data/matter/import/jobs', { rows: [values(), values()], fileName: 'rows.json' })
  for (let tries = 0; tries < 200; tries += 1) {
    const { status } = (await host.get(`/data/import/jobs/${job.body.jobId}`)).body
    if (status === 'completed') break
    await pause(20)
  }
}

/**
 * Notifications and mails that quote records: in the inbox, and waiting for a mail server and a receiver that do not
 * answer. Some are read and some deleted.
 */
async function notifyOfAll(host: TestHost, book: CanaryBook): Promise<void> {
  const { records } = (await host.get('/data/matter?top=1000&select=id')).body as { records: { id: string }[] }
  const slack = { url: 'http://127.0.0.1:9/hook' }
  const { status } = await host.patch('/notifications/preferences', { preferences: { channels: { slack } } })
  if (status !== 200) throw new Error('The address of the receiver was refused.')
  const { database, plugins } = host.host
  const [notifications, mail] = [plugins.service('notifications')!, plugins.service('mail')!]
  await database.write('purge.notify', (tx) => {
    for (const { id: recordId } of records) {
      const about = { object: 'matter', recordId }
      const draft = { userId: localOwnerId, type: 'record', data: { ...about, quoted: book.word('row') } } as const
      const channels = ['in_app', 'slack'] as const
      notifications.notify(tx, { ...draft, title: book.word('row'), body: book.word('row'), channels })
      mail.queue(tx, { to: 'ada@example.org', subject: book.word('row'), text: book.word('row'), about: [recordId] })
    }
  })
  const inbox = (await host.get('/notifications?limit=20')).body as { notifications: { id: string }[] }
  const ids = inbox.notifications.map(({ id }) => id)
  await host.post('/notifications/read', { ids: ids.slice(0, 10) })
  for (const id of ids.slice(10)) await host.delete(`/notifications/${id}`)
  const waiting = database.read.get<{ posts: number; mails: number }>({
    sql: 'SELECT (SELECT count(*) FROM notifications_delivery) AS posts, (SELECT count(*) FROM mail_message) AS mails',
    parameters: [],
  })!
  if (waiting.posts < records.length || waiting.mails < records.length) throw new Error('Nothing waits to be sent.')
}

/** A webhook whose target does not answer: what it tells of the records waits to be sent again. */
async function tellOthers(host: TestHost): Promise<void> {
  await host.patch('/settings', { 'webhooks.allowedHosts': ['127.0.0.1'] })
  const triggers = ['create', 'update', 'delete']
  const { status } = await host.post('/webhooks', {
    name: 'told',
    object: 'matter',
    triggers,
    url: 'http://127.0.0.1:9/',
  })
  if (status !== 201) throw new Error('The webhook was refused.')
}

/** A comment that was changed, a stub with a reply, a task: everything a feed keeps of a record. */
async function makeFeed(host: TestHost, book: CanaryBook, id: string): Promise<void> {
  const feed = `/data/matter/${id}/feed`
  const say = async (item: object): Promise<string> => {
    const { status, body } = await host.post(feed, { type: 'comment', body: `alpha ${book.word('row')}`, ...item })
    if (status !== 201) throw new Error(`A comment was refused: ${JSON.stringify(body)}`)
    return body.data.id as string
  }
  const first = await say({})
  await host.put(`${feed}/${first}`, {
    body: `beta ${book.word('row')}`,
    mentions: [{ type: 'team', id: book.word('row') }],
  })
  await host.post(`${feed}/${first}/reactions`, { emoji: '👍' })
  await say({ parentId: first })
  await say({ type: 'task', data: { note: book.word('row') } })
  const stub = await say({ mentions: [{ type: 'team', id: 'crew', name: book.word('row') }] })
  await say({ parentId: stub })
  await host.delete(`${feed}/${stub}`)
}

/** Canaries in files of the data folder, backups left out. */
function findLeft(dataDir: string, book: CanaryBook, context: CheckContext): number {
  let left = 0
  const walk = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      if (statSync(path).isDirectory()) {
        if (name !== 'backups') walk(path)
        continue
      }
      const found = book.find(readFileSync(path))
      left += found.length
      if (found.length > 0) context.log(`${relative(dataDir, path)}: ${found.length}, ${found[0]!.canary}`)
    }
  }
  if (existsSync(dataDir)) walk(dataDir)
  return left
}

/** @param carefully false removes the rows past the host, without the pragmas it sets on its connections */
async function countLeft(context: CheckContext, carefully: boolean): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-purge-'))
  // Nobody listens there: what is to be sent waits.
  const mail = { host: '127.0.0.1', port: 9, from: 'cairn@example.org' }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ mail, outbound: { allowedHosts: ['127.0.0.1'] } }), {
    mode: 0o600,
  })
  const host = await createTestHost({ dataDir })
  try {
    const book = createCanaryBook(context.seed)
    await host.defineObject('matter', {
      name: { type: 'text' },
      code: { type: 'text', unique: true },
      body: { type: 'textarea' },
      amount: { type: 'number', index: true },
      due: { type: 'date' },
      labels: { type: 'tags' },
      more: { type: 'json' },
    })
    await host.defineObject('line', {
      name: { type: 'text' },
      matter: { type: 'master_detail', reference: 'matter', relationshipName: 'lines' },
    })
    await tellOthers(host)
    await makeRecords(host, book, { commit: 10, nightly: 100, release: 300 }[context.size])
    const stored = findLeft(host.dataDir, book, { ...context, log: () => undefined })
    if (stored < book.all().size / 3) throw new Error('The canaries are not in the data folder to begin with.')
    if (carefully) {
      const { records } = (await host.get('/data/matter?top=1000&select=id')).body as { records: { id: string }[] }
      for (const [at, { id }] of records.entries()) {
        // Half of them lie in the trash first.
        if (at % 2 === 0) await host.delete(`/data/matter/${id}`)
        const { status, body } = await host.delete(`/data/matter/${id}?purge=true`)
        if (status !== 200) throw new Error(`A purge was refused: ${JSON.stringify(body)}`)
      }
    }
    // Words of edited texts leave the index in quiet moments.
    await pause(3_000)
    await host.host.stop()
    if (!carefully) {
      const db = new Sqlite(join(host.dataDir, 'cairn.db'))
      db.pragma('secure_delete = OFF')
      db.exec('DELETE FROM o_line; DELETE FROM o_matter')
      db.close()
    }
    const left = findLeft(host.dataDir, book, context)
    context.log(`${book.all().size} canaries, ${stored} in files before, ${left} after`)
    return left
  } finally {
    await host.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

defineCheck({
  id: 'D4',
  file: 'purge',
  stage: 2,
  unit: 'canaries of purged records in files outside of backups',
  target: 0,
  run: (context) => countLeft(context, true),
  twin: (context) => countLeft(context, false),
})
