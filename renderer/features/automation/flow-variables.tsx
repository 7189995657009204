// Owns the variables of a flow: their names and types, which of them are given to it and given back.
import { ActionIcon, Button, Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { textOfValue, valueOfText } from './config-schema.ts'
import type { DraftVariable } from './flow-draft.ts'
import classes from './automation.module.css'

/** The types of variables. @source D-150 */
const variableTypes = [
  'string',
  'number',
  'boolean',
  'date',
  'datetime',
  'object',
  'array',
  'record',
  'records',
] as const

interface VariablesProps {
  variables: readonly DraftVariable[]
  problemOf: (path: string) => string | undefined
  onChange: (variables: readonly DraftVariable[]) => void
}

/** The list. */
export function FlowVariables({ variables, problemOf, onChange }: VariablesProps) {
  const add = useRef<HTMLButtonElement>(null)
  return (
    <fieldset className={parts.options}>
      <legend>{t('word.variables')}</legend>
      {variables.map((variable, at) => (
        <Variable
          // Texts of a row that moves up are those of another one.
          key={`${variables.length} ${at}`}
          variable={variable}
          number={at + 1}
          problem={problemOf(`variables.${at}.name`)}
          onChange={(next) => onChange(variables.with(at, next))}
          onRemove={() => {
            onChange(variables.toSpliced(at, 1))
            add.current?.focus()
          }}
        />
      ))}
      <Button
        ref={add}
        variant="default"
        size="compact-sm"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => onChange([...variables, { name: freeName(variables), type: 'string' }])}
      >
        {t('design.variables.add')}
      </Button>
    </fieldset>
  )
}

function Variable(props: {
  variable: DraftVariable
  number: number
  problem: string | undefined
  onChange: (variable: DraftVariable) => void
  onRemove: () => void
}) {
  const { variable, number, onChange } = props
  const [first, setFirst] = useState(() => textOfValue(variable.defaultValue))
  const set = (members: Readonly<Record<string, unknown>>): void => {
    const next = Object.entries({ ...variable, ...members }).filter(([, value]) => value !== undefined)
    onChange(Object.fromEntries(next) as DraftVariable)
  }
  return (
    <div className={classes.variable}>
      <TextInput
        label={t('design.variable.name', { number })}
        value={variable.name}
        error={props.problem}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('design.variable.type', { number })}
        value={variable.type}
        data={variableTypes.map((value) => ({ value, label: t(`design.variable.type.${value}`) }))}
        onChange={(event) => set({ type: event.currentTarget.value })}
      />
      <TextInput
        label={t('design.variable.first', { number })}
        value={first}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => {
          setFirst(event.currentTarget.value)
          set({ defaultValue: valueOfText(event.currentTarget.value) })
        }}
      />
      <ActionIcon
        variant="subtle"
        size={32}
        aria-label={t('design.variable.remove', { number })}
        onClick={props.onRemove}
      >
        <IconX size={16} aria-hidden />
      </ActionIcon>
      <div className={classes.marks}>
        {(['isInput', 'isOutput', 'required'] as const).map((mark) => (
          <Checkbox
            key={mark}
            label={t(`design.variable.${mark}`)}
            aria-label={t('design.variable.mark', { mark: t(`design.variable.${mark}`), number })}
            checked={variable[mark] === true}
            onChange={(event) => set({ [mark]: event.currentTarget.checked || undefined })}
          />
        ))}
      </div>
    </div>
  )
}

function freeName(variables: readonly DraftVariable[]): string {
  const taken = new Set(variables.map(({ name }) => name))
  for (let number = 1; ; number += 1) if (!taken.has(`value_${number}`)) return `value_${number}`
}
