// @vitest-environment happy-dom
// Proves the grid as people and screen readers meet it: by role, name and key.
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { translateField } from '../../fields/index.ts'
import type { FieldContext } from '../../fields/index.ts'
import { DataGrid } from './data-grid.tsx'
import type { DataGridProps, GridColumn, GridNotice, GridRecord, GridWrite, GridWritten } from './grid-types.ts'

const context: FieldContext = { locale: 'en', timeZone: 'UTC', translate: translateField }
const columns: GridColumn[] = [
  { field: { name: 'title', type: 'text', label: 'Title', required: true }, width: 200 },
  { field: { name: 'amount', type: 'number', label: 'Amount' }, width: 120 },
  { field: { name: 'done', type: 'boolean', label: 'Done' }, width: 80 },
  { field: { name: 'no', type: 'autonumber', label: 'Number' }, width: 100 },
]
const record = (index: number): GridRecord => ({
  id: `r${index}`,
  title: `Task ${index}`,
  amount: index * 1000.5,
  done: index % 2 === 0,
  no: `N-${index}`,
})

/** A screen that keeps records, as an application would; `save` may refuse. */
function Screen(props: Partial<DataGridProps> & { save?(value: unknown): void | Promise<void> }) {
  const [rows, setRows] = useState(() => Array.from({ length: 1_000 }, (_, index) => record(index)))
  const { save, ...rest } = props
  return (
    <DataGrid
      label="Tasks"
      columns={columns}
      rowCount={rows.length}
      getRow={(index) => rows[index]}
      fieldContext={context}
      onEdit={async (_index, field, value, row) => {
        await save?.(value)
        setRows((last) => last.map((known) => (known.id === row.id ? { ...known, [field]: value } : known)))
      }}
      {...rest}
    />
  )
}

const grid = (): HTMLElement => screen.getByRole('grid', { name: 'Tasks' })
const active = (): HTMLElement | null => document.getElementById(grid().getAttribute('aria-activedescendant') ?? '')
const press = (key: string, modifiers: Partial<KeyboardEventInit> = {}): void => {
  fireEvent.keyDown(document.activeElement ?? document.body, { key, ...modifiers })
}
const type = (text: string): void => {
  fireEvent.change(screen.getByRole('textbox'), { target: { value: text } })
}

beforeEach(() => {
  // No layout in this environment: give the scroller the size a window would.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(400)
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(900)
})
afterEach(cleanup)

describe('DataGrid for screen readers', () => {
  it('tells its size and draws only the rows near the viewport', () => {
    render(<Screen />)
    expect(grid().getAttribute('aria-rowcount')).toBe('1001')
    expect(grid().getAttribute('aria-colcount')).toBe('5')
    const rows = within(grid()).getAllByRole('row')
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.length).toBeLessThanOrEqual(41)
    expect(screen.getByRole('columnheader', { name: /Amount/ }).getAttribute('aria-colindex')).toBe('3')
    const cell = screen.getByRole('gridcell', { name: 'Task 2' })
    expect(cell.getAttribute('aria-colindex')).toBe('2')
    expect(cell.closest('[role=row]')?.getAttribute('aria-rowindex')).toBe('4')
  })

  it('shows values as the field registry formats them and marks what cannot be edited', () => {
    render(<Screen />)
    expect(screen.getByRole('gridcell', { name: '2,001' }).className).toContain('field-number')
    expect(screen.getByRole('gridcell', { name: 'N-2' }).getAttribute('aria-readonly')).toBe('true')
    expect(screen.getByRole('gridcell', { name: 'Task 2' }).getAttribute('aria-readonly')).toBeNull()
  })

  it('is one tab stop and names the active cell', () => {
    render(<Screen />)
    expect(grid().tabIndex).toBe(0)
    expect(grid().querySelectorAll('[tabindex="0"], a[href], button:not([tabindex="-1"])')).toHaveLength(0)
    act(() => grid().focus())
    expect(active()?.textContent).toBe('Task 0')
    press('ArrowDown')
    press('ArrowRight')
    expect(active()?.textContent).toBe('1,000.5')
  })

  it('announces the size of a range', () => {
    render(<Screen />)
    act(() => grid().focus())
    press('ArrowDown', { shiftKey: true })
    press('ArrowRight', { shiftKey: true })
    expect(screen.getByRole('status').textContent).toBe('2 rows by 2 columns selected.')
    expect(screen.getByRole('gridcell', { name: 'Task 1' }).getAttribute('aria-selected')).toBe('true')
    expect(screen.getByRole('gridcell', { name: 'Task 2' }).getAttribute('aria-selected')).toBeNull()
  })
})

describe('DataGrid editing', () => {
  it('writes typed text with Enter, shows it at once and moves down', async () => {
    const save = vi.fn()
    render(<Screen save={save} />)
    act(() => grid().focus())
    press('N')
    const editor = screen.getByRole('textbox', { name: 'Title, row 1' })
    expect(document.activeElement).toBe(editor)
    expect(editor).toHaveProperty('value', '')
    type('New title')
    press('Enter')
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(screen.getByRole('gridcell', { name: 'New title' }).getAttribute('aria-busy')).toBe('true')
    expect(document.activeElement).toBe(grid())
    expect(active()?.textContent).toBe('Task 1')
    await waitFor(() =>
      expect(screen.getByRole('gridcell', { name: 'New title' }).getAttribute('aria-busy')).toBeNull(),
    )
    expect(save.mock.calls).toEqual([['New title']])
  })

  it('starts F2 with the stored text and gives it up with Escape', () => {
    const save = vi.fn()
    render(<Screen save={save} />)
    act(() => grid().focus())
    press('ArrowRight')
    press('F2')
    expect(screen.getByRole('textbox', { name: 'Amount, row 1' })).toHaveProperty('value', '0')
    type('99')
    press('Escape')
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(document.activeElement).toBe(grid())
    expect(save).not.toHaveBeenCalled()
  })

  it('stays open with the reason when the text is not a value', () => {
    const save = vi.fn()
    render(<Screen save={save} />)
    act(() => grid().focus())
    press('ArrowRight')
    press('Enter')
    type('12 apples')
    press('Enter')
    const editor = screen.getByRole('textbox', { name: 'Amount, row 1' })
    expect(editor).toHaveProperty('value', '12 apples')
    expect(editor.getAttribute('aria-invalid')).toBe('true')
    const reason = document.getElementById(editor.getAttribute('aria-describedby') ?? '')
    expect(reason?.textContent).toMatch(/“12 apples” is not a number/)
    expect(save).not.toHaveBeenCalled()
  })

  it('goes right with Tab from cell to cell while filling in, and lets Tab leave otherwise', async () => {
    render(<Screen />)
    act(() => grid().focus())
    expect(fireEvent.keyDown(grid(), { key: 'Tab' })).toBe(true)
    press('F2')
    type('Other')
    press('Tab')
    expect(active()?.textContent).toBe('0')
    expect(fireEvent.keyDown(grid(), { key: 'Tab' })).toBe(false)
    expect(active()?.textContent).toBe('Yes')
    press('Escape')
    expect(fireEvent.keyDown(grid(), { key: 'Tab' })).toBe(true)
    await screen.findByRole('gridcell', { name: 'Other' })
  })

  it('flips a check mark with Enter', async () => {
    const save = vi.fn()
    render(<Screen save={save} />)
    act(() => grid().focus())
    press('End')
    press('ArrowLeft')
    press('Enter')
    await waitFor(() => expect(save).toHaveBeenCalledWith(false))
    expect(screen.queryByRole('textbox')).toBeNull()
  })

  it('says so when a field cannot be edited', () => {
    render(<Screen />)
    act(() => grid().focus())
    press('End')
    press('F2')
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(screen.getByRole('status').textContent).toBe('Number cannot be edited.')
  })

  it('keeps refused text in the cell with the message of the server, and retries it', async () => {
    let answers = 0
    const save = vi.fn(() => {
      answers++
      if (answers === 1) throw new Error('The record was changed by someone else.')
    })
    render(<Screen save={save} />)
    act(() => grid().focus())
    press('F2')
    type('Precious words')
    press('Enter')
    await waitFor(() =>
      expect(screen.getByRole('gridcell', { name: 'Precious words' }).getAttribute('aria-invalid')).toBe('true'),
    )
    expect(screen.getByRole('status').textContent).toBe(
      'Title, row 1 was not saved: The record was changed by someone else.',
    )
    press('ArrowUp')
    const cell = screen.getByRole('gridcell', { name: 'Precious words' })
    expect(document.getElementById(cell.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
      'The record was changed by someone else.',
    )
    fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull())
    expect(screen.getByRole('gridcell', { name: 'Precious words' }).getAttribute('aria-invalid')).toBeNull()
    expect(save).toHaveBeenCalledTimes(2)
  })

  it('keeps unreadable text as a failed cell when the focus goes elsewhere', () => {
    render(
      <>
        <Screen />
        <button type="button">Elsewhere</button>
      </>,
    )
    act(() => grid().focus())
    press('ArrowRight')
    press('F2')
    type('soon')
    act(() => screen.getByRole('button', { name: 'Elsewhere' }).focus())
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(screen.getByRole('gridcell', { name: 'soon' }).getAttribute('aria-invalid')).toBe('true')
    expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Edit again' }))
    expect(screen.getByRole('textbox', { name: 'Amount, row 1' })).toHaveProperty('value', 'soon')
  })

  it('tells the screen what has not been saved', async () => {
    const onUnsavedChange = vi.fn()
    const save = () => Promise.reject(new Error('Offline'))
    render(<Screen save={save} onUnsavedChange={onUnsavedChange} />)
    expect(onUnsavedChange).toHaveBeenLastCalledWith({ pending: 0, failed: 0, editing: 0 })
    act(() => grid().focus())
    press('F2')
    expect(onUnsavedChange).toHaveBeenLastCalledWith({ pending: 0, failed: 0, editing: 1 })
    type('Unsaved')
    press('Enter')
    expect(onUnsavedChange).toHaveBeenLastCalledWith({ pending: 1, failed: 0, editing: 0 })
    await waitFor(() => expect(onUnsavedChange).toHaveBeenLastCalledWith({ pending: 0, failed: 1, editing: 0 }))
  })

  it('sends two edits of one record one after the other', async () => {
    const order: string[] = []
    const releases: (() => void)[] = []
    const save = (value: unknown) =>
      new Promise<void>((resolve) => {
        order.push(`start ${String(value)}`)
        releases.push(() => {
          order.push(`end ${String(value)}`)
          resolve()
        })
      })
    render(<Screen save={save} />)
    act(() => grid().focus())
    press('F2')
    type('one')
    press('Tab')
    press('F2')
    type('2')
    press('Enter')
    expect(order).toEqual(['start one'])
    await act(async () => releases[0]?.())
    await waitFor(() => expect(order).toEqual(['start one', 'end one', 'start 2']))
    await act(async () => releases[1]?.())
  })

  it('writes a cleared range as one group', async () => {
    const onEditMany = vi.fn(async () => undefined)
    render(<Screen onEditMany={onEditMany} />)
    act(() => grid().focus())
    press('ArrowRight')
    press('ArrowDown', { shiftKey: true })
    press('Delete')
    await waitFor(() => expect(onEditMany).toHaveBeenCalledTimes(1))
    expect(onEditMany.mock.calls[0]).toMatchObject([
      [
        { rowIndex: 0, field: 'amount', value: null },
        { rowIndex: 1, field: 'amount', value: null },
      ],
    ])
  })
})

describe('DataGrid that was left', () => {
  it('says elsewhere that a cell was not saved', async () => {
    let refuse = (): void => undefined
    const onNotice = vi.fn<(notice: GridNotice) => void>()
    const save = (): Promise<void> => new Promise((_resolve, reject) => (refuse = () => reject(new Error('Taken.'))))
    const { unmount } = render(<Screen save={save} onNotice={onNotice} />)
    act(() => grid().focus())
    press('Enter')
    type('new')
    press('Enter')
    unmount()
    await act(async () => refuse())
    expect(onNotice).toHaveBeenCalledWith({ text: 'Title, row 1 was not saved: Taken.', partly: true })
  })
})

describe('DataGrid with cells chosen here and there', () => {
  it('clears all of them as one group, each once', async () => {
    const onEditMany = vi.fn(async () => undefined)
    render(<Screen onEditMany={onEditMany} />)
    for (const [at, name] of ['2,001', '4,002', '2,001'].entries()) {
      fireEvent.pointerDown(screen.getByRole('gridcell', { name }), { button: 0, ctrlKey: at > 0 })
    }
    press('Delete')
    await waitFor(() => expect(onEditMany).toHaveBeenCalledTimes(1))
    expect(onEditMany.mock.calls[0]).toMatchObject([
      [
        { rowIndex: 2, field: 'amount', value: null },
        { rowIndex: 4, field: 'amount', value: null },
      ],
    ])
  })
})

describe('DataGrid with others', () => {
  it('frames the cell somebody else is editing and says who, without changing what the cell is called', () => {
    const others = new Map([['r2', new Map([['title', { name: 'Grace Hopper', initials: 'GH', hue: 3 }]])]])
    const { rerender } = render(<Screen others={others} />)
    const cell = screen.getByRole('gridcell', { name: 'Task 2' })
    expect(cell.className).toContain('cg-theirs cg-hue-3')
    expect(cell.title).toBe('Grace Hopper is editing this')
    expect(within(cell).getByText('GH').getAttribute('aria-hidden')).toBe('true')
    expect(document.querySelectorAll('.cg-theirs')).toHaveLength(1)
    rerender(<Screen />)
    expect(document.querySelectorAll('.cg-theirs')).toHaveLength(0)
  })

  it('tells which cell is edited here, and that none is any more', () => {
    const onEditing = vi.fn<(cell: { rowKey: string; field: string } | null) => void>()
    render(<Screen onEditing={onEditing} />)
    act(() => grid().focus())
    press('F2')
    expect(onEditing).toHaveBeenLastCalledWith({ rowKey: 'r0', field: 'title' })
    press('Escape')
    expect(onEditing).toHaveBeenLastCalledWith(null)
  })
})

describe('DataGrid clipboard', () => {
  it('copies a range as text and as a table', () => {
    render(<Screen />)
    act(() => grid().focus())
    press('ArrowRight', { shiftKey: true })
    press('ArrowDown', { shiftKey: true })
    const data = new Map<string, string>()
    fireEvent.copy(grid(), { clipboardData: { setData: (format: string, text: string) => data.set(format, text) } })
    expect(data.get('text/plain')).toBe('Task 0\t0\nTask 1\t1000.5')
    expect(data.get('text/html')).toContain('<td>Task 1</td><td>1000.5</td>')
    expect(screen.getByRole('status').textContent).toBe('4 cells copied.')
  })

  it('pastes a block from the active cell and keeps what does not fit a field as failed text', async () => {
    const onEditMany = vi.fn(async () => undefined)
    render(<Screen onEditMany={onEditMany} />)
    act(() => grid().focus())
    const text = 'A\t10\nB\tten'
    fireEvent.paste(grid(), { clipboardData: { getData: (format: string) => (format === 'text/plain' ? text : '') } })
    await waitFor(() => expect(onEditMany).toHaveBeenCalledTimes(1))
    expect(onEditMany.mock.calls[0]).toMatchObject([
      [
        { rowIndex: 0, field: 'title', value: 'A' },
        { rowIndex: 0, field: 'amount', value: 10 },
        { rowIndex: 1, field: 'title', value: 'B' },
      ],
    ])
    expect(screen.getByRole('gridcell', { name: 'ten' }).getAttribute('aria-invalid')).toBe('true')
  })
})

describe('DataGrid ranges beyond what is loaded', () => {
  const all = Array.from({ length: 1_000 }, (_, index) => record(index))
  const loadRows = vi.fn(async (first: number, end: number) => all.slice(first, end))
  const written = async ({ edits, records, onProgress }: GridWrite): Promise<GridWritten> => {
    onProgress(1)
    return {
      messages: edits.map(({ field, rowIndex }) => (field === 'amount' && rowIndex === 700 ? 'Too much.' : null)),
      added: records.map((data, index) => (index === 1 ? 'A value is required.' : { id: `new${index}`, ...data })),
    }
  }
  const open = (props: Partial<DataGridProps> = {}) => {
    const onWriteMany = vi.fn(written)
    const onNotice = vi.fn<(notice: GridNotice) => void>()
    const onProgress = vi.fn<NonNullable<DataGridProps['onProgress']>>()
    const unloaded = { rowCount: 1_000, getRow: (index: number) => (index < 200 ? all[index] : undefined), loadRows }
    render(<Screen {...unloaded} {...{ onWriteMany, onNotice, onProgress }} {...props} />)
    act(() => grid().focus())
    return { onWriteMany, onNotice, onProgress, told: () => onNotice.mock.lastCall?.[0].text }
  }
  const paste = (text: string): void => {
    fireEvent.paste(grid(), { clipboardData: { getData: (format: string) => (format === 'text/plain' ? text : '') } })
  }
  const lines = (count: number, cells = 'Pasted\t7'): string => Array.from({ length: count }, () => cells).join('\n')

  it('reads the rows of a paste first and writes all of them, and names the ones that were refused', async () => {
    const { onWriteMany, onNotice, onProgress, told } = open()
    paste(lines(800))
    await waitFor(() => expect(onNotice).toHaveBeenCalledTimes(1))
    const edits = onWriteMany.mock.calls[0]?.[0].edits ?? []
    expect(edits).toHaveLength(1_600)
    expect(edits.at(-1)).toMatchObject({ rowIndex: 799, row: { id: 'r799' }, field: 'amount', value: 7 })
    expect(told()).toBe('1,599 cells changed. 1 cell not saved, the text is kept in the marked cells: Too much.')
    expect(onProgress.mock.calls.map(([progress]) => progress?.phase)).toEqual([
      'reading',
      'writing',
      'writing',
      undefined,
    ])
  })

  it('adds the rows of a paste that lie below the last one, and names those that were not added', async () => {
    const { onWriteMany, onNotice, told } = open({ growing: true })
    press('End', { ctrlKey: true })
    press('Home')
    paste('A\t1\nB\tten\n\t5\nC\t3')
    await waitFor(() => expect(onNotice).toHaveBeenCalledTimes(1))
    const write = onWriteMany.mock.calls[0]?.[0]
    expect(write?.edits).toMatchObject([
      { rowIndex: 999, field: 'title' },
      { rowIndex: 999, field: 'amount' },
    ])
    expect(write?.records).toEqual([{ title: 'B' }, { amount: 5 }, { title: 'C', amount: 3 }])
    expect(told()).toBe(
      '2 cells changed. 2 rows added. 1 cell not taken over: the text is kept in the marked cells. ' +
        '1 row of the clipboard not added (3): A value is required.',
    )
  })

  it('says what of a paste lies outside, and which columns cannot be edited', async () => {
    const { onNotice, told } = open()
    press('End', { ctrlKey: true })
    paste('N\tx\ty\nM')
    await waitFor(() => expect(onNotice).toHaveBeenCalledTimes(1))
    expect(told()).toContain('2 columns of the clipboard left out: beyond the last column.')
    expect(told()).toContain('1 row of the clipboard left out: below the last row.')
    expect(told()).toContain('Left as it is, because it cannot be edited here: Number.')
  })

  it('clears and fills every row of a range', async () => {
    const { onWriteMany, told } = open()
    press('ArrowRight')
    press('ArrowDown', { ctrlKey: true, shiftKey: true })
    press('Delete')
    await waitFor(() => expect(onWriteMany).toHaveBeenCalledTimes(1))
    expect(onWriteMany.mock.calls[0]?.[0].edits).toHaveLength(1_000)
    await waitFor(() => expect(told()).toContain('999 cells changed.'))
    press('d', { ctrlKey: true })
    await waitFor(() => expect(onWriteMany).toHaveBeenCalledTimes(2))
    const filled = onWriteMany.mock.calls[1]?.[0].edits ?? []
    expect(filled.at(-1)).toMatchObject({ rowIndex: 999, field: 'amount', value: 0 })
  })

  it('changes nothing when the rows cannot be read, and says so', async () => {
    const { onWriteMany, onNotice, told } = open({ loadRows: async () => Promise.reject(new Error('Cairn is away.')) })
    paste(lines(300))
    await waitFor(() => expect(onNotice).toHaveBeenCalledTimes(1))
    expect(told()).toBe('The rows could not be read, so nothing was changed. Cairn is away.')
    expect(onWriteMany).not.toHaveBeenCalled()
  })

  it('refuses more than can be one step, with the number', async () => {
    const { onNotice, told } = open({ growing: true })
    paste(lines(25_001))
    await waitFor(() => expect(onNotice).toHaveBeenCalledTimes(1))
    expect(told()).toBe(
      'This would change 50,002 cells; at most 50,000 can be changed in one step. Nothing was changed.',
    )
  })
})

describe('DataGrid header', () => {
  it('asks for the next order with a click or Enter and shows the current one', () => {
    const onSort = vi.fn()
    const { rerender } = render(<Screen onSort={onSort} />)
    fireEvent.click(screen.getByRole('columnheader', { name: /Amount/ }))
    expect(onSort).toHaveBeenLastCalledWith('amount', 'asc', false)
    rerender(<Screen onSort={onSort} sort={[{ field: 'amount', order: 'asc' }]} />)
    expect(screen.getByRole('columnheader', { name: /Amount/ }).getAttribute('aria-sort')).toBe('ascending')
    act(() => grid().focus())
    press('ArrowUp')
    press('ArrowRight')
    expect(active()?.getAttribute('role')).toBe('columnheader')
    press('Enter')
    expect(onSort).toHaveBeenLastCalledWith('amount', 'desc', false)
  })

  it('opens the column menu from its button and from the keyboard, and changes widths with keys', () => {
    const onHeaderMenu = vi.fn()
    const onColumnResize = vi.fn()
    render(<Screen onHeaderMenu={onHeaderMenu} onColumnResize={onColumnResize} />)
    fireEvent.click(screen.getByRole('button', { name: 'Menu of column Amount' }))
    expect(onHeaderMenu).toHaveBeenLastCalledWith('amount', expect.any(HTMLElement))
    act(() => grid().focus())
    press('ArrowUp')
    press('Enter', { altKey: true })
    expect(onHeaderMenu).toHaveBeenLastCalledWith('title', expect.any(HTMLElement))
    press('ArrowRight', { altKey: true, shiftKey: true })
    expect(screen.getByRole('columnheader', { name: 'Row number' })).toBeTruthy()
    expect(onColumnResize).toHaveBeenCalledWith('title', 216)
  })
})

describe('DataGrid rows', () => {
  it('tells which rows are on screen and marks rows that are loading', () => {
    const onVisibleRange = vi.fn()
    render(<Screen onVisibleRange={onVisibleRange} getRow={(index) => (index === 1 ? undefined : record(index))} />)
    expect(onVisibleRange).toHaveBeenLastCalledWith(0, 11)
    const loading = within(grid()).getAllByRole('row')[2]
    expect(loading?.getAttribute('aria-busy')).toBe('true')
    expect(within(grid()).getAllByRole('row')[3]?.getAttribute('aria-busy')).toBeNull()
  })

  it('opens a record with Space and inserts below with Shift+Enter', () => {
    const onOpen = vi.fn()
    const onInsertBelow = vi.fn()
    render(<Screen onOpen={onOpen} onInsertBelow={onInsertBelow} />)
    act(() => grid().focus())
    press('ArrowDown')
    press(' ')
    expect(onOpen).toHaveBeenCalledWith(1, expect.objectContaining({ id: 'r1' }))
    press('Enter', { shiftKey: true })
    expect(onInsertBelow).toHaveBeenCalledWith(1)
  })

  it('ticks rows by pointer and with Shift+Space', () => {
    const onCheckRow = vi.fn()
    render(<Screen checkedRows={new Set(['r1'])} onCheckRow={onCheckRow} />)
    expect(screen.getByRole('checkbox', { name: 'Select row 2' })).toHaveProperty('checked', true)
    fireEvent.click(screen.getByRole('checkbox', { name: 'Select row 3' }))
    expect(onCheckRow).toHaveBeenLastCalledWith('r2', 2, false)
    act(() => grid().focus())
    press(' ', { shiftKey: true })
    expect(onCheckRow).toHaveBeenLastCalledWith('r0', 0, false)
  })

  it('shows the empty state when there are no rows', () => {
    render(<Screen rowCount={0} emptyState={<p>Nothing here yet.</p>} />)
    expect(screen.getByText('Nothing here yet.')).toBeTruthy()
    act(() => grid().focus())
    expect(active()?.getAttribute('role')).toBe('columnheader')
  })
})
