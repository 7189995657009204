// Files that are small and become large: refused by what they hold, with the problem's name, before they take memory (D-68).
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import writeSheet from 'write-excel-file/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { cell, makeWorkbook, sheetXml } from '../support/workbooks.ts'
import { hostileFiles } from '../support/hostile-files.ts'

const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('item', { title: { type: 'text' } })
})
afterAll(() => host.stop())

const send = (file: Uint8Array | string, type = sheetType) =>
  host.post('/data/item/import?dryRun=true', file, { 'content-type': type })

describe('files that become more than fits', () => {
  it.each(hostileFiles())('are refused: $name', async ({ file, type, message }) => {
    const { status, body } = await send(file(), type)
    expect([status, JSON.stringify(body.error?.details)]).toEqual([400, expect.stringMatching(message)])
  })

  it('are taken when they are sparse, oddly written or state a wrong extent', async () => {
    const sparse = sheetXml(`<row r="1">${cell('A1', 'title')}</row><row r="1048576">${cell('A1048576')}</row>`)
    const odd = sheetXml(
      `<row><c r='A1' t='inlineStr' ><is><t>title</t></is></c></row><row r="3" spans="1:16384" ht="12">${cell('A3')}<c r="XFD3" s="1"/></row>`,
      '<dimension ref="A1:XFD1048576"/>',
    )
    for (const xml of [sparse, odd]) expect((await send(makeWorkbook(xml))).body).toMatchObject({ total: 1, failed: 0 })
  })

  it('end when the client goes away', async () => {
    const rows = Array.from({ length: 60_000 }, (_, n) => [`t${n}`])
    const file = await writeSheet([['title'], ...rows]).toBuffer()
    const kept = () => readdirSync(join(host.dataDir, 'imports'))
    const abort = new AbortController()
    const sent = fetch(`${host.host.url}/api/v1/data/item/import/jobs?dryRun=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${host.host.token}`, 'content-type': sheetType },
      body: file as unknown as BodyInit,
      signal: abort.signal,
    })
    const ended = sent.catch((error: unknown) => error)
    await pause(300)
    abort.abort()
    expect(await ended).toBeInstanceOf(Error)
    // What was kept on the way goes with the process.
    await expect.poll(kept, { timeout: 10_000 }).toEqual([])
    expect((await host.get('/data/import/jobs')).body.total).toBe(0)
  })
})
