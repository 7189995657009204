// Random edits, pastes, fills, clearings, undos and redos over rows of which most are not loaded, against a model: after
// each of them the host holds what the model says, in every row.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { sized } from '../support/test-size.ts'
import { openBench, paste } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

const rowCount = sized(1_200, 5_000)
const steps = sized(12, 60)
const patient = { timeout: 60_000 }

type Row = readonly [a: string, n: number | null]

/** What is done: rows and sizes are taken modulo what there is. */
type Write =
  | { kind: 'edit'; row: number; text: string }
  | { kind: 'paste'; row: number; rows: number; first: number }
  | { kind: 'fill' | 'series' | 'clear'; row: number; rows: number; column: 0 | 1 }
type Act = Write | { kind: 'undo' } | { kind: 'redo' }

const row = fc.nat(rowCount - 1)
const rows = fc.oneof(fc.integer({ min: 2, max: 30 }), fc.integer({ min: 300, max: 1_100 }))
const column = fc.constantFrom(0 as const, 1 as const)
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ kind: fc.constant('edit' as const), row, text: fc.stringMatching(/^[a-z]{3,8}$/) }),
  fc.record({ kind: fc.constant('paste' as const), row, rows, first: fc.nat(9_999) }),
  fc.record({ kind: fc.constantFrom('fill' as const, 'series' as const, 'clear' as const), row, rows, column }),
  fc.constantFrom({ kind: 'undo' as const }, { kind: 'redo' as const }),
)

let bench: ConsoleBench
let open: ConsolePage
let page: Page

beforeAll(async () => {
  bench = await openBench()
  const fields = { a: { type: 'text', label: 'A' }, n: { type: 'number', label: 'N' } }
  await bench.api('PUT', '/meta/object/line', { name: 'line', label: 'Line', pluralLabel: 'Lines', fields })
  for (let from = 0; from < rowCount; from += 1_000) {
    const part = Array.from({ length: Math.min(1_000, rowCount - from) }, (_, index) => ({
      a: `row ${from + index}`,
      n: from + index,
    }))
    await bench.api('POST', '/data/line/createMany', { records: part })
  }
  open = await bench.open('/o/line')
  page = open.page
  await page.getByText(`${rowCount.toLocaleString('en')} records`).waitFor()
})
afterAll(async () => {
  await open?.close()
  await bench?.stop()
})

async function stored(): Promise<Row[]> {
  const found: Row[] = []
  for (let skip = 0; skip < rowCount; skip += 1_000) {
    const { records } = await bench.api<{ records: { a: string | null; n: number | null }[] }>(
      'GET',
      `/data/line?top=1000&skip=${skip}&select=a,n`,
    )
    found.push(...records.map(({ a, n }): Row => [a ?? '', n]))
  }
  return found
}

/** The first rows that are others than they should be. */
function differences(is: readonly Row[], should: readonly Row[]): unknown[] {
  return is
    .map((row, line) => ({ line, is: row, should: should[line] }))
    .filter(({ is: one, should: other }) => JSON.stringify(one) !== JSON.stringify(other))
    .slice(0, 5)
}

/** Scrolls to a cell and presses the pointer on it. */
async function press(line: number, at: number, extend = false): Promise<void> {
  await page.evaluate((index) => {
    const scroller = document.querySelector('.cg-scroller')
    if (scroller) scroller.scrollTop = Math.max(0, index - 5) * 28
  }, line)
  const cell = page.locator(`[aria-rowindex="${line + 2}"] [aria-colindex="${at + 2}"]:not([aria-busy="true"])`)
  await cell.click(extend ? { modifiers: ['Shift'] } : {})
}

/** The rows after a write; undefined where it changes nothing. */
function after(before: readonly Row[], done: Write): Row[] | undefined {
  const next = [...before]
  const set = (line: number, at: number, value: string | number | null): void => {
    const [a, n] = next[line] ?? ['', null]
    next[line] = at === 0 ? [String(value ?? ''), n] : [a, value as number | null]
  }
  if (done.kind === 'edit') set(done.row, 0, done.text)
  else {
    const end = Math.min(rowCount, done.row + done.rows)
    for (let line = done.row; line < end; line++) {
      const step = line - done.row
      if (done.kind === 'paste') {
        set(line, 0, `p${done.first + step}`)
        set(line, 1, done.first + step)
      } else if (done.kind === 'clear') set(line, done.column, null)
      else if (done.kind === 'fill') set(line, done.column, before[done.row]?.[done.column] ?? null)
      else if (step > 1 || (step === 1 && isEmpty(before[line]?.[done.column]))) {
        set(line, done.column, continued(before, done, step))
      }
    }
  }
  return JSON.stringify(next) === JSON.stringify(before) ? undefined : next
}

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === ''

/** The series of a column as a person would write it down, from its first one or two values. */
function continued(before: readonly Row[], done: { row: number; column: 0 | 1 }, step: number): string | number | null {
  const first = before[done.row]?.[done.column] ?? null
  const second = before[done.row + 1]?.[done.column] ?? null
  const isOne = isEmpty(second)
  if (done.column === 1) {
    if (first === null) return isOne ? null : step % 2 === 0 ? null : second
    return isOne ? Number(first) + step : Number(second) + (Number(second) - Number(first)) * (step - 1)
  }
  const [head, number] = splitText(String(first ?? ''))
  const [otherHead, otherNumber] = splitText(String(second ?? ''))
  if (isOne) return number === undefined ? first : `${head}${number + step}`
  const isSeries = number !== undefined && otherNumber !== undefined && head === otherHead
  if (!isSeries || otherNumber * 2 - number < 0) return step % 2 === 0 ? first : second
  return `${head}${Math.max(0, otherNumber + (otherNumber - number) * (step - 1))}`
}

function splitText(text: string): [head: string, number: number | undefined] {
  const match = /^(.*?)(\d+)$/s.exec(text)
  return match ? [match[1] ?? '', Number(match[2])] : [text, undefined]
}

async function run(done: Act): Promise<void> {
  const grid = page.getByRole('grid')
  if (done.kind === 'undo' || done.kind === 'redo') {
    await grid.focus()
    await page.keyboard.press(done.kind === 'undo' ? 'ControlOrMeta+Z' : 'ControlOrMeta+Shift+Z')
    return
  }
  if (done.kind === 'edit') {
    await press(done.row, 0)
    await page.keyboard.type(done.text)
    await page.keyboard.press('Enter')
    return
  }
  const end = Math.min(rowCount, done.row + done.rows)
  if (done.kind === 'paste') {
    await press(done.row, 0)
    const lines = Array.from({ length: end - done.row }, (_, at) => `p${done.first + at}\t${done.first + at}`)
    await paste(page, lines.join('\n'))
    return
  }
  await press(done.row, done.column)
  if (end - 1 > done.row) await press(end - 1, done.column, true)
  await page.keyboard.press({ fill: 'ControlOrMeta+D', series: 'ControlOrMeta+Shift+D', clear: 'Delete' }[done.kind])
}

describe(`random writes over ${rowCount.toLocaleString('en')} rows`, () => {
  it('leave in every row what the model says, forth and back', async () => {
    const acts = fc.sample(fc.array(act, { minLength: steps, maxLength: steps }), 1)[0] ?? []
    let now = await stored()
    const done: Row[][] = []
    const undone: Row[][] = []
    for (const next of acts) {
      if (next.kind === 'undo') {
        const to = done.pop()
        if (to) undone.push(now)
        now = to ?? now
      } else if (next.kind === 'redo') {
        const to = undone.pop()
        if (to) done.push(now)
        now = to ?? now
      } else {
        const to = after(now, next)
        if (to) {
          done.push(now)
          undone.length = 0
          now = to
        }
      }
      await run(next)
      await expect
        .poll(async () => differences(await stored(), now), { ...patient, message: JSON.stringify(next) })
        .toEqual([])
    }
    // And all of it back, after a reload.
    const first = done[0] ?? now
    await page.reload()
    await page.getByText(`${rowCount.toLocaleString('en')} records`).waitFor()
    for (let left = done.length; left > 0; left--) await run({ kind: 'undo' })
    await expect.poll(async () => differences(await stored(), first), patient).toEqual([])
    expect(open.errors).toEqual([])
  }, 1_200_000)
})
