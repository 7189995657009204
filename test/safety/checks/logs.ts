// Logs: no bodies, no credentials, no line that a caller wrote, private files of a limited size (D6).
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLogFile } from '#main/kernel/log-file.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { PluginDefinition } from '#main/kernel/plugin.ts'
import { withHost } from '../host-under-test.ts'
import type { HostUnderTest } from '../host-under-test.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

const canary = 'canary-7f3a9c'
const forged = `{"level":60,"msg":"${canary}-forged"}`

/** A plugin that writes what it hears into the log, bodies and line breaks included. */
const talkative: PluginDefinition = definePlugin({
  id: 'talkative',
  version: '1.0.0',
  register(host) {
    host.onCommitted('record.created', (event) => host.log.info({ event }, 'A record was created.'))
  },
})

/** Sends a canary through every place a caller can write in, into successes, refusals and failures. */
async function sendCanaries({ host, authority, send, liveId }: HostUnderTest): Promise<void> {
  const owner = ['Host', authority, 'Authorization', `Bearer ${host.token}`, 'Content-Type', 'application/json']
  const broken = `\\r\\n${forged}\\n`
  const encoded = encodeURIComponent(`\r\n${forged}\n`)
  const bodies = [
    JSON.stringify({ title: canary }),
    `{"title":"${broken.replaceAll('"', String.raw`\"`)}"}`,
    `{"title": "${canary}`,
    JSON.stringify({ [canary]: canary }),
    JSON.stringify({ status: canary, rank: canary }),
    `[${'['.repeat(100)}"${canary}"`,
  ]
  for (const body of bodies) {
    for (const path of [
      '/data/task',
      '/data/task/query',
      `/data/task/batch`,
      '/settings',
      '/analytics/sql',
      '/meta/import',
    ])
      await send({ method: 'POST', path: `/api/v1${path}`, headers: owner, body })
    await send({ method: 'PATCH', path: `/api/v1/data/task/${liveId}`, headers: owner, body })
    await send({ method: 'PUT', path: '/api/v1/meta/function/broken', headers: owner, body })
  }
  const sql = JSON.stringify({ sql: `SELECT '${canary}' FROM nowhere -- ${canary}` })
  await send({ method: 'POST', path: '/api/v1/analytics/sql', headers: owner, body: sql })
  for (const path of [
    `/api/v1/data/task?search=${encoded}${canary}`,
    `/api/v1/data/task?filter=${encoded}`,
    `/api/v1/data/${encoded}`,
    `/api/v1/data/task/${encoded}`,
    `/api/v1/${encoded}?token=${canary}`,
    `/_console/${encoded}`,
    `/api/v1/meta?%zz=${canary}`,
  ])
    await send({ method: 'GET', path, headers: owner })
  for (const headers of [
    ['Authorization', `Bearer ${canary}`],
    ['Authorization', `ApiKey ${canary}`],
    ['X-API-Key', canary],
    ['Cookie', `cairn.session_token=${canary}`],
    ['X-Request-Id', `${canary} x`],
    ['Origin', `https://${canary}.example`],
    ['Idempotency-Key', canary],
    ['Accept-Language', canary],
    ['User-Agent', `${canary}\t${forged}`],
  ])
    await send({ method: 'GET', path: '/api/v1/meta', headers: ['Host', authority, ...headers] })
}

/** The same where the host itself fails, which is what it logs: the table of the object is gone. */
async function sendIntoFailures(subject: HostUnderTest): Promise<number> {
  const { host, authority, send, liveId } = subject
  const owner = ['Host', authority, 'Authorization', `Bearer ${host.token}`, 'Content-Type', 'application/json']
  await host.database.write('break', (tx) => tx.ddl('ALTER TABLE o_task RENAME TO o_task_gone'))
  const body = JSON.stringify({ title: canary, status: 'open' })
  const injected = encodeURIComponent('x\r\n{"level":60}\n')
  const answers = [
    await send({ method: 'POST', path: `/api/v1/data/task?token=${canary}`, headers: owner, body }),
    await send({ method: 'PATCH', path: `/api/v1/data/task/${liveId}`, headers: owner, body }),
    await send({ method: 'GET', path: `/api/v1/data/task?search=${canary}&title=${canary}`, headers: owner }),
    await send({ method: 'GET', path: `/api/v1/data/task/${injected}?token=${canary}`, headers: owner }),
    await send({ method: 'GET', path: `/api/v1/data/task/${liveId}`, headers: [...owner, 'Cookie', `a=${canary}`] }),
  ]
  return answers.filter(({ status }) => status >= 500).length
}

/** Canaries in log files, lines that are no log line of ours, and files others may read. */
async function countInLogs(context: CheckContext, careless: boolean): Promise<number> {
  return withHost({ plugins: careless ? [talkative] : [] }, async (subject) => {
    await sendCanaries(subject)
    const failures = await sendIntoFailures(subject)
    const folder = join(subject.dataDir, 'logs')
    const files = readdirSync(folder).map((name) => join(folder, name))
    const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n')).filter((line) => line !== '')
    if (failures < 3 || lines.length < failures) throw new Error('the failures were not logged')
    const foreign = lines.filter((line) => !isOwnLine(line)).length
    const hits = lines.filter((line) => line.includes(canary)).length
    const open = process.platform === 'win32' ? 0 : files.filter((file) => (statSync(file).mode & 0o077) !== 0).length
    context.log(
      `${failures} failures, ${lines.length} lines: ${hits} with a canary, ${foreign} foreign; ${open} files open to others`,
    )
    return hits + foreign + open + (await countLogBreaks(careless))
  })
}

function isOwnLine(line: string): boolean {
  try {
    const parsed = JSON.parse(line) as { level?: unknown; time?: unknown }
    return typeof parsed.level === 'number' && typeof parsed.time === 'string'
  } catch {
    return false
  }
}

/** What a logger does with line breaks and credentials it is given, and how large its files become. */
async function countLogBreaks(careless: boolean): Promise<number> {
  const dir = join(mkdtempSync(join(tmpdir(), 'cairn-logs-')), 'logs')
  try {
    const file = openLogFile(dir)
    const log = createLogger({
      destination: careless ? { write: (line) => file.write(line.replaceAll('\\n', '\n')) } : file,
    })
    const text = `a\r\n${forged}\n\u2028b`
    log.info({ text, [text]: text }, text)
    log.error({ err: new Error(text) }, 'failed')
    log.info(
      {
        token: canary,
        headers: { authorization: canary, cookie: canary },
        user: { password: canary, keys: { apiKey: canary } },
      },
      'login',
    )
    log.child({ secret: canary }).info({ session: { key: canary, code: canary } }, 'key')
    const small = readFileSync(join(dir, 'cairn.log'), 'utf8').split('\n').slice(0, -1)
    const bad =
      small.filter((line) => !isOwnLine(line)).length + small.slice(2).filter((line) => line.includes(canary)).length
    for (let count = 0; count < 70; count += 1) file.write(`${'x'.repeat(1_000_000)}\n`)
    file.close()
    const sizes = readdirSync(dir).map((name) => statSync(join(dir, name)).size)
    const tooLarge = sizes.filter((size) => size > 10 * 1024 * 1024).length
    return bad + tooLarge + Math.max(0, sizes.length - 5)
  } finally {
    rmSync(join(dir, '..'), { recursive: true, force: true })
  }
}

defineCheck({
  id: 'D6',
  file: 'audit',
  stage: 2,
  unit: 'canaries, foreign lines and files too open or too large in the logs',
  target: 0,
  run: (context) => countInLogs(context, false),
  twin: (context) => countInLogs(context, true),
})
