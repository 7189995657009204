// Owns filling a form in: its fields, what is wrong with them, sending, and what is said afterwards.
import { Button } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useEffect, useId, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { Notice } from '../../components/notice.tsx'
import { ShortcutKeys } from '../../components/shortcut-keys.tsx'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { ApiError } from '../../lib/api-error.ts'
import { useLeaveGuard } from '../../lib/leave-guard.ts'
import { fieldProblemText, problemText } from '../../lib/problem-text.ts'
import { isApple } from '../../lib/shortcuts.ts'
import { t } from '../../lib/strings.ts'
import { leaveQuestion, objectLabel } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { FormField, addRecord, focusField, readValues, startTexts } from '../records/index.ts'
import type { Texts } from '../records/index.ts'
import { formFields } from './form-config.ts'
import type { FormConfig } from './form-config.ts'
import classes from './form.module.css'

/** The sheet; `level` is that of its heading. */
export function FormSheet(props: {
  object: ObjectItem
  name: string
  form: FormConfig
  fields: readonly FieldDefinition[]
  context: FieldContext
  level: 1 | 2
}) {
  const { object, form, context } = props
  const fields = formFields(form, props.fields)
  const [texts, setTexts] = useState<Texts>({})
  const [problems, setProblems] = useState<Texts>({})
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const [isSent, setIsSent] = useState(false)
  const [round, setRound] = useState(0)
  const sheet = useRef<HTMLFormElement>(null)
  const again = useRef<HTMLButtonElement>(null)
  const titleId = useId()
  const Heading = props.level === 1 ? 'h1' : 'h2'
  const start = startTexts(fields, context)
  const typed = { ...start, ...texts }
  const isTouched = fields.some(({ name }) => typed[name] !== start[name])
  useLeaveGuard(isTouched ? leaveQuestion(objectLabel(object)) : undefined)

  useEffect(() => {
    if (isSent) again.current?.focus()
  }, [isSent])

  const send = async (): Promise<void> => {
    if (busy) return
    const { values, refused } = readValues(fields, typed, context)
    setProblems(refused)
    setProblem(undefined)
    const [wrong] = Object.keys(refused)
    if (wrong !== undefined) return focusField(sheet.current, wrong)
    setBusy(true)
    try {
      await addRecord(object.name, values)
      setTexts({})
      setRound(round + 1)
      setIsSent(true)
    } catch (error) {
      const own = error instanceof ApiError ? error.fieldErrors : []
      const known = own.filter((entry) => fields.some(({ name }) => name === entry.field))
      setProblems(Object.fromEntries(known.map((entry) => [entry.field, fieldProblemText(entry, true)])))
      const others = own.length > known.length ? own.filter((entry) => !known.includes(entry)) : []
      if (known.length === 0 || others.length > 0) setProblem(problemText(error))
      else focusField(sheet.current, known[0]?.field)
    } finally {
      setBusy(false)
    }
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return
    if (isApple ? event.metaKey : event.ctrlKey) {
      event.preventDefault()
      void send()
      // Enter in a form never submits it by accident.
    } else if ((event.target as Element).tagName === 'INPUT') event.preventDefault()
  }

  return (
    <div className={classes.sheet}>
      <Heading id={titleId} className={classes.title} tabIndex={-1}>
        {form.title || props.name}
      </Heading>
      {form.description !== '' && <p className={classes.description}>{form.description}</p>}
      {isSent ? (
        <div className={classes.sent} role="status">
          <IconCircleCheck size={32} stroke={1.5} aria-hidden />
          <p>{form.thanks || t('form.thanks.default')}</p>
          <Button
            ref={again}
            variant="default"
            onClick={() => {
              setIsSent(false)
              setTimeout(() => focusField(sheet.current, fields[0]?.name))
            }}
          >
            {t('form.again')}
          </Button>
        </div>
      ) : (
        <form
          ref={sheet}
          className={classes.fields}
          aria-labelledby={titleId}
          onSubmit={(event) => event.preventDefault()}
          onKeyDown={onKeyDown}
          noValidate
        >
          {problem && (
            <Notice tone="bad" live>
              {problem}
            </Notice>
          )}
          {fields.length === 0 && <p className={classes.none}>{t('form.noFields')}</p>}
          {fields.map((field) => (
            <FormField
              key={`${field.name} ${round}`}
              field={field}
              context={context}
              draft={typed[field.name] ?? ''}
              problem={problems[field.name]}
              autoFocus={false}
              onDraft={(text) => setTexts((current) => ({ ...current, [field.name]: text }))}
            />
          ))}
          {fields.length > 0 && (
            <div className={classes.end}>
              <Button onClick={() => void send()} loading={busy}>
                {form.submit || t('form.submit.default')}
              </Button>
              <span className={classes.keys}>
                <ShortcutKeys shortcut="Mod+Enter" /> {t('form.keys')}
              </span>
            </div>
          )}
        </form>
      )}
    </div>
  )
}
