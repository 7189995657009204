// @vitest-environment happy-dom
// Proves that a name that is taken leaves the caret behind it, before the next key.
import { MantineProvider } from '@mantine/core'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import { ExpressionField } from './expression-field.tsx'

afterEach(cleanup)

const names = [{ text: 'record.amount', label: 'Amount' }]

function Expression() {
  const [value, setValue] = useState('record.am > 5')
  return <ExpressionField label="Condition" names={names} value={value} onChange={setValue} />
}

it('puts the caret behind a name that is taken by Enter', () => {
  render(
    <MantineProvider env="test">
      <Expression />
    </MantineProvider>,
  )
  const field = screen.getByRole<HTMLInputElement>('textbox')
  field.focus()
  field.setSelectionRange(9, 9)
  fireEvent.keyDown(field, { key: ' ', ctrlKey: true })
  fireEvent.keyDown(field, { key: 'Enter' })
  expect([field.value, field.selectionStart]).toEqual(['record.amount > 5', 13])
})
