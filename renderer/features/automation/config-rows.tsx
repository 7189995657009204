// Owns a list of things of one form in a configuration: fields of a screen, assignments of variables.
import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useRef } from 'react'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { ConfigForm } from './config-form.tsx'
import type { ControlProps } from './config-form.tsx'
import classes from './automation.module.css'

/** The list; each of them has a form of its own. */
export function ConfigRows({ control, value, problem, problemOf, onSet, ...rest }: ControlProps) {
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
              {t('design.rows.remove')}
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
