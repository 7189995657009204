// Owns building the filter of a view: a list of conditions of which all or any must hold. Knows no address, no request.
import { Button, CloseButton, Group, NativeSelect } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useId, useRef, useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { fieldLabel, fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import { OperandEditor } from './operand-editor.tsx'
import { buildFilter, operatorWord } from './record-query.ts'
import type { FilterGroup, RecordFilter } from './record-query.ts'
import classes from './records.module.css'

interface FilterProps {
  fields: readonly FieldDefinition[]
  context: FieldContext
  filter: FilterGroup | undefined
  onClose: () => void
  onApply: (filter: FilterGroup | undefined) => void
}

/** Conditions one filter has at most; the host allows more. @source D-79 */
const maxConditions = 20

/** The dialog; `filter` is the filter in force. */
export function FilterDialog(props: FilterProps & { opened: boolean }) {
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      title={t('filter.title')}
      size="lg"
      closeOnClickOutside={false}
    >
      {props.opened && <FilterForm {...props} />}
    </Dialog>
  )
}

interface Draft extends RecordFilter {
  key: number
}

function FilterForm({ fields, context, filter, onClose, onApply }: FilterProps) {
  const errorId = useId()
  const keys = useRef(0)
  const draftOf = (condition?: RecordFilter): Draft => ({
    ...(condition ?? { field: fields[0]?.name ?? '', operator: '', texts: [] }),
    key: (keys.current += 1),
  })
  const [any, setAny] = useState(filter?.any ?? false)
  const [drafts, setDrafts] = useState<readonly Draft[]>(() => (filter?.conditions ?? [undefined]).map(draftOf))
  const [problem, setProblem] = useState<{ key: number; message: string }>()

  const change = (key: number, next: Partial<RecordFilter>): void => {
    setDrafts((current) => current.map((draft) => (draft.key === key ? { ...draft, ...next } : draft)))
    setProblem(undefined)
  }

  const apply = (event?: SyntheticEvent): void => {
    event?.preventDefault()
    const conditions: RecordFilter[] = []
    for (const draft of drafts) {
      const known = chosen(draft, fields)
      if (!known) continue
      const { field, operator } = known
      const texts = operator.operand === 'none' ? [] : draft.texts
      const built = buildFilter(field, operator, texts, context, t('filter.needValue'))
      if (!built.ok) {
        setProblem({ key: draft.key, message: built.message })
        return
      }
      conditions.push({ field: field.name, operator: operatorWord(operator), texts })
    }
    onApply(conditions.length === 0 ? undefined : { any: any && conditions.length > 1, conditions })
  }

  return (
    <form className={classes.form} onSubmit={apply} noValidate>
      {drafts.length > 1 && (
        <NativeSelect
          label={t('filter.match')}
          value={any ? 'any' : 'all'}
          data={[
            { value: 'all', label: t('filter.all') },
            { value: 'any', label: t('filter.any') },
          ]}
          onChange={(event) => setAny(event.currentTarget.value === 'any')}
        />
      )}
      {drafts.map((draft, at) => (
        <ConditionRow
          key={draft.key}
          n={at + 1}
          only={drafts.length === 1}
          draft={draft}
          fields={fields}
          context={context}
          problem={problem?.key === draft.key ? problem.message : undefined}
          errorId={`${errorId}-${draft.key}`}
          onChange={(next) => change(draft.key, next)}
          onRemove={() => setDrafts((current) => current.filter(({ key }) => key !== draft.key))}
          onDone={apply}
        />
      ))}
      <Group>
        <Button
          variant="subtle"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          disabled={drafts.length >= maxConditions}
          onClick={() => setDrafts((current) => [...current, draftOf()])}
        >
          {t('filter.add')}
        </Button>
      </Group>
      <Group justify="space-between">
        <Button variant="default" onClick={() => onApply(undefined)} disabled={!filter}>
          {t('filter.clear')}
        </Button>
        <Group gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('app.cancel')}
          </Button>
          <Button type="submit">{t('filter.apply')}</Button>
        </Group>
      </Group>
    </form>
  )
}

/** Field and operator of a draft; the first operator where none was chosen yet. */
function chosen(draft: RecordFilter, fields: readonly FieldDefinition[]) {
  const field = fields.find(({ name }) => name === draft.field) ?? fields[0]
  if (!field) return undefined
  const operators = fieldTypeOf(field).operators(field)
  const operator = operators.find((candidate) => operatorWord(candidate) === draft.operator) ?? operators[0]
  return operator ? { field, operator, operators } : undefined
}

function ConditionRow(props: {
  n: number
  only: boolean
  draft: RecordFilter
  fields: readonly FieldDefinition[]
  context: FieldContext
  problem: string | undefined
  errorId: string
  onChange: (next: Partial<RecordFilter>) => void
  onRemove: () => void
  onDone: () => void
}) {
  const { draft, fields, context } = props
  const known = chosen(draft, fields)
  if (!known) return null
  const { field, operator, operators } = known
  return (
    <fieldset className={classes.condition} aria-label={t('filter.condition', { n: props.n })}>
      <div className={classes.conditionParts}>
        <NativeSelect
          label={t('filter.field')}
          value={field.name}
          data-autofocus={props.n === 1 ? true : undefined}
          data={fields.map((candidate) => ({ value: candidate.name, label: fieldLabel(candidate) }))}
          onChange={(event) => props.onChange({ field: event.currentTarget.value, texts: [] })}
        />
        <NativeSelect
          label={t('filter.operator')}
          value={operatorWord(operator)}
          data={operators.map((candidate) => ({
            value: operatorWord(candidate),
            label: context.translate(candidate.label),
          }))}
          onChange={(event) => props.onChange({ operator: event.currentTarget.value })}
        />
        <div className={classes.operand}>
          <OperandEditor
            key={`${field.name} ${operator.operand}`}
            field={field}
            operator={operator}
            context={context}
            texts={draft.texts}
            invalid={props.problem !== undefined}
            describedBy={props.errorId}
            onTexts={(texts) => props.onChange({ texts })}
            onDone={props.onDone}
          />
        </div>
        {!props.only && (
          <CloseButton
            className={classes.conditionRemove}
            aria-label={t('filter.remove', { n: props.n })}
            onClick={props.onRemove}
          />
        )}
      </div>
      <p id={props.errorId} className={classes.error} role="alert">
        {props.problem}
      </p>
    </fieldset>
  )
}
