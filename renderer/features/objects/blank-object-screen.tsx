// Owns starting an object without data: a label, the name that follows from it, a first field.
import { Button, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { namePattern, reservedObjectNames } from '#shared/object-names.ts'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { call } from '../../lib/api-client.ts'
import { navigate } from '../../lib/hash-location.ts'
import { useLeaveGuard } from '../../lib/leave-guard.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { leaveQuestion } from './leave-question.ts'
import { nameFromLabel } from './object-names.ts'
import { refreshObjects, useObjects } from './object-queries.ts'
import classes from './objects.module.css'

/** The form; a new object begins with one text field called Name and opens in the editor of its fields. */
export function BlankObjectScreen() {
  const client = useQueryClient()
  const { data: objects = [] } = useObjects()
  const [label, setLabel] = useState('')
  const [typedName, setTypedName] = useState<string>()
  const [checked, setChecked] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const name = typedName ?? (label.trim() === '' ? '' : nameFromLabel(label, 'object'))

  const labelProblem = label.trim() === '' ? t('object.label.missing') : undefined
  const nameProblem = !namePattern.test(name)
    ? t('object.name.invalid')
    : reservedObjectNames.has(name)
      ? t('object.name.reserved')
      : objects.some((object) => object.name === name)
        ? t('object.name.taken')
        : undefined

  useLeaveGuard(label === '' && typedName === undefined ? undefined : leaveQuestion(label || name))

  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    setChecked(true)
    if (labelProblem || nameProblem) return
    setBusy(true)
    setProblem(undefined)
    try {
      const text = label.trim()
      const item = {
        name,
        label: text,
        pluralLabel: text,
        fields: { name: { type: 'text', label: t('object.firstField') } },
      }
      await call('saveMetadataItem', {
        params: { type: 'object', name },
        body: { type: 'object', name, item },
        headers: { 'If-None-Match': '*' },
      })
      await refreshObjects(client)
      navigate(`/objects/${name}`, { unasked: true })
      showToast({ message: t('object.created', { object: text }), tone: 'good' })
    } catch (error) {
      setProblem(problemText(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <Page title={t('word.newObject')} lead={t('object.new.lead')} width="narrow">
      <form className={classes.form} onSubmit={(event) => void submit(event)} noValidate>
        {problem && (
          <Notice tone="bad" live>
            {problem}
          </Notice>
        )}
        <TextInput
          label={t('object.label')}
          placeholder={t('object.label.placeholder')}
          value={label}
          autoFocus
          error={checked ? labelProblem : undefined}
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <TextInput
          label={t('object.name')}
          description={t('object.name.help')}
          value={name}
          error={(checked || typedName !== undefined) && label.trim() !== '' ? nameProblem : undefined}
          spellCheck={false}
          autoCapitalize="off"
          onChange={(event) => setTypedName(event.currentTarget.value)}
        />
        <div className={classes.formActions}>
          <Button type="submit" loading={busy}>
            {t('object.create')}
          </Button>
          <Button component="a" href="#/objects" variant="default">
            {t('app.cancel')}
          </Button>
        </div>
      </form>
    </Page>
  )
}
