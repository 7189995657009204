// @vitest-environment happy-dom
// Proves that a grid over a paging source shows rows as they arrive, once per query, in strict mode too.
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { StrictMode, useCallback } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { translateField } from '../../fields/index.ts'
import type { BlockAnswer, BlockRequest } from './blocks.ts'
import { DataGrid } from './data-grid.tsx'
import type { GridColumn, GridRecord } from './grid-types.ts'
import { useBlockRows } from './use-block-rows.ts'

const context = { locale: 'en', timeZone: 'UTC', translate: translateField }
const columns: GridColumn[] = [{ field: { name: 'title', type: 'text', label: 'Title' }, width: 200 }]

type Source = (request: BlockRequest) => Promise<BlockAnswer<GridRecord>>

function Screen({ query, source, onDraw }: { query: string; source: Source; onDraw?: () => void }) {
  onDraw?.()
  const load = useCallback((request: BlockRequest) => source(request), [source])
  const { rowCount, getRow, changes, onVisibleRange, total, error } = useBlockRows<GridRecord>(query, load)
  return (
    <>
      <DataGrid
        label="Tasks"
        columns={columns}
        rowCount={rowCount}
        getRow={getRow}
        changes={changes}
        onVisibleRange={onVisibleRange}
        queryKey={query}
        fieldContext={context}
      />
      <p>{error ? 'Loading failed' : `${total ?? '?'} records`}</p>
    </>
  )
}

function pagingSource(total: number) {
  return vi.fn<Source>(async ({ query, skip, top, count, signal }) => {
    await Promise.resolve()
    signal.throwIfAborted()
    const length = Math.max(0, Math.min(top, total - skip))
    const rows = Array.from({ length }, (_, index) => ({ id: `${skip + index}`, title: `${query} ${skip + index}` }))
    return count ? { rows, total } : { rows }
  })
}

beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(400)
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(900)
})
afterEach(cleanup)

describe('useBlockRows', () => {
  it('shows loading rows first and the records when they arrive', async () => {
    const source = pagingSource(5_000)
    render(<Screen query="open" source={source} />)
    expect(screen.getAllByRole('row')[1]?.getAttribute('aria-busy')).toBe('true')
    await screen.findByRole('gridcell', { name: 'open 0' })
    expect(screen.getByText('5000 records')).toBeTruthy()
    expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('5001')
    expect(source.mock.calls.map(([{ skip, count }]) => [skip, count])).toEqual([[0, true]])
  })

  it('loads in strict mode, where effects run twice', async () => {
    const source = pagingSource(300)
    render(
      <StrictMode>
        <Screen query="open" source={source} />
      </StrictMode>,
    )
    await screen.findByRole('gridcell', { name: 'open 0' })
    expect(screen.getByText('300 records')).toBeTruthy()
  })

  it('changes to the rows of another query', async () => {
    const source = pagingSource(300)
    const { rerender } = render(<Screen query="open" source={source} />)
    await screen.findByRole('gridcell', { name: 'open 0' })
    rerender(<Screen query="done" source={source} />)
    await screen.findByRole('gridcell', { name: 'done 0' })
    expect(screen.queryByRole('gridcell', { name: 'open 0' })).toBeNull()
  })

  it('draws the grid, and not the screen around it, for rows that arrive later', async () => {
    const source = pagingSource(5_000)
    const onDraw = vi.fn()
    const { container } = render(<Screen query="open" source={source} onDraw={onDraw} />)
    await screen.findByRole('gridcell', { name: 'open 0' })
    const drawn = onDraw.mock.calls.length
    const scroller = container.querySelector('.cg-scroller')!
    scroller.scrollTop = 72_000
    fireEvent.scroll(scroller)
    await screen.findByRole('gridcell', { name: 'open 2000' })
    expect(source.mock.calls.some(([{ skip }]) => skip === 2_000)).toBe(true)
    expect(onDraw).toHaveBeenCalledTimes(drawn)
  })

  it('reports a failed load', async () => {
    const source = vi.fn<Source>(() => Promise.reject(new Error('The server is not reachable.')))
    render(<Screen query="open" source={source} />)
    await screen.findByText('Loading failed')
    await act(async () => undefined)
    await waitFor(() => expect(source).toHaveBeenCalledTimes(1))
  })
})
