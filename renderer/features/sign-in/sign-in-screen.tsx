// Owns the page for a browser without a session: which ways in there are, and in which order.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { Notice } from '../../components/notice.tsx'
import { useLinkParameters } from '../../lib/link-parameters.ts'
import { t } from '../../lib/strings.ts'
import { authConfigQuery } from '../../lib/auth-config.ts'
import { CodeForm } from './code-form.tsx'
import { PasswordForm } from './password-form.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { ReplacePasswordForm } from './replace-password-form.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'
import { SignInFrame } from './sign-in-frame.tsx'
import classes from './sign-in.module.css'

/**
 * The page. `refused` tells that the one-time link it was opened with did not work; `lead` says for what somebody signs
 * in, where it is not for Cairn itself.
 */
export function SignInScreen(props: { refused: boolean; onSignedIn: () => void; title?: string; lead?: string }) {
  const { data: config, error } = useQuery(authConfigQuery)
  const [secondFactor, setSecondFactor] = useState(false)
  const [breakGlass, setBreakGlass] = useState(false)
  const [mustChange, setMustChange] = useState<{ name: string; resetToken: string }>()
  const failed = useLinkParameters('error', 'error_description')

  if (secondFactor) {
    return <SecondFactorForm onSignedIn={props.onSignedIn} onBack={() => setSecondFactor(false)} />
  }
  if (mustChange) {
    const { minPasswordLength = 8, maxPasswordLength = 128 } = config?.emailAndPassword ?? {}
    return (
      <ReplacePasswordForm
        {...mustChange}
        limits={{ minPasswordLength, maxPasswordLength }}
        onSignedIn={props.onSignedIn}
        onSecondFactor={() => {
          setMustChange(undefined)
          setSecondFactor(true)
        }}
      />
    )
  }
  const providers = config?.socialProviders.filter((provider) => provider.enabled) ?? []
  const ssoOnly = config?.features.ssoEnforced === true && providers.length > 0 && !breakGlass
  const withPassword = config?.emailAndPassword.enabled === true && !ssoOnly
  const settled = config !== undefined || error !== null
  return (
    <SignInFrame
      title={props.title ?? t('signIn.title')}
      lead={[props.lead, ssoOnly ? t('signIn.ssoOnly') : undefined].filter(Boolean).join(' ')}
    >
      {failed.error !== undefined && (
        <Notice tone="bad" live>
          {t('signIn.providerFailed', { reason: failed.error_description ?? failed.error })}
        </Notice>
      )}
      {!settled && <Loading />}
      {withPassword && breakGlass && <Notice tone="warn">{t('signIn.breakGlass.hint')}</Notice>}
      {withPassword && (
        <PasswordForm
          onSignedIn={props.onSignedIn}
          onSecondFactor={() => setSecondFactor(true)}
          onMustChange={(name, resetToken) => setMustChange({ name, resetToken })}
        />
      )}
      {withPassword && providers.length > 0 && <p className={classes.or}>{t('signIn.or')}</p>}
      {providers.length > 0 && <ProviderButtons providers={providers} returnTo={window.location.href} />}
      {ssoOnly && (
        <button type="button" className={classes.quietLink} onClick={() => setBreakGlass(true)}>
          {t('signIn.breakGlass')}
        </button>
      )}
      {settled && !ssoOnly && <CodeForm refused={props.refused} first={!withPassword} onSignedIn={props.onSignedIn} />}
    </SignInFrame>
  )
}
