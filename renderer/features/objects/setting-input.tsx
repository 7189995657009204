// Owns the control of one setting of a field, by its kind.
import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { findFieldType } from '../../fields/index.ts'
import type { Setting } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import classes from './field-dialog.module.css'
import { readSetting } from './field-settings.ts'
import { FormulaInput } from '../../components/formula-input.tsx'
import { InnerFields } from './inner-fields.tsx'
import { objectLabel } from './object-item.ts'
import type { FieldItem } from './object-item.ts'
import { useObjects } from './object-queries.ts'
import { OptionEditor } from './option-editor.tsx'
import { settingHelp, settingLabel } from './setting-words.ts'
import { SummarySettings } from './summary-settings.tsx'
import type { SummaryOperations } from './summary-settings.tsx'
import { conditionText } from './rule-draft.ts'

/** What every control is given. */
export interface SettingInputProps {
  /** Name of the object the field belongs to. */
  object: string
  item: FieldItem
  setting: Setting
  /** Fields a formula may read. */
  fields: readonly { name: string; label: string }[]
  /** Needed settings are marked once someone tried to finish. */
  showMissing: boolean
  problem: string | undefined
  note: string
  onChange: (value: unknown) => void
}

/** The control. */
export function SettingInput(props: SettingInputProps) {
  const { item, setting, onChange } = props
  const value = readSetting(item, setting.path)
  const label = settingLabel(item.type, setting)
  const help = settingHelp(item.type, setting)
  const isMissing = props.showMissing && setting.needed === true && (value === undefined || value === '')
  const problem = props.problem ?? (isMissing ? t('field.dialog.missing') : undefined)
  switch (setting.kind) {
    case 'flag':
      return (
        <Checkbox
          label={label}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked || undefined)}
        />
      )
    case 'choice':
      return (
        <NativeSelect
          label={label}
          value={typeof value === 'string' ? value : (setting.choices?.[0] ?? '')}
          error={problem}
          data={(setting.choices ?? []).map((choice) => ({
            value: choice,
            label: t(`setting.${setting.path}.${choice === '' ? 'none' : choice}` as StringKey),
          }))}
          onChange={(event) => onChange(event.currentTarget.value || undefined)}
        />
      )
    case 'object':
      return <ObjectInput {...props} label={label} problem={problem} value={value} />
    case 'objects':
      return <ObjectsInput {...props} label={label} help={help} value={value} />
    case 'options':
      return (
        <OptionEditor
          options={Array.isArray(value) ? (value as never[]) : []}
          several={findFieldType(item.type)?.elementType !== undefined}
          problem={
            problem ??
            (props.showMissing && !(Array.isArray(value) && value.length > 0)
              ? t('fields.add.options.missing')
              : undefined)
          }
          onChange={onChange}
        />
      )
    case 'formula':
      return (
        <FormulaInput
          label={label}
          help={help ?? ''}
          value={conditionText(value)}
          fields={props.fields}
          problem={problem}
          note={props.note}
          onChange={(source) => onChange(source === '' ? undefined : source)}
        />
      )
    case 'summary':
      return (
        <>
          <SummarySettings
            object={props.object}
            value={(value ?? {}) as SummaryOperations}
            showMissing={props.showMissing}
            onChange={onChange}
          />
          {props.problem && <p className={classes.error}>{props.problem}</p>}
        </>
      )
    case 'inner':
      return <InnerFields fields={(value ?? {}) as Record<string, FieldItem>} problem={problem} onChange={onChange} />
    default:
      return <TypedInput {...props} label={label} help={help} problem={problem} value={value} />
  }
}

function ObjectInput(props: SettingInputProps & { label: string; value: unknown }) {
  const { data: objects = [] } = useObjects()
  return (
    <NativeSelect
      label={props.label}
      value={typeof props.value === 'string' ? props.value : ''}
      error={props.problem && props.value === undefined ? t('fields.add.reference.missing') : props.problem}
      data={[
        { value: '', label: t('setting.objectNone') },
        ...objects.map((object) => ({ value: object.name, label: objectLabel(object) })),
      ]}
      onChange={(event) => props.onChange(event.currentTarget.value || undefined)}
    />
  )
}

function ObjectsInput(props: SettingInputProps & { label: string; help: string | undefined; value: unknown }) {
  const { data: objects = [] } = useObjects()
  const chosen = Array.isArray(props.value) ? (props.value as string[]) : []
  const toggle = (name: string, on: boolean): void => {
    const next = on ? [...chosen, name] : chosen.filter((each) => each !== name)
    props.onChange(next.length === 0 ? undefined : next)
  }
  return (
    <fieldset className={classes.group}>
      <legend>{props.label}</legend>
      <p className={classes.note}>{props.help}</p>
      {objects.map((object) => (
        <Checkbox
          key={object.name}
          label={objectLabel(object)}
          checked={chosen.includes(object.name)}
          onChange={(event) => toggle(object.name, event.currentTarget.checked)}
        />
      ))}
    </fieldset>
  )
}

/** Text, numbers and lists of words: what is typed stays on screen even while it is no value yet. */
function TypedInput(props: SettingInputProps & { label: string; help: string | undefined; value: unknown }) {
  const { kind } = props.setting
  const [text, setText] = useState(() => writtenAs(props.value))
  const type = (next: string): void => {
    setText(next)
    props.onChange(readTyped(kind, next))
  }
  return (
    <TextInput
      label={props.label}
      description={props.help}
      value={text}
      error={props.problem}
      inputMode={kind === 'integer' ? 'numeric' : kind === 'number' ? 'decimal' : undefined}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => type(event.currentTarget.value)}
    />
  )
}

function writtenAs(value: unknown): string {
  if (value === undefined || value === null) return ''
  return Array.isArray(value) ? value.join(', ') : String(value)
}

// Text that is no number goes to the host as it is: it says what is wrong with it.
function readTyped(kind: Setting['kind'], text: string): unknown {
  const typed = text.trim()
  if (typed === '') return undefined
  if (kind === 'words')
    return typed
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean)
  if (kind !== 'integer' && kind !== 'number') return text
  const number = Number(typed)
  return Number.isFinite(number) ? number : typed
}
