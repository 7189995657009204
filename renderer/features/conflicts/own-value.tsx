// Owns writing a value of one's own in place of those that met, with the editor of the field's type.
import { Button } from '@mantine/core'
import { useId, useState } from 'react'
import { fieldLabel, fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { isApple } from '../../lib/shortcuts.ts'
import { t } from '../../lib/strings.ts'
import classes from './conflicts.module.css'

/** The editor; Enter applies, Escape goes back. */
export function OwnValue(props: {
  field: FieldDefinition
  context: FieldContext
  value: unknown
  recordId: string
  label: string
  busy: boolean
  onApply: (value: unknown) => void
  onCancel: () => void
}) {
  const { field, context } = props
  const id = useId()
  const type = fieldTypeOf(field)
  const [draft, setDraft] = useState(() => type.toText(props.value, field, context))
  const [problem, setProblem] = useState<string>()
  const apply = (text: string): void => {
    const read = type.parse(text, field, context)
    if (read.ok) props.onApply(read.value)
    else setProblem(read.message)
  }
  const { Editor } = type
  return (
    <div
      className={classes.own}
      onKeyDown={(event) => {
        if (event.defaultPrevented || event.nativeEvent.isComposing) return
        if (event.key === 'Escape') {
          event.preventDefault()
          event.stopPropagation()
          props.onCancel()
        } else if (event.key === 'Enter') {
          const mod = isApple ? event.metaKey : event.ctrlKey
          const target = event.target as Element
          if (target.tagName === 'BUTTON' || (target.tagName === 'TEXTAREA' && !mod)) return
          event.preventDefault()
          event.stopPropagation()
          apply(draft)
        }
      }}
    >
      <p className={classes.ownLabel}>{fieldLabel(field)}</p>
      <div className={classes.ownEditor}>
        <Editor
          field={field}
          context={context}
          label={t('conflicts.ownOf', { field: fieldLabel(field) })}
          draft={draft}
          value={props.value}
          recordId={props.recordId}
          invalid={problem !== undefined}
          describedBy={`${id}-problem`}
          autoFocus
          onDraft={(text) => {
            setDraft(text)
            setProblem(undefined)
          }}
          onDone={apply}
        />
      </div>
      <p id={`${id}-problem`} className={classes.problem} role={problem === undefined ? undefined : 'alert'}>
        {problem}
      </p>
      <div className={classes.actions}>
        <Button size="compact-sm" loading={props.busy} onClick={() => apply(draft)}>
          {props.label}
        </Button>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={props.onCancel}>
          {t('app.cancel')}
        </Button>
      </div>
    </div>
  )
}
