// Owns typing the operand of a condition: the editor of the field's type, a list, a range or a period.
import { NativeSelect, TextInput } from '@mantine/core'
import { useId } from 'react'
import { fieldTypeOf, periods } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition, FilterOperator } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import classes from './records.module.css'

/** The editors an operator asks for; `texts` holds one text per editor. */
export function OperandEditor(props: {
  field: FieldDefinition
  operator: FilterOperator
  context: FieldContext
  texts: readonly string[]
  invalid: boolean
  describedBy: string
  onTexts: (texts: string[]) => void
  onDone: () => void
}) {
  const { operator, texts } = props
  if (operator.operand === 'none') return null
  if (operator.operand === 'period')
    return <PeriodEditor text={texts[0] ?? ''} onText={(text) => props.onTexts([text])} />
  if (operator.operand === 'list' || operator.operand === 'text') {
    return (
      <TextInput
        label={t('filter.value')}
        description={operator.operand === 'list' ? t('filter.listHelp') : undefined}
        value={texts[0] ?? ''}
        error={props.invalid}
        aria-describedby={props.describedBy}
        onChange={(event) => props.onTexts([event.currentTarget.value])}
      />
    )
  }
  if (operator.operand === 'range') {
    return (
      <div className={classes.range}>
        <ValueEditor
          {...props}
          label={t('filter.from')}
          draft={texts[0] ?? ''}
          onDraft={(text) => props.onTexts([text, texts[1] ?? ''])}
        />
        <ValueEditor
          {...props}
          label={t('filter.to')}
          draft={texts[1] ?? ''}
          onDraft={(text) => props.onTexts([texts[0] ?? '', text])}
        />
      </div>
    )
  }
  return (
    <ValueEditor
      {...props}
      label={t('filter.value')}
      draft={texts[0] ?? ''}
      onDraft={(text) => props.onTexts([text])}
    />
  )
}

function ValueEditor(props: {
  field: FieldDefinition
  context: FieldContext
  label: string
  draft: string
  invalid: boolean
  describedBy: string
  onDraft: (text: string) => void
  onDone: () => void
}) {
  const id = useId()
  const { Editor } = fieldTypeOf(props.field)
  return (
    <div className={classes.formField}>
      <span id={id} className={classes.formLabel} aria-hidden>
        {props.label}
      </span>
      <div className={classes.formEditor}>
        <Editor
          field={{ ...props.field, required: false, multiple: false }}
          context={props.context}
          label={props.label}
          draft={props.draft}
          value={null}
          invalid={props.invalid}
          describedBy={props.describedBy}
          onDraft={props.onDraft}
          onDone={(text) => props.onDraft(text)}
        />
      </div>
    </div>
  )
}

const withDays = /^(last|next)_(\d+)_days$/

function PeriodEditor(props: { text: string; onText: (text: string) => void }) {
  const counted = withDays.exec(props.text)
  const chosen = counted ? `${counted[1]}_N_days` : props.text
  return (
    <>
      <NativeSelect
        label={t('filter.value')}
        value={chosen}
        data={[
          { value: '', label: '' },
          ...periods.map((period) => ({ value: period, label: period.replaceAll('_', ' ') })),
        ]}
        onChange={(event) => props.onText(event.currentTarget.value.replace('_N_', '_7_'))}
      />
      {counted && (
        <TextInput
          type="number"
          label={t('filter.days')}
          min={1}
          max={3650}
          value={counted[2]}
          onChange={(event) =>
            props.onText(`${counted[1]}_${Math.max(1, Math.trunc(Number(event.currentTarget.value)) || 1)}_days`)
          }
        />
      )}
    </>
  )
}
