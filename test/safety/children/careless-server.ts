// The twin of the durability checks: a server of the same little interface that answers before it writes, writes
// batches row by row, and does not end well. A check that calls this sound measures nothing.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'

const dataDir = process.argv[process.argv.indexOf('--data') + 1]!
mkdirSync(dataDir, { recursive: true })
const database = new BetterSqlite3(join(dataDir, 'cairn.db'))
database.pragma('journal_mode = WAL')
database.exec('CREATE TABLE IF NOT EXISTS o_kill_note (title TEXT, request INTEGER)')
const insert = database.prepare('INSERT INTO o_kill_note (title, request) VALUES (?, ?)')

interface Row {
  title: string
  request: number
}
interface Body {
  records?: (Row | { data: Row })[]
}

async function writeLater(body: Body & Row): Promise<void> {
  await pause(20)
  const rows = (body.records ?? [body]).map((record) => ('data' in record ? record.data : record))
  for (const row of rows) {
    insert.run(row.title, row.request)
    await pause(1)
  }
}

const server = createServer((incoming, outgoing) => {
  let text = ''
  incoming.on('data', (chunk: Buffer) => (text += chunk.toString()))
  incoming.on('end', () => {
    const creates = incoming.method === 'POST'
    outgoing.writeHead(creates ? 201 : 200, { 'content-type': 'application/json' })
    outgoing.end('{"success":true}')
    if (creates) void writeLater(JSON.parse(text) as Body & Row)
  })
})
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  writeFileSync(join(dataDir, 'connection.json'), JSON.stringify({ url, token: 'none' }))
  process.stdout.write(`The careless server is running at ${url}\n`)
})
