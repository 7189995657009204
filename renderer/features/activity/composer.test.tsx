// @vitest-environment happy-dom
// What is typed while a comment is being sent is not sent and not lost.
import { MantineProvider } from '@mantine/core'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { Composer } from './composer.tsx'
import type { FeedWrites } from './feed-queries.ts'

afterEach(cleanup)

it('the next comment begins with what was typed while the one before was sent', async () => {
  let stored = (): void => undefined
  const add = vi.fn(async () => new Promise<undefined>((resolve) => (stored = () => resolve(undefined))))
  render(
    <MantineProvider env="test">
      <Composer place="task r1" people={[]} writes={{ add } as Partial<FeedWrites> as FeedWrites} />
    </MantineProvider>,
  )
  const area = screen.getByRole<HTMLTextAreaElement>('textbox')
  const visibility = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Who sees it' })
  fireEvent.change(visibility, { target: { value: 'internal' } })
  fireEvent.change(area, { target: { value: 'First.' } })
  fireEvent.keyDown(area, { key: 'Enter', ctrlKey: true })
  fireEvent.change(area, { target: { value: 'First. And' } })
  await act(async () => stored())
  expect(add).toHaveBeenCalledWith(expect.objectContaining({ body: 'First.' }))
  expect([area.value, visibility.value]).toEqual(['And', 'internal'])
  fireEvent.change(area, { target: { value: 'And second.' } })
  fireEvent.keyDown(area, { key: 'Enter', ctrlKey: true })
  const elsewhere = document.body.appendChild(document.createElement('input'))
  elsewhere.focus()
  await act(async () => stored())
  expect([area.value, visibility.value]).toEqual(['', 'public'])
  expect(document.activeElement).toBe(elsewhere)
  elsewhere.remove()
})
