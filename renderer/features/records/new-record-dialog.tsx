// Owns adding a record: one editor per field of the registry, problems beside their fields, nothing typed gets lost.
import { Button, Group } from '@mantine/core'
import { useId, useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { ShortcutKeys } from '../../components/shortcut-keys.tsx'
import { fieldLabel, fieldTypeOf, isEditable } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { ApiError } from '../../lib/api-error.ts'
import { useLeaveGuard } from '../../lib/leave-guard.ts'
import { fieldProblemText, problemText } from '../../lib/problem-text.ts'
import { isApple } from '../../lib/shortcuts.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { fieldList, leaveQuestion, objectLabel } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { addRecord } from './add-record.ts'
import type { FormSuggestion } from './form-suggestions.tsx'
import { OfferedValue, SuggestButton, onSuggestionKey, useFormSuggestions } from './form-suggestions.tsx'
import { sameContent } from './record-values.ts'
import classes from './records.module.css'

/** The dialog; it stays open after "Add and continue". */
export function NewRecordDialog(props: {
  object: ObjectItem
  context: FieldContext
  opened: boolean
  /** Values the form begins with. */
  initial?: Readonly<Record<string, unknown>> | undefined
  onClose: () => void
}) {
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      title={t('records.new.title', { object: objectLabel(props.object) })}
      closeOnClickOutside={false}
      size="lg"
    >
      {props.opened && <RecordForm {...props} />}
    </Dialog>
  )
}

/** What was typed, by field. */
export type Texts = Readonly<Record<string, string>>

function RecordForm(props: {
  object: ObjectItem
  context: FieldContext
  initial?: Readonly<Record<string, unknown>> | undefined
  onClose: () => void
}) {
  const { object, context, initial } = props
  const fields = fieldList(object).filter((field) => isEditable(field) && !field.hidden)
  const start = startTexts(fields, context, initial)
  const [typed, setTexts] = useState(start)
  // A field that came since begins with its default.
  const texts = { ...start, ...typed }
  useLeaveGuard(sameContent(texts, start) ? undefined : leaveQuestion(objectLabel(object)))
  const [problems, setProblems] = useState<Texts>({})
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const [round, setRound] = useState(0)
  const form = useRef<HTMLFormElement>(null)
  const suggestions = useFormSuggestions(object.name, fields, () => readValues(fields, texts, context).values)

  const take = (name: string): void => {
    const field = fields.find((one) => one.name === name)
    const suggestion = suggestions.of(name)
    if (field === undefined || suggestion === undefined) return
    setTexts((current) => ({ ...current, [name]: fieldTypeOf(field).toText(suggestion.value, field, context) }))
    leave(name)
  }

  // What was pressed goes away with the suggestion: the focus stays at the field.
  const leave = (name: string): void => {
    suggestions.settle(name)
    focusField(form.current, name)
  }

  // The dialog's focus trap looks for this mark; without it the close button would get the focus.
  useLayoutEffect(() => {
    form.current?.querySelector('[data-field] :is(input, textarea, select)')?.setAttribute('data-autofocus', '')
  }, [])

  const save = async (goOn: boolean): Promise<void> => {
    if (busy) return
    const { values, refused } = readValues(fields, texts, context)
    setProblems(refused)
    setProblem(undefined)
    if (Object.keys(refused).length > 0) {
      focusField(form.current, Object.keys(refused)[0])
      return
    }
    setBusy(true)
    try {
      await addRecord(object.name, values)
      showToast({ message: t('records.created'), tone: 'good' })
      if (!goOn) {
        props.onClose()
        return
      }
      setTexts(start)
      suggestions.forget()
      setRound(round + 1)
    } catch (error) {
      const own = error instanceof ApiError ? error.fieldErrors : []
      const known = own.filter((entry) => fields.some((field) => field.name === entry.field))
      setProblems(Object.fromEntries(known.map((entry) => [entry.field, fieldProblemText(entry, true)])))
      if (known.length === 0) setProblem(problemText(error))
      else focusField(form.current, known[0]?.field)
    } finally {
      setBusy(false)
    }
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    if (onSuggestionKey(event, suggestions, take)) return
    if (event.key !== 'Enter') return
    const target = event.target as Element
    if (isApple ? event.metaKey : event.ctrlKey) {
      event.preventDefault()
      void save(event.shiftKey)
      // Enter in a form never submits it by accident.
    } else if (target.tagName === 'INPUT') event.preventDefault()
  }

  return (
    <form
      ref={form}
      className={classes.form}
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={onKeyDown}
      noValidate
    >
      {problem && (
        <Notice tone="bad" live>
          {problem}
        </Notice>
      )}
      {fields.map((field, index) => (
        <FormField
          key={`${field.name} ${round}`}
          field={field}
          context={context}
          draft={texts[field.name] ?? ''}
          problem={problems[field.name]}
          autoFocus={index === 0 && round > 0}
          onDraft={(text) => setTexts((current) => ({ ...current, [field.name]: text }))}
          suggestion={(texts[field.name] ?? '') === '' ? suggestions.of(field.name) : undefined}
          onTake={() => take(field.name)}
          onLeave={() => leave(field.name)}
        />
      ))}
      <Group justify="flex-end" className={classes.formEnd}>
        <SuggestButton suggestions={suggestions} />
        <Button variant="default" onClick={props.onClose}>
          {t('app.cancel')}
        </Button>
        <Button variant="default" onClick={() => void save(true)} disabled={busy}>
          {t('word.addMore')}
        </Button>
        <Button
          onClick={() => void save(false)}
          loading={busy}
          rightSection={
            <span className={classes.keys} aria-hidden>
              <ShortcutKeys shortcut="Mod+Enter" />
            </span>
          }
        >
          {t('records.new.save')}
        </Button>
      </Group>
    </form>
  )
}

/** One field of a form: its name, its editor, and what is wrong with what was typed. */
export function FormField(props: {
  field: FieldDefinition
  context: FieldContext
  draft: string
  problem: string | undefined
  autoFocus: boolean
  onDraft: (text: string) => void
  /** A value that may be taken in place of typing one. */
  suggestion?: FormSuggestion | undefined
  onTake?: () => void
  onLeave?: () => void
}) {
  const { field, suggestion, onTake, onLeave } = props
  const errorId = useId()
  const { Editor, icon: Icon } = fieldTypeOf(field)
  const help = field.help ?? field.description
  return (
    <div className={classes.formField} data-field={field.name}>
      <span className={classes.formLabel} aria-hidden>
        <Icon size={14} />
        {fieldLabel(field)}
        {field.required && <span className={classes.required}>{t('word.requiredSmall')}</span>}
      </span>
      <div className={classes.formEditor}>
        <Editor
          field={field}
          context={props.context}
          label={field.required ? `${fieldLabel(field)} (${t('word.requiredSmall')})` : fieldLabel(field)}
          draft={props.draft}
          value={null}
          invalid={props.problem !== undefined}
          describedBy={errorId}
          autoFocus={props.autoFocus}
          onDraft={props.onDraft}
          onDone={props.onDraft}
        />
      </div>
      {suggestion && onTake && onLeave && (
        <OfferedValue field={field} suggestion={suggestion} onTake={onTake} onLeave={onLeave} />
      )}
      <p id={errorId} className={props.problem ? classes.error : classes.help}>
        {props.problem ?? help}
      </p>
    </div>
  )
}

/** What a form begins with: the given values, else the defaults of the fields. */
export function startTexts(
  fields: readonly FieldDefinition[],
  context: FieldContext,
  initial: Readonly<Record<string, unknown>> = {},
): Texts {
  const texts: Record<string, string> = {}
  for (const field of fields) {
    const value = initial[field.name] ?? field.defaultValue
    // Expressions and macros are the host's to work out.
    const literal = value !== undefined && typeof value !== 'object' && !String(value).startsWith('{')
    texts[field.name] = literal ? fieldTypeOf(field).toText(value, field, context) : ''
  }
  return texts
}

/** The values of what was typed, and what cannot be one. */
export function readValues(
  fields: readonly FieldDefinition[],
  texts: Texts,
  context: FieldContext,
): { values: Record<string, unknown>; refused: Record<string, string> } {
  const values: Record<string, unknown> = {}
  const refused: Record<string, string> = {}
  const began = startTexts(fields, context)
  for (const field of fields) {
    const text = texts[field.name] ?? ''
    const isEmptied = text.trim() === '' && began[field.name] !== ''
    // Left empty: the host works its default out. One that stood there and was taken out is not wanted.
    if (text.trim() === '' && field.defaultValue !== undefined && !isEmptied) continue
    const result = fieldTypeOf(field).parse(text, field, context)
    if (!result.ok) refused[field.name] = result.message
    else if (result.value !== null || isEmptied) values[field.name] = result.value
  }
  return { values, refused }
}

/** Puts the focus into the editor of a field. */
export function focusField(form: HTMLElement | null, name: string | undefined): void {
  form?.querySelector<HTMLElement>(`[data-field="${name}"] :is(input, textarea, select, [tabindex])`)?.focus()
}
