// Owns which page a browser without a session sees at an address. Loaded only when one is needed.
import { Route, Switch, useSearch } from 'wouter'
import { t } from '../../lib/strings.ts'
import { AuthorizeErrorScreen } from './authorize-error-screen.tsx'
import { readAuthorizeRequest } from './authorize-request.ts'
import { ForgotPasswordScreen } from './forgot-password-screen.tsx'
import { MagicLinkScreen } from './magic-link-screen.tsx'
import { ResetPasswordScreen } from './reset-password-screen.tsx'
import { SignInScreen } from './sign-in-screen.tsx'

/** The pages. `refused` tells that the one-time link the browser was opened with did not work. */
export function SignInPages(props: { refused: boolean; onSignedIn: () => void }) {
  const request = readAuthorizeRequest(useSearch())
  return (
    <Switch>
      <Route path="/forgot-password">{() => <ForgotPasswordScreen />}</Route>
      <Route path="/reset-password">{() => <ResetPasswordScreen />}</Route>
      <Route path="/magic-link">{() => <MagicLinkScreen onSignedIn={props.onSignedIn} />}</Route>
      <Route path="/authorize-error">{() => <AuthorizeErrorScreen />}</Route>
      <Route>{() => <SignInScreen {...props} lead={request && t('signIn.forClient')} />}</Route>
    </Switch>
  )
}
