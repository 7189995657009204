// Measures scrolling over 100,000 stored records (20,000 at a commit) in the real grid and prints the figures. The bounds are far below what
// an idle machine gives: they catch a grid that draws every row, not a busy machine.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBench } from './open-console.ts'
import type { ConsoleBench } from './open-console.ts'
import { sized } from '../support/test-size.ts'

const recordCount = sized(20_000, 100_000)
const fieldCount = 20
const frames = 200

const ways: readonly [name: string, pixels: number, query: string][] = [
  ['steps', 400, ''],
  ['flings', 4000, ''],
  ['steps under headings', 400, '?g=kind&t=f1.sum,f2.avg'],
  ['flings under headings', 4000, '?g=kind&t=f1.sum,f2.avg'],
]

describe(`scrolling ${recordCount.toLocaleString('en')} records`, () => {
  let bench: ConsoleBench

  beforeAll(async () => {
    bench = await openBench()
    const names = Array.from({ length: fieldCount }, (_, index) => `f${index}`)
    const fields = Object.fromEntries(
      names.map((name, index) => [name, index % 3 === 0 ? { type: 'text' } : { type: 'number' }]),
    )
    await bench.api('PUT', '/meta/object/wide', { name: 'wide', fields: { ...fields, kind: { type: 'text' } } })
    for (let from = 0; from < recordCount; from += 10_000) {
      const rows = Array.from({ length: 10_000 }, (_, row) =>
        Object.fromEntries([
          ['kind', `kind ${(from + row) % 40}`],
          ...names.map((name, index) => [name, index % 3 === 0 ? `r${from + row}c${index}` : from + row]),
        ]),
      )
      await bench.api('POST', '/data/wide/import', { rows })
    }
  }, 300_000)
  afterAll(async () => bench?.stop())

  it.each(sized([ways[1]!], ways))('keeps drawing in %s of %i pixels per frame', async (kind, step, query) => {
    const { page, errors, close } = await bench.open(`/o/wide${query}`)
    await page.getByText(`${recordCount.toLocaleString('en')} records`, { exact: true }).waitFor()
    await page.getByRole('gridcell', { name: 'r0c0', exact: true }).waitFor()
    const { deltas, blank } = await page.evaluate(
      async ({ count, pixels }) => {
        const scroller = document.querySelector('.cg-scroller')
        if (!scroller) throw new Error('There is no grid.')
        const times: number[] = []
        let blanks = 0
        const { top, height } = scroller.getBoundingClientRect()
        for (let frame = 0; frame <= count; frame++) {
          times.push(await new Promise<number>((resolve) => requestAnimationFrame(resolve)))
          scroller.scrollTop += pixels
          // What is painted now: is there a row in the middle of the screen?
          const drawn = [...document.querySelectorAll('.cg-row')].some((row) => {
            const box = row.getBoundingClientRect()
            return box.top <= top + height / 2 && box.bottom >= top + height / 2
          })
          if (!drawn) blanks++
        }
        return {
          deltas: times.slice(1).map((time, index) => time - (times[index] ?? 0)),
          blank: blanks / (count + 1),
        }
      },
      { count: frames, pixels: step },
    )
    const sorted = deltas.toSorted((a, b) => a - b)
    const fps = 1000 / (deltas.reduce((sum, delta) => sum + delta, 0) / deltas.length)
    const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? 0
    console.log(
      `scroll in ${kind}, ${step} px/frame over ${recordCount} x ${fieldCount}: ${fps.toFixed(1)} fps, p95 ${p95.toFixed(1)} ms, ${(blank * 100).toFixed(0)} % of frames without rows`,
    )
    expect(fps).toBeGreaterThan(10)
    // At rest every row on screen has its values.
    await page.waitForFunction(() => document.querySelectorAll('.cg-row [aria-busy="true"], .cg-skeleton').length === 0)
    const drawn = await page.getByRole('row').count()
    expect(drawn).toBeLessThan(80)
    expect(errors).toEqual([])
    await close()
  })

  it('jumps to the end and back with the keyboard', async () => {
    const { page, close } = await bench.open('/o/wide')
    await page.getByRole('gridcell', { name: 'r0c0', exact: true }).click()
    const startedAt = Date.now()
    await page.keyboard.press('ControlOrMeta+End')
    await page
      .getByRole('gridcell', { name: `${recordCount - 1}`.replace(/\B(?=(\d{3})+$)/g, ','), exact: true })
      .first()
      .waitFor()
    console.log(`jump to the end of ${recordCount}: ${Date.now() - startedAt} ms`)
    await page.keyboard.press('ControlOrMeta+Home')
    await page.getByRole('gridcell', { name: 'r0c0', exact: true }).waitFor()
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe(String(recordCount + 2))
    await close()
  })
})
