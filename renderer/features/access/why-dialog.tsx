// Owns the reasons of one answer: where a right comes from, or what is missing, for an object, a record or a field.
import { NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import { problemText } from '../../lib/problem-text.ts'
import { profileLabel } from '../../lib/right-sets.ts'
import { t } from '../../lib/strings.ts'
import { fieldList, objectPluralLabel } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import classes from './access.module.css'

/** What is asked. */
export interface Question {
  subject: { id: string; label: string }
  object: ObjectItem
  action: 'create' | 'read' | 'edit' | 'delete' | 'transfer' | 'restore' | 'purge'
}

type Explanation = CallResult<'explainPermission'>

const restMs = 350

/** The dialog; undefined shows nothing. */
export function WhyDialog(props: { question: Question | undefined; onClose: () => void }) {
  const { question } = props
  return (
    <Dialog opened={question !== undefined} onClose={props.onClose} title={t('why.title')}>
      {question && <Reasons question={question} />}
    </Dialog>
  )
}

function Reasons(props: { question: Question }) {
  const { subject, object, action } = props.question
  const [record, setRecord] = useState('')
  const [recordId, setRecordId] = useState('')
  const [field, setField] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setRecordId(record.trim()), restMs)
    return () => clearTimeout(timer)
  }, [record])
  const { data, error } = useQuery({
    queryKey: ['people', 'explain', subject.id, object.name, action, recordId, field] as const,
    queryFn: async ({ signal }) =>
      call('explainPermission', {
        query: {
          object: object.name,
          action,
          userId: subject.id,
          ...(recordId === '' ? {} : { recordId }),
          ...(field === '' ? {} : { field }),
        },
        signal,
      }),
  })
  const question = t('why.question', {
    name: subject.label,
    action: t(`action.${action}`).toLowerCase(),
    object: objectPluralLabel(object),
  })
  return (
    <div className={parts.stack}>
      <p>{question}</p>
      <div role="status">
        {error && <Notice tone="bad">{problemText(error)}</Notice>}
        {data && <AnswerNotice data={data} />}
      </div>
      <TextInput
        label={t('why.record')}
        description={t('why.record.help')}
        value={record}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setRecord(event.currentTarget.value)}
      />
      <NativeSelect
        label={t('word.field')}
        value={field}
        data={[
          { value: '', label: t('word.anyField') },
          ...fieldList(object).map((each) => ({ value: each.name, label: each.label ?? each.name })),
        ]}
        onChange={(event) => setField(event.currentTarget.value)}
      />
    </div>
  )
}

function AnswerNotice(props: { data: Explanation }) {
  const { allowed, reason, because } = props.data
  return (
    <Notice tone={allowed ? 'good' : 'warn'} title={t(allowed ? 'why.allowed' : 'why.refused')}>
      {!allowed && reason && <p className={parts.quiet}>{t(`why.reason.${reason}`)}</p>}
      {because.length > 0 && (
        <>
          <p className={parts.quiet}>{t('why.because')}</p>
          <ul className={classes.reasons}>
            {because.map((each) => (
              <li key={`${each.source} ${each.name} ${each.grants}`}>
                {t('why.grants', {
                  source: t(`why.source.${each.source}`, {
                    name: each.source === 'profile' ? profileLabel(each.name) : each.name,
                  }),
                  grants: each.grants,
                })}
              </li>
            ))}
          </ul>
        </>
      )}
    </Notice>
  )
}
