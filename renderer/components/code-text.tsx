// Owns showing text of machines: as it is, in a region that scrolls by itself, with a button that copies it.
import { Button } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { t } from '../lib/strings.ts'
import { useCopy } from './use-copy.ts'
import classes from './code-text.module.css'

/** The text below its name. */
export function CodeText(props: { label: string; text: string }) {
  const [copied, copy] = useCopy(props.text)
  return (
    <div className={classes.block}>
      <div className={classes.head}>
        <span>{props.label}</span>
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={t(copied ? 'app.copiedOf' : 'app.copyOf', { what: props.label })}
          leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          onClick={copy}
        >
          {copied ? t('app.copied') : t('app.copy')}
        </Button>
      </div>
      <pre className={classes.text} tabIndex={0} role="region" aria-label={props.label}>
        {props.text}
      </pre>
    </div>
  )
}

/** A value as people read it: JSON is laid out, other text stays as it is. */
export function readable(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2) ?? ''
  try {
    return JSON.stringify(JSON.parse(value), null, 2)
  } catch {
    return value
  }
}
