// What a host carries that does not take part: nothing of documents, certificates, connections or the protocol.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const program = `
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
  const { startHost } = await import(process.argv[1])
  const host = await startHost({ dataDir: process.argv[2], port: 0, durable: false })
  const headers = { authorization: 'Bearer ' + host.token }
  const answer = await fetch(host.url + '/api/v1/sync/status', { headers })
  const { state } = await answer.json()
  await host.stop()
  console.log(JSON.stringify({ state, loaded }))
`

/** The parts of sync a host needs only while it takes part, and what they are made of. */
const heavy =
  /node_modules\/(yjs|lib0|y-protocols|@peculiar)\/|replication\/(channel|wire)\/|plugins\/sync\/(engine|session|apply|write)\//

it('loads no documents and no certificates to say that sync is off', { timeout: 60_000 }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-idle-'))
  try {
    const index = new URL('../../main/index.ts', import.meta.url).href
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', program, '--', index, dataDir], {
      encoding: 'utf8',
    })
    const { state, loaded } = JSON.parse(output.trim().split('\n').at(-1)!) as { state: string; loaded: string[] }
    expect(state).toBe('off')
    expect(loaded.length).toBeGreaterThan(100)
    expect(loaded.filter((url) => heavy.test(url))).toEqual([])
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})
