// Owns what a rule asks for, by its kind: a condition, a set of fields, a form of text, the steps of a choice.
import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { t } from '../../lib/strings.ts'
import classes from './field-dialog.module.css'
import { FormulaInput } from '../../components/formula-input.tsx'
import { conditionText, ruleFormats } from './rule-draft.ts'
import { StateMachine } from './state-machine.tsx'
import type { RulePartsProps } from './state-machine.tsx'

/** The part of the form that depends on the kind of rule. */
export function RuleParts(props: RulePartsProps) {
  const { rule, draft, onChange } = props
  const fields = draft.fields
    .filter((field) => !field.deleted)
    .map((field) => ({ name: field.name, label: field.item.label ?? field.name }))
  const problemOf = (key: string): string | undefined =>
    props.problems.find((problem) => problem.path === key || problem.path.startsWith(`${key}.`))?.message ??
    (props.missing.includes(key) ? t('field.dialog.missing') : undefined)
  switch (rule.type) {
    case 'script':
      return (
        <FormulaInput
          label={t('rule.condition')}
          help={t('rule.condition.help')}
          value={conditionText(rule.condition)}
          fields={fields}
          problem={problemOf('condition')}
          note={props.note}
          onChange={(condition) => onChange({ condition })}
        />
      )
    case 'unique':
      return (
        <fieldset className={classes.group}>
          <legend>{t('rule.fields')}</legend>
          {fields.map((field) => (
            <Checkbox
              key={field.name}
              label={field.label}
              checked={rule.fields?.includes(field.name) ?? false}
              onChange={(event) => {
                const rest = (rule.fields ?? []).filter((name) => name !== field.name)
                onChange({ fields: event.currentTarget.checked ? [...rest, field.name] : rest })
              }}
            />
          ))}
          {problemOf('fields') && <p className={classes.error}>{problemOf('fields')}</p>}
        </fieldset>
      )
    case 'format':
      return (
        <>
          <FieldChoice {...props} fields={fields} problem={problemOf('field')} />
          <NativeSelect
            label={t('rule.format')}
            value={rule.format ?? 'regex'}
            data={ruleFormats.map((value) => ({ value, label: t(`rule.format.${value}`) }))}
            onChange={(event) => {
              const format = event.currentTarget.value
              onChange(format === 'regex' ? { format: undefined } : { format, regex: undefined })
            }}
          />
          {rule.format === undefined && (
            <TextInput
              label={t('rule.regex')}
              description={t('setting.pattern.help')}
              value={rule.regex ?? ''}
              error={problemOf('regex')}
              spellCheck={false}
              onChange={(event) => onChange({ regex: event.currentTarget.value || undefined })}
            />
          )}
        </>
      )
    case 'state_machine':
      return <StateMachine {...props} problemOf={problemOf} />
    default:
      return null
  }
}

function FieldChoice(
  props: RulePartsProps & { fields: readonly { name: string; label: string }[]; problem: string | undefined },
) {
  return (
    <NativeSelect
      label={t('word.field')}
      value={props.rule.field ?? ''}
      error={props.problem}
      data={[
        { value: '', label: t('setting.fieldNone') },
        ...props.fields.map(({ name, label }) => ({ value: name, label })),
      ]}
      onChange={(event) => props.onChange({ field: event.currentTarget.value || undefined })}
    />
  )
}
