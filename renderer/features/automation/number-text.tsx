// Owns typing a number that may be left out.
import { TextInput } from '@mantine/core'
import { useState } from 'react'

/** The field; what is no number goes on as it is, for the host to judge. */
export function NumberText(props: { label: string; value: unknown; onChange: (value: unknown) => void }) {
  const { label, value, onChange } = props
  const [text, setText] = useState(() => (value === undefined ? '' : String(value)))
  return (
    <TextInput
      label={label}
      value={text}
      inputMode="decimal"
      autoComplete="off"
      onChange={(event) => {
        const typed = event.currentTarget.value
        setText(typed)
        const number = Number(typed)
        onChange(typed.trim() === '' ? undefined : Number.isFinite(number) ? number : typed)
      }}
    />
  )
}
