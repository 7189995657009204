// Owns the list of all files of a record, whichever field holds them; they are added and taken out in their fields.
import { ChosenFiles } from '../../components/files/index.ts'
import { filesIn, shownFile } from '../../fields/file-text.ts'
import type { GridRecord } from '../../components/grid/index.ts'
import { fieldLabel, fieldTypeOf } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import classes from './record.module.css'

/** Fields whose values are files. */
export function fileFields(fields: readonly FieldDefinition[]): FieldDefinition[] {
  return fields.filter((field) => fieldTypeOf(field).files)
}

/** The list, by field. */
export function RecordFileList(props: { record: GridRecord; fields: readonly FieldDefinition[] }) {
  const held = fileFields(props.fields)
    .map((field) => ({ field, files: filesIn(props.record[field.name]) }))
    .filter(({ files }) => files.length > 0)
  if (held.length === 0) return <p className={classes.hint}>{t('record.files.none')}</p>
  return held.map(({ field, files }) => (
    <section key={field.name} className={classes.section} aria-label={fieldLabel(field)}>
      <p className={classes.sectionTitle}>{fieldLabel(field)}</p>
      <ChosenFiles files={files.map(shownFile)} label={t('record.files.of', { field: fieldLabel(field) })} />
    </section>
  ))
}
