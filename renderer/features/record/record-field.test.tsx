// @vitest-environment happy-dom
// What is typed into a field of a record is not lost with the field, whatever takes it from the screen.
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { GridRecord } from '../../components/grid/index.ts'
import { translateField } from '../../fields/index.ts'
import { RecordField } from './record-field.tsx'

const save = vi.fn(async (_field: string, _value: unknown, row: GridRecord) => row)
const record = { title: 'old', amount: 1 }

/** The field of a record on screen; answers what takes it away. */
const show = (name: 'title' | 'amount', id: string): (() => void) => {
  const { unmount } = render(
    <MantineProvider>
      <QueryClientProvider client={new QueryClient()}>
        <RecordField
          object="task"
          field={{ name, type: name === 'title' ? 'text' : 'number', label: name }}
          label={undefined}
          record={{ ...record, id }}
          context={{ locale: 'en', timeZone: 'UTC', translate: translateField }}
          wide={false}
          readonly={false}
          save={save}
        />
      </QueryClientProvider>
    </MantineProvider>,
  )
  return unmount
}
const type = async (text: string): Promise<void> => {
  fireEvent.click(screen.getByRole('button', { name: /^Edit/ }))
  fireEvent.change(await screen.findByRole('textbox'), { target: { value: text } })
}
const text = (): string | undefined => screen.queryByRole<HTMLInputElement>('textbox')?.value

afterEach(() => {
  cleanup()
  save.mockReset()
})

describe('a field that is taken from the screen', () => {
  it('saves what was typed, as it does when it is left', async () => {
    const leave = show('title', 'r1')
    await type('new')
    leave()
    expect(save).toHaveBeenCalledWith('title', 'new', { ...record, id: 'r1' })
    show('title', 'r1')
    expect(text()).toBeUndefined()
  })

  it('has what was refused afterwards when it is shown again, with the reason', async () => {
    save.mockRejectedValueOnce(new Error('Taken already.'))
    const leave = show('title', 'r2')
    await type('new')
    leave()
    await act(async () => save.mock.results[0]?.value.catch(() => undefined))
    show('title', 'r3')
    expect(text()).toBeUndefined()
    cleanup()
    show('title', 'r2')
    expect(text()).toBe('new')
    expect(screen.getByText('Taken already.')).toBeTruthy()
  })

  it('has what is no value when it is shown again', async () => {
    const leave = show('amount', 'r4')
    await type('many')
    leave()
    expect(save).not.toHaveBeenCalled()
    show('amount', 'r4')
    expect(text()).toBe('many')
    fireEvent.change(screen.getByRole('textbox'), { target: { value: '7' } })
    fireEvent.keyDown(screen.getByRole('textbox'), { key: 'Enter' })
    await waitFor(() => expect(save).toHaveBeenCalledWith('amount', 7, { ...record, id: 'r4' }))
  })
})
