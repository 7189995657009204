// Owns typing the operand of a condition: the editor of the field's type, a list, a range or a period.
import { NativeSelect, NumberInput, TextInput } from '@mantine/core'
import { fieldTypeOf, periods } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition, FilterOperator } from '../../fields/index.ts'
import { periodText } from '../../lib/period-text.ts'
import { t } from '../../lib/strings.ts'
import classes from './filter-panel.module.css'

interface OperandProps {
  field: FieldDefinition
  operator: FilterOperator
  context: FieldContext
  texts: readonly string[]
  describedBy: string
  onTexts: (texts: string[]) => void
}

/** The editors an operator asks for; `texts` holds one text per editor. */
export function OperandEditor(props: OperandProps) {
  const { field, operator, texts, onTexts } = props
  const [first = '', second = ''] = texts
  if (operator.operand === 'none') return null
  if (operator.operand === 'period') return <PeriodEditor text={first} onText={(text) => onTexts([text])} />
  if (operator.operand === 'value' && field.options?.length) {
    return (
      <NativeSelect
        size="xs"
        aria-label={t('word.value')}
        aria-describedby={props.describedBy}
        value={first}
        data={[
          { value: '', label: '' },
          ...field.options.map((option) =>
            typeof option === 'string'
              ? option
              : { value: String(option.value), label: option.label ?? String(option.value) },
          ),
        ]}
        onChange={(event) => onTexts([event.currentTarget.value])}
      />
    )
  }
  const chooses = field.options?.length || field.reference
  if (operator.operand === 'text' || (operator.operand === 'list' && !chooses)) {
    return (
      <TextInput
        size="xs"
        aria-label={t('word.value')}
        placeholder={operator.operand === 'list' ? t('filter.listHelp') : undefined}
        value={first}
        aria-describedby={props.describedBy}
        onChange={(event) => onTexts([event.currentTarget.value])}
      />
    )
  }
  if (operator.operand === 'range') {
    return (
      <div className={classes.range}>
        <ValueEditor {...props} label={t('word.from')} draft={first} onDraft={(text) => onTexts([text, second])} />
        <ValueEditor {...props} label={t('filter.to')} draft={second} onDraft={(text) => onTexts([first, text])} />
      </div>
    )
  }
  return <ValueEditor {...props} label={t('word.value')} draft={first} onDraft={(text) => onTexts([text])} />
}

function ValueEditor(props: OperandProps & { label: string; draft: string; onDraft: (text: string) => void }) {
  const { field } = props
  const isList = props.operator.operand === 'list'
  const asked: FieldDefinition = isList
    ? { ...field, required: false, multiple: true, ...(field.reference ? {} : { type: 'multiselect' }) }
    : { ...field, required: false, multiple: false }
  const { Editor } = fieldTypeOf(asked)
  return (
    <div className={classes.value}>
      <Editor
        field={asked}
        context={props.context}
        label={props.label}
        draft={props.draft}
        value={null}
        invalid={false}
        describedBy={props.describedBy}
        onDraft={props.onDraft}
        onDone={props.onDraft}
      />
    </div>
  )
}

const withDays = /^(last|next)_(\d+)_days$/
const maxDays = 3650

function PeriodEditor(props: { text: string; onText: (text: string) => void }) {
  const counted = withDays.exec(props.text)
  const chosen = counted ? `${counted[1]}_N_days` : props.text
  return (
    <div className={classes.range}>
      <NativeSelect
        size="xs"
        aria-label={t('word.value')}
        value={chosen}
        data={[
          { value: '', label: t('filter.period') },
          ...periods.map((period) => ({ value: period, label: periodText(period) })),
        ]}
        onChange={(event) => props.onText(event.currentTarget.value.replace('_N_', '_7_'))}
      />
      {counted && (
        <NumberInput
          size="xs"
          w={72}
          aria-label={t('filter.days')}
          min={1}
          max={maxDays}
          allowDecimal={false}
          value={Number(counted[2])}
          onChange={(days) => Number(days) >= 1 && props.onText(`${counted[1]}_${Math.trunc(Number(days))}_days`)}
        />
      )}
    </div>
  )
}
