// Owns giving one field of all ticked records the same value, as one step that can be undone.
import { Button, Checkbox, Group, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import type { GridRecord } from '../../components/grid/index.ts'
import { fieldLabel, fieldTypeOf, isEditable } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { call } from '../../lib/api-client.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t, tn } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { FormField } from './new-record-dialog.tsx'
import { partRows } from './record-batches.ts'
import type { RecordWrites } from './record-writes.ts'
import classes from './records.module.css'

interface BulkEditProps {
  object: string
  fields: readonly FieldDefinition[]
  context: FieldContext
  /** Ids of the records to change. */
  ids: readonly string[]
  writes: RecordWrites
  onClose: () => void
}

/** The dialog. */
export function BulkEditDialog(props: BulkEditProps & { opened: boolean }) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={tn('bulk.title', props.ids.length)}>
      {props.opened && <BulkForm {...props} />}
    </Dialog>
  )
}

function BulkForm({ object, fields, context, ids, writes, onClose }: BulkEditProps) {
  const editable = fields.filter(isEditable)
  const [name, setName] = useState(editable[0]?.name ?? '')
  const [text, setText] = useState('')
  const [empties, setEmpties] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const field = editable.find((candidate) => candidate.name === name)

  const save = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    if (!field) return
    const read = fieldTypeOf(field).parse(empties ? '' : text, field, context)
    if (!read.ok) return setProblem(read.message)
    if (!empties && read.value === null) return setProblem(t('filter.needValue'))
    setBusy(true)
    try {
      const rows = await readRecords(object, ids)
      const { messages } = await writes.saveRange({
        edits: rows.map((row, rowIndex) => ({ rowIndex, row, field: field.name, value: read.value })),
        records: [],
        onProgress: () => undefined,
      })
      const refused = messages.filter((message) => message !== null)
      const missing = ids.length - rows.length
      const done = rows.length - refused.length
      const reason = refused[0] === undefined ? [] : [t('bulk.refused', { count: refused.length, reason: refused[0] })]
      const isWhole = refused.length === 0 && missing === 0
      showToast({
        message: [t('bulk.done', { done, total: ids.length }), ...reason].join(' '),
        tone: isWhole ? 'good' : 'bad',
        stays: !isWhole,
      })
      onClose()
    } catch (error) {
      setProblem(problemText(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <form className={classes.form} onSubmit={(event) => void save(event)} noValidate>
      <NativeSelect
        label={t('word.field')}
        value={name}
        data={editable.map((candidate) => ({ value: candidate.name, label: fieldLabel(candidate) }))}
        data-autofocus
        onChange={(event) => {
          setName(event.currentTarget.value)
          setText('')
          setEmpties(false)
          setProblem(undefined)
        }}
      />
      {field && !empties && (
        <FormField
          key={field.name}
          field={{ ...field, required: false }}
          context={context}
          draft={text}
          problem={problem}
          autoFocus={false}
          onDraft={(next) => {
            setText(next)
            setProblem(undefined)
          }}
        />
      )}
      {field?.required !== true && (
        <Checkbox
          label={t('bulk.empty')}
          checked={empties}
          onChange={(event) => {
            setEmpties(event.currentTarget.checked)
            setProblem(undefined)
          }}
        />
      )}
      {empties && problem !== undefined && (
        <p className={classes.error} role="alert">
          {problem}
        </p>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {t('app.cancel')}
        </Button>
        <Button type="submit" loading={busy}>
          {tn('bulk.save', ids.length)}
        </Button>
      </Group>
    </form>
  )
}

/** The records as they are now: what is written expects these versions. @throws ApiError */
async function readRecords(object: string, ids: readonly string[]): Promise<GridRecord[]> {
  const rows: GridRecord[] = []
  for (let at = 0; at < ids.length; at += partRows) {
    const part = ids.slice(at, at + partRows)
    const body = { filter: { id: { $in: part } }, top: part.length }
    rows.push(...(await call('queryRecords', { params: { object }, body })).records)
  }
  return rows
}
