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
