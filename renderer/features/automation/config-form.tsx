// Owns the form of a step's configuration: one control per property of the schema its action has.
import { Button, Checkbox, NativeSelect } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import type { ExpressionName } from '../../components/complete-expression.ts'
import { ExpressionField } from '../../components/expression-field.tsx'
import { FormulaInput } from '../../components/formula-input.tsx'
import { PairRows, recordOf } from '../../components/pair-rows.tsx'
import type { Pair } from '../../components/pair-rows.tsx'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { fieldList, objectLabel, useObjects } from '../objects/index.ts'
import { BodyControl, BranchesControl } from './body-controls.tsx'
import { controlsOf, readAs, textOfValue, valueOfText, writtenAs } from './config-schema.ts'
import type { Control } from './config-schema.ts'
import classes from './automation.module.css'

type Config = Readonly<Record<string, unknown>>

/** A configuration, and what may be said in it. */
export interface ConfigFormProps {
  schema: Readonly<Record<string, unknown>>
  config: Config
  /** Fields of the record the flow starts with, for insertion. */
  fields: readonly { name: string; label: string }[]
  /** What expressions may name. */
  names: readonly ExpressionName[]
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

/** A control, and what it sets. */
export type ControlProps = ConfigFormProps & {
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
          fields={props.fields}
          names={props.names}
          problem={problem}
          onChange={(text) => onSet(text === '' ? undefined : text)}
        />
      )
    case 'map':
      return <MapRows {...props} />
    case 'body':
      return <BodyControl {...props} />
    case 'bodies':
      return <BranchesControl {...props} />
    case 'group':
      return isMap(value) || value === undefined ? <Group {...props} /> : <TypedText {...props} />
    case 'rows':
      return Array.isArray(value) || value === undefined ? <ConfigRows {...props} /> : <TypedText {...props} />
    default:
      return <TypedText {...props} />
  }
}

const isMap = (value: unknown): value is Config => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value of several parts; it is there while one of them is. */
function Group({ control, value, problem, problemOf, onSet, ...rest }: ControlProps) {
  return (
    <fieldset className={parts.options}>
      <legend>{control.label}</legend>
      <div className={parts.stack}>
        <ConfigForm
          {...rest}
          schema={control.schema}
          config={isMap(value) ? value : {}}
          problemOf={(field) => problemOf(`${control.name}.${field}`)}
          onChange={(next) => onSet(Object.keys(next).length === 0 ? undefined : next)}
        />
      </div>
      {problem !== undefined && <p className={parts.problem}>{problem}</p>}
    </fieldset>
  )
}

/** Things of one form, such as fields of a screen; each of them has a form of its own. */
function ConfigRows({ control, value, problem, problemOf, onSet, ...rest }: ControlProps) {
  const rows = (Array.isArray(value) ? value : []) as readonly Readonly<Record<string, unknown>>[]
  const add = useRef<HTMLButtonElement>(null)
  const set = (next: typeof rows): void => onSet(next.length === 0 && !control.required ? undefined : next)
  return (
    <fieldset className={parts.options}>
      <legend>{control.label}</legend>
      {rows.map((row, at) => (
        <fieldset key={at} className={classes.part}>
          <legend>{t('design.rows.one', { number: at + 1 })}</legend>
          <div className={parts.stack}>
            <ConfigForm
              {...rest}
              // Texts of a row that moves up are those of another one.
              key={rows.length}
              schema={control.schema}
              config={row}
              problemOf={(field) => problemOf(`${control.name}.${at}.${field}`)}
              onChange={(next) => set(rows.with(at, next))}
            />
            <Button
              variant="subtle"
              size="compact-sm"
              className={parts.start ?? ''}
              aria-label={t('design.rows.removeOf', { number: at + 1 })}
              onClick={() => {
                set(rows.toSpliced(at, 1))
                add.current?.focus()
              }}
            >
              {t('word.remove')}
            </Button>
          </div>
        </fieldset>
      ))}
      <Button
        ref={add}
        variant="default"
        size="compact-sm"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => set([...rows, {}])}
      >
        {t('design.rows.add', { what: control.label })}
      </Button>
      {problem !== undefined && <p className={parts.problem}>{problem}</p>}
    </fieldset>
  )
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

function MapRows(props: ControlProps) {
  const { control, config, value, problem, problemOf, onSet } = props
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
      nameLabel={t('word.name')}
      valueLabel={t('word.value')}
      add={t('word.addValue')}
      completes={props.names}
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
function TypedText({ control, value, problem, names, onSet }: ControlProps) {
  // What has parts and is none of them is typed as JSON.
  const kind = control.kind === 'rows' || control.kind === 'group' ? 'json' : control.kind
  const [text, setText] = useState(() => writtenAs(kind, value))
  const type = (next: string): void => {
    setText(next)
    onSet(readAs(kind, next))
  }
  return (
    <ExpressionField
      label={control.label}
      description={kind === 'words' ? t('word.commas') : kind === 'text' ? undefined : textHelp(kind)}
      error={problem}
      withAsterisk={control.required}
      value={text}
      names={names}
      isText
      {...(kind === 'text' || kind === 'words' || kind === 'number' ? {} : { lines: { min: 2, max: 16 } })}
      onChange={type}
    />
  )
}

function textHelp(kind: Control['kind']): string | undefined {
  return kind === 'long' || kind === 'number' ? undefined : t('design.json.help')
}
