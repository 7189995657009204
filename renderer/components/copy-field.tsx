// Owns showing a text that is meant to be taken elsewhere: selectable, with a button that copies it.
import { Button, TextInput } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useRef } from 'react'
import { t } from '../lib/strings.ts'
import { useCopy } from './use-copy.ts'
import classes from './copy-field.module.css'

/** A text that cannot be changed, and how to copy it. Where the clipboard is closed it is selected instead. */
export function CopyField(props: { label: string; value: string; description?: string; autoFocus?: boolean }) {
  const input = useRef<HTMLInputElement>(null)
  const [copied, copy] = useCopy(props.value, () => input.current?.select())
  return (
    <div className={classes.row}>
      <TextInput
        ref={input}
        label={props.label}
        description={props.description}
        value={props.value}
        readOnly
        autoComplete="off"
        spellCheck={false}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button
        variant="default"
        aria-label={t(copied ? 'app.copiedOf' : 'app.copyOf', { what: props.label })}
        data-autofocus={props.autoFocus || undefined}
        leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
        onClick={copy}
      >
        {copied ? t('app.copied') : t('app.copy')}
      </Button>
      <span className="cairn-hidden" role="status">
        {copied ? t('app.copied') : ''}
      </span>
    </div>
  )
}
