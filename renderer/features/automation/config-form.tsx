// Owns the form of a step's configuration: one control per property of the schema its action has.
import { Checkbox, NativeSelect, TextInput, Textarea } from '@mantine/core'
import { useState } from 'react'
import { FormulaInput } from '../../components/formula-input.tsx'
import { PairRows, recordOf } from '../../components/pair-rows.tsx'
import type { Pair } from '../../components/pair-rows.tsx'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { fieldList, objectLabel, useObjects } from '../objects/index.ts'
import { controlsOf, textOfValue, valueOfText } from './config-schema.ts'
import type { Control } from './config-schema.ts'

type Config = Readonly<Record<string, unknown>>

interface ConfigFormProps {
  schema: Readonly<Record<string, unknown>>
  config: Config
  /** What expressions may name, for insertion. */
  names: readonly { name: string; label: string }[]
  problemOf: (field: string) => string | undefined
  onChange: (config: Config) => void
}

/** The form. */
export function ConfigForm(props: ConfigFormProps) {
  const { schema, config, onChange } = props
  return controlsOf(schema).map((control) => (
    <ConfigControl
      key={control.name}
      {...props}
      control={control}
      value={config[control.name]}
      problem={props.problemOf(control.name)}
      onSet={(value) => {
        const { [control.name]: _before, ...rest } = config
        onChange(value === undefined ? rest : { ...rest, [control.name]: value })
      }}
    />
  ))
}

type ControlProps = ConfigFormProps & {
  control: Control
  value: unknown
  problem: string | undefined
  onSet: (value: unknown) => void
}

function ConfigControl(props: ControlProps) {
  const { control, value, problem, onSet } = props
  const field = { label: control.label, error: problem, withAsterisk: control.required }
  switch (control.kind) {
    case 'flag':
      return (
        <NativeSelect
          {...field}
          value={value === undefined ? '' : String(value)}
          data={[
            { value: '', label: t('design.usual') },
            { value: 'true', label: t('design.yes') },
            { value: 'false', label: t('design.no') },
          ]}
          onChange={(event) => onSet(valueOfText(event.currentTarget.value))}
        />
      )
    case 'choice':
      return (
        <NativeSelect
          {...field}
          value={typeof value === 'string' ? value : ''}
          data={[{ value: '', label: t('design.usual') }, ...control.choices]}
          onChange={(event) => onSet(event.currentTarget.value || undefined)}
        />
      )
    case 'choices':
      return <Choices {...props} />
    case 'object':
      return <ObjectChoice {...props} />
    case 'expression':
      return (
        <FormulaInput
          label={control.label}
          help={t('design.expression.help')}
          value={sourceOf(value)}
          fields={props.names}
          problem={problem}
          onChange={(text) => onSet(text === '' ? undefined : text)}
        />
      )
    case 'map':
      return <MapRows {...props} />
    default:
      return <TypedText {...props} />
  }
}

/** An expression as it is typed; it may also stand in an object. */
function sourceOf(value: unknown): string {
  if (typeof value === 'string') return value
  const source = typeof value === 'object' && value !== null ? (value as { source?: unknown }).source : undefined
  return typeof source === 'string' ? source : ''
}

function Choices({ control, value, problem, onSet }: ControlProps) {
  const chosen = Array.isArray(value) ? value.map(String) : []
  return (
    <fieldset className={parts.options}>
      <legend>{control.label}</legend>
      <div className={parts.choices}>
        {control.choices.map((choice) => (
          <Checkbox
            key={choice}
            label={choice}
            checked={chosen.includes(choice)}
            onChange={(event) => {
              const next = event.currentTarget.checked ? [...chosen, choice] : chosen.filter((each) => each !== choice)
              onSet(next.length === 0 ? undefined : next)
            }}
          />
        ))}
      </div>
      {problem !== undefined && <p className={parts.problem}>{problem}</p>}
    </fieldset>
  )
}

function ObjectChoice({ control, value, problem, onSet }: ControlProps) {
  const { data: objects = [] } = useObjects()
  const name = typeof value === 'string' ? value : ''
  const known = objects.map((object) => ({ value: object.name, label: objectLabel(object) }))
  // A template, or an object that is gone, stays to be seen.
  const isOther = name !== '' && !objects.some((object) => object.name === name)
  return (
    <NativeSelect
      label={control.label}
      error={problem}
      withAsterisk={control.required}
      value={name}
      data={[{ value: '', label: t('pairs.choose') }, ...known, ...(isOther ? [name] : [])]}
      onChange={(event) => onSet(event.currentTarget.value || undefined)}
    />
  )
}

function MapRows({ control, config, value, problem, problemOf, onSet }: ControlProps) {
  const { data: objects = [] } = useObjects()
  const map = typeof value === 'object' && value !== null ? value : {}
  const [pairs, setPairs] = useState<readonly Pair[]>(() =>
    Object.entries(map).map(([name, each]) => [name, textOfValue(each)]),
  )
  // Values of a record go into fields of its object.
  const object = control.name === 'data' ? objects.find(({ name }) => name === config['object']) : undefined
  return (
    <PairRows
      legend={control.label}
      help={t('design.map.help')}
      nameLabel={t('design.map.name')}
      valueLabel={t('design.map.value')}
      add={t('design.map.add')}
      pairs={pairs}
      {...(object
        ? { names: fieldList(object).map(({ name, label }) => ({ value: name, label: label ?? name })) }
        : {})}
      // What is wrong with one of them stands there.
      problem={pairs.some(([name]) => problemOf(`${control.name}.${name}`) !== undefined) ? undefined : problem}
      problemOf={(name) => problemOf(`${control.name}.${name}`)}
      onChange={(next) => {
        setPairs(next)
        const values = Object.entries(recordOf(next)).map(([name, text]) => [name, valueOfText(text) ?? ''] as const)
        onSet(values.length === 0 && !control.required ? undefined : Object.fromEntries(values))
      }}
    />
  )
}

/** Text, numbers, words and JSON: what is typed stays on screen even while it is no value yet. */
function TypedText({ control, value, problem, onSet }: ControlProps) {
  const { kind } = control
  const [text, setText] = useState(() => writtenAs(kind, value))
  const type = (next: string): void => {
    setText(next)
    onSet(readAs(kind, next))
  }
  const field = {
    label: control.label,
    description: kind === 'words' ? t('design.words.help') : kind === 'json' ? t('design.json.help') : undefined,
    error: problem,
    withAsterisk: control.required,
    value: text,
    spellCheck: false,
    autoComplete: 'off',
  }
  return kind === 'long' || kind === 'json' ? (
    <Textarea {...field} autosize minRows={2} maxRows={16} onChange={(event) => type(event.currentTarget.value)} />
  ) : (
    <TextInput {...field} onChange={(event) => type(event.currentTarget.value)} />
  )
}

function writtenAs(kind: Control['kind'], value: unknown): string {
  if (value === undefined) return ''
  if (kind === 'words' && Array.isArray(value)) return value.join(', ')
  if (kind === 'json') return typeof value === 'string' ? textOfValue(value) : JSON.stringify(value, null, 2)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

// What is no number goes to the host as it is: it may be a template, and else the host says what is wrong.
function readAs(kind: Control['kind'], text: string): unknown {
  if (text.trim() === '') return undefined
  if (kind === 'json' || kind === 'number') return valueOfText(text)
  if (kind !== 'words') return text
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}
