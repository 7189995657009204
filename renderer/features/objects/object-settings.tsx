// Owns the settings of an object beside its fields: description, the field that names a record, trash and history.
import { Checkbox, NativeSelect, Textarea } from '@mantine/core'
import { findFieldType } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import type { ObjectDraft } from './field-draft.ts'
import classes from './objects.module.css'

/** The form; changes go into the draft. */
export function ObjectSettings(props: { draft: ObjectDraft; onChange: (part: Partial<ObjectDraft>) => void }) {
  const { draft, onChange } = props
  const fields = draft.fields.filter((field) => !field.deleted && !findFieldType(field.item.type)?.namesNothing)
  return (
    <div className={classes.form}>
      <Textarea
        label={t('word.description')}
        autosize
        minRows={2}
        value={draft.description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('objectSettings.display')}
        value={draft.displayNameField}
        data={[
          { value: '', label: t('objectSettings.display.auto') },
          ...fields.map(({ name, item }) => ({ value: name, label: item.label ?? name })),
        ]}
        onChange={(event) => onChange({ displayNameField: event.currentTarget.value })}
      />
      <Checkbox
        label={t('objectSettings.trash')}
        description={t('objectSettings.trash.help')}
        checked={draft.trash}
        onChange={(event) => onChange({ trash: event.currentTarget.checked })}
      />
      <Checkbox
        label={t('objectSettings.history')}
        description={t('objectSettings.history.help')}
        checked={draft.trackHistory}
        onChange={(event) => onChange({ trackHistory: event.currentTarget.checked })}
      />
    </div>
  )
}
