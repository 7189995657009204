// Owns letting an application sign people in: its name, where it may be led back to, what it may learn; then its secret,
// shown this one time.
import { Checkbox, NativeSelect, TextInput, Textarea } from '@mantine/core'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { t } from '../../lib/strings.ts'
import { readRedirects } from './client-queries.ts'
import type { OauthClient } from './client-queries.ts'

const methods = ['client_secret_basic', 'client_secret_post'] as const
const scopes = ['profile', 'email', 'offline_access'] as const

/** The dialog. */
export function ClientDialog(props: { opened: boolean; onClose: () => void; onMade: (client: OauthClient) => void }) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t('clients.new')} closeOnClickOutside={false}>
      {props.opened && <ClientForm {...props} />}
    </Dialog>
  )
}

function ClientForm(props: { onClose: () => void; onMade: (client: OauthClient) => void }) {
  const [name, setName] = useState('')
  const [redirects, setRedirects] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>(['profile', 'email'])
  const [isPublic, setPublic] = useState(false)
  const [method, setMethod] = useState<string>('client_secret_basic')
  const addresses = readRedirects(redirects)

  const create = async (): Promise<void> => {
    const keepsOn = chosen.includes('offline_access')
    const made = await call('oauthCreateClient', {
      body: {
        client_name: name.trim(),
        redirect_uris: addresses ?? [],
        scope: ['openid', ...chosen].join(' '),
        grant_types: ['authorization_code', ...(keepsOn ? ['refresh_token'] : [])],
        token_endpoint_auth_method: isPublic ? 'none' : method,
        // Only programs on people's own machines are led back by http or by a scheme of their own.
        application_type: (addresses ?? []).every((each) => each.startsWith('https:')) && !isPublic ? 'web' : 'native',
      },
    })
    props.onMade(made)
  }

  return (
    <DialogForm
      submit={t('word.add')}
      ready={name.trim() !== '' && addresses !== undefined}
      describe={(error) =>
        hasCode(error, 'invalid_request') && typeof error.details['description'] === 'string'
          ? error.details['description']
          : undefined
      }
      onClose={props.onClose}
      onSubmit={create}
    >
      {(tried) => (
        <>
          <TextInput
            label={t('word.name')}
            description={t('clients.name.help')}
            value={name}
            error={tried && name.trim() === '' ? t('word.needName') : undefined}
            autoComplete="off"
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label={t('clients.redirects')}
            description={t('clients.redirects.help')}
            value={redirects}
            error={tried && addresses === undefined ? t('clients.redirects.wrong') : undefined}
            autoComplete="off"
            spellCheck={false}
            rows={2}
            onChange={(event) => setRedirects(event.currentTarget.value)}
          />
          <fieldset className={parts.options}>
            <legend>{t('clients.scopes')}</legend>
            <div className={parts.choices}>
              {scopes.map((scope) => (
                <Checkbox
                  key={scope}
                  label={t(`clients.scope.${scope}`)}
                  checked={chosen.includes(scope)}
                  onChange={(event) =>
                    setChosen(
                      event.currentTarget.checked ? [...chosen, scope] : chosen.filter((each) => each !== scope),
                    )
                  }
                />
              ))}
            </div>
          </fieldset>
          <Checkbox
            label={t('clients.public')}
            description={t('clients.public.help')}
            checked={isPublic}
            onChange={(event) => setPublic(event.currentTarget.checked)}
          />
          {!isPublic && (
            <NativeSelect
              label={t('clients.method')}
              description={t('clients.method.help')}
              value={method}
              data={methods.map((value) => ({ value, label: t(`clients.method.${value}`) }))}
              onChange={(event) => setMethod(event.currentTarget.value)}
            />
          )}
        </>
      )}
    </DialogForm>
  )
}
