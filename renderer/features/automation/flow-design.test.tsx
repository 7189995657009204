// @vitest-environment happy-dom
// What others save does not take away what is being edited.
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { createQueryClient } from '../../lib/query-client.ts'
import { FlowDesign } from './flow-design.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

it('the draft of a flow outlives what others save, and what is stored is shown where there is none', async () => {
  let version = 1
  // The edge of the machine: what the host answers.
  vi.stubGlobal('fetch', async (address: string) => {
    if (!address.includes('/meta/flow/one')) return Response.json({ items: [], actions: [] })
    const item = { name: 'one', label: `Version ${version}`, type: 'api', nodes: [], edges: [] }
    return Response.json({ type: 'flow', name: 'one', item }, { headers: { ETag: `"v${version}"` } })
  })
  // A narrow window shows the outline.
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: vi.fn(), removeEventListener: vi.fn() }))
  const client = createQueryClient()
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <FlowDesign name="one" problems={[]} />
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

it('what is typed while a flow is saved stays, and is saved over what was', async () => {
  let stored = 'One'
  let version = 1
  let answer = (): void => undefined
  const conditions: (string | null)[] = []
  // The edge of the machine: what the host answers.
  vi.stubGlobal('fetch', async (address: string, { method, headers, body }: RequestInit) => {
    const item = { name: 'one', label: stored, type: 'api', nodes: [], edges: [] }
    if (method === 'PUT') {
      conditions.push(new Headers(headers).get('If-Match'))
      await new Promise<void>((resolve) => (answer = resolve))
      stored = (JSON.parse(body as string) as { label: string }).label
      version += 1
      return Response.json({ success: true, data: { ...item, label: stored, version, status: 'draft' } })
    }
    if (!address.includes('/meta/flow/one')) return Response.json({ items: [], actions: [] })
    return Response.json({ type: 'flow', name: 'one', item }, { headers: { ETag: `"v${version}"` } })
  })
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: vi.fn(), removeEventListener: vi.fn() }))
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={createQueryClient()}>
        <FlowDesign name="one" problems={[]} />
      </QueryClientProvider>
    </MantineProvider>,
  )
  const type = (from: string, to: string): void => {
    fireEvent.change(screen.getByDisplayValue(from), { target: { value: to } })
  }
  const saved = async (times: number): Promise<void> => {
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await vi.waitFor(() => expect(conditions).toHaveLength(times))
  }
  const answered = (): Promise<void> =>
    act(async () => {
      answer()
      await new Promise((resolve) => setTimeout(resolve, 20))
    })
  await screen.findByDisplayValue('One')
  type('One', 'Two')
  await saved(1)
  type('Two', 'Two and a half')
  await answered()
  expect(screen.getByDisplayValue('Two and a half')).toBeTruthy()
  await saved(2)
  await answered()
  expect([stored, conditions]).toEqual(['Two and a half', ['"v1"', '"2"']])
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true)
})
