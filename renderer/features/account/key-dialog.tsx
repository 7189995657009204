// Owns making an API key: what it may do, how long, and showing it this one time. Closing the dialog forgets the key.
import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { OnceShown } from '../../components/once-shown.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { rightSetsQuery } from '../../lib/right-sets.ts'
import { t } from '../../lib/strings.ts'
import classes from './account.module.css'

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
          values={[{ label: t('keys.key'), value: made }]}
          done={t('keys.done')}
          onDone={close}
        />
      )}
    </Dialog>
  )
}

function KeyForm(props: { onClose: () => void; onMade: (key: string) => void }) {
  const { data: sets } = useQuery(rightSetsQuery('permission'))
  const [name, setName] = useState('')
  const [days, setDays] = useState<string>('90')
  const [readOnly, setReadOnly] = useState(false)
  const [narrowed, setNarrowed] = useState(false)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const isNarrowed = !narrowed || chosen.length > 0

  const create = async (): Promise<void> => {
    const { key } = await call('createKey', {
      body: {
        name: name.trim(),
        readOnly,
        ...(days === '0' ? {} : { expiresAt: new Date(Date.now() + Number(days) * dayMs).toISOString() }),
        ...(narrowed ? { permissionSets: [...chosen] } : {}),
      },
    })
    props.onMade(key)
  }

  return (
    <DialogForm
      submit={t('keys.create')}
      ready={name.trim() !== '' && isNarrowed}
      onClose={props.onClose}
      onSubmit={create}
    >
      {(tried) => (
        <>
          <TextInput
            label={t('keys.name')}
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
          <fieldset className={`${parts.options} ${parts.choices}`}>
            <legend>{t('keys.narrow')}</legend>
            {([false, true] as const).map((value) => (
              <label key={String(value)} className={classes.option}>
                <input type="radio" name="narrow" checked={narrowed === value} onChange={() => setNarrowed(value)} />
                {t(value ? 'keys.narrow.some' : 'keys.narrow.all')}
              </label>
            ))}
          </fieldset>
          {narrowed && (
            <fieldset className={`${parts.options} ${parts.choices}`}>
              <legend>{t('keys.narrow.sets')}</legend>
              {sets?.length === 0 && <p className={parts.lead}>{t('keys.narrow.none')}</p>}
              {sets?.map((set) => (
                <Checkbox
                  key={set.name}
                  label={set.label}
                  checked={chosen.includes(set.name)}
                  onChange={(event) =>
                    setChosen(
                      event.currentTarget.checked ? [...chosen, set.name] : chosen.filter((each) => each !== set.name),
                    )
                  }
                />
              ))}
              {tried && chosen.length === 0 && (
                <p className={parts.problem} role="alert">
                  {t('keys.narrow.missing')}
                </p>
              )}
            </fieldset>
          )}
        </>
      )}
    </DialogForm>
  )
}
