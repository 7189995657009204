// Owns choosing which fields are columns and in which order. Every choice is in force at once.
import { ActionIcon, Button, Checkbox, TextInput } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useState } from 'react'
import type { KeyboardEvent } from 'react'
import { fieldLabel } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import { moveColumn, toggleColumn } from './column-order.ts'
import classes from './tool-panels.module.css'

/** From this number of fields on they can be searched. */
const manyFields = 12

/** The panel: shown fields in their order, then the others. */
export function ColumnPanel(props: {
  fields: readonly FieldDefinition[]
  /** Names of the shown fields. */
  shown: readonly string[]
  onShown: (names: readonly string[]) => void
}) {
  const { fields, shown, onShown } = props
  const [wanted, setWanted] = useState('')
  const all = fields.map(({ name }) => name)
  const ordered = [
    ...shown.flatMap((name) => fields.filter((field) => field.name === name)),
    ...fields.filter(({ name }) => !shown.includes(name)),
  ]
  const text = wanted.trim().toLowerCase()
  const found = ordered.filter((field) => fieldLabel(field).toLowerCase().includes(text))
  const onKeyDown = (event: KeyboardEvent, name: string, at: number): void => {
    const step = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined
    if (step === undefined || at < 0) return
    event.preventDefault()
    onShown(moveColumn(shown, name, at + step))
  }
  return (
    <div className={classes.panel}>
      {fields.length >= manyFields && (
        <TextInput
          size="xs"
          type="search"
          aria-label={t('columns.find')}
          placeholder={t('columns.find')}
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
        />
      )}
      {found.length === 0 && <p className={classes.note}>{t('columns.none')}</p>}
      <ul className={classes.columns}>
        {found.map((field) => {
          const at = shown.indexOf(field.name)
          const label = fieldLabel(field)
          return (
            <li key={field.name} onKeyDown={(event) => onKeyDown(event, field.name, at)}>
              <Checkbox
                size="xs"
                label={label}
                checked={at >= 0}
                disabled={at >= 0 && shown.length === 1}
                onChange={() => onShown(toggleColumn(shown, field.name, all))}
              />
              {at >= 0 && (
                <span className={classes.moves}>
                  <Move
                    label={t('word.moveUp', { field: label })}
                    off={at === 0}
                    icon={IconArrowUp}
                    onClick={() => onShown(moveColumn(shown, field.name, at - 1))}
                  />
                  <Move
                    label={t('word.moveDown', { field: label })}
                    off={at === shown.length - 1}
                    icon={IconArrowDown}
                    onClick={() => onShown(moveColumn(shown, field.name, at + 1))}
                  />
                </span>
              )}
            </li>
          )
        })}
      </ul>
      <Button
        size="compact-sm"
        variant="subtle"
        w="fit-content"
        disabled={shown.length === fields.length}
        onClick={() => onShown([...shown, ...all.filter((name) => !shown.includes(name))])}
      >
        {t('views.columns.all')}
      </Button>
    </div>
  )
}

function Move(props: { label: string; off: boolean; icon: typeof IconArrowUp; onClick: () => void }) {
  return (
    <ActionIcon
      size={24}
      variant="subtle"
      color="gray"
      aria-label={props.label}
      disabled={props.off}
      onClick={props.onClick}
    >
      <props.icon size={14} aria-hidden />
    </ActionIcon>
  )
}
