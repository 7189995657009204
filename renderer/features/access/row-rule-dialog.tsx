// Owns editing one row rule; the host judges its condition while it is typed, and what it says stands at the field.
import { Button, Checkbox, Group, NativeSelect, TextInput, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import parts from '../../components/parts.module.css'
import type { RightType } from '../../lib/right-sets.ts'
import { t } from '../../lib/strings.ts'
import { objectPluralLabel, uniqueName, useObjects } from '../objects/index.ts'
import type { RowRule, SetDraft } from './set-draft.ts'
import { useSetCheck } from './use-set-check.ts'
import classes from './access.module.css'

const actions = ['create', 'read', 'edit', 'delete', 'transfer', 'restore', 'purge'] as const

interface RowRuleDialogProps {
  type: RightType
  draft: SetDraft
  /** Place of the rule to edit; `new` adds one; undefined shows nothing. */
  rule: number | 'new' | undefined
  onClose: () => void
  onDone: (rule: RowRule) => void
}

/** A condition as its text; undefined for a filter. */
export function conditionText(condition: unknown): string | undefined {
  if (typeof condition === 'string') return condition
  const source = typeof condition === 'object' && condition !== null ? (condition as { source?: unknown }).source : ''
  return typeof source === 'string' ? source : undefined
}

/** The dialog. */
export function RowRuleDialog(props: RowRuleDialogProps) {
  const { rule } = props
  return (
    <Dialog
      opened={rule !== undefined}
      onClose={props.onClose}
      title={t(rule === 'new' ? 'rowRules.dialog.add' : 'rowRules.dialog.edit')}
      size="lg"
      closeOnClickOutside={false}
    >
      {rule !== undefined && <RowRuleForm {...props} rule={rule} />}
    </Dialog>
  )
}

function RowRuleForm(props: RowRuleDialogProps & { rule: number | 'new' }) {
  const { draft } = props
  const rules = draft.rowLevelSecurity
  const at = props.rule === 'new' ? rules.length : props.rule
  const { data: objects } = useObjects()
  const [rule, setRule] = useState<RowRule>(
    () =>
      rules[at] ?? {
        name: uniqueName('rule', new Set(rules.map(({ name }) => name))),
        object: objects?.[0]?.name ?? '',
        actions: ['read'],
        condition: '',
      },
  )
  const [tried, setTried] = useState(false)
  const text = conditionText(rule.condition)
  const nameIsGood =
    /^[a-z][a-z0-9_]{0,62}$/.test(rule.name) && !rules.some((each, index) => index !== at && each.name === rule.name)
  const isComplete = nameIsGood && rule.actions.length > 0 && (text === undefined || text.trim() !== '')
  const next = [...rules]
  next[at] = rule
  const check = useSetCheck(props.type, isComplete ? { ...draft, rowLevelSecurity: next } : undefined)
  const problem = check.problems.find(({ path }) => path.startsWith(`rowLevelSecurity.${at}`))
  const missing = tried && text?.trim() === '' ? t('rowRules.condition.missing') : undefined

  const submit = (event: SyntheticEvent): void => {
    event.preventDefault()
    setTried(true)
    if (isComplete && !problem && !check.waiting) props.onDone(rule)
  }

  return (
    <form onSubmit={submit} noValidate className={parts.stack}>
      <TextInput
        label={t('word.name')}
        description={t('rowRules.name.help')}
        value={rule.name}
        error={!nameIsGood ? t('rowRules.name.missing') : undefined}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        onChange={(event) => setRule({ ...rule, name: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('word.object')}
        value={rule.object}
        data={(objects ?? []).map((object) => ({ value: object.name, label: objectPluralLabel(object) }))}
        onChange={(event) => setRule({ ...rule, object: event.currentTarget.value })}
      />
      <fieldset className={`${parts.options} ${classes.inColumns}`}>
        <legend>{t('word.for')}</legend>
        {actions.map((action) => (
          <Checkbox
            key={action}
            label={t(`action.${action}`)}
            checked={rule.actions.includes(action)}
            onChange={(event) => {
              const on = event.currentTarget.checked
              setRule({
                ...rule,
                actions: actions.filter((each) => (each === action ? on : rule.actions.includes(each))),
              })
            }}
          />
        ))}
      </fieldset>
      {tried && rule.actions.length === 0 && (
        <p className={parts.problem} role="alert">
          {t('rowRules.actions.missing')}
        </p>
      )}
      {text === undefined ? (
        <p className={parts.quiet}>{t('rowRules.condition.filter')}</p>
      ) : (
        <>
          <Textarea
            label={t('word.condition')}
            description={t('rowRules.condition.help')}
            value={text}
            error={missing ?? problem?.message}
            autoComplete="off"
            spellCheck={false}
            rows={3}
            onChange={(event) => setRule({ ...rule, condition: event.currentTarget.value })}
          />
          <p className={parts.quiet} role="status">
            {!isComplete ? '' : check.waiting ? t('word.checking') : problem ? '' : t('rowRules.good')}
          </p>
        </>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={props.onClose}>
          {t('app.cancel')}
        </Button>
        <Button type="submit">{t('word.done')}</Button>
      </Group>
    </form>
  )
}
