// @vitest-environment happy-dom
// A search is begun and changed without leaving its field.
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { Router } from 'wouter'
import { navigate, useHashPath, useHashSearch } from '../../lib/hash-location.ts'
import { SearchScreen } from './search-screen.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

it('the field keeps the focus when it is sent, and shows the words of another search', async () => {
  // The edge of the machine: what the host answers.
  vi.stubGlobal('fetch', async () => Response.json({ results: [], objects: [], incomplete: [], items: [] }))
  navigate('/search', { unasked: true })
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <Router hook={useHashPath} searchHook={useHashSearch}>
          <SearchScreen />
        </Router>
      </QueryClientProvider>
    </MantineProvider>,
  )
  const field = screen.getByRole<HTMLInputElement>('searchbox')
  field.focus()
  fireEvent.change(field, { target: { value: 'roof' } })
  fireEvent.submit(field)
  await waitFor(() => expect(window.location.hash).toBe('#/search?q=roof'))
  expect(document.activeElement).toBe(screen.getByRole('searchbox'))
  act(() => navigate('/search?q=floor'))
  await waitFor(() => expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe('floor'))
  act(() => navigate('/search'))
  await waitFor(() => expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe(''))
})
