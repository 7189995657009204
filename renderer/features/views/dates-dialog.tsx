// Owns typing the days of a record: what dragging does, by keyboard.
import { Button, Group } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import type { GridRecord } from '../../components/grid/index.ts'
import { fieldTypeOf } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import { FormField, readValues } from '../records/index.ts'
import type { Texts } from '../records/index.ts'
import type { KindPart } from './use-kind-part.tsx'

/** The dialog of a record; undefined when it is closed. */
export function DatesDialog(props: {
  part: KindPart
  record: GridRecord | undefined
  fields: readonly FieldDefinition[]
  onClose: () => void
}) {
  const { part, record } = props
  return (
    <Dialog
      opened={record !== undefined}
      onClose={props.onClose}
      title={record ? t('calendar.dates.title', { record: part.titleOf(record) }) : ''}
      closeOnClickOutside={false}
      size="sm"
    >
      {record && <DatesForm {...props} record={record} />}
    </Dialog>
  )
}

function DatesForm(props: {
  part: KindPart
  record: GridRecord
  fields: readonly FieldDefinition[]
  onClose: () => void
}) {
  const { part, record, fields } = props
  const { context } = part
  const [before] = useState<Texts>(() =>
    Object.fromEntries(
      fields.map((field) => [field.name, fieldTypeOf(field).toText(record[field.name], field, context)]),
    ),
  )
  const [texts, setTexts] = useState(before)
  const [problems, setProblems] = useState<Texts>({})
  const [busy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => {
    form.current?.querySelector('[data-field] input')?.setAttribute('data-autofocus', '')
  }, [])

  const save = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    const { values, refused } = readValues(fields, texts, context)
    const [start, end] = fields
    const from = start && values[start.name]
    const to = end && values[end.name]
    if (end && typeof from === 'string' && typeof to === 'string' && to < from) {
      refused[end.name] = t('calendar.reversed')
    }
    setProblems(refused)
    if (Object.keys(refused).length > 0) return
    setBusy(true)
    // A field that was emptied is emptied. A text stands for more than one instant where the clocks are put back.
    const changed = fields.filter(({ name }) => texts[name] !== before[name])
    const done = await part.change(record, Object.fromEntries(changed.map(({ name }) => [name, values[name] ?? null])))
    setBusy(false)
    if (done) props.onClose()
  }

  return (
    <form ref={form} onSubmit={(event) => void save(event)} noValidate>
      {fields.map((field) => (
        <FormField
          key={field.name}
          field={field}
          context={context}
          draft={texts[field.name] ?? ''}
          problem={problems[field.name]}
          autoFocus={false}
          onDraft={(text) => setTexts((current) => ({ ...current, [field.name]: text }))}
        />
      ))}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={props.onClose}>
          {t('app.cancel')}
        </Button>
        <Button type="submit" loading={busy}>
          {t('app.save')}
        </Button>
      </Group>
    </form>
  )
}
