import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { translateField } from '../../fields/index.ts'
import { findHit } from './find-in-rows.ts'

const columns = [
  { name: 'a', type: 'text' },
  { name: 'b', type: 'text' },
]
const context = { locale: 'en', timeZone: 'UTC', translate: translateField }

describe('finding a text in a view', () => {
  it('goes to the next and the previous cell that shows it, over headings and around the end', async () => {
    const line = fc.constantFrom('hit', '-', 'heading')
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(line, fc.constantFrom('HIT', '-')), { minLength: 1, maxLength: 1_300 }),
        fc.nat(),
        fc.nat(1),
        fc.boolean(),
        async (lines, at, column, back) => {
          const from = { row: at % lines.length, column }
          const isHeading = (index: number): boolean => lines[index]?.[0] === 'heading'
          const hit = await findHit({
            text: 'hit',
            columns,
            context,
            rowCount: lines.length,
            loadRows: async (first, end) =>
              lines.slice(first, end).flatMap(([a, b]) => (a === 'heading' ? [] : [{ a, b }])),
            isHeading,
            from,
            back,
            signal: new AbortController().signal,
            onLine: () => undefined,
          })
          // All cells in reading order, the start first; the model walks them one by one.
          const cells = lines.flatMap(([a, b], row) => [
            { row, column: 0, is: a === 'hit' },
            { row, column: 1, is: a !== 'heading' && b === 'HIT' },
          ])
          const start = cells.findIndex((cell) => cell.row === from.row && cell.column === from.column)
          const turned = [...cells.slice(start + 1), ...cells.slice(0, start + 1)]
          const order = back ? [...cells.slice(start), ...cells.slice(0, start)].toReversed() : turned
          const expected = order.find(({ is }) => is)
          expect(hit).toEqual(expected && { line: expected.row, field: expected.column === 0 ? 'a' : 'b' })
        },
      ),
      { numRuns: 60 },
    )
  })
})
