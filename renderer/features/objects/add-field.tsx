// Owns the line that adds a field: label, type, and what the type needs.
import { Button, NativeSelect, TextInput, Textarea } from '@mantine/core'
import { useRef, useState } from 'react'
import type { SyntheticEvent } from 'react'
import { t } from '../../lib/strings.ts'
import { newFieldName } from './field-draft.ts'
import type { NewField, ObjectDraft } from './field-draft.ts'
import { creatableTypes, typeLabel } from './field-types.ts'
import { objectLabel } from './object-item.ts'
import { useObjects } from './object-queries.ts'
import classes from './objects.module.css'

/** The form; after adding, the label is empty and focused for the next field. */
export function AddField(props: { draft: ObjectDraft; onAdd: (field: NewField) => void }) {
  const { data: objects = [] } = useObjects()
  const [label, setLabel] = useState('')
  const [type, setType] = useState<string>('text')
  const [options, setOptions] = useState('')
  const [reference, setReference] = useState('')
  const [checked, setChecked] = useState(false)
  const labelInput = useRef<HTMLInputElement>(null)
  const needsOptions = type === 'select' || type === 'multiselect'
  const choices = [...new Set(options.split('\n').map((line) => line.trim()))].filter((line) => line !== '')
  const complete =
    label.trim() !== '' && (!needsOptions || choices.length > 0) && (type !== 'lookup' || reference !== '')

  const submit = (event: SyntheticEvent): void => {
    event.preventDefault()
    setChecked(true)
    if (!complete) return
    props.onAdd({
      label,
      type,
      options: needsOptions ? choices : undefined,
      reference: type === 'lookup' ? reference : undefined,
    })
    setLabel('')
    setOptions('')
    setChecked(false)
    labelInput.current?.focus()
  }

  return (
    <form className={classes.addPanel} onSubmit={submit} noValidate aria-label={t('fields.add.title')}>
      <TextInput
        ref={labelInput}
        className={classes.addLabel}
        label={t('fields.add.label')}
        description={label.trim() === '' ? undefined : t('fields.add.name', { name: newFieldName(props.draft, label) })}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={label}
        error={checked && label.trim() === '' ? t('fields.add.missing') : undefined}
        onChange={(event) => setLabel(event.currentTarget.value)}
      />
      <NativeSelect
        className={classes.addType}
        label={t('fields.add.type')}
        value={type}
        data={creatableTypes.map((name) => ({ value: name, label: typeLabel(name) }))}
        onChange={(event) => setType(event.currentTarget.value)}
      />
      {type === 'lookup' && (
        <NativeSelect
          className={classes.addType}
          label={t('fields.add.reference')}
          value={reference}
          error={checked && reference === '' ? t('fields.add.reference.missing') : undefined}
          data={[
            { value: '', label: '' },
            ...objects.map((object) => ({ value: object.name, label: objectLabel(object) })),
          ]}
          onChange={(event) => setReference(event.currentTarget.value)}
        />
      )}
      {needsOptions && (
        <Textarea
          className={classes.addWide}
          label={t('fields.add.options')}
          autosize
          minRows={3}
          value={options}
          error={checked && choices.length === 0 ? t('fields.add.options.missing') : undefined}
          onChange={(event) => setOptions(event.currentTarget.value)}
        />
      )}
      <Button type="submit" variant="default">
        {t('fields.add')}
      </Button>
    </form>
  )
}
