// Owns the settings of a form: its link, its words, which fields it asks for in which order. What is changed is stored at
// once.
import { ActionIcon, Checkbox, CloseButton, Switch, TextInput, Textarea } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import { CopyField } from '../../components/copy-field.tsx'
import { fieldLabel, fieldTypeOf, isEditable } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import { moved } from './form-config.ts'
import type { FormConfig, FormEntry } from './form-config.ts'
import classes from './form.module.css'

/** The settings. */
export function FormSettings(props: {
  form: FormConfig
  fields: readonly FieldDefinition[]
  /** Address of the form alone. */
  link: string
  onChange: (form: FormConfig) => void
  onClose: () => void
}) {
  const { form, onChange } = props
  const fields = props.fields.filter((field) => isEditable(field))
  const hidden = fields.filter(({ name }) => !form.fields.some(({ field }) => field === name))
  const [dragged, setDragged] = useState<number>()
  const setEntries = (entries: readonly FormEntry[]): void => onChange({ ...form, fields: entries })
  return (
    <section className={classes.settings} aria-label={t('form.settings')}>
      <div className={classes.settingsHead}>
        <h2>{t('form.settings')}</h2>
        <CloseButton size="sm" aria-label={t('form.settings.close')} onClick={props.onClose} />
      </div>
      <CopyField label={t('form.link')} description={t('form.link.help')} value={props.link} />
      <Words label="form.title" value={form.title} onChange={(title) => onChange({ ...form, title })} />
      <Words
        label="form.description"
        value={form.description}
        long
        onChange={(description) => onChange({ ...form, description })}
      />
      <h3>{t('word.fields')}</h3>
      <ul className={classes.entries}>
        {form.fields.map((entry, at) => {
          const field = fields.find(({ name }) => name === entry.field)
          return (
            field && (
              <li
                key={entry.field}
                draggable
                onDragStart={(event) => {
                  event.dataTransfer.setData('text/plain', entry.field)
                  setDragged(at)
                }}
                onDragOver={(event) => dragged !== undefined && event.preventDefault()}
                onDrop={(event) => {
                  event.preventDefault()
                  if (dragged !== undefined) setEntries(moved(form.fields, dragged, at))
                  setDragged(undefined)
                }}
              >
                <Entry
                  entry={entry}
                  field={field}
                  first={at === 0}
                  last={at === form.fields.length - 1}
                  onMove={(by) => setEntries(moved(form.fields, at, at + by))}
                  onChange={(next) => setEntries(form.fields.with(at, next))}
                  onHide={() => setEntries(form.fields.toSpliced(at, 1))}
                />
              </li>
            )
          )
        })}
        {hidden.map((field) => (
          <li key={field.name} className={classes.entry}>
            <FieldName field={field} label={fieldLabel(field)} />
            <Switch
              size="xs"
              aria-label={t('form.field.shown', { field: fieldLabel(field) })}
              checked={false}
              onChange={() => setEntries([...form.fields, { field: field.name }])}
            />
          </li>
        ))}
      </ul>
      <Words
        label="form.submit"
        value={form.submit}
        placeholder={t('form.submit.default')}
        onChange={(submit) => onChange({ ...form, submit })}
      />
      <Words
        label="form.thanks"
        value={form.thanks}
        placeholder={t('form.thanks.default')}
        long
        onChange={(thanks) => onChange({ ...form, thanks })}
      />
    </section>
  )
}

function Entry(props: {
  entry: FormEntry
  field: FieldDefinition
  first: boolean
  last: boolean
  onMove: (by: 1 | -1) => void
  onChange: (entry: FormEntry) => void
  onHide: () => void
}) {
  const { entry, field } = props
  const [open, setOpen] = useState(false)
  const name = fieldLabel(field)
  const { label: _label, help: _help, required: _required, ...bare } = entry
  const set = (next: Partial<FormEntry>): void => {
    const all = { ...entry, ...next }
    props.onChange({
      ...bare,
      ...(all.label ? { label: all.label } : {}),
      ...(all.help ? { help: all.help } : {}),
      ...(all.required ? { required: true } : {}),
    })
  }
  return (
    <>
      {/* Alt with an arrow moves the entry whichever of its controls has the focus. */}
      <div
        className={classes.entry}
        onKeyDown={(event) => {
          if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
          event.preventDefault()
          if (event.key === 'ArrowUp' ? !props.first : !props.last) props.onMove(event.key === 'ArrowUp' ? -1 : 1)
        }}
      >
        <FieldName field={field} label={entry.label ?? name} />
        <ActionIcon
          size={24}
          variant="subtle"
          color="gray"
          disabled={props.first}
          aria-label={t('word.moveUp', { field: name })}
          onClick={() => props.onMove(-1)}
        >
          <IconChevronUp size={14} aria-hidden />
        </ActionIcon>
        <ActionIcon
          size={24}
          variant="subtle"
          color="gray"
          disabled={props.last}
          aria-label={t('word.moveDown', { field: name })}
          onClick={() => props.onMove(1)}
        >
          <IconChevronDown size={14} aria-hidden />
        </ActionIcon>
        <ActionIcon
          size={24}
          variant="subtle"
          color="gray"
          aria-expanded={open}
          aria-label={t('form.field.edit', { field: name })}
          onClick={() => setOpen(!open)}
        >
          <IconPencil size={14} aria-hidden />
        </ActionIcon>
        <Checkbox
          size="xs"
          aria-label={t('fields.requiredOf', { field: name })}
          title={t('word.requiredSmall')}
          checked={field.required === true || entry.required === true}
          disabled={field.required === true}
          onChange={(event) => set({ required: event.currentTarget.checked })}
        />
        <Switch size="xs" aria-label={t('form.field.shown', { field: name })} checked onChange={props.onHide} />
      </div>
      {open && (
        <div className={classes.entryWords}>
          <Words
            label="form.field.label"
            field={name}
            value={entry.label ?? ''}
            placeholder={name}
            onChange={(label) => set({ label })}
          />
          <Words label="form.field.help" field={name} value={entry.help ?? ''} onChange={(help) => set({ help })} />
        </div>
      )}
    </>
  )
}

function FieldName({ field, label }: { field: FieldDefinition; label: string }) {
  const { icon: Icon } = fieldTypeOf(field)
  return (
    <span className={classes.entryName}>
      <Icon size={14} aria-hidden />
      <span>{label}</span>
    </span>
  )
}

/** A text that counts when it is left. */
function Words(props: {
  label: StringKey
  field?: string
  value: string
  placeholder?: string
  long?: boolean
  onChange: (text: string) => void
}) {
  const [text, setText] = useState<string>()
  const common = {
    size: 'xs' as const,
    label: t(props.label, { field: props.field ?? '' }),
    placeholder: props.placeholder,
    value: text ?? props.value,
    maxLength: 500,
    onBlur: () => {
      if (text !== undefined && text !== props.value) props.onChange(text)
      setText(undefined)
    },
  }
  return props.long ? (
    <Textarea {...common} autosize minRows={2} onChange={(event) => setText(event.currentTarget.value)} />
  ) : (
    <TextInput {...common} onChange={(event) => setText(event.currentTarget.value)} />
  )
}
