// @vitest-environment happy-dom
// Typing one day of a record leaves the other as it is, to the instant.
import { MantineProvider } from '@mantine/core'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { translateField } from '../../fields/index.ts'
import { DatesDialog } from './dates-dialog.tsx'
import type { KindPart } from './use-kind-part.tsx'

afterEach(cleanup)

it('an hour that the clocks show twice stays the one it is', async () => {
  const change = vi.fn(async () => true)
  const context = { locale: 'en', timeZone: 'Europe/Berlin', translate: translateField }
  const part = { context, change, titleOf: () => 'Night train' } as Partial<KindPart> as KindPart
  // 2:30 in the morning for the second time.
  const record = { id: 'r1', from: '2026-10-25T01:30:00.000Z', to: '2026-10-25T05:00:00.000Z' }
  const fields = ['from', 'to'].map((name) => ({ name, type: 'datetime', label: name }))
  render(
    <MantineProvider env="test">
      <DatesDialog part={part} record={record} fields={fields} onClose={() => undefined} />
    </MantineProvider>,
  )
  fireEvent.change(await screen.findByRole('textbox', { name: 'to' }), { target: { value: '2026-10-25 07:00' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(change).toHaveBeenCalledWith(record, { to: '2026-10-25T06:00:00.000Z' }))
})
