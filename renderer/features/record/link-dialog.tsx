// Owns choosing a record that is there already, by searching for what it is called, to link it to the one on screen.
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { DialogForm } from '../../components/dialog-form.tsx'
import type { GridRecord } from '../../components/grid/index.ts'
import { fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { call } from '../../lib/api-client.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { displayFieldOf } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import classes from './record.module.css'

/** The dialog; `onLink` gets the chosen record of `object` as it is now and rejects with words when it cannot be linked. */
export function LinkDialog(props: {
  opened: boolean
  title: string
  object: ObjectItem
  context: FieldContext
  onClose: () => void
  onLink: (record: GridRecord) => Promise<void>
}) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={props.title} closeOnClickOutside={false}>
      {props.opened && <LinkForm {...props} />}
    </Dialog>
  )
}

function LinkForm(props: Parameters<typeof LinkDialog>[0]) {
  const { object, context, onClose } = props
  const [text, setText] = useState('')
  const field: FieldDefinition = {
    name: 'record',
    type: 'lookup',
    reference: object.name,
    displayField: displayFieldOf(object),
  }
  const type = fieldTypeOf(field)
  const link = async (): Promise<void> => {
    const chosen = type.parse(text, field, context)
    if (!chosen.ok || typeof chosen.value !== 'string') throw new Error(t('related.link.missing'))
    const { record } = await call('getRecord', { params: { object: object.name, id: chosen.value }, query: {} })
    await props.onLink(record)
    showToast({ message: t('related.link.done'), tone: 'good' })
    onClose()
  }
  return (
    <DialogForm submit={t('related.link')} ready={text !== ''} onClose={onClose} onSubmit={link}>
      {(tried) => (
        <div className={classes.editor}>
          <div className={classes.editorBox}>
            <type.Editor
              field={field}
              context={context}
              label={t('word.record')}
              draft={text}
              value={null}
              invalid={tried && text === ''}
              describedBy="link-record-hint"
              autoFocus
              onDraft={setText}
              onDone={setText}
            />
          </div>
          <p id="link-record-hint" className={tried && text === '' ? classes.problem : classes.hint}>
            {t(tried && text === '' ? 'related.link.missing' : 'related.link.help')}
          </p>
        </div>
      )}
    </DialogForm>
  )
}
