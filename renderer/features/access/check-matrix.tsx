// Owns the matrix of what somebody may do; the cells of a person open the reasons.
import { Button } from '@mantine/core'
import { IconCheck, IconMinus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { fieldList, objectPluralLabel, useObjects } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { objectRightsQuery } from './access-queries.ts'
import { shownActions } from './role-rights.ts'
import type { ObjectRights } from './role-rights.ts'
import { WhyDialog } from './why-dialog.tsx'
import type { Question } from './why-dialog.tsx'
import classes from './rights-matrix.module.css'

/** Who is asked about. */
export interface CheckSubject {
  kind: 'user' | 'role'
  id: string
  label: string
}

/** The matrix. */
export function CheckMatrix(props: { subject: CheckSubject; rightsOf: (object: string) => ObjectRights }) {
  const { subject } = props
  const { data: objects } = useObjects()
  const [question, setQuestion] = useState<Question>()
  const [open, setOpen] = useState<string>()
  const title = t('check.matrix', { name: subject.label })
  if (objects?.length === 0) return <p className={parts.quiet}>{t('check.noObjects')}</p>
  return (
    <>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={title}>
        <table className={classes.matrix} aria-label={title}>
          <thead>
            <tr>
              <th scope="col">{t('word.object')}</th>
              {shownActions.map((action) => (
                <th key={action} scope="col">
                  {t(`action.${action}`)}
                </th>
              ))}
              {subject.kind === 'user' && (
                <th scope="col">
                  <span className="cairn-hidden">{t('word.fields')}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {objects?.map((object) => {
              const rights = props.rightsOf(object.name)
              const label = objectPluralLabel(object)
              const isOpen = open === object.name
              return (
                <Fragment key={object.name}>
                  <tr>
                    <th scope="row">{label}</th>
                    {shownActions.map((action) => (
                      <td key={action}>
                        <Answer
                          label={t('check.cell', {
                            object: label,
                            action: t(`action.${action}`),
                            answer: t(rights[action] ? 'check.yes' : 'check.no'),
                          })}
                          yes={rights[action]}
                          onAsk={
                            subject.kind === 'user'
                              ? () => setQuestion({ subject, object, action: questionOf(action) })
                              : undefined
                          }
                        />
                      </td>
                    ))}
                    {subject.kind === 'user' && (
                      <td data-end>
                        <Button
                          size="compact-xs"
                          variant="subtle"
                          aria-expanded={isOpen}
                          aria-label={t('check.fields.of', { object: label, name: subject.label })}
                          onClick={() => setOpen(isOpen ? undefined : object.name)}
                        >
                          {t('word.fields')}
                        </Button>
                      </td>
                    )}
                  </tr>
                  {isOpen && (
                    <tr className={classes.fields}>
                      <td colSpan={shownActions.length + 2} style={{ textAlign: 'start' }}>
                        <FieldAnswers subject={subject} object={object} />
                      </td>
                    </tr>
                  )}
                </Fragment>
              )
            })}
          </tbody>
        </table>
      </div>
      <WhyDialog question={question} onClose={() => setQuestion(undefined)} />
    </>
  )
}

/** Seeing and changing all records are ways to read and edit. */
function questionOf(action: keyof ObjectRights): Question['action'] {
  if (action === 'viewAllRecords') return 'read'
  return action === 'modifyAllRecords' ? 'edit' : action
}

function Answer(props: { label: string; yes: boolean; onAsk: (() => void) | undefined }) {
  const sign = props.yes ? <IconCheck size={16} aria-hidden /> : <IconMinus size={16} aria-hidden />
  if (!props.onAsk) {
    return (
      <span className={classes.answer} data-yes={props.yes || undefined}>
        {sign}
        <span className="cairn-hidden">{t(props.yes ? 'check.yes' : 'check.no')}</span>
      </span>
    )
  }
  return (
    <button
      type="button"
      className={classes.answer}
      data-yes={props.yes || undefined}
      aria-label={props.label}
      onClick={props.onAsk}
    >
      {sign}
    </button>
  )
}

function FieldAnswers(props: { subject: CheckSubject; object: ObjectItem }) {
  const { subject, object } = props
  const { data } = useQuery(objectRightsQuery(subject.id, object.name))
  if (!data) return null
  const fields = fieldList(object)
  return (
    <table
      className={classes.inner}
      aria-label={t('check.fields', { object: objectPluralLabel(object), name: subject.label })}
    >
      <thead>
        <tr>
          <th scope="col">{t('word.field')}</th>
          <th scope="col">{t('set.field.read')}</th>
          <th scope="col">{t('set.field.edit')}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => {
          const access = data.fieldPermissions[field.name]
          return (
            <tr key={field.name}>
              <th scope="row">{field.label ?? field.name}</th>
              <td>{t(access?.readable ? 'check.yes' : 'check.no')}</td>
              <td>{t(access?.editable ? 'check.yes' : 'check.no')}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
