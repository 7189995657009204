// Owns the dialog of one field: its label, type and settings, with the host's word on them while they are typed.
// Nothing reaches the draft of the object before the dialog is finished.
import { Button, Checkbox, Group, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { useLeaveGuard } from '../../lib/leave-guard.ts'
import type { Setting } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import { defaultText, readDefault } from './field-default.ts'
import classes from './field-dialog.module.css'
import { applyDraft, newFieldName } from './field-draft.ts'
import type { DraftField, ObjectDraft } from './field-draft.ts'
import {
  canBeRequired,
  canBeUnique,
  canHaveDefault,
  missingSettings,
  settingsOf,
  splitSettings,
  withType,
  writeSetting,
} from './field-settings.ts'
import { leaveQuestion } from './leave-question.ts'
import { typeHint, typeLabel } from './field-types.ts'
import { MoreSettings } from './more-settings.tsx'
import type { FieldItem, ObjectItem } from './object-item.ts'
import { SettingInput } from './setting-input.tsx'
import { TypePicker } from './type-picker.tsx'
import { problemsBelow, useDraftCheck } from './use-draft-check.ts'

interface FieldDialogProps {
  object: ObjectItem
  draft: ObjectDraft
  /** The field to edit; `new` adds one; undefined shows nothing. */
  field: DraftField | 'new' | undefined
  /** Whether it opens with the list of types. */
  picking?: boolean
  onClose: () => void
  /** `goOn` says that the dialog stays for another new field. */
  onDone: (item: FieldItem, goOn: boolean) => void
}

/** The dialog. */
export function FieldDialog(props: FieldDialogProps) {
  const { field } = props
  const title =
    field === 'new' || field === undefined
      ? t('field.dialog.add')
      : t('field.dialog.edit', { field: field.item.label ?? field.name })
  return (
    <Dialog opened={field !== undefined} onClose={props.onClose} title={title} size="lg" closeOnClickOutside={false}>
      {field !== undefined && <FieldForm {...props} field={field} />}
    </Dialog>
  )
}

const blank: FieldItem = { type: 'text', label: '' }

function FieldForm(props: FieldDialogProps & { field: DraftField | 'new' }) {
  const { field, draft, object } = props
  const isNew = field === 'new'
  const [item, setItem] = useState<FieldItem>(isNew ? blank : field.item)
  const [picking, setPicking] = useState(props.picking === true)
  const [tried, setTried] = useState(false)
  const [round, setRound] = useState(0)
  const labelInput = useRef<HTMLInputElement>(null)
  const typeButton = useRef<HTMLButtonElement>(null)
  const label = item.label ?? ''
  const name = isNew ? newFieldName(draft, label) : field.name
  const isTouched = item !== (isNew ? blank : field.item)
  useLeaveGuard(isTouched ? leaveQuestion(label || name) : undefined)
  const missing = missingSettings(item)
  const isComplete = missing.length === 0 && (!isNew || label.trim() !== '')
  const candidate = isComplete ? withField(object, draft, name, item) : undefined
  const check = useDraftCheck(candidate)
  const problems = problemsBelow(check.problems, `fields.${name}`)
  const note = !isComplete
    ? ''
    : check.waiting
      ? t('word.checking')
      : problems.length === 0
        ? t('field.dialog.good')
        : ''
  const problemOf = (path: string): string | undefined =>
    problems.find((problem) => problem.path === path || problem.path.startsWith(`${path}.`))?.message
  const settings = settingsOf(item.type)
  const placed = new Set(settings.map((setting) => setting.path))
  const others = problems.filter(
    (problem) => ![...placed, 'defaultValue'].some((path) => problem.path.startsWith(path)),
  )

  const finish = (goOn: boolean): void => {
    setTried(true)
    if (!isComplete || problems.length > 0) return
    props.onDone(item, goOn)
    if (!goOn) return
    setItem(blank)
    setTried(false)
    setRound(round + 1)
    labelInput.current?.focus()
  }
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault()
    finish(false)
  }
  const pick = (type: string): void => {
    setItem(withType(item, type))
    setPicking(false)
    requestAnimationFrame(() => typeButton.current?.focus())
  }
  const set = (key: keyof FieldItem & string, value: unknown): void => setItem(writeSetting(item, key, value))
  const [simple, more] = splitSettings(settings)
  const settingInput = (setting: Setting) => (
    <SettingInput
      key={`${item.type} ${setting.path} ${round}`}
      object={object.name}
      item={item}
      setting={setting}
      fields={draft.fields
        .filter((each) => !each.deleted && each.name !== name)
        .map((each) => ({ name: each.name, label: each.item.label ?? each.name }))}
      showMissing={tried}
      problem={problemOf(setting.path)}
      note={note}
      onChange={(value) => setItem(writeSetting(item, setting.path, value))}
    />
  )

  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <TextInput
        ref={labelInput}
        label={t('field.dialog.label')}
        description={isNew && label.trim() === '' ? undefined : t('fields.add.name', { name })}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={label}
        error={tried && isNew && label.trim() === '' ? t('object.label.missing') : undefined}
        data-autofocus
        onChange={(event) => setItem({ ...item, label: event.currentTarget.value })}
      />
      {picking ? (
        <div>
          <TypePicker type={item.type} autoFocus onPick={pick} />
          <Button variant="subtle" size="compact-sm" mt={4} onClick={() => setPicking(false)}>
            {t('field.dialog.type.keep')}
          </Button>
        </div>
      ) : (
        <div className={classes.typeLine}>
          <div>
            <span className={classes.typeLabel}>{t('word.type')}</span>
            <span className={classes.typeName}>{typeLabel(item.type)}</span>
            <span className={classes.note}>{typeHint(item.type)}</span>
          </div>
          <Button ref={typeButton} variant="default" size="compact-sm" onClick={() => setPicking(true)}>
            {t('field.dialog.type.change')}
          </Button>
        </div>
      )}
      {!picking && simple.map(settingInput)}
      {canBeRequired(item.type) && (
        <Checkbox
          label={t('field.dialog.required')}
          description={t('field.dialog.required.help')}
          checked={item.required === true}
          onChange={(event) => set('required', event.currentTarget.checked || undefined)}
        />
      )}
      {canHaveDefault(item.type) && (
        <DefaultInput
          key={`${item.type} ${round}`}
          item={item}
          problem={problemOf('defaultValue')}
          onChange={(value) => set('defaultValue', value)}
        />
      )}
      <MoreSettings
        key={`more ${item.type} ${round}`}
        item={item}
        settings={more}
        isWrong={more.some(({ path }) => problemOf(path) !== undefined)}
      >
        {!picking && more.map(settingInput)}
        <div className={classes.flags}>
          {canBeUnique(item.type) && (
            <Checkbox
              label={t('field.dialog.unique')}
              description={t('field.dialog.unique.help')}
              checked={item.unique === true}
              onChange={(event) => set('unique', event.currentTarget.checked || undefined)}
            />
          )}
          <Checkbox
            label={t('field.dialog.hidden')}
            description={t('field.dialog.hidden.help')}
            checked={item.hidden === true}
            onChange={(event) => set('hidden', event.currentTarget.checked || undefined)}
          />
        </div>
        <TextInput
          label={t('field.dialog.help')}
          description={t('field.dialog.help.help')}
          value={item.help ?? ''}
          onChange={(event) => set('help', event.currentTarget.value || undefined)}
        />
      </MoreSettings>
      {others.map((problem) => (
        <p key={problem.path + problem.code} className={classes.error} role="alert">
          {problem.message}
        </p>
      ))}
      <Group justify="flex-end">
        <Button variant="default" onClick={props.onClose}>
          {t('app.cancel')}
        </Button>
        {isNew && (
          <Button variant="default" onClick={() => finish(true)}>
            {t('word.addMore')}
          </Button>
        )}
        <Button type="submit">{t(isNew ? 'fields.add' : 'field.dialog.done')}</Button>
      </Group>
    </form>
  )
}

function DefaultInput(props: { item: FieldItem; problem: string | undefined; onChange: (value: unknown) => void }) {
  const [text, setText] = useState(() => defaultText(props.item))
  const problem = readDefault(props.item, text).problem
  return (
    <TextInput
      label={t('field.dialog.default')}
      description={t('field.dialog.default.help')}
      value={text}
      error={problem ?? props.problem}
      autoComplete="off"
      onChange={(event) => {
        setText(event.currentTarget.value)
        props.onChange(readDefault(props.item, event.currentTarget.value).value)
      }}
    />
  )
}

/** The object as it would be saved with this definition of the field. */
function withField(object: ObjectItem, draft: ObjectDraft, name: string, item: FieldItem): ObjectItem {
  const next = applyDraft(object, draft)
  return { ...next, fields: { ...next.fields, [name]: item } }
}
