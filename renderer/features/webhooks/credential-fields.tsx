// Owns typing how a webhook proves who sends it.
import { NativeSelect, TextInput } from '@mantine/core'
import { PasswordField } from '../../components/password-field.tsx'
import { t } from '../../lib/strings.ts'
import { credentialNames } from './webhook-draft.ts'
import type { AuthenticationType } from './webhook-draft.ts'
import type { WebhookFormPart } from './webhook-dialog.tsx'
import { maskedSecret } from './webhook-queries.ts'

const types = Object.keys(credentialNames) as AuthenticationType[]
const open: ReadonlySet<string> = new Set(['username', 'header'])

/** The fields; a secret that is kept is empty and says so. */
export function CredentialFields({ draft, problemOf, onChange }: Omit<WebhookFormPart, 'isNew'>) {
  const type = draft.authentication
  return (
    <>
      <NativeSelect
        label={t('webhooks.authentication')}
        value={type}
        error={type === 'none' ? problemOf('authentication') : problemOf('authentication.type')}
        data={types.map((value) => ({ value, label: t(`webhooks.authentication.${value}`) }))}
        onChange={(event) => {
          const next = types.find((each) => each === event.currentTarget.value) ?? 'none'
          onChange({ authentication: next, credentials: {} })
        }}
      />
      {credentialNames[type].map((name) => {
        const value = draft.credentials[name] ?? (name === 'header' ? 'X-API-Key' : '')
        const isKept = value === maskedSecret
        const set = (text: string): void => onChange({ credentials: { ...draft.credentials, [name]: text } })
        const field = {
          label: t(`webhooks.credential.${name}`),
          error: problemOf(`authentication.credentials.${name}`),
        }
        return open.has(name) ? (
          <TextInput
            key={name}
            {...field}
            value={value}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => set(event.currentTarget.value)}
          />
        ) : (
          <PasswordField
            key={name}
            {...field}
            kind="new-password"
            description={isKept ? t('webhooks.credential.kept') : undefined}
            value={isKept ? '' : value}
            // Emptied again, what is stored stays.
            onChange={(text) => set(text === '' && isKept ? maskedSecret : text)}
          />
        )
      })}
    </>
  )
}
