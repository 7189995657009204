// Owns making a connection for an assistant: its name and limits, then the configuration to paste, this one time.
import { Button, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { CodeText } from '../../components/code-text.tsx'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { connection } from '../../lib/bridge.ts'
import { t } from '../../lib/strings.ts'
import { NarrowingChoice, isUsableNarrowing } from '../account/index.ts'
import type { Narrowing } from '../account/index.ts'
import { httpConfiguration, stdioConfiguration } from './connection-text.ts'

interface Made {
  readonly name: string
  readonly key: string
  readonly baseUrl: string
}

/** The dialog. Closing it forgets the key. */
export function ConnectionDialog(props: { opened: boolean; onClose: () => void; onMade: () => void }) {
  const [made, setMade] = useState<Made>()
  const close = (): void => {
    setMade(undefined)
    props.onClose()
  }
  return (
    <Dialog
      opened={props.opened}
      onClose={close}
      title={made === undefined ? t('word.connectAnAssistant') : t('api.assistants.made', { name: made.name })}
      closeOnClickOutside={false}
      size="lg"
    >
      {props.opened && made === undefined && (
        <ConnectionForm
          onClose={close}
          onMade={(next) => {
            setMade(next)
            props.onMade()
          }}
        />
      )}
      {made !== undefined && (
        <div className={parts.stack}>
          <Text size="sm">{t('api.assistants.made.lead')}</Text>
          <CodeText label={t('api.assistants.http')} text={httpConfiguration(made.baseUrl, made.key)} />
          <CodeText label={t('api.assistants.stdio')} text={stdioConfiguration(made.key)} />
          <Group justify="flex-end">
            <Button data-autofocus onClick={close}>
              {t('word.copied')}
            </Button>
          </Group>
        </div>
      )}
    </Dialog>
  )
}

function ConnectionForm(props: { onClose: () => void; onMade: (made: Made) => void }) {
  const [name, setName] = useState('')
  const [readOnly, setReadOnly] = useState(true)
  const [narrowing, setNarrowing] = useState<Narrowing>(null)

  const create = async (): Promise<void> => {
    const { baseUrl } = await connection()
    const limits = { readOnly, ...(narrowing === null ? {} : { permissionSets: [...narrowing] }) }
    const { key } = await call('createKey', { body: { name: name.trim(), ...limits, purpose: 'assistant' } })
    props.onMade({ name: name.trim(), key, baseUrl })
  }

  return (
    <DialogForm
      submit={t('word.connect')}
      ready={name.trim() !== '' && isUsableNarrowing(narrowing)}
      onClose={props.onClose}
      onSubmit={create}
    >
      {(tried) => (
        <>
          <TextInput
            label={t('word.name')}
            description={t('api.assistants.name.help')}
            value={name}
            error={tried && name.trim() === '' ? t('api.assistants.name.missing') : undefined}
            autoComplete="off"
            maxLength={200}
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <fieldset className={`${parts.options} ${parts.choices}`}>
            <legend>{t('api.assistants.rights')}</legend>
            {([true, false] as const).map((value) => (
              <label key={String(value)}>
                <input type="radio" name="rights" checked={readOnly === value} onChange={() => setReadOnly(value)} />{' '}
                {t(value ? 'api.assistants.rights.read' : 'api.assistants.rights.all')}
              </label>
            ))}
          </fieldset>
          <NarrowingChoice value={narrowing} tried={tried} onChange={setNarrowing} />
        </>
      )}
    </DialogForm>
  )
}
