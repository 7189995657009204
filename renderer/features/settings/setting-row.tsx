// Owns one setting: its value as it is entered, saving it, and what is wrong with it.
import { Button, NativeSelect, NumberInput, PasswordInput, Switch, TextInput, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { locale } from '../../lib/language.ts'
import { useLeaveGuard } from '../../lib/leave-guard.ts'
import { fieldProblemText, problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { leaveQuestion } from '../objects/index.ts'
import type { WorkspaceSetting } from './setting-list.ts'
import { settingsQuery } from './settings-queries.ts'
import { readDraft, writeDraft } from './setting-draft.ts'
import classes from './settings.module.css'

const marks = new Intl.NumberFormat(locale).formatToParts(12_345.6)

/** What stands between the digits of a number in the reader's language. */
const markOf = (type: 'group' | 'decimal'): string => marks.find((part) => part.type === type)?.value ?? ' '

/** One setting of the workspace. */
export function SettingRow(props: { setting: WorkspaceSetting; value: unknown }) {
  const { setting, value } = props
  const { name, kind } = setting
  const client = useQueryClient()
  const stored = writeDraft(kind, value)
  /** What was entered and is not saved; else what is stored is shown, whoever stored it. */
  const [typed, setTyped] = useState<string>()
  const draft = typed ?? stored
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const label = t(`settings.${name}`)
  const isChanged = draft !== stored
  useLeaveGuard(isChanged ? leaveQuestion(label) : undefined)

  const save = async (next: unknown): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      const { settings } = await call('updateSettings', { body: { settings: { [name]: next } } })
      client.setQueryData(settingsQuery.queryKey, settings)
      // What was entered meanwhile is not saved yet.
      setTyped((now) => (now === typed ? undefined : now))
      showToast({ message: t('settings.saved', { label }), tone: 'good' })
    } catch (error) {
      const field = error instanceof ApiError ? error.fieldErrors[0] : undefined
      setProblem(field ? fieldProblemText(field, true) : problemText(error))
    } finally {
      setBusy(false)
    }
  }
  const submit = (): void => {
    const read = readDraft(setting, draft)
    if ('problem' in read) setProblem(t(read.problem))
    else void save(read.value)
  }
  const common = { label, description: t(`settings.${name}.help`), error: problem }
  const change = (next: string | undefined): void => {
    setProblem(undefined)
    setTyped(next)
  }
  return (
    <form
      className={classes.row}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {kind === 'switch' && (
        <Switch
          {...common}
          checked={value === true}
          disabled={busy}
          onChange={(event) => void save(event.currentTarget.checked)}
        />
      )}
      {kind === 'choice' && (
        <NativeSelect
          {...common}
          value={draft}
          disabled={busy}
          onChange={(event) => void save(event.currentTarget.value)}
          data={(setting.values ?? []).map((each) => ({ value: each.value, label: t(each.label) }))}
        />
      )}
      {kind === 'text' && (
        <TextInput {...common} value={draft} onChange={(event) => change(event.currentTarget.value)} />
      )}
      {kind === 'number' && (
        <NumberInput
          {...common}
          value={draft === '' ? '' : Number(draft)}
          min={0}
          allowDecimal={false}
          thousandSeparator={markOf('group')}
          decimalSeparator={markOf('decimal')}
          onChange={(next) => change(String(next))}
        />
      )}
      {kind === 'secret' && (
        <PasswordInput
          {...common}
          autoComplete="off"
          value={draft}
          onChange={(event) => change(event.currentTarget.value)}
        />
      )}
      {(kind === 'lines' || kind === 'json') && (
        <Textarea
          {...common}
          autosize
          minRows={2}
          maxRows={12}
          spellCheck={false}
          value={draft}
          onChange={(event) => change(event.currentTarget.value)}
        />
      )}
      {isChanged && kind !== 'switch' && kind !== 'choice' && (
        <div className={classes.buttons}>
          <Button type="submit" size="compact-sm" loading={busy} aria-label={t('settings.saveOf', { label })}>
            {t('settings.save')}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => change(undefined)}>
            {t('app.cancel')}
          </Button>
        </div>
      )}
    </form>
  )
}
