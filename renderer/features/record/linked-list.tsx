// Owns one list of records that lead to the record on screen, as a small grid: what they hold, more of them, adding one,
// linking one that is there, and taking a link away.
import { ActionIcon, Button } from '@mantine/core'
import { IconLink, IconPlus, IconUnlink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { GridRecord } from '../../components/grid/index.ts'
import { ListTable } from '../../components/list-table.tsx'
import { fieldLabel, fieldTypeOf, isEditable } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { recordPath, tablePath } from '../../lib/record-address.ts'
import { onRecordsChanged } from '../../lib/record-changes.ts'
import { t, tn } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { displayFieldOf, objectPluralLabel } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import {
  ConflictDialog,
  NewRecordDialog,
  linkFields,
  useFieldContext,
  useShownFields,
  writeQuery,
} from '../records/index.ts'
import { FieldValue } from './field-value.tsx'
import { LinkDialog } from './link-dialog.tsx'
import { linkedQuery } from './record-queries.ts'
import { useRecordEdits } from './use-record-edits.ts'
import classes from './record.module.css'

/** Records a list begins with, and by how many it grows. */
const pageSize = 5
/** Most records one answer has; the rest is a filtered view away. */
const maxShown = 100
/** Columns beside the name of a record. */
const maxColumns = 3

/** The list; nothing while it is read, or where it may not be read. */
export function LinkedList(props: {
  object: ObjectItem
  id: string
  level: 2 | 3
  /** The object whose records lead here, and the field that does. */
  other: ObjectItem
  field: FieldDefinition
}) {
  const { id, other, field } = props
  const context = useFieldContext()
  const fields = useShownFields(other)
  const [shown, setShown] = useState(pageSize)
  const [open, setOpen] = useState<'add' | 'link'>()
  const columns = useMemo(() => columnsOf(other, fields, field.name), [other, fields, field.name])
  const expand = useMemo(() => linkFields(columns), [columns])
  const { data, refetch } = useQuery(linkedQuery(other.name, field.name, id, shown, expand))
  const edits = useRecordEdits(other.name, fields, expand)
  useEffect(() => onRecordsChanged(other.name, () => void refetch()), [other.name, refetch])

  // Refused or broken: the record itself is worth showing all the same.
  if (!data) return null
  const { records, total } = data
  const title = t('record.linked', { object: objectPluralLabel(other), field: fieldLabel(field) })
  const mayChange = isEditable(field)
  const mayUnlink = mayChange && !field.required && !fieldTypeOf(field).alwaysRequired
  const nameOf = (record: GridRecord): string => {
    const [first] = columns
    const text = first ? fieldTypeOf(first).format(record[first.name], first, context) : ''
    return text === '' ? t('record.untitled') : text
  }
  const unlink = async (record: GridRecord): Promise<void> => {
    try {
      await edits.save(field.name, null, record)
      showToast({ message: t('related.unlinked'), tone: 'good' })
    } catch (problem) {
      showProblem(problem)
    }
  }
  const filter = { any: false, conditions: [{ field: field.name, operator: 'eq', texts: [id] }] }
  const all = tablePath(other.name, { view: writeQuery({ filter, sort: [], search: '', view: '' }) })
  const rest = Math.min(pageSize * 2, total - records.length)
  const Heading = `h${props.level}` as const
  return (
    <section className={classes.section} aria-label={title}>
      <div className={classes.listHead}>
        <Heading className={classes.sectionTitle}>
          {title} <span className={classes.listCount}>{total}</span>
        </Heading>
        {mayChange && (
          <div className={classes.editorActions}>
            <Button
              size="compact-xs"
              variant="subtle"
              leftSection={<IconLink size={14} aria-hidden />}
              aria-label={t('related.link.of', { list: title })}
              onClick={() => setOpen('link')}
            >
              {t('related.link')}
            </Button>
            <Button
              size="compact-xs"
              variant="subtle"
              leftSection={<IconPlus size={14} aria-hidden />}
              aria-label={t('related.add.of', { list: title })}
              onClick={() => setOpen('add')}
            >
              {t('word.add')}
            </Button>
          </div>
        )}
      </div>
      {total === 0 ? (
        <p className={classes.hint}>{t('related.none', { object: objectPluralLabel(other) })}</p>
      ) : (
        <ListTable
          label={t('related.rows', { list: title })}
          className={classes.linked}
          columns={[
            ...columns.map((column, at) => ({ label: fieldLabel(column), wide: at > 0 })),
            ...(mayUnlink ? [{ label: t('word.actions'), hidden: true }] : []),
          ]}
        >
          {records.map((record) => (
            <tr key={String(record.id)}>
              {columns.map((column, at) =>
                at === 0 ? (
                  <th key={column.name} scope="row">
                    <a href={`#${recordPath(other.name, String(record.id))}`}>{nameOf(record)}</a>
                  </th>
                ) : (
                  <td key={column.name} data-wide>
                    <FieldValue field={column} value={record[column.name]} context={context} short />
                  </td>
                ),
              )}
              {mayUnlink && (
                <td className={classes.rowActions}>
                  <ActionIcon
                    size={24}
                    variant="subtle"
                    color="gray"
                    c="var(--cairn-text-quiet)"
                    aria-label={t('related.unlink.of', { record: nameOf(record) })}
                    title={t('related.unlink.of', { record: nameOf(record) })}
                    onClick={() => void unlink(record)}
                  >
                    <IconUnlink size={14} aria-hidden />
                  </ActionIcon>
                </td>
              )}
            </tr>
          ))}
        </ListTable>
      )}
      {rest > 0 && (
        <div className={classes.editorActions}>
          {shown < maxShown && (
            <Button size="compact-xs" variant="subtle" onClick={() => setShown(records.length + rest)}>
              {tn('related.more', rest)}
            </Button>
          )}
          <Button component="a" href={`#${all}`} size="compact-xs" variant="subtle">
            {t('related.all', { count: total })}
          </Button>
        </div>
      )}
      <NewRecordDialog
        object={other}
        context={context}
        opened={open === 'add'}
        initial={{ [field.name]: id }}
        onClose={() => setOpen(undefined)}
      />
      <LinkDialog
        opened={open === 'link'}
        title={t('related.link.title', { list: title })}
        object={other}
        context={context}
        onClose={() => setOpen(undefined)}
        onLink={async (record) => void (await edits.save(field.name, id, record))}
      />
      <ConflictDialog conflict={edits.conflict} fields={fields} context={context} />
    </section>
  )
}

/** What stands for a record first, then the first fields that fit on a line. */
function columnsOf(other: ObjectItem, fields: readonly FieldDefinition[], link: string): FieldDefinition[] {
  const display = displayFieldOf(other)
  const first = fields.filter(({ name }) => name === display)
  const others = fields.filter((field) => {
    const { concealed, files, shownAsWritten, tall } = fieldTypeOf(field)
    return field.name !== display && field.name !== link && !concealed && !files && !(shownAsWritten && tall)
  })
  return [
    ...(first.length > 0 ? first : [{ name: 'id', type: 'text', label: t('word.id') }]),
    ...others.slice(0, maxColumns),
  ]
}
