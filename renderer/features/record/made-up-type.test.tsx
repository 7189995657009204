// @vitest-environment happy-dom
// Proves that a type is its entry: one that nobody has heard of is offered, shown and edited in grid and form, and leaves
// again.
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { MantineProvider } from '@mantine/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DataGrid } from '../../components/grid/index.ts'
import type { GridRecord } from '../../components/grid/index.ts'
import { fieldTypeOf, isEditable, translateField } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition, FieldType } from '../../fields/index.ts'
import { operatorClasses } from '../../fields/operators.ts'
import { registerFieldType } from '../../fields/registry.ts'
import { setting } from '../../fields/settings.ts'
import { numberField } from '../../fields/types/number.ts'
import { canBeUnique, hasOptions, settingsOf } from '../objects/field-settings.ts'
import { searchTypes, typeLabel } from '../objects/field-types.ts'
import { functionsOf, termChoices } from '../records/group-terms.ts'
import { RecordField } from './record-field.tsx'

const bearingField: FieldType = {
  group: 'number',
  label: 'Bearing',
  hint: 'A direction in degrees.',
  settings: [setting('origin', 'text')],
  groupRank: 20,
  measured: true,
  withoutUnique: true,
  icon: numberField.icon,
  format: (value) => (value == null ? '' : `${String(value)}°`),
  cellClass: () => 'field-number',
  toText: (value) => (value == null ? '' : String(value)),
  parse: (text) =>
    /^\d+$/.test(text.trim()) ? { ok: true, value: Number(text) % 360 } : { ok: false, message: 'No direction.' },
  operators: () => operatorClasses.order,
  Editor: numberField.Editor,
}

const context: FieldContext = { locale: 'en', timeZone: 'UTC', translate: translateField }
const heading: FieldDefinition = { name: 'heading', type: 'bearing', label: 'Heading' }
const record = { id: 'r1', heading: 90 }
let remove: () => void

beforeEach(() => {
  remove = registerFieldType('bearing', bearingField)
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(400)
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(900)
})
afterEach(() => {
  cleanup()
  remove()
})

describe('a made-up field type', () => {
  it('is offered by its words, with what its definition takes', () => {
    expect(typeLabel('bearing')).toBe('Bearing')
    expect(searchTypes('direction')).toEqual([{ group: 'number', types: ['bearing'] }])
    expect(settingsOf('bearing').map(({ path }) => path)).toEqual(['origin'])
    expect([canBeUnique('bearing'), hasOptions('bearing')]).toEqual([false, false])
  })

  it('is grouped and added up where it says so', () => {
    expect(termChoices([heading], 0)).toEqual([{ value: 'heading', label: 'Heading' }])
    expect(functionsOf(heading)).toEqual(['sum', 'avg', 'min', 'max', 'count'])
  })

  it('is shown and edited in a grid', async () => {
    const onEdit = vi.fn(async (_row: number, _field: string, _value: unknown, _record: unknown) => {})
    const columns = [{ field: heading, width: 120 }]
    render(
      <DataGrid
        label="Legs"
        columns={columns}
        rowCount={1}
        getRow={() => record}
        fieldContext={context}
        onEdit={onEdit}
      />,
    )
    const cell = screen.getByRole('gridcell', { name: '90°' })
    fireEvent.doubleClick(cell)
    fireEvent.change(await screen.findByRole('textbox'), { target: { value: '460' } })
    fireEvent.keyDown(screen.getByRole('textbox'), { key: 'Enter' })
    await waitFor(() => expect(onEdit).toHaveBeenCalledWith(0, 'heading', 100, record))
  })

  it('is shown and edited in a form, where a wrong text is refused in its own words', async () => {
    const save = vi.fn(async (_field: string, _value: unknown, row: GridRecord) => row)
    render(
      <MantineProvider>
        <QueryClientProvider client={new QueryClient()}>
          <RecordField
            object="leg"
            field={heading}
            label={undefined}
            record={record}
            context={context}
            wide={false}
            readonly={false}
            save={save}
          />
        </QueryClientProvider>
      </MantineProvider>,
    )
    fireEvent.click(screen.getByRole('button', { name: /90°/ }))
    const editor = await screen.findByRole('textbox')
    fireEvent.change(editor, { target: { value: 'north' } })
    fireEvent.keyDown(editor, { key: 'Enter' })
    expect(await screen.findByText('No direction.')).toBeTruthy()
    fireEvent.change(editor, { target: { value: '370' } })
    fireEvent.keyDown(editor, { key: 'Enter' })
    await waitFor(() => expect(save).toHaveBeenCalledWith('heading', 10, record))
  })

  it('is text that nobody writes when it is taken out', () => {
    remove()
    expect([typeLabel('bearing'), isEditable(heading)]).toEqual(['bearing', false])
    expect(fieldTypeOf(heading).format(90, heading, context)).toBe('90')
    expect(termChoices([heading], 0)).toEqual([])
  })
})
