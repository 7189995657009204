// @vitest-environment happy-dom
// Cards are named one after the other, faster than a host answers.
import { MantineProvider } from '@mantine/core'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { translateField } from '../../fields/index.ts'
import { AddCard } from './kanban-column.tsx'
import type { KindPart } from './use-kind-part.tsx'

afterEach(cleanup)

it('a card is added once, its name goes back where it is refused, and the next name is not lost', async () => {
  let answer = (_refusal?: string): void => undefined
  const add = vi.fn(async () => new Promise<string | undefined>((resolve) => (answer = resolve)))
  const titleField = { name: 'title', type: 'text', label: 'Title' }
  const context = { locale: 'en', timeZone: 'UTC', translate: translateField }
  const part = { add, context, titleField } as Partial<KindPart> as KindPart
  render(
    <MantineProvider env="test">
      <AddCard part={part} column={{ key: 'k', label: 'Open', value: 'open', count: 0, sum: '', hue: '' }} start={{}} />
    </MantineProvider>,
  )
  fireEvent.click(screen.getByRole('button', { name: /Open/ }))
  const field = screen.getByRole<HTMLInputElement>('textbox')
  fireEvent.change(field, { target: { value: 'ko' } })
  fireEvent.keyDown(field, { key: 'Enter', isComposing: true })
  expect(add).not.toHaveBeenCalled()
  fireEvent.change(field, { target: { value: 'one' } })
  for (let press = 0; press < 2; press++) fireEvent.keyDown(field, { key: 'Enter' })
  fireEvent.change(field, { target: { value: 'two' } })
  await act(async () => answer())
  expect(add.mock.calls).toEqual([[{ title: 'one' }]])
  expect(field.value).toBe('two')
  fireEvent.keyDown(field, { key: 'Enter' })
  await act(async () => answer('Taken already.'))
  expect(field.value).toBe('two')
  expect(screen.getByText('Taken already.')).toBeTruthy()
})
