// Owns the dialog of one validation rule: its kind, what it asks for, and what people read when it is broken.
import { Button, Checkbox, Group, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { useLeaveGuard } from '../../lib/leave-guard.ts'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import classes from './field-dialog.module.css'
import { applyDraft } from './field-draft.ts'
import type { ObjectDraft } from './field-draft.ts'
import type { ObjectItem } from './object-item.ts'
import { leaveQuestion } from './leave-question.ts'
import { missingInRule, ruleName, ruleTypes, withRuleType } from './rule-draft.ts'
import type { RuleItem } from './rule-draft.ts'
import { RuleParts } from './rule-parts.tsx'
import { problemsBelow, useDraftCheck } from './use-draft-check.ts'

interface RuleDialogProps {
  object: ObjectItem
  draft: ObjectDraft
  /** Place of the rule to edit; `new` adds one; undefined shows nothing. */
  rule: number | 'new' | undefined
  onClose: () => void
  onDone: (rule: RuleItem) => void
}

/** The dialog. */
export function RuleDialog(props: RuleDialogProps) {
  const { rule, draft } = props
  const edited = typeof rule === 'number' ? draft.rules[rule] : undefined
  const title = edited ? t('rule.dialog.edit', { rule: edited.label ?? edited.name }) : t('rule.dialog.add')
  return (
    <Dialog opened={rule !== undefined} onClose={props.onClose} title={title} size="lg" closeOnClickOutside={false}>
      {rule !== undefined && <RuleForm {...props} rule={rule} />}
    </Dialog>
  )
}

function RuleForm(props: RuleDialogProps & { rule: number | 'new' }) {
  const { draft, object } = props
  const isNew = props.rule === 'new'
  const at = props.rule === 'new' ? draft.rules.length : props.rule
  const [first] = useState<RuleItem>(draft.rules[at] ?? { name: '', type: 'script', label: '' })
  const [rule, setRule] = useState(first)
  const [tried, setTried] = useState(false)
  const label = rule.label ?? ''
  useLeaveGuard(rule === first ? undefined : leaveQuestion(label))
  const named = { ...rule, name: isNew ? ruleName(label, draft.rules) : rule.name }
  const missing = missingInRule(rule)
  const isComplete = missing.length === 0 && label.trim() !== ''
  const rules = [...draft.rules]
  rules[at] = named
  const check = useDraftCheck(isComplete ? applyDraft(object, { ...draft, rules }) : undefined)
  const problems = problemsBelow(check.problems, `validations.${at}`)
  const note = !isComplete ? '' : check.waiting ? t('word.checking') : problems.length === 0 ? t('rule.good') : ''
  const isKnown = (ruleTypes as readonly string[]).includes(rule.type)

  const submit = (event: SyntheticEvent): void => {
    event.preventDefault()
    setTried(true)
    if (isComplete && problems.length === 0) props.onDone(named)
  }

  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <TextInput
        label={t('rule.label')}
        value={label}
        error={tried && label.trim() === '' ? t('object.label.missing') : undefined}
        data-autofocus
        onChange={(event) => setRule({ ...rule, label: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('rule.type')}
        description={isKnown ? t(`rule.type.${rule.type}.hint` as StringKey) : t('rule.kept')}
        value={rule.type}
        disabled={!isKnown}
        data={(isKnown ? ruleTypes : [rule.type]).map((type) => ({
          value: type,
          label: t(`rule.type.${type}` as StringKey),
        }))}
        onChange={(event) => setRule(withRuleType(rule, event.currentTarget.value))}
      />
      <RuleParts
        rule={rule}
        draft={draft}
        missing={tried ? missing : []}
        problems={problems}
        note={note}
        onChange={(part) => setRule({ ...rule, ...part })}
      />
      <TextInput
        label={t('rule.message')}
        description={t('rule.message.help')}
        value={rule.message ?? ''}
        error={tried && missing.includes('message') ? t('object.label.missing') : undefined}
        onChange={(event) => setRule({ ...rule, message: event.currentTarget.value || undefined })}
      />
      <NativeSelect
        label={t('rule.severity')}
        value={rule.severity ?? 'error'}
        data={(['error', 'warning', 'info'] as const).map((value) => ({ value, label: t(`rule.severity.${value}`) }))}
        onChange={(event) => setRule({ ...rule, severity: event.currentTarget.value })}
      />
      <Checkbox
        label={t('rule.active')}
        checked={rule.active !== false}
        onChange={(event) => setRule({ ...rule, active: event.currentTarget.checked })}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={props.onClose}>
          {t('app.cancel')}
        </Button>
        <Button type="submit">{t(isNew ? 'rules.add' : 'field.dialog.done')}</Button>
      </Group>
    </form>
  )
}
