// @vitest-environment happy-dom
// A setting shows what is stored, whoever stored it, and keeps what is being entered.
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { SettingRow } from './setting-row.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

it('shows what was stored elsewhere, until something is entered', () => {
  const client = new QueryClient()
  const row = (value: string) => (
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <SettingRow setting={{ name: 'currency', group: 'region', kind: 'text', words: '' }} value={value} />
      </QueryClientProvider>
    </MantineProvider>
  )
  const { rerender } = render(row('EUR'))
  const field = screen.getByRole<HTMLInputElement>('textbox')
  rerender(row('USD'))
  expect([field.value, screen.queryAllByRole('button')]).toEqual(['USD', []])
  const isFree = (): boolean => window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  expect(isFree()).toBe(true)
  fireEvent.change(field, { target: { value: 'CH' } })
  expect(isFree()).toBe(false)
  rerender(row('GBP'))
  expect(field.value).toBe('CH')
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(field.value).toBe('GBP')
})

it('keeps what is entered while it is being saved', async () => {
  let answer = (): void => undefined
  // The edge of the machine: what the host answers.
  vi.stubGlobal('fetch', async () => {
    await new Promise<void>((resolve) => (answer = resolve))
    return Response.json({ settings: { currency: 'CH' } })
  })
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <SettingRow setting={{ name: 'currency', group: 'region', kind: 'text', words: '' }} value="EUR" />
      </QueryClientProvider>
    </MantineProvider>,
  )
  const field = screen.getByRole<HTMLInputElement>('textbox')
  fireEvent.change(field, { target: { value: 'CH' } })
  fireEvent.submit(field)
  fireEvent.change(field, { target: { value: 'CHF' } })
  await act(async () => {
    answer()
    await new Promise((resolve) => setTimeout(resolve, 20))
  })
  expect(field.value).toBe('CHF')
})
