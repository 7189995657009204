// @vitest-environment happy-dom
// Proves choosing from a list by keyboard and pointer, for one option, several options, free words and records.
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fieldTypeOf, translateField } from '../index.ts'
import type { FieldContext, FieldDefinition } from '../index.ts'

const plain: FieldContext = { locale: 'en', timeZone: 'UTC', translate: translateField }
const options = [
  { value: 'open', label: 'Open' },
  { value: 'done', label: 'Done' },
  { value: 'old', label: 'Old', active: false },
]

function Form(props: {
  field: FieldDefinition
  initial?: string
  value?: unknown
  context?: FieldContext
  onDone?(text: string): void
}) {
  const [draft, setDraft] = useState(props.initial ?? '')
  const { Editor } = fieldTypeOf(props.field)
  return (
    <>
      <Editor
        field={props.field}
        context={props.context ?? plain}
        label="Choice"
        draft={draft}
        value={props.value}
        onDraft={setDraft}
        onDone={(text) => props.onDone?.(text)}
        invalid={false}
        autoFocus
      />
      <code>{draft}</code>
    </>
  )
}

const box = (): HTMLElement => screen.getByRole('combobox', { name: 'Choice' })
const names = (): (string | null)[] => screen.queryAllByRole('option').map((option) => option.textContent)
const draft = (): string | null => document.querySelector('code')?.textContent ?? null
const press = (key: string): boolean => fireEvent.keyDown(box(), { key })
const search = (text: string): void => {
  fireEvent.change(box(), { target: { value: text } })
}

afterEach(cleanup)

describe('a select field', () => {
  const field: FieldDefinition = { name: 'status', type: 'select', options }

  it('offers active options only and has the focus', () => {
    render(<Form field={field} />)
    expect(document.activeElement).toBe(box())
    expect(names()).toEqual(['Open', 'Done'])
  })

  it('chooses with arrows and Enter, and says it is done', () => {
    const onDone = vi.fn()
    render(<Form field={field} onDone={onDone} />)
    press('ArrowDown')
    press('ArrowDown')
    const highlighted = document.getElementById(box().getAttribute('aria-activedescendant') ?? '')
    expect(highlighted?.textContent).toBe('Done')
    expect(press('Enter')).toBe(false)
    expect(onDone).toHaveBeenCalledWith('done')
  })

  it('takes the best match of typed text as the draft, so that leaving the editor keeps it', () => {
    render(<Form field={field} initial="open" />)
    search('do')
    expect(names()).toEqual(['Done'])
    expect(draft()).toBe('done')
    search('nothing like it')
    expect(draft()).toBe('nothing like it')
    expect(screen.getByRole('status').textContent).toBe('No match')
  })

  it('marks the chosen option', () => {
    render(<Form field={field} initial="Done" />)
    expect(screen.getByRole('option', { name: 'Done' }).getAttribute('aria-selected')).toBe('true')
    expect(screen.getByRole('option', { name: 'Open' }).getAttribute('aria-selected')).toBe('false')
  })
})

describe('a multiselect field', () => {
  const field: FieldDefinition = { name: 'kinds', type: 'multiselect', options }

  it('adds and takes away options, and leaves Enter to the grid when nothing is highlighted', () => {
    render(<Form field={field} initial="Open" />)
    fireEvent.click(screen.getByRole('option', { name: 'Done' }))
    expect(draft()).toBe('open, done')
    fireEvent.click(screen.getByRole('option', { name: 'Open' }))
    expect(draft()).toBe('done')
    expect(press('Enter')).toBe(true)
    press('ArrowDown')
    expect(press('Enter')).toBe(false)
    expect(draft()).toBe('done, open')
  })

  it('removes the last one with Backspace while nothing is typed', () => {
    render(<Form field={field} initial="Open, Done" />)
    press('Backspace')
    expect(draft()).toBe('open')
  })
})

describe('a tags field', () => {
  it('adds new words and quotes those that hold a comma', () => {
    render(<Form field={{ name: 'tags', type: 'tags' }} initial="red" />)
    search('blue, green')
    expect(names()).toEqual(['Add “blue, green”'])
    press('Enter')
    expect(draft()).toBe('red, "blue, green"')
    search('last')
    press('Tab')
    expect(draft()).toBe('red, "blue, green", last')
  })

  it('offers no new words where the field has options', () => {
    render(<Form field={{ name: 'tags', type: 'tags', options }} />)
    search('unheard of')
    expect(names()).toEqual([])
  })
})

describe('a lookup field', () => {
  const referenceFilters = { active: true }
  const field: FieldDefinition = { name: 'owner', type: 'lookup', reference: 'person', referenceFilters }

  it('finds records by text and keeps the id', async () => {
    const searchRecords = vi.fn(async (_object: string, text: string) =>
      ['Ada', 'Grace'].filter((name) => name.includes(text)).map((name) => ({ id: `id-${name}`, label: name })),
    )
    const onDone = vi.fn()
    render(<Form field={field} context={{ ...plain, searchRecords }} onDone={onDone} />)
    await screen.findByRole('option', { name: 'Ada' })
    search('Gr')
    await waitFor(() => expect(names()).toEqual(['Grace']))
    expect(searchRecords).toHaveBeenLastCalledWith('person', 'Gr', expect.any(AbortSignal), referenceFilters)
    press('Enter')
    expect(onDone).toHaveBeenCalledWith('id-Grace')
  })

  it('shows whom the stored link points to', async () => {
    const context = { ...plain, searchRecords: async () => [] }
    render(<Form field={field} context={context} initial="p1" value={{ id: 'p1', name: 'Ada' }} />)
    expect(box().getAttribute('placeholder')).toBe('Ada')
    await act(async () => undefined)
  })

  it('says when the search failed', async () => {
    const context = { ...plain, searchRecords: () => Promise.reject(new Error('Offline')) }
    render(<Form field={field} context={context} />)
    await waitFor(() =>
      expect(screen.getByRole('status').textContent).toBe('The search failed. Type again to repeat it.'),
    )
  })

  it('is edited by id when records cannot be searched', () => {
    render(<Form field={field} initial="p1" />)
    expect(screen.getByRole('textbox', { name: 'Choice' })).toHaveProperty('value', 'p1')
  })
})

describe('the date editors', () => {
  it('keep typed text as it is and give the picker what can be read of it', () => {
    render(<Form field={{ name: 'due', type: 'date' }} />)
    const [text, picker] = screen.getAllByLabelText('Choice')
    fireEvent.change(text as HTMLElement, { target: { value: '3/31/2026' } })
    expect(draft()).toBe('3/31/2026')
    expect(picker).toHaveProperty('value', '2026-03-31')
    fireEvent.change(picker as HTMLElement, { target: { value: '2026-04-01' } })
    expect(draft()).toBe('2026-04-01')
  })
})
