// @vitest-environment happy-dom
// A field of many records can be given a value whatever was chosen before it.
import { MantineProvider } from '@mantine/core'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { translateField } from '../../fields/index.ts'
import { BulkEditDialog } from './bulk-edit-dialog.tsx'
import type { RecordWrites } from './record-writes.ts'

afterEach(cleanup)

it('a field that needs a value has an editor after another one was to be emptied', async () => {
  const fields = [
    { name: 'note', type: 'text', label: 'Note' },
    { name: 'title', type: 'text', label: 'Title', required: true },
  ]
  render(
    <MantineProvider env="test">
      <BulkEditDialog
        object="task"
        fields={fields}
        context={{ locale: 'en', timeZone: 'UTC', translate: translateField }}
        ids={['r1']}
        writes={{} as RecordWrites}
        onClose={() => undefined}
        opened
      />
    </MantineProvider>,
  )
  fireEvent.click(await screen.findByRole('checkbox'))
  expect(screen.queryByRole('textbox')).toBeNull()
  fireEvent.change(screen.getByRole('combobox'), { target: { value: 'title' } })
  expect(screen.getByRole('textbox', { name: 'Title' })).toBeTruthy()
})
