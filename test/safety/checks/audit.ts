// The audit: nothing that matters happens without an entry, and no entry is changed without notice (D7, D7b, D7k).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import type { PluginDefinition, PluginHost } from '#main/kernel/plugin.ts'
import { openKeys } from '#main/plugins/audit/service/keys.ts'
import { knownKinds } from '#main/plugins/audit/service/kinds.ts'
import { verifyChain } from '#main/plugins/audit/service/verify.ts'
import { readHead } from '#main/plugins/audit/store.ts'
import { createFileSecrets } from '#main/kernel/file-secrets.ts'
import { createAuthHost } from '../../support/auth-host.ts'
import { createTestHost } from '../../support/create-test-host.ts'
import type { TestHost } from '../../support/create-test-host.ts'
import { rowOf, saveFlow } from '../../support/flow-calls.ts'
import { startForgingPeer } from '../../support/forging-peer.ts'
import { deedSettings, doWithAccounts, doWithOrganizations, kindsOf } from '../account-deeds.ts'
import { readRows, tamperings, writeRows } from '../audit-tampering.ts'
import { cairnEntry, childEntry, startChildServer } from '../child-server.ts'
import { minimumOf } from '../minimums.ts'
import { createRandom } from '../random.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

/** An audit that hears no events, whatever happens. */
function deaf(plugin: PluginDefinition): PluginDefinition {
  const register: PluginDefinition['register'] = (host) =>
    plugin.register(Object.create(host, { on: { value: () => undefined } }) as PluginHost)
  return { ...plugin, register }
}

/** Kinds that tell of damage, of long times or of other machines and have checks of their own (D7b, the tests of the plugins). */
const rareKinds: ReadonlySet<string> = new Set([
  'audit.gap',
  'audit.anchor_lost',
  'audit.cut',
  'audit.flood',
  'schema.backup_expired',
  'machine.paired',
  'machine.unpaired',
])

/** Asks for an approval of a transition, and gives it. */
async function askForApproval(
  host: TestHost,
  save: (type: string, name: string, item: object) => Promise<unknown>,
): Promise<void> {
  const stages = ['open', 'paid']
  await host.defineObject('claim', { stage: { type: 'select', options: stages.map((value) => ({ value })) } })
  const approval = { approvers: [{ type: 'owner' }] }
  const transitions = [{ name: 'pay', from: 'open', to: 'paid', requiresApproval: true, approval }]
  await save('validation', 'claim_stages', { object: 'claim', type: 'state_machine', field: 'stage', transitions })
  const { body: claim } = await host.post('/data/claim', { stage: 'open' })
  await host.post(`/workflow/claim/${claim.id}/transition`, { transition: 'pay' })
  await host.post(`/workflow/claim/${claim.id}/approve`, {})
}

/** Has an assistant make a record. */
async function actByAssistant(host: TestHost): Promise<void> {
  const params = { name: 'create_record', arguments: { object: 'claim', data: { stage: 'open' } } }
  const answer = await host.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  if (answer.body.result?.isError !== undefined) throw new Error(JSON.stringify(answer.body))
}

/** Does everything a host can do today that must leave an entry. */
async function doEverything(host: TestHost): Promise<void> {
  const save = (type: string, name: string, item: object) =>
    host.put(`/meta/${type}/${name}`, { type, name, item: { name, ...item } })
  const fields = { title: { type: 'text' }, pin: { type: 'secret' }, extra: { type: 'text' } }
  await host.defineObject('task', fields)
  await host.defineObject('gone', fields)
  await host.delete('/meta/object/gone?confirm=true')
  const { extra: _extra, ...rest } = fields
  await host.post('/data/task', { title: 'x', extra: 'y' })
  await host.put('/meta/object/task?confirm=true', {
    type: 'object',
    name: 'task',
    item: { name: 'task', fields: rest },
  })
  const { body: backups } = await host.get('/meta/object/task/backups')
  await host.post(`/meta/object/task/backups/${backups.data[0].id}/restore`, {})
  for (const [type, name] of [
    ['profile', 'staff'],
    ['app', 'desk'],
  ] as const) {
    await save(type, name, { label: name })
    await host.put(`/meta/${type}/${name}/overlay`, { patch: { label: 'Other' } })
    await host.post(`/meta/${type}/${name}/state`, { state: 'deprecated' })
    await host.delete(`/meta/${type}/${name}?force=true`)
  }
  await host.put('/meta/object/task/overlay', { patch: { label: 'Other' } })
  await host.post('/meta/object/task/state', { state: 'deprecated' })
  await host.post('/meta/object/task/state', { state: 'active' })
  await host.patch('/settings', { locale: 'de' })
  const { body: record } = await host.post('/data/task', { title: 'x', pin: '1234' })
  await host.post(`/data/task/${record.id}/reveal`, { field: 'pin' })
  await host.delete(`/data/task/${record.id}`)
  await host.post(`/data/task/${record.id}/restore`, {})
  await host.delete(`/data/task/${record.id}?purge=true`)
  await askForApproval(host, save)
  await actByAssistant(host)
  await host.post('/webhooks', { name: 'sent', url: 'https://example.com/', triggers: ['api'] })
  await host.post('/webhook-receivers', { name: 'taken', path: 'taken', action: 'upsert_record', target: 'task' })
  await host.put('/ai/config', { provider: 'embedded' })
  await host.put('/storage/rules', { rules: {} })
  await saveFlow(host, 'switched', rowOf())
  await host.post('/automation/switched/toggle', { enabled: false })
  await host.get('/data/task/export?format=ndjson')
  const { body: job } = await host.post('/data/task/import/jobs', { format: 'json', rows: [{ title: 'r' }] })
  await pause(500)
  await host.post(`/data/import/jobs/${String(job?.jobId ?? job?.id)}/undo`, {})
  await host.post('/analytics/sql', { sql: 'SELECT 1' })
  await host.anonymous('GET', '/api/v1/meta', undefined, { authorization: 'Bearer nobody' })
  const { body: backup } = await host.post('/backups', {})
  const { body: second } = await host.post('/backups', {})
  await host.get(`/backups/${backup.id}/download`)
  await host.delete(`/backups/${second.id}`)
  await host.get('/audit/export')
  await host.post('/audit/verify')
}

/** Kinds a host could write and did not, though what they tell of was done. */
async function countMissingKinds(context: CheckContext, careless: boolean): Promise<number> {
  const own = [...corePlugins, ...optionalPlugins]
  const plugins = own.map((plugin) => (careless && plugin.id === 'audit' ? deaf(plugin) : plugin))
  const peer = await startForgingPeer()
  const host = await createAuthHost(deedSettings(peer), { plugins })
  try {
    await doEverything(host)
    await doWithAccounts(host, peer)
    const api = { id: 'weather', name: 'Weather', type: 'rest', version: '1', basePath: '/weather', endpoints: [] }
    await host.post('/registry/apis', api)
    await pause(400)
    const seen = new Set([...(await kindsOf(host)), ...(await doWithOrganizations({ plugins }))])
    const { body: list } = await host.get('/backups')
    const id = list.backups[0].id as string
    const { stopped } = host.host
    await host.post(`/backups/${id}/restore`, { confirm: id })
    await stopped
    await host.restart()
    for (const kind of await kindsOf(host)) seen.add(kind)
    const told = own.flatMap(({ emits = [] }) => emits.filter((type) => /^(auth|permissions)\./.test(type)))
    const wanted = new Set([...Object.keys(knownKinds).filter((kind) => !rareKinds.has(kind)), ...told])
    const missing = [...wanted].filter((kind) => !seen.has(kind))
    context.log(`${wanted.size} kinds${missing.length === 0 ? '' : `, missing: ${missing.join(', ')}`}`)
    return wanted.size >= minimumOf('auditKinds') ? missing.length : NaN
  } finally {
    await host.stop()
    await peer.stop()
  }
}

defineCheck({
  id: 'D7',
  file: 'audit',
  stage: 2,
  unit: 'kinds of entries that were due and are missing',
  target: 0,
  run: (context) => countMissingKinds(context, false),
  twin: (context) => countMissingKinds(context, true),
})

/** Changes of the table made by hand that a check of the chain does not find. */
async function countUndetected(context: CheckContext, careless: boolean): Promise<number> {
  const random = createRandom(context.seed)
  const host = await createTestHost({ plugins: [...corePlugins, ...optionalPlugins] })
  const file = new BetterSqlite3(join(host.dataDir, 'cairn.db'))
  try {
    await host.defineObject('task', { title: { type: 'text' } })
    for (let count = 0; count < 25; count += 1) {
      await host.patch('/settings', { locale: count % 2 === 0 ? 'de' : 'en' })
      const { body } = await host.post('/data/task', { title: `Task ${count}` })
      await host.delete(`/data/task/${body.id}?purge=true`)
    }
    const { database, plugins } = host.host
    const secrets = createFileSecrets(join(host.dataDir, 'secret.key'))
    const keys = await openKeys({ read: database.read, write: database.write, secrets, at: new Date().toISOString() })
    // The guard switched off: nothing outside of the table says where it ends.
    const head = () => readHead(database.read)
    const alone = () => verifyChain({ read: database.read, keys, head, anchor: { read: head } })
    const verify = careless ? alone : () => plugins.service('audit')!.verify()
    if (!(await verify()).valid) throw new Error('the chain does not hold before anything was done to it')
    file.exec('DROP TRIGGER audit_entry_append; DROP TRIGGER audit_entry_update; DROP TRIGGER audit_entry_delete')
    const rows = readRows(file)
    const original = JSON.stringify(rows)
    const names = Object.keys(tamperings)
    const undetected: string[] = []
    let done = 0
    for (let turn = 0; done < 200 && turn < 1_000; turn += 1) {
      const name = names[turn % names.length]!
      tamperings[name]!(file, random)
      if (JSON.stringify(readRows(file)) === original) continue
      done += 1
      if ((await verify()).valid) undetected.push(name)
      writeRows(file, rows)
    }
    if (done < 200) throw new Error('hardly anything was changed')
    if (!(await verify()).valid) throw new Error('the chain does not hold after everything was put back')
    context.log(
      `${done} changes of ${rows.length} entries${undetected.length === 0 ? '' : `; ${undetected.join(', ')}`}`,
    )
    return undetected.length
  } finally {
    file.close()
    await host.stop()
  }
}

defineCheck({
  id: 'D7b',
  file: 'audit',
  stage: 2,
  unit: 'edits, removals, insertions, reorderings and truncations of the table that are not detected',
  target: 0,
  run: (context) => countUndetected(context, false),
  twin: (context) => countUndetected(context, true),
})

/** Chains that do not hold after kill -9, and acknowledged changes without an entry. */
async function killWhileWriting(context: CheckContext, entry: string): Promise<number> {
  const random = createRandom(context.seed)
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-audit-kill-'))
  let bad = 0
  let acknowledged = 0
  try {
    for (let round = 0; round < { commit: 2, nightly: 4, release: 40 }[context.size]; round += 1) {
      const server = await startChildServer({ dataDir, entry })
      let isOver = false
      const load = Array.from({ length: 4 }, async (_none, worker) => {
        for (let count = 0; !isOver; count += 1) {
          const options = { maxBatchRecords: 100 + ((count * 7 + worker) % 800) }
          const answer = await server.call('PATCH', '/api/v1/settings', options).catch(() => undefined)
          if (answer === undefined) return
          if (answer.status === 200) acknowledged += 1
        }
      })
      await pause(200 + random() * 500)
      await server.end('SIGKILL')
      isOver = true
      await Promise.all(load)
    }
    const server = await startChildServer({ dataDir })
    const { text } = await server.call('POST', '/api/v1/audit/verify')
    const { valid, checked, firstBroken } = JSON.parse(text) as {
      valid: boolean
      checked: number
      firstBroken?: object
    }
    if (!valid) {
      bad += 1
      context.log(`broken: ${JSON.stringify(firstBroken)}`)
    }
    await server.end('SIGTERM')
    const file = new BetterSqlite3(join(dataDir, 'cairn.db'), { readonly: true })
    const sql = "SELECT count(*) AS count FROM audit_entry WHERE kind = 'settings.changed'"
    const { count } = file.prepare(sql).get() as { count: number }
    file.close()
    context.log(`${acknowledged} acknowledged changes, ${count} entries of them, ${checked} checked`)
    if (acknowledged < 20) throw new Error('hardly anything was written')
    return bad + Math.max(0, acknowledged - count)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

defineCheck({
  id: 'D7k',
  file: 'audit',
  stage: 2,
  unit: 'broken chains and acknowledged changes without an entry after kill -9',
  target: 0,
  run: (context) => killWhileWriting(context, cairnEntry),
  twin: (context) => killWhileWriting(context, childEntry('late-audit')),
})
