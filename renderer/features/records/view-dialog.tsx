// Owns naming a view: its label, whether it is personal, whether it comes first.
import { Button, Checkbox, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import type { ViewDraft } from './record-views.ts'
import classes from './records.module.css'

/** The dialog; `draft` is what it begins with, undefined when it is closed. */
export function ViewDialog(props: {
  title: string
  draft: ViewDraft | undefined
  /** Whether the view may be the one an object opens with: a form may not. */
  canComeFirst: boolean
  onClose: () => void
  /** Resolves when the view is stored; what it throws is shown and what was typed stays. */
  onSave: (draft: ViewDraft) => Promise<void>
}) {
  return (
    <Dialog opened={props.draft !== undefined} onClose={props.onClose} title={props.title} closeOnClickOutside={false}>
      {props.draft && <ViewForm {...props} draft={props.draft} />}
    </Dialog>
  )
}

function ViewForm(props: {
  draft: ViewDraft
  canComeFirst: boolean
  onClose: () => void
  onSave: (draft: ViewDraft) => Promise<void>
}) {
  const [draft, setDraft] = useState(props.draft)
  const [problem, setProblem] = useState<string>()
  const [saving, setSaving] = useState(false)

  const save = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    const label = draft.label.trim()
    if (label === '') {
      setProblem(t('views.name.missing'))
      return
    }
    setSaving(true)
    try {
      await props.onSave({ ...draft, label })
    } catch (error) {
      setProblem(problemText(error))
    } finally {
      setSaving(false)
    }
  }

  return (
    <form className={classes.form} onSubmit={(event) => void save(event)} noValidate>
      <TextInput
        label={t('word.name')}
        value={draft.label}
        error={problem}
        maxLength={200}
        data-autofocus
        onChange={(event) => {
          setDraft({ ...draft, label: event.currentTarget.value })
          setProblem(undefined)
        }}
      />
      <Checkbox
        label={t('views.personal')}
        checked={draft.personal}
        onChange={(event) => setDraft({ ...draft, personal: event.currentTarget.checked })}
      />
      {props.canComeFirst && (
        <Checkbox
          label={t('views.makeDefault')}
          checked={draft.isDefault}
          onChange={(event) => setDraft({ ...draft, isDefault: event.currentTarget.checked })}
        />
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={props.onClose}>
          {t('app.cancel')}
        </Button>
        <Button type="submit" loading={saving}>
          {t('app.save')}
        </Button>
      </Group>
    </form>
  )
}
