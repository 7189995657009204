// Owns the list of fields in the editor: label, type, required, order, deletion. Knows no saving.
import { ActionIcon, Button, Checkbox, TextInput } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconGripVertical, IconLetterCase } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { ListTable } from '../../components/list-table.tsx'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { findFieldType } from '../../fields/index.ts'
import { canBeRequired } from './field-settings.ts'
import type { DraftField } from './field-draft.ts'
import { typeLabel } from './field-types.ts'
import type { FieldItem } from './object-item.ts'
import classes from './objects.module.css'
import previewClasses from './preview.module.css'

/**
 * One line per field; Alt+Up and Alt+Down move the field whose line has the focus, as dragging its line does.
 */
export function FieldTable(props: {
  label: string
  fields: readonly DraftField[]
  onChange: (name: string, part: Partial<FieldItem>) => void
  onEdit: (field: DraftField) => void
  onToggleDeleted: (name: string) => void
  onMove: (name: string, by: number) => void
}) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [dragged, setDragged] = useState<number>()
  if (props.fields.length === 0) return <p>{t('fields.empty')}</p>

  const onKeyDown = (event: KeyboardEvent, name: string): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    props.onMove(name, event.key === 'ArrowUp' ? -1 : 1)
  }

  const columns = [
    { label: t('word.label') },
    { label: t('word.type') },
    { label: t('fields.column.required') },
    { label: t('word.actions'), hidden: true },
  ]
  return (
    <ListTable label={props.label} columns={columns} className={classes.fieldTable} body={body} stacked>
      {props.fields.map((field, index) => {
        const label = field.item.label ?? field.name
        const Icon = findFieldType(field.item.type)?.icon ?? IconLetterCase
        return (
          <tr
            key={field.name}
            className={field.deleted ? classes.deleted : undefined}
            onKeyDown={(event) => onKeyDown(event, field.name)}
            onDragOver={(event) => dragged !== undefined && event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault()
              const from = dragged === undefined ? undefined : props.fields[dragged]
              if (from && dragged !== undefined) props.onMove(from.name, index - dragged)
              setDragged(undefined)
            }}
          >
            <td>
              <TextInput
                size="xs"
                aria-label={t('fields.labelOf', { field: field.name })}
                value={field.item.label ?? ''}
                placeholder={field.name}
                disabled={field.deleted}
                onChange={(event) => props.onChange(field.name, { label: event.currentTarget.value })}
              />
              <span className={classes.fieldName}>{field.name}</span>
              {field.added && <span className={parts.badge}>{t('fields.added')}</span>}
              {field.deleted && (
                <span className={parts.badge} data-tone="bad">
                  {t('fields.deleted')}
                </span>
              )}
            </td>
            <td>
              <span
                className={previewClasses.grip}
                draggable
                title={t('fields.drag', { field: label })}
                aria-hidden
                onDragStart={(event) => {
                  event.dataTransfer.setData('text/plain', field.name)
                  setDragged(index)
                }}
                onDragEnd={() => setDragged(undefined)}
              >
                <IconGripVertical size={14} />
              </span>{' '}
              <Icon size={14} aria-hidden /> {typeLabel(field.item.type)}
              {field.item.unique === true && <span className={parts.badge}>{t('field.dialog.unique')}</span>}
            </td>
            <td>
              {canBeRequired(field.item.type) && (
                <Checkbox
                  label={<span className={classes.narrowOnly}>{t('fields.column.required')}</span>}
                  aria-label={t('fields.requiredOf', { field: label })}
                  checked={field.item.required === true}
                  disabled={field.deleted}
                  onChange={(event) => props.onChange(field.name, { required: event.currentTarget.checked })}
                />
              )}
            </td>
            <td>
              <div className={parts.rowButtons}>
                <ActionIcon
                  variant="subtle"
                  size={28}
                  aria-label={t('word.moveUp', { field: label })}
                  disabled={index === 0}
                  onClick={() => props.onMove(field.name, -1)}
                >
                  <IconArrowUp size={16} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  size={28}
                  aria-label={t('word.moveDown', { field: label })}
                  disabled={index === props.fields.length - 1}
                  onClick={() => props.onMove(field.name, 1)}
                >
                  <IconArrowDown size={16} />
                </ActionIcon>
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={t('fields.editOf', { field: label })}
                  disabled={field.deleted}
                  onClick={() => props.onEdit(field)}
                >
                  {t('fields.edit')}
                </Button>
                <Button
                  className={classes.deleteButton}
                  size="compact-sm"
                  variant="default"
                  aria-label={t(field.deleted ? 'fields.restoreOf' : 'fields.deleteOf', { field: label })}
                  onClick={() => props.onToggleDeleted(field.name)}
                >
                  {t(field.deleted ? 'fields.restore' : 'fields.delete')}
                </Button>
              </div>
            </td>
          </tr>
        )
      })}
    </ListTable>
  )
}
