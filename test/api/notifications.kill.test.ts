// What was committed before kill -9 is sent after the next start: each mail and each post, known by its id as one (D-205).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import { childEntry, startChildServer } from '../safety/child-server.ts'
import type { ChildServer } from '../safety/child-server.ts'
import { startHookPeer } from '../support/hook-peer.ts'
import { letterFields } from '../support/notifying-plugin.ts'
import { startSmtpPeer } from '../support/smtp-peer.ts'
import { sized } from '../support/test-size.ts'

const rounds = sized(1, 6)
const perRound = 8

it('sends mails and posts of acknowledged writes over kill -9', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-notify-kill-'))
  const smtp = await startSmtpPeer()
  const hook = await startHookPeer()
  const mail = { host: '127.0.0.1', port: smtp.port, from: 'cairn@example.org' }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ mail, outbound: { allowedHosts: ['127.0.0.1'] } }), {
    mode: 0o600,
  })
  let server: ChildServer | undefined
  try {
    const acknowledged: string[] = []
    // The ends are slow, so that the kill falls between COMMIT and sending, and between sending and noting it.
    let slow = true
    smtp.answer = (line) => (slow && line === '.' && smtp.mails.length % 3 === 2 ? null : undefined)
    for (let round = 0; round < rounds; round += 1) {
      server = await startChildServer({ dataDir, entry: childEntry('notifying-server') })
      if (round === 0) {
        const item = { name: 'letter', fields: letterFields }
        expect(
          (await server.call('PUT', '/api/v1/meta/object/letter', { type: 'object', name: 'letter', item })).status,
        ).toBe(200)
        const preferences = { channels: { slack: { url: hook.url } } }
        await server.call('PATCH', '/api/v1/notifications/preferences', { preferences })
      }
      hook.status = round === 0 ? null : 200
      const create = async (name: string): Promise<void> => {
        const draft = { userId: localOwnerId, type: 'record', title: name, body: '', channels: ['in_app', 'slack'] }
        const mails = [{ to: 'ada@example.org', subject: name, text: name, dedupeKey: name }]
        const answer = await server!.call('POST', '/api/v1/data/letter', { draft, mails })
        if (answer.status === 201) acknowledged.push(name)
      }
      const writes = Array.from({ length: perRound }, (_, at) => create(`letter-${round}-${at}`).catch(() => undefined))
      await Promise.race(writes.slice(perRound / 2))
      await server.end('SIGKILL')
      await Promise.all(writes)
    }
    slow = false
    hook.status = 200
    server = await startChildServer({ dataDir, entry: childEntry('notifying-server') })
    expect(acknowledged.length).toBeGreaterThanOrEqual(rounds)
    const mailsOf = (name: string) => smtp.mails.filter(({ text }) => text.includes(`Subject: ${name}\n`))
    const postsOf = (name: string) =>
      hook.hooks.filter(({ body }) => (body as { text: string }).text.startsWith(`*${name}*`))
    for (const name of acknowledged) {
      await expect
        .poll(() => [mailsOf(name).length, postsOf(name).length].every((count) => count > 0), { timeout: 20_000 })
        .toBe(true)
      // Sent twice at most where the kill fell before the note, and then with the same id.
      const ids = new Set(mailsOf(name).map(({ text }) => /^Message-ID: (.*)$/im.exec(text)![1]))
      expect([name, ids.size]).toEqual([name, 1])
      const posts = new Set(postsOf(name).map(({ headers }) => headers['webhook-id']))
      expect([name, posts.size]).toEqual([name, 1])
    }
    const { text } = await server.call('GET', '/api/v1/notifications?limit=100')
    const titles = (JSON.parse(text) as { notifications: { title: string }[] }).notifications.map(({ title }) => title)
    expect(new Set(titles).size).toBe(titles.length)
    for (const name of acknowledged) expect(titles).toContain(name)
  } finally {
    await server?.end('SIGKILL').catch(() => undefined)
    await smtp.stop()
    await hook.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}, 120_000)
