// Owns making an API key: what it may do, how long, and showing it this one time. Closing the dialog forgets the key.
import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { OnceShown } from '../../components/once-shown.tsx'
import { call } from '../../lib/api-client.ts'
import { t } from '../../lib/strings.ts'
import { NarrowingChoice, isUsableNarrowing } from './narrowing-choice.tsx'
import type { Narrowing } from './narrowing-choice.tsx'

const dayMs = 86_400_000
const expiries = ['30', '90', '365', '0'] as const

/** The dialog. */
export function KeyDialog(props: { opened: boolean; onClose: () => void; onMade: () => void }) {
  const [made, setMade] = useState<string>()
  const close = (): void => {
    setMade(undefined)
    props.onClose()
  }
  return (
    <Dialog
      opened={props.opened}
      onClose={close}
      title={t(made === undefined ? 'keys.dialog' : 'keys.made')}
      closeOnClickOutside={false}
    >
      {props.opened && made === undefined && (
        <KeyForm
          onClose={close}
          onMade={(key) => {
            setMade(key)
            props.onMade()
          }}
        />
      )}
      {made !== undefined && (
        <OnceShown
          lead={t('keys.made.lead')}
          values={[{ label: t('word.key'), value: made }]}
          done={t('word.done')}
          onDone={close}
        />
      )}
    </Dialog>
  )
}

function KeyForm(props: { onClose: () => void; onMade: (key: string) => void }) {
  const [name, setName] = useState('')
  const [days, setDays] = useState<string>('90')
  const [readOnly, setReadOnly] = useState(false)
  const [narrowing, setNarrowing] = useState<Narrowing>(null)

  const create = async (): Promise<void> => {
    const { key } = await call('createKey', {
      body: {
        name: name.trim(),
        readOnly,
        ...(days === '0' ? {} : { expiresAt: new Date(Date.now() + Number(days) * dayMs).toISOString() }),
        ...(narrowing === null ? {} : { permissionSets: [...narrowing] }),
      },
    })
    props.onMade(key)
  }

  return (
    <DialogForm
      submit={t('keys.create')}
      ready={name.trim() !== '' && isUsableNarrowing(narrowing)}
      onClose={props.onClose}
      onSubmit={create}
    >
      {(tried) => (
        <>
          <TextInput
            label={t('word.name')}
            description={t('keys.name.help')}
            value={name}
            error={tried && name.trim() === '' ? t('keys.name.missing') : undefined}
            autoComplete="off"
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <NativeSelect
            label={t('keys.expiry')}
            value={days}
            data={expiries.map((value) => ({ value, label: t(`keys.expiry.${value}`) }))}
            onChange={(event) => setDays(event.currentTarget.value)}
          />
          <Checkbox
            label={t('keys.readOnly')}
            checked={readOnly}
            onChange={(event) => setReadOnly(event.currentTarget.checked)}
          />
          <NarrowingChoice value={narrowing} tried={tried} onChange={setNarrowing} />
        </>
      )}
    </DialogForm>
  )
}
