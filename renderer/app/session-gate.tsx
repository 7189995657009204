// Owns the question whether this browser may talk to the host: exchanges the code of the link, asks once, and shows
// sign-in or the offline page until the answer is yes. What a person typed before their session ended waits below it.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Activity, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { Delayed } from '../components/delayed.tsx'
import { objectsQuery } from '../features/objects/index.ts'
import { OfflineScreen } from '../features/sign-in/offline-screen.tsx'
import { onSignedOut } from '../lib/api-client.ts'
import { hasCode } from '../lib/api-error.ts'
import { navigate } from '../lib/hash-location.ts'
import { onHostBack } from '../lib/host-status.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { meQuery } from '../lib/me.ts'
import { signInWithCode } from '../lib/session.ts'
import { t } from '../lib/strings.ts'

const AuthorizePages = lazyPart(async () => ({
  default: (await import('../features/sign-in/authorize-pages.tsx')).AuthorizePages,
}))
const SignInPages = lazyPart(async () => ({
  default: (await import('../features/sign-in/sign-in-pages.tsx')).SignInPages,
}))

/** Pages that a link in a mail leads to, whoever is signed in. */
const linkPages = new Set(['/reset-password', '/magic-link', '/authorize-error'])
/** Pages that are over once there is a session. */
const pagesBefore = new Set(['/forgot-password'])
/** Pages on the way of another application that asks who somebody is. */
const authorizePages = new Set(['/sign-in', '/consent'])

type Phase = 'checking' | 'in' | 'out' | 'refused' | 'down'

/** Shows its children once the host accepts this browser. `code` is the one-time code the page was opened with. */
export function SessionGate(props: { code: string | undefined; children: ReactNode }) {
  const client = useQueryClient()
  const [location] = useLocation()
  const [phase, setPhase] = useState<Phase>('checking')
  const [signedInHere, setSignedInHere] = useState(false)
  const code = useRef(props.code)
  const { data: me } = useQuery({ ...meQuery, enabled: false })
  const owner = useRef<string>(undefined)
  if (phase === 'in' && me) owner.current = me.user.id
  /** Whether the session may be another one than that of the screens. */
  const isBack = useRef(false)
  const isOpened = useRef(false)

  const enter = useCallback(async (): Promise<void> => {
    if (isBack.current) {
      const now = await client.fetchQuery({ ...meQuery, staleTime: 0 }).catch(() => undefined)
      // Without an answer it is not known whose the screens are: they wait, and it is asked again.
      if (now === undefined) return setPhase('down')
      isBack.current = false
      if (now !== null && now.user.id === owner.current) void client.invalidateQueries()
      // Nothing of somebody else may stay in the page.
      else if (isOpened.current) return window.location.reload()
      else client.clear()
    }
    setPhase('in')
  }, [client])

  const run = useCallback(async (): Promise<void> => {
    const oneTime = code.current
    code.current = undefined
    let refused = false
    try {
      if (oneTime !== undefined) await signInWithCode(oneTime)
    } catch (error) {
      if (hasCode(error, 'unreachable')) {
        code.current = oneTime
        setPhase('down')
        return
      }
      // An old session may still be good, although the code of the link is used up.
      refused = true
    }
    try {
      await client.fetchQuery({ ...objectsQuery, staleTime: 0 })
      await enter()
    } catch (error) {
      if (hasCode(error, 'unauthenticated', 'session_expired')) setPhase(refused ? 'refused' : 'out')
      // Who may see nothing is signed in all the same, and what failed is said by the screens that need it.
      else if (hasCode(error, 'permission_denied', 'internal_error')) await enter()
      // A host that went away again takes no screen with it.
      else setPhase((current) => (current === 'in' ? 'in' : 'down'))
    }
  }, [client, enter])

  // One at a time: a second question asked before the code was exchanged would be answered with no.
  const running = useRef<Promise<void>>(undefined)
  const check = useCallback(async (): Promise<void> => {
    running.current ??= run().finally(() => {
      running.current = undefined
    })
    return running.current
  }, [run])

  useEffect(() => {
    void check()
  }, [check])

  useEffect(
    () =>
      onSignedOut(() => {
        isBack.current = true
        setPhase((current) => (current === 'in' ? 'out' : current))
      }),
    [],
  )

  useEffect(
    () =>
      onHostBack(() => {
        void client.invalidateQueries()
        void check()
      }),
    [client, check],
  )

  const onSignedIn = useCallback(() => {
    isBack.current = true
    setSignedInHere(true)
    if (pagesBefore.has(location)) navigate('/', { replace: true })
    void check()
  }, [check, location])

  /** What is shown instead of the application. */
  const pageOf = (): ReactNode => {
    if (phase === 'out' || phase === 'refused' || linkPages.has(location)) {
      return (
        <Suspense fallback={<Waiting />}>
          <SignInPages refused={phase === 'refused'} onSignedIn={onSignedIn} />
        </Suspense>
      )
    }
    if (phase === 'in' && authorizePages.has(location)) {
      return (
        <Suspense fallback={<Waiting />}>
          <AuthorizePages signedInHere={signedInHere} onSignedIn={onSignedIn} />
        </Suspense>
      )
    }
    if (phase === 'in') return undefined
    if (phase === 'checking') return <Waiting />
    return (
      <OfflineScreen
        onRetry={() => {
          setPhase('checking')
          void check()
        }}
      />
    )
  }
  const page = pageOf()
  if (page === undefined) isOpened.current = true
  return (
    <>
      {page}
      {isOpened.current && <Activity mode={page === undefined ? 'visible' : 'hidden'}>{props.children}</Activity>}
    </>
  )
}

function Waiting() {
  return (
    <main style={{ display: 'grid', placeItems: 'center', blockSize: '100%' }}>
      <Delayed>
        <h1 style={{ fontSize: 16, fontWeight: 400 }} role="status">
          {t('word.loading')}
        </h1>
      </Delayed>
    </main>
  )
}
