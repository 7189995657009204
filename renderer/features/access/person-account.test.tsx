// @vitest-environment happy-dom
// The account of somebody, while it is saved and others change it.
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { createQueryClient } from '../../lib/query-client.ts'
import { personQuery } from './access-queries.ts'
import { PersonAccount } from './person-account.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function Shown() {
  const { data } = useQuery(personQuery('u1'))
  return data ? <PersonAccount person={data} /> : null
}

it('what is typed while an account is saved stays, beside what others changed', async () => {
  let user = { id: 'u1', name: 'Ann', email: 'ann@example.org', username: 'ann', updatedAt: 't1' }
  let answer = (): void => undefined
  const sent: unknown[] = []
  // The edge of the machine: what the host answers.
  vi.stubGlobal('fetch', async (_address: string, { method, body }: RequestInit) => {
    if (method === 'POST') {
      const { data } = JSON.parse(body as string) as { data: object }
      sent.push(data)
      await new Promise<void>((resolve) => (answer = resolve))
      // Somebody else has changed the username meanwhile.
      user = { ...user, ...data, username: 'ann2', updatedAt: `t${sent.length + 1}` }
    }
    return Response.json(user)
  })
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={createQueryClient()}>
        <Shown />
      </QueryClientProvider>
    </MantineProvider>,
  )
  const type = (from: string, to: string): void => {
    fireEvent.change(screen.getByDisplayValue(from), { target: { value: to } })
  }
  await screen.findByDisplayValue('Ann')
  type('Ann', 'Anna')
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  await vi.waitFor(() => expect(sent).toEqual([{ name: 'Anna' }]))
  type('Anna', 'Ann')
  type('ann@example.org', 'anna@example.org')
  await act(async () => {
    answer()
    await new Promise((resolve) => setTimeout(resolve, 20))
  })
  for (const shown of ['Ann', 'anna@example.org', 'ann2']) expect(screen.getByDisplayValue(shown)).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  await vi.waitFor(() => expect(sent[1]).toEqual({ name: 'Ann', email: 'anna@example.org' }))
  answer()
})
