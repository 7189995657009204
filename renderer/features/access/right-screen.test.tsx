// @vitest-environment happy-dom
// What others save does not take away what is being edited.
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { createQueryClient } from '../../lib/query-client.ts'
import { RightScreen } from './right-screen.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

it('the draft of a role outlives what others save, and what is stored is shown where there is none', async () => {
  let version = 1
  // The edge of the machine: what the host answers.
  vi.stubGlobal('fetch', async (address: string) => {
    if (!address.includes('/meta/role/one')) return Response.json({ items: [], actions: [] })
    const item = { name: 'one', label: `Version ${version}` }
    return Response.json({ type: 'role', name: 'one', item }, { headers: { ETag: `"v${version}"` } })
  })
  const client = createQueryClient()
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <RightScreen type="role" name="one" />
      </QueryClientProvider>
    </MantineProvider>,
  )
  const save = async (): Promise<void> => {
    version += 1
    await act(async () => {
      await client.invalidateQueries()
      // Screens are told a moment later.
      await new Promise((resolve) => setTimeout(resolve, 20))
    })
  }
  await screen.findByDisplayValue('Version 1')
  await save()
  fireEvent.change(await screen.findByDisplayValue('Version 2'), { target: { value: 'half a draft' } })
  await save()
  expect(screen.getByDisplayValue('half a draft')).toBeTruthy()
})

it('what is typed while a role is saved stays, and is saved over what was', async () => {
  let stored = 'One'
  let answer = (): void => undefined
  const conditions: (string | null)[] = []
  // The edge of the machine: what the host answers.
  vi.stubGlobal('fetch', async (address: string, { method, headers, body }: RequestInit) => {
    if (!address.includes('/meta/role/one')) return Response.json({ items: [], actions: [] })
    if (method === 'PUT') {
      conditions.push(new Headers(headers).get('If-Match'))
      await new Promise<void>((resolve) => (answer = resolve))
      stored = JSON.parse(body as string).item.label
    }
    const item = { name: 'one', label: stored }
    return Response.json({ type: 'role', name: 'one', item }, { headers: { ETag: `"${stored}"` } })
  })
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={createQueryClient()}>
        <RightScreen type="role" name="one" />
      </QueryClientProvider>
    </MantineProvider>,
  )
  const type = (from: string, to: string): void => {
    fireEvent.change(screen.getByDisplayValue(from), { target: { value: to } })
  }
  const press = (): void => {
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  }
  const answered = async (times: number): Promise<void> => {
    await vi.waitFor(() => expect(conditions).toHaveLength(times))
    await act(async () => {
      answer()
      await new Promise((resolve) => setTimeout(resolve, 20))
    })
  }
  await screen.findByDisplayValue('One')
  type('One', 'Two')
  press()
  type('Two', 'Two and a half')
  await answered(1)
  expect(screen.getByDisplayValue('Two and a half')).toBeTruthy()
  press()
  await answered(2)
  expect([stored, conditions]).toEqual(['Two and a half', ['"One"', '"Two"']])
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
})
