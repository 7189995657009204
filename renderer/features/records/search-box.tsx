// Owns the search over records: asks after a short rest, clears with Escape.
import { CloseButton, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import type { Ref } from 'react'
import { t } from '../../lib/strings.ts'

const restMs = 250

/** The field; `value` is the search in force. */
export function SearchBox(props: {
  ref?: Ref<HTMLInputElement>
  label: string
  value: string
  onSearch: (text: string) => void
}) {
  const [text, setText] = useState(props.value)
  const sent = useRef(props.value)
  const { onSearch } = props

  useEffect(() => {
    // The address was changed from elsewhere: back, a link, "clear".
    if (props.value !== sent.current) {
      sent.current = props.value
      setText(props.value)
    }
  }, [props.value])

  useEffect(() => {
    if (text === sent.current) return
    const timer = setTimeout(() => {
      sent.current = text
      onSearch(text)
    }, restMs)
    return () => clearTimeout(timer)
  }, [text, onSearch])

  const clear = (): void => {
    sent.current = ''
    setText('')
    onSearch('')
  }

  return (
    <TextInput
      ref={props.ref}
      size="xs"
      type="search"
      aria-label={props.label}
      placeholder={props.label}
      leftSection={<IconSearch size={14} aria-hidden />}
      rightSection={text !== '' && <CloseButton size="sm" aria-label={t('records.clearSearch')} onClick={clear} />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && text !== '') {
          event.preventDefault()
          clear()
        }
      }}
    />
  )
}
