// Owns asking a person whether another application may learn who they are. Neither answer is given without a press.
import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { impersonatorOf, useMe } from '../../lib/me.ts'
import type { Me } from '../../lib/me.ts'
import { problemText } from '../../lib/problem-text.ts'
import { wordsOfScope } from '../../lib/scope-words.ts'
import { t } from '../../lib/strings.ts'
import { AuthorizeErrorScreen } from './authorize-error-screen.tsx'
import { otherAccountPath } from './authorize-request.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { SignInFrame } from './sign-in-frame.tsx'
import classes from './sign-in.module.css'

/** The page of one request. */
export function ConsentScreen(props: { request: AuthorizeRequest }) {
  const { request } = props
  const me = useMe()
  const client = useQuery({
    queryKey: ['oauth-client', request.clientId] as const,
    queryFn: async ({ signal }) => call('oauthPublicClient', { query: { client_id: request.clientId }, signal }),
  })
  if (hasCode(client.error, 'resource_not_found', 'invalid_client', 'invalid_request')) return <AuthorizeErrorScreen />
  if (client.error) {
    return (
      <SignInFrame title={t('consent.over.title')}>
        <LoadFailure error={client.error} onRetry={() => void client.refetch()} />
      </SignInFrame>
    )
  }
  if (!client.data || !me) {
    return (
      <SignInFrame title={t('signIn.title')}>
        <Loading />
      </SignInFrame>
    )
  }
  return <Question request={request} me={me} client={client.data.client_name ?? request.clientId} />
}

function Question(props: { request: AuthorizeRequest; me: Me; client: string }) {
  const { request, me, client } = props
  const [busy, setBusy] = useState<'allow' | 'refuse'>()
  const [problem, setProblem] = useState<unknown>()
  const isActing = impersonatorOf(me) !== undefined

  const answer = async (accept: boolean): Promise<void> => {
    setBusy(accept ? 'allow' : 'refuse')
    setProblem(undefined)
    try {
      const { url } = await call('oauthConsent', { body: { accept, oauth_query: request.signed } })
      // The address of the application, as the host has it registered, with its answer.
      if (url !== undefined) window.location.replace(url)
    } catch (error) {
      setProblem(error)
      setBusy(undefined)
    }
  }

  if (hasCode(problem, 'invalid_request', 'validation_error')) return <AuthorizeErrorScreen />
  return (
    <SignInFrame title={t('consent.title', { client })} step="consent">
      <p className={classes.text}>
        {t('consent.account', { name: me.user.name || me.user.email, email: me.user.email })}{' '}
        <a href={otherAccountPath(request)} className={classes.link}>
          {t('consent.other')}
        </a>
      </p>
      <section className={classes.section} aria-labelledby="consent-gets">
        <h2 id="consent-gets" className={classes.subtitle}>
          {t('consent.gets', { client })}
        </h2>
        <ul className={classes.points}>
          {request.scopes.map((scope) => (
            <li key={scope}>{wordsOfScope(scope, me.user.email)}</li>
          ))}
        </ul>
        <p className={classes.quiet}>{t('consent.records')}</p>
      </section>
      {isActing && <Notice tone="warn">{t('consent.acting')}</Notice>}
      {problem !== undefined && (
        <Notice tone="bad" live>
          {problemText(problem)}
        </Notice>
      )}
      <p className={classes.quiet}>{t('consent.leads', { place: request.returnsTo || client })}</p>
      <Group justify="flex-end">
        <Button
          variant="default"
          loading={busy === 'refuse'}
          disabled={busy === 'allow'}
          onClick={() => void answer(false)}
        >
          {t('consent.refuse')}
        </Button>
        <Button loading={busy === 'allow'} disabled={busy === 'refuse' || isActing} onClick={() => void answer(true)}>
          {t('consent.allow')}
        </Button>
      </Group>
    </SignInFrame>
  )
}
