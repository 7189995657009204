// Owns choosing files from the machine with a button.
import { Button } from '@mantine/core'
import { IconPaperclip } from '@tabler/icons-react'
import { useRef } from 'react'
import type { Ref } from 'react'

/** The button; `accept` is what the dialog of the system offers first. */
export function PickButton(props: {
  label: string
  multiple: boolean
  accept?: string | undefined
  onFiles: (files: readonly File[]) => void
  button?: Ref<HTMLButtonElement>
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={props.label}
        multiple={props.multiple}
        accept={props.accept}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])]
          // The same file can be chosen once more.
          event.currentTarget.value = ''
          if (files.length > 0) props.onFiles(files)
        }}
      />
      <Button
        ref={props.button}
        variant="default"
        size="compact-sm"
        leftSection={<IconPaperclip size={14} aria-hidden />}
        onClick={() => input.current?.click()}
      >
        {props.label}
      </Button>
    </>
  )
}
