// The outgoing mail of the workspace, with a real mail server at its other end: sent after COMMIT, in order, once, tried
// again while the server refuses, and never a header that somebody wrote.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import type { MailDraft } from '#main/plugins/mail/api.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { rowOf, saveFlow } from '../support/flow-calls.ts'
import { findFreePort } from '../support/free-port.ts'
import { fillDisk, tooLarge } from '../support/full-disk.ts'
import { letterFields, notifyingPlugin } from '../support/notifying-plugin.ts'
import { startSmtpPeer } from '../support/smtp-peer.ts'
import type { SmtpPeer } from '../support/smtp-peer.ts'

const running: (() => Promise<unknown>)[] = []
const day = 86_400_000

afterEach(async () => {
  for (const stop of running.splice(0).toReversed()) await stop()
})

async function start(config: Record<string, unknown>, options: Parameters<typeof createTestHost>[0] = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-mail-'))
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config), { mode: 0o600 })
  const plugins = [...corePlugins, ...optionalPlugins, notifyingPlugin]
  const host = await createTestHost({ dataDir, plugins, ...options })
  running.push(async () => {
    await host.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  await host.defineObject('letter', letterFields)
  return host
}

async function peer(port?: number): Promise<SmtpPeer> {
  const smtp = await startSmtpPeer(port)
  running.push(() => smtp.stop())
  return smtp
}

const settings = (port: number) => ({ host: '127.0.0.1', port, from: 'Cairn <cairn@example.org>' })

/** Queues mails in the transaction of a record. */
async function queue(host: TestHost, ...mails: MailDraft[]): Promise<string> {
  const { status, body } = await host.post('/data/letter', { mails })
  expect(status).toBe(201)
  return body.id as string
}

const waiting = (host: TestHost): number =>
  host.host.database.read.get<{ n: number }>({ sql: 'SELECT count(*) AS n FROM mail_message', parameters: [] })!.n

const draft = (to: string, rest: Partial<MailDraft> = {}): MailDraft => ({
  to,
  subject: `For ${to}`,
  text: 'The text.',
  ...rest,
})

describe('the queue of mails', () => {
  it('sends after COMMIT, in order, and keeps nothing of what was sent', async () => {
    const smtp = await peer()
    const host = await start({ mail: settings(smtp.port) })
    const names = Array.from({ length: 12 }, (_, at) => `n${at}@example.org`)
    await queue(host, ...names.map((name) => draft(name, { html: '<p>The text.</p>' })))
    await expect.poll(() => smtp.mails.length).toBe(12)
    expect(smtp.mails.map(({ to }) => to)).toEqual(names.map((name) => [name]))
    expect(smtp.mails[0]!.text).toMatch(/^Subject: For n0@example.org$/m)
    expect(smtp.mails[0]!.text).toMatch(/^Auto-Submitted: auto-generated$/m)
    expect(smtp.mails[0]!.text).toContain('<p>The text.</p>')
    await expect.poll(() => waiting(host)).toBe(0)
  })

  it('writes what a record holds as text into the pages of templates', async () => {
    const smtp = await peer()
    const host = await start({ mail: settings(smtp.port) })
    const words = { subject: 'Of {{ who }}', text: 'Dear {{ who }}', html: '<p>Dear {{ who }}, <b>{{ 1 < 2 }}</b></p>' }
    for (const [name, item] of [
      ['dear', words],
      ['whole', { ...words, html: '{{ who }}' }],
    ] as const) {
      expect((await host.put(`/meta/email_template/${name}`, { type: 'email_template', name, item })).status).toBe(200)
      const config = { to: `${name}@example.org`, template: name, data: { who: '{{ params.who }}' } }
      await saveFlow(host, `mails_${name}`, rowOf({ id: 'm', type: 'send_email', config }))
      const who = `<a href="https://evil.example">Ann</a> & 'Bo'`
      expect((await host.post(`/automation/mails_${name}/trigger`, { params: { who } })).body.data.status).toBe(
        'completed',
      )
    }
    const shown = '&#60;a href=&#34;https://evil.example&#34;&#62;Ann&#60;/a&#62; &#38; &#39;Bo&#39;'
    const written = (text: string) => text.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    const dear = written((await smtp.take('dear@example.org')).text)
    expect(dear).toContain(`<p>Dear ${shown}, <b>true</b></p>`)
    expect(dear).toContain(`Dear <a href="https://evil.example">Ann</a> & 'Bo'`)
    const whole = written((await smtp.take('whole@example.org')).text)
    expect(whole).toContain(shown)
  })

  it('sends nothing of a write that was rolled back', async () => {
    const smtp = await peer()
    const host = await start({ mail: settings(smtp.port) })
    const records = [{ data: { mails: [draft('gone@example.org')] } }, { data: { nothing: 1 } }]
    const { body } = await host.post('/data/letter/batch', { operation: 'create', records, options: { atomic: true } })
    expect(body.failed).toBe(2)
    await queue(host, draft('here@example.org'))
    await smtp.take('here@example.org')
    expect(smtp.mails).toEqual([])
  })

  it('sends one mail per cause', async () => {
    const smtp = await peer()
    const host = await start({ mail: settings(smtp.port) })
    const mail = draft('once@example.org', { dedupeKey: 'cause' })
    await queue(host, mail, mail)
    await queue(host, mail)
    await queue(host, draft('last@example.org'))
    await smtp.take('last@example.org')
    expect(smtp.mails).toHaveLength(1)
  })

  it('cannot be made to write a header or to add a recipient', async () => {
    const smtp = await peer()
    const host = await start({ mail: settings(smtp.port) })
    const evil = 'Hello\r\nBcc: thief@example.org\r\n\r\nother body'
    await queue(
      host,
      draft('good@example.org', { subject: evil }),
      draft('good2@example.org', { subject: 'Line\u2028Bcc: thief@example.org\u0000\u0007' }),
      ...[
        'a@example.org, thief@example.org',
        'a@example.org\r\nBcc: thief@example.org',
        'a@example.org\nRCPT TO:<thief@example.org>',
        '"x" <thief@example.org>',
        'group:thief@example.org;',
        'a@example.org>, <thief@example.org',
        'no address',
        '@example.org',
        '',
      ].map((to) => draft(to, { subject: 'never' })),
      draft('end@example.org'),
    )
    await smtp.take('end@example.org')
    expect(smtp.mails.flatMap(({ to }) => to)).toEqual(['good@example.org', 'good2@example.org'])
    for (const { text } of smtp.mails) {
      const [head = ''] = text.split('\n\n')
      expect(head).not.toMatch(/^(Bcc|other)/im)
      expect(text).not.toContain('Subject: never')
    }
    expect(smtp.heard.filter((line) => /thief/.test(line))).toEqual([])
  })

  it('waits while the server is down, and goes on in order after a restart of the host', async () => {
    const port = await findFreePort()
    const host = await start({ mail: settings(port) })
    await queue(host, draft('a@example.org'), draft('b@example.org'))
    await queue(host, draft('c@example.org'))
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(waiting(host)).toBe(3)
    const smtp = await peer(port)
    await host.restart()
    await expect.poll(() => smtp.mails.flatMap(({ to }) => to)).toEqual(['a', 'b', 'c'].map((n) => `${n}@example.org`))
  })

  it('tries a mail again that the server puts off, and lets the others pass', async () => {
    const smtp = await peer()
    const clock = createManualClock(Date.parse('2026-03-02T09:00:00Z'))
    const host = await start({ mail: settings(smtp.port) }, { clock })
    smtp.answer = (line) => (/^RCPT.*later@/.test(line) ? '450 not now' : undefined)
    await queue(host, draft('later@example.org'), draft('now@example.org'))
    await smtp.take('now@example.org')
    expect(waiting(host)).toBe(1)
    smtp.answer = () => undefined
    clock.advance(60_000)
    await host.restart()
    await smtp.take('later@example.org')
  })

  it('gives a mail up at once that the server will never take, and says so without a word of it', async () => {
    const smtp = await peer()
    const host = await start({ mail: settings(smtp.port) })
    smtp.answer = (line) =>
      /^RCPT.*secret-name@/.test(line) ? '550 5.1.1 <secret-name@example.org> unknown' : undefined
    await queue(host, draft('secret-name@example.org', { subject: 'secret-subject' }), draft('next@example.org'))
    await smtp.take('next@example.org')
    await expect.poll(() => waiting(host)).toBe(0)
    await host.restart()
    const logs = join(host.dataDir, 'logs')
    const text = readdirSync(logs)
      .map((name) => readFileSync(join(logs, name), 'utf8'))
      .join('')
    expect(text).toContain('is given up')
    expect(text).not.toMatch(/secret-name|secret-subject|The text/)
  })

  it('is sent once while the disk is full', async () => {
    const smtp = await peer()
    const host = await start({ mail: settings(smtp.port) })
    await fillDisk(host)
    expect((await host.post('/data/letter', { mails: [draft('a@example.org', { text: tooLarge })] })).status).toBe(503)
    const { database, plugins } = host.host
    const mail = plugins.service('mail')!
    await database.write('queue', (tx) => mail.queue(tx, draft('b@example.org')), { whenFull: true })
    await smtp.take('b@example.org')
    await expect.poll(() => waiting(host)).toBe(0)
  })

  it('gives up after a day', async () => {
    const clock = createManualClock(Date.parse('2026-03-02T09:00:00Z'))
    const host = await start({ mail: settings(await findFreePort()) }, { clock })
    await queue(host, draft('a@example.org'), draft('b@example.org'))
    await new Promise((resolve) => setTimeout(resolve, 200))
    clock.advance(day - 60_000)
    await host.restart()
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(waiting(host)).toBe(2)
    clock.advance(120_000)
    await host.restart()
    await expect.poll(() => waiting(host)).toBe(0)
  })

  it('does not give up because the machine slept for a day', async () => {
    const clock = createManualClock(Date.parse('2026-03-02T09:00:00Z'))
    const host = await start({ mail: settings(await findFreePort()) }, { clock })
    const tries = (): number => {
      const sql = 'SELECT max(attempts) AS n FROM mail_message'
      return host.host.database.read.get<{ n: number }>({ sql, parameters: [] })!.n
    }
    await queue(host, draft('a@example.org'), draft('b@example.org'))
    await expect.poll(tries, { timeout: 5_000 }).toBe(1)
    clock.advance(day + 60_000)
    await queue(host, draft('c@example.org'))
    await expect.poll(tries, { timeout: 5_000 }).toBe(2)
    clock.advance(60_000)
    await queue(host, draft('d@example.org'))
    await expect.poll(tries, { timeout: 5_000 }).toBe(3)
    expect(waiting(host)).toBe(4)
  })

  it('a mail that waits goes with the record it quotes', async () => {
    const host = await start({ mail: settings(await findFreePort()) })
    const quoted = await queue(host)
    await queue(host, draft('a@example.org', { text: 'canary-text', about: [quoted] }), draft('b@example.org'))
    expect(waiting(host)).toBe(2)
    await host.delete(`/data/letter/${quoted}?purge=true`)
    expect(waiting(host)).toBe(1)
  })

  it('without a mail server nothing is queued', async () => {
    const host = await start({})
    await queue(host, draft('a@example.org'))
    expect(waiting(host)).toBe(0)
  })
})

describe('settings of mail', () => {
  it('are those of accounts, unless there are others', async () => {
    const [first, second] = [await peer(), await peer()]
    const host = await start({ auth: { mail: settings(first.port) } })
    await queue(host, draft('a@example.org'))
    await first.take('a@example.org')
    const other = await start({ auth: { mail: settings(first.port) }, mail: settings(second.port) })
    await queue(other, draft('b@example.org'))
    await second.take('b@example.org')
    expect(first.mails).toEqual([])
  })

  it('that are wrong stop the start with a sentence', async () => {
    await expect(start({ mail: { host: 'x', port: 'y' } })).rejects.toThrow(/mail\.port.*mail\.from/)
  })
})
