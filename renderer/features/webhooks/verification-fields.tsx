// Owns typing how a receiver makes sure who calls it.
import { NativeSelect, TextInput, Textarea } from '@mantine/core'
import { PasswordField } from '../../components/password-field.tsx'
import { t } from '../../lib/strings.ts'
import { isKeptSecret, verificationParams, withVerification } from './receiver-draft.ts'
import type { VerificationType } from './receiver-draft.ts'
import type { ReceiverFormPart } from './receiver-dialog.tsx'
import { maskedSecret } from './webhook-queries.ts'

const types = Object.keys(verificationParams) as VerificationType[]

/** The fields; a secret that is kept is empty and says so. */
export function VerificationFields({ draft, problemOf, onChange }: ReceiverFormPart) {
  const { verificationType: type, params } = draft
  const isHex = params['scheme'] === 'hex'
  return (
    <>
      <NativeSelect
        label={t('receivers.verification')}
        value={type}
        error={type === 'none' ? problemOf('verificationParams') : undefined}
        data={types.map((value) => ({ value, label: t(`receivers.verification.${value}`) }))}
        onChange={(event) =>
          onChange(withVerification(draft, types.find((each) => each === event.currentTarget.value) ?? 'none'))
        }
      />
      {verificationParams[type].map((name) => {
        const value = params[name] ?? ''
        const set = (text: string): void => onChange({ ...draft, params: { ...params, [name]: text } })
        const field = { label: t(`receivers.param.${name}`), error: problemOf(`verificationParams.${name}`) }
        if (type === 'hmac' && (name === 'header' || name === 'prefix') && !isHex) return null
        if (type === 'hmac' && name === 'toleranceSeconds' && isHex) return null
        switch (name) {
          case 'scheme':
            return (
              <NativeSelect
                key={name}
                {...field}
                value={value}
                data={(['standard', 'hex'] as const).map((one) => ({
                  value: one,
                  label: t(`receivers.scheme.${one}`),
                }))}
                onChange={(event) => set(event.currentTarget.value)}
              />
            )
          case 'secret':
          case 'token':
            return (
              <PasswordField
                key={name}
                {...field}
                kind="new-password"
                description={t(isKeptSecret(value) ? 'webhooks.credential.kept' : 'receivers.param.secret.help')}
                value={isKeptSecret(value) ? '' : value}
                // Emptied again, what is stored stays.
                onChange={(text) => set(text === '' && isKeptSecret(value) ? maskedSecret : text)}
              />
            )
          case 'ips':
            return (
              <Textarea
                key={name}
                {...field}
                description={t('receivers.param.ips.help')}
                value={value}
                rows={3}
                spellCheck={false}
                onChange={(event) => set(event.currentTarget.value)}
              />
            )
          default:
            return (
              <TextInput
                key={name}
                {...field}
                value={value}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => set(event.currentTarget.value)}
              />
            )
        }
      })}
    </>
  )
}
