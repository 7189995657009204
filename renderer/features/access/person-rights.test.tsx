// @vitest-environment happy-dom
// What somebody is given, while others give them something too.
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { createQueryClient } from '../../lib/query-client.ts'
import { PersonRights } from './person-rights.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

it('only what was changed is saved, and what is chosen meanwhile stays', async () => {
  let stored = { userId: 'u1', profile: 'crew', roles: ['lead'], permissionSets: [] }
  let answer = (): void => undefined
  const sent: unknown[] = []
  // The edge of the machine: what the host answers.
  vi.stubGlobal('fetch', async (address: string, { method, body }: RequestInit) => {
    if (!address.includes('/permissions/assignments/')) {
      const names = address.includes('/profile')
        ? ['crew', 'captain']
        : address.includes('/role')
          ? ['lead']
          : ['reads']
      return Response.json({ items: names.map((name) => ({ name })) })
    }
    if (method === 'PUT') {
      sent.push(JSON.parse(body as string))
      await new Promise<void>((resolve) => (answer = resolve))
      // Somebody else has taken the role away.
      stored = { ...stored, ...JSON.parse(body as string), roles: [] }
    }
    return Response.json(stored)
  })
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={createQueryClient()}>
        <PersonRights userId="u1" name="Ann" />
      </QueryClientProvider>
    </MantineProvider>,
  )
  const box = (name: string): HTMLInputElement => screen.getByRole('checkbox', { name })
  await screen.findByRole('checkbox', { name: 'lead' })
  await screen.findByRole('checkbox', { name: 'reads' })
  await screen.findByRole('option', { name: 'captain' })
  fireEvent.change(screen.getByRole('combobox'), { target: { value: 'captain' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  fireEvent.click(box('reads'))
  await vi.waitFor(() => expect(sent).toHaveLength(1))
  await act(async () => {
    answer()
    await new Promise((resolve) => setTimeout(resolve, 20))
  })
  expect(sent).toEqual([{ profile: 'captain' }])
  expect([box('reads').checked, box('lead').checked]).toEqual([true, false])
  expect(screen.getByRole<HTMLSelectElement>('combobox').value).toBe('captain')
})
