// Owns the page for a request of an application that cannot be led back with its refusal.
import { Button } from '@mantine/core'
import { useLinkParameters } from '../../lib/link-parameters.ts'
import { t } from '../../lib/strings.ts'
import { SignInFrame } from './sign-in-frame.tsx'
import classes from './sign-in.module.css'

/** The page; what the host says of the refusal is shown, and leaves the address. */
export function AuthorizeErrorScreen(props: { reason?: string }) {
  const { error, error_description: description } = useLinkParameters('error', 'error_description')
  const reason = props.reason ?? description ?? error
  return (
    <SignInFrame title={t('consent.over.title')} lead={t('consent.over')} step="over">
      {reason !== undefined && <p className={classes.quiet}>{t('consent.over.reason', { reason })}</p>}
      <Button component="a" href="#/" variant="default" className={classes.submit}>
        {t('consent.home')}
      </Button>
    </SignInFrame>
  )
}
