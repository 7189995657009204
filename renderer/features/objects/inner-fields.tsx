// Owns the values inside of a group: a label and a type each. Further settings of theirs are kept and edited by the API.
import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { typesByRank } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import classes from './field-dialog.module.css'
import { typeLabel } from './field-types.ts'
import type { FieldItem } from './object-item.ts'
import { nameFromLabel, uniqueName } from './object-names.ts'

/** The form; a value's name is made from its first label and stays. */
export function InnerFields(props: {
  fields: Readonly<Record<string, FieldItem>>
  problem: string | undefined
  onChange: (fields: Record<string, FieldItem>) => void
}) {
  const entries = Object.entries(props.fields)
  const change = (name: string, part: Partial<FieldItem>): void =>
    props.onChange(Object.fromEntries(entries.map(([key, item]) => [key, key === name ? { ...item, ...part } : item])))
  const add = (): void => {
    const label = t('inner.new', { number: entries.length + 1 })
    const name = uniqueName(nameFromLabel(label), new Set(entries.map(([key]) => key)))
    props.onChange({ ...props.fields, [name]: { type: 'text', label } })
  }
  return (
    <fieldset className={classes.group}>
      <legend>{t('inner.title')}</legend>
      {entries.map(([name, item], index) => {
        const label = item.label ?? name
        return (
          <div key={name} className={classes.innerLine}>
            <TextInput
              size="xs"
              aria-label={t('inner.label', { number: index + 1 })}
              value={item.label ?? ''}
              placeholder={name}
              onChange={(event) => change(name, { label: event.currentTarget.value })}
            />
            <NativeSelect
              size="xs"
              aria-label={t('inner.type', { value: label })}
              value={item.type}
              data={[...new Set([item.type, ...typesByRank('innerRank')])].map((type) => ({
                value: type,
                label: typeLabel(type),
              }))}
              onChange={(event) => change(name, { type: event.currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              size={26}
              aria-label={t('inner.remove', { value: label })}
              onClick={() => props.onChange(Object.fromEntries(entries.filter(([key]) => key !== name)))}
            >
              <IconX size={14} />
            </ActionIcon>
          </div>
        )
      })}
      {props.problem && <p className={classes.error}>{props.problem}</p>}
      <Button variant="default" size="compact-sm" onClick={add} style={{ alignSelf: 'flex-start' }}>
        {t('word.addValue')}
      </Button>
    </fieldset>
  )
}
