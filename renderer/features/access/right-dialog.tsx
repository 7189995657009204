// Owns making a new profile, permission set or role: its label; everything else is chosen on its page.
import { TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { call } from '../../lib/api-client.ts'
import { navigate } from '../../lib/hash-location.ts'
import { rightSetsQuery } from '../../lib/right-sets.ts'
import type { RightType } from '../../lib/right-sets.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { nameFromLabel, uniqueName } from '../objects/index.ts'

/** The dialog; undefined shows nothing. */
export function RightDialog(props: { type: RightType | undefined; onClose: () => void }) {
  const { type } = props
  return (
    <Dialog opened={type !== undefined} onClose={props.onClose} title={t(`rights.new.${type ?? 'role'}`)}>
      {type !== undefined && <RightForm type={type} onClose={props.onClose} />}
    </Dialog>
  )
}

function RightForm(props: { type: RightType; onClose: () => void }) {
  const { type } = props
  const client = useQueryClient()
  const { data: items } = useQuery(rightSetsQuery(type))
  const [label, setLabel] = useState('')

  const create = async (): Promise<void> => {
    const name = uniqueName(nameFromLabel(label, type), new Set(items?.map((item) => item.name)))
    await call('saveMetadataItem', {
      params: { type, name },
      body: { type, name, item: { name, label: label.trim() } },
      query: {},
    })
    await client.invalidateQueries({ queryKey: ['right-sets', type] })
    showToast({ message: t('rights.created', { label: label.trim() }), tone: 'good' })
    props.onClose()
    navigate(`/access/rights/${type}/${name}`)
  }

  return (
    <DialogForm submit={t('word.create')} ready={label.trim() !== ''} onClose={props.onClose} onSubmit={create}>
      {(tried) => (
        <TextInput
          label={t('word.label')}
          value={label}
          error={tried && label.trim() === '' ? t('object.label.missing') : undefined}
          autoComplete="off"
          data-autofocus
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
      )}
    </DialogForm>
  )
}
