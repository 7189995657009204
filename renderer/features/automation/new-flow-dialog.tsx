// Owns making a flow: its label and how it starts; its steps follow in the editor.
import { NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { t } from '../../lib/strings.ts'
import { nameFromLabel } from '../objects/index.ts'
import { flowTypes } from './flow-settings.tsx'

interface NewFlowProps {
  opened: boolean
  onClose: () => void
  onMade: (name: string) => void
}

/** The dialog. */
export function NewFlowDialog(props: NewFlowProps) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t('flows.new')} closeOnClickOutside={false}>
      {props.opened && <NewFlowForm {...props} />}
    </Dialog>
  )
}

function NewFlowForm(props: NewFlowProps) {
  const [label, setLabel] = useState('')
  const [type, setType] = useState<(typeof flowTypes)[number]>('record_change')
  const create = async (): Promise<void> => {
    const { name } = await call('createFlow', {
      body: {
        name: nameFromLabel(label, 'flow'),
        label: label.trim(),
        type,
        nodes: [
          { id: 'start', type: 'start', label: t('flows.new.start'), config: {} },
          { id: 'end', type: 'end', label: t('flows.new.end'), config: {} },
        ],
        edges: [{ id: 'edge_1', source: 'start', target: 'end' }],
      },
    })
    props.onMade(name)
  }
  return (
    <DialogForm
      submit={t('flows.create')}
      ready={label.trim() !== ''}
      describe={(error) => (hasCode(error, 'flow_already_exists') ? t('flows.taken') : undefined)}
      onClose={props.onClose}
      onSubmit={create}
    >
      {(tried) => (
        <>
          <TextInput
            label={t('word.label')}
            value={label}
            error={tried && label.trim() === '' ? t('flows.label.missing') : undefined}
            autoComplete="off"
            data-autofocus
            onChange={(event) => setLabel(event.currentTarget.value)}
          />
          <NativeSelect
            label={t('flows.type')}
            value={type}
            data={flowTypes.map((value) => ({ value, label: t(`flows.type.${value}`) }))}
            onChange={(event) => setType(flowTypes.find((each) => each === event.currentTarget.value) ?? type)}
          />
        </>
      )}
    </DialogForm>
  )
}
