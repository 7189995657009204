// Owns building one condition: field, operator of its type, operand. Knows no address and no request.
import { Button, Group, NativeSelect } from '@mantine/core'
import { useId, useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { fieldLabel, fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import { OperandEditor } from './operand-editor.tsx'
import { buildFilter, operatorWord } from './record-query.ts'
import type { RecordFilter } from './record-query.ts'
import classes from './records.module.css'

/** The dialog; `filter` is the condition in force. */
export function FilterDialog(props: {
  opened: boolean
  onClose: () => void
  fields: readonly FieldDefinition[]
  context: FieldContext
  filter: RecordFilter | undefined
  onApply: (filter: RecordFilter | undefined) => void
}) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t('filter.title')} closeOnClickOutside={false}>
      {props.opened && <FilterForm {...props} />}
    </Dialog>
  )
}

function FilterForm(props: {
  onClose: () => void
  fields: readonly FieldDefinition[]
  context: FieldContext
  filter: RecordFilter | undefined
  onApply: (filter: RecordFilter | undefined) => void
}) {
  const errorId = useId()
  const [name, setName] = useState(props.filter?.field ?? props.fields[0]?.name ?? '')
  const [operatorId, setOperatorId] = useState(props.filter?.operator)
  const [texts, setTexts] = useState<readonly string[]>(props.filter?.texts ?? [])
  const [problem, setProblem] = useState<string>()
  const field = props.fields.find((candidate) => candidate.name === name) ?? props.fields[0]
  if (!field) return null
  const operators = fieldTypeOf(field).operators(field)
  const operator = operators.find((candidate) => operatorWord(candidate) === operatorId) ?? operators[0]
  if (!operator) return null

  const apply = (event?: SyntheticEvent): void => {
    event?.preventDefault()
    const result = buildFilter(field, operator, texts, props.context, t('filter.needValue'))
    if (!result.ok) {
      setProblem(result.message)
      return
    }
    props.onApply({
      field: field.name,
      operator: operatorWord(operator),
      texts: operator.operand === 'none' ? [] : texts,
    })
  }

  return (
    <form className={classes.form} onSubmit={apply} noValidate>
      <NativeSelect
        label={t('filter.field')}
        value={field.name}
        data-autofocus
        data={props.fields.map((candidate) => ({ value: candidate.name, label: fieldLabel(candidate) }))}
        onChange={(event) => {
          setName(event.currentTarget.value)
          setTexts([])
          setProblem(undefined)
        }}
      />
      <NativeSelect
        label={t('filter.operator')}
        value={operatorWord(operator)}
        data={operators.map((candidate) => ({
          value: operatorWord(candidate),
          label: props.context.translate(candidate.label),
        }))}
        onChange={(event) => {
          setOperatorId(event.currentTarget.value)
          setProblem(undefined)
        }}
      />
      <OperandEditor
        key={`${field.name} ${operator.operand}`}
        field={field}
        operator={operator}
        context={props.context}
        texts={texts}
        invalid={problem !== undefined}
        describedBy={errorId}
        onTexts={(next) => {
          setTexts(next)
          setProblem(undefined)
        }}
        onDone={apply}
      />
      <p id={errorId} className={classes.error} role="alert">
        {problem}
      </p>
      <Group justify="space-between">
        <Button variant="default" onClick={() => props.onApply(undefined)} disabled={!props.filter}>
          {t('filter.clear')}
        </Button>
        <Group gap="xs">
          <Button variant="default" onClick={props.onClose}>
            {t('app.cancel')}
          </Button>
          <Button type="submit">{t('filter.apply')}</Button>
        </Group>
      </Group>
    </form>
  )
}
