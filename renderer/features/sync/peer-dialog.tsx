// Owns the dialogs that change a device: its name and, of another one, where it is reached.
import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { call } from '../../lib/api-client.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { isAddress } from './pair-link.ts'
import { syncKey } from './sync-queries.ts'
import type { SyncPeer } from './sync-queries.ts'
import { useSettingsChange } from './use-settings-change.ts'

/** What the dialog is opened for. */
export interface PeerTask {
  kind: 'rename' | 'address'
  peer: SyncPeer
}

/** The dialog; undefined shows nothing. */
export function PeerDialog(props: { task: PeerTask | undefined; onClose: () => void }) {
  const { task } = props
  return (
    <Dialog
      opened={task !== undefined}
      onClose={props.onClose}
      title={task ? t(`peers.${task.kind}.title`, { name: task.peer.name }) : ''}
      closeOnClickOutside={false}
    >
      {task?.kind === 'rename' && <RenameForm peer={task.peer} onClose={props.onClose} />}
      {task?.kind === 'address' && <AddressForm peer={task.peer} onClose={props.onClose} />}
    </Dialog>
  )
}

/** Asks for another name of this device. */
export function OwnNameDialog(props: { name: string; opened: boolean; onClose: () => void }) {
  const change = useSettingsChange()
  const save = async (deviceName: string): Promise<void> => {
    await change({ deviceName }, t('peers.renamed'))
    props.onClose()
  }
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t('own.rename.title')} closeOnClickOutside={false}>
      {props.opened && <NameForm name={props.name} onSave={save} onClose={props.onClose} />}
    </Dialog>
  )
}

interface FormProps {
  peer: SyncPeer
  onClose: () => void
}

function useChange({ peer, onClose }: FormProps) {
  const client = useQueryClient()
  return async (body: { name?: string; address?: string | null }, message: string): Promise<void> => {
    await call('updateSyncPeer', { params: { id: peer.id }, body })
    showToast({ message, tone: 'good' })
    onClose()
    await client.invalidateQueries({ queryKey: syncKey })
  }
}

function RenameForm(props: FormProps) {
  const change = useChange(props)
  const save = async (name: string): Promise<void> => change({ name }, t('peers.renamed'))
  return <NameForm name={props.peer.name} onSave={save} onClose={props.onClose} />
}

function NameForm(props: { name: string; onSave: (name: string) => Promise<void>; onClose: () => void }) {
  const [value, setValue] = useState(props.name)
  const name = value.trim()
  return (
    <DialogForm
      submit={t('app.save')}
      ready={name !== ''}
      onClose={props.onClose}
      onSubmit={async () => props.onSave(name)}
    >
      {(tried) => (
        <TextInput
          label={t('word.name')}
          value={value}
          error={tried && name === '' ? t('peers.rename.missing') : undefined}
          maxLength={100}
          autoComplete="off"
          data-autofocus
          onChange={(event) => setValue(event.currentTarget.value)}
        />
      )}
    </DialogForm>
  )
}

function AddressForm(props: FormProps) {
  const change = useChange(props)
  const [value, setValue] = useState(props.peer.address ?? '')
  const address = value.trim()
  const isRight = address === '' || isAddress(address)
  return (
    <DialogForm
      submit={t('app.save')}
      ready={isRight}
      onClose={props.onClose}
      onSubmit={async () => change({ address: address === '' ? null : address }, t('peers.address.saved'))}
    >
      {(tried) => (
        <TextInput
          label={t('word.address')}
          description={t('peers.address.help')}
          value={value}
          error={tried && !isRight ? t('peers.address.wrong') : undefined}
          maxLength={300}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          onChange={(event) => setValue(event.currentTarget.value)}
        />
      )}
    </DialogForm>
  )
}
