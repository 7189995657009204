// Owns which bodies a step has: the optional ones, and the branches with their names. What is in them is edited in the
// outline and on the canvas like everything else.
import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useRef } from 'react'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { textOf } from '../../lib/text-of.ts'
import type { ControlProps } from './config-form.tsx'
import classes from './automation.module.css'

const empty = { nodes: [], edges: [] }

/** A body: an optional one may be added and taken away. */
export function BodyControl({ control, value, problem, onSet }: ControlProps) {
  if (control.required && problem === undefined && value !== undefined) return null
  return (
    <div>
      {!control.required && (
        <Button variant="default" size="compact-sm" onClick={() => onSet(value === undefined ? empty : undefined)}>
          {t(value === undefined ? 'design.body.add' : 'design.body.remove', { body: control.label })}
        </Button>
      )}
      {control.required && value === undefined && (
        <Button variant="default" size="compact-sm" onClick={() => onSet(empty)}>
          {t('design.body.add', { body: control.label })}
        </Button>
      )}
      {problem !== undefined && <p className={parts.problem}>{problem}</p>}
    </div>
  )
}

/** The branches of a step, by name. */
export function BranchesControl({ control, value, problem, problemOf, onSet }: ControlProps) {
  const branches = (Array.isArray(value) ? value : []) as readonly Readonly<Record<string, unknown>>[]
  const add = useRef<HTMLButtonElement>(null)
  return (
    <fieldset className={parts.options}>
      <legend>{control.label}</legend>
      {branches.map((branch, at) => {
        const number = at + 1
        return (
          <div key={at} className={classes.branch}>
            <TextInput
              label={t('design.branch', { number })}
              value={textOf(branch, 'name')}
              error={problemOf(`${control.name}.${at}.name`)}
              autoComplete="off"
              onChange={(event) => onSet(branches.with(at, { ...branch, name: event.currentTarget.value }))}
            />
            <ActionIcon
              variant="subtle"
              size={32}
              aria-label={t('design.branch.remove', { number })}
              disabled={branches.length <= 2}
              onClick={() => {
                onSet(branches.toSpliced(at, 1))
                add.current?.focus()
              }}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </div>
        )
      })}
      <Button
        ref={add}
        variant="default"
        size="compact-sm"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => onSet([...branches, { name: freeName(branches), ...empty }])}
      >
        {t('design.branch.add')}
      </Button>
      {problem !== undefined && <p className={parts.problem}>{problem}</p>}
    </fieldset>
  )
}

/** A letter no branch is called by. */
function freeName(branches: readonly Readonly<Record<string, unknown>>[]): string {
  const taken = new Set(branches.map((branch) => textOf(branch, 'name')))
  const letter = [...'abcdefghijklmnopqrstuvwxyz'].find((each) => !taken.has(each))
  return letter ?? String(branches.length + 1)
}
