// Owns the pages a request of another application leads somebody to who has a session: signing in anew where it is asked
// for, then allowing or refusing. Loaded only when one is needed.
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Route, Switch, useSearch } from 'wouter'
import { Loading } from '../../components/delayed.tsx'
import { navigate } from '../../lib/hash-location.ts'
import { meQuery } from '../../lib/me.ts'
import { t } from '../../lib/strings.ts'
import { AuthorizeErrorScreen } from './authorize-error-screen.tsx'
import { continuePath, readAuthorizeRequest } from './authorize-request.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { ConsentScreen } from './consent-screen.tsx'
import { SignInFrame } from './sign-in-frame.tsx'
import { SignInScreen } from './sign-in-screen.tsx'

/** The pages. `signedInHere` tells that somebody signed in since this page was opened. */
export function AuthorizePages(props: { signedInHere: boolean; onSignedIn: () => void }) {
  const request = readAuthorizeRequest(useSearch())
  return (
    <Switch>
      <Route path="/consent">
        {() => (request ? <ConsentScreen key={request.signed} request={request} /> : <AuthorizeErrorScreen />)}
      </Route>
      <Route path="/sign-in">{() => (request ? <GoOn {...props} request={request} /> : <GoHome />)}</Route>
    </Switch>
  )
}

/** Asks to sign in where the application wants that and it has not been done since; else leads on. */
function GoOn(props: { request: AuthorizeRequest; signedInHere: boolean; onSignedIn: () => void }) {
  const { request, signedInHere } = props
  const { data: me, isPending } = useQuery(meQuery)
  const createdAt = me?.session['createdAt']
  const signedInAt = typeof createdAt === 'string' ? Date.parse(createdAt) : 0
  const isDone = !request.asksToSignIn || signedInHere || signedInAt >= request.issuedAt
  const leads = !isPending && isDone
  const path = continuePath(request)
  useEffect(() => {
    if (leads) window.location.replace(path)
  }, [leads, path])
  if (isPending || isDone) return <Waiting />
  return (
    <SignInScreen
      refused={false}
      title={t('signIn.again')}
      lead={t('signIn.forClient')}
      onSignedIn={props.onSignedIn}
    />
  )
}

function GoHome() {
  useEffect(() => navigate('/', { replace: true }), [])
  return <Waiting />
}

function Waiting() {
  return (
    <SignInFrame title={t('signIn.title')}>
      <Loading />
    </SignInFrame>
  )
}
