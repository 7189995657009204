// @vitest-environment happy-dom
// A form is sent once, however often it is asked for that, and what cannot be sent is said.
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { translateField } from '../../fields/index.ts'
import { NewRecordDialog } from '../records/index.ts'
import { FormSheet } from './form-sheet.tsx'

const context = { locale: 'en', timeZone: 'UTC', translate: translateField }
const object = { name: 'task', label: 'Task', fields: { title: { type: 'text', label: 'Title' } } }
const form = { title: '', description: '', submit: '', thanks: '', fields: [{ field: 'title' }] }
const sent: unknown[] = []

beforeEach(() => {
  sent.length = 0
  // The edge of the machine: what the host answers.
  vi.stubGlobal('fetch', async (_address: string, { method, body }: RequestInit) => {
    if (method !== 'POST')
      return Response.json({ success: false, error: { code: 'resource_not_found' } }, { status: 404 })
    sent.push(JSON.parse(String(body)))
    await new Promise((resolve) => setTimeout(resolve, 30))
    return Response.json({ object: 'task', id: 'r1', record: { id: 'r1' } }, { status: 201 })
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const show = (screenPart: ReactNode): void => {
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>{screenPart}</QueryClientProvider>
    </MantineProvider>,
  )
}

/** Whether the page is left without a question. */
const isFree = (): boolean => window.dispatchEvent(new Event('beforeunload', { cancelable: true }))

it('a form keeps to one record while it is being sent', async () => {
  show(
    <FormSheet
      object={object}
      name="Form"
      form={form}
      fields={[{ name: 'title', type: 'text', label: 'Title' }]}
      context={context}
      level={1}
    />,
  )
  const field = screen.getByRole('textbox')
  expect(isFree()).toBe(true)
  fireEvent.change(field, { target: { value: 'once' } })
  expect(isFree()).toBe(false)
  for (let press = 0; press < 3; press++) fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true })
  await screen.findByRole('status')
  expect(sent).toEqual([{ title: 'once' }])
  expect(isFree()).toBe(true)
})

it('a default that was taken out of a form does not come back', async () => {
  const fields = [
    { name: 'title', type: 'text', label: 'Title' },
    { name: 'place', type: 'text', label: 'Place', defaultValue: 'Berlin' },
    { name: 'day', type: 'date', label: 'Day', defaultValue: '{today}' },
  ]
  const asked = { ...form, fields: fields.map(({ name }) => ({ field: name })) }
  show(<FormSheet object={object} name="Form" form={asked} fields={fields} context={context} level={1} />)
  fireEvent.change(screen.getByDisplayValue('Berlin'), { target: { value: '' } })
  fireEvent.change(screen.getByRole('textbox', { name: 'Title' }), { target: { value: 'somewhere' } })
  fireEvent.click(screen.getByRole('button', { name: /Send|Submit/ }))
  await screen.findByRole('status')
  expect(sent).toEqual([{ title: 'somewhere', place: null }])
})

it('the dialog of a new record keeps to one record while it is being added', async () => {
  const onClose = vi.fn()
  show(<NewRecordDialog object={object} context={context} opened onClose={onClose} />)
  const field = await screen.findByRole('textbox', { name: 'Title' })
  expect(isFree()).toBe(true)
  fireEvent.change(field, { target: { value: 'once' } })
  expect(isFree()).toBe(false)
  for (let press = 0; press < 3; press++) fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true })
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  expect(sent).toEqual([{ title: 'once' }])
})

it('a field that others add while a new record is typed begins with its default', async () => {
  const dialog = (fields: Record<string, { type: string; label: string; defaultValue?: string }>) => (
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <NewRecordDialog object={{ ...object, fields }} context={context} opened onClose={() => undefined} />
      </QueryClientProvider>
    </MantineProvider>
  )
  const client = new QueryClient()
  const { rerender } = render(dialog(object.fields))
  await screen.findByRole('textbox', { name: 'Title' })
  rerender(dialog({ ...object.fields, place: { type: 'text', label: 'Place', defaultValue: 'Berlin' } }))
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Place' }).value).toBe('Berlin')
  expect(isFree()).toBe(true)
  fireEvent.change(screen.getByRole('textbox', { name: 'Title' }), { target: { value: 'once' } })
  fireEvent.click(screen.getByRole('button', { name: /Add$|Add record|Create/ }))
  await waitFor(() => expect(sent).toEqual([{ title: 'once', place: 'Berlin' }]))
})
