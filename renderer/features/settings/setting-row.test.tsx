// @vitest-environment happy-dom
// A setting shows what is stored, whoever stored it, and keeps what is being entered.
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { SettingRow } from './setting-row.tsx'

afterEach(cleanup)

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
