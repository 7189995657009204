// Owns the fields of a record in the sections of its form, and the lists of what leads to it.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { GridRecord } from '../../components/grid/index.ts'
import { fieldLabel } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import { ConflictMark, useOpenConflicts } from '../conflicts/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { useIsHeld } from '../workflow/index.ts'
import type { FormSection } from './form-sections.ts'
import { LinkedLists } from './linked-lists.tsx'
import { RecordField } from './record-field.tsx'
import { formQuery, peopleColumns } from './record-queries.ts'
import type { RecordEdits } from './use-record-edits.ts'
import classes from './record.module.css'

/** The details. */
export function RecordDetails(props: {
  object: ObjectItem
  fields: readonly FieldDefinition[]
  record: GridRecord
  context: FieldContext
  /** Heading level of the sections. */
  level: 2 | 3
  save: RecordEdits['save']
}) {
  const { object, fields, record, context, save } = props
  const { data: form } = useQuery(formQuery(object.name))
  const conflicts = useOpenConflicts(object.name, String(record['id']))
  const isHeld = useIsHeld(object.name, String(record['id']))
  const sections = useMemo(() => form ?? [plainSection(fields)], [form, fields])
  const Heading = `h${props.level}` as const
  return (
    <div className={classes.details}>
      <ConflictMark conflicts={conflicts.filter(({ field }) => field === undefined)} label={t('record.whole')} />
      {sections.map((section) => {
        const shown = section.fields.flatMap((entry) => {
          const field = fields.find(({ name }) => name === entry.field) ?? systemField(entry.field, entry.label)
          return field && field.name in record ? [{ entry, field }] : []
        })
        if (shown.length === 0) return null
        const list = (
          <dl className={classes.fields}>
            {shown.map(({ entry, field }) => (
              <RecordField
                // Another record begins without the text typed into this one.
                key={`${String(record['id'])} ${field.name}`}
                object={object.name}
                field={field}
                label={entry.label}
                record={record}
                context={context}
                wide={entry.wide}
                readonly={entry.readonly || isHeld}
                save={save}
                mark={
                  <ConflictMark
                    conflicts={conflicts.filter((conflict) => conflict.field === field.name)}
                    label={entry.label ?? fieldLabel(field)}
                  />
                }
              />
            ))}
          </dl>
        )
        if (section.name === 'system' || section.collapsed) {
          return (
            <details
              key={section.name}
              className={classes.section}
              open={!section.collapsed && section.name !== 'system'}
            >
              <summary className={classes.sectionTitle}>{section.label}</summary>
              {list}
            </details>
          )
        }
        return (
          <section key={section.name} className={classes.section} aria-label={section.label}>
            {sections.length > 2 && <Heading className={classes.sectionTitle}>{section.label}</Heading>}
            {list}
          </section>
        )
      })}
      <LinkedLists object={object} id={String(record['id'])} level={props.level} />
    </div>
  )
}

/** All fields under each other, until the form is known. */
function plainSection(fields: readonly FieldDefinition[]): FormSection {
  return {
    name: 'general',
    label: t('record.fields'),
    collapsed: false,
    fields: fields.map(({ name }) => ({ field: name, label: undefined, readonly: false, wide: false })),
  }
}

/** Columns every record has, as fields nobody edits. */
function systemField(name: string, label: string | undefined): FieldDefinition | undefined {
  const isPerson = (peopleColumns as readonly string[]).includes(name)
  const type = isPerson ? 'user' : name.endsWith('_at') ? 'datetime' : name === 'id' ? 'text' : undefined
  return type && { name, type, label: label ?? name, readonly: true, displayField: 'name' }
}
