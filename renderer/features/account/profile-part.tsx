// Owns name and username of one's own account, what one may do, and signing out.
import { Button, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { isOwnerHere, meQuery } from '../../lib/me.ts'
import type { Me } from '../../lib/me.ts'
import { fieldProblemText, problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { ownRightsQuery } from '../../lib/own-rights.ts'
import { profileLabel } from '../../lib/right-sets.ts'
import { textOf } from '../../lib/text-of.ts'

/** The part of the page. */
export function ProfilePart(props: { me: Me }) {
  return (
    <>
      <ProfileForm me={props.me} />
      <Rights />
      {!isOwnerHere(props.me) && (
        <div className={parts.section}>
          <Button variant="default" onClick={() => void signOut()}>
            {t('word.signOut')}
          </Button>
        </div>
      )}
    </>
  )
}

/** Ends the session and begins anew: nothing of what was loaded stays in the page. */
async function signOut(): Promise<void> {
  try {
    await call('signOut', { body: {} })
    window.location.hash = '/'
    window.location.reload()
  } catch (error) {
    showProblem(error)
  }
}

function ProfileForm(props: { me: Me }) {
  const client = useQueryClient()
  const { user } = props.me
  const [name, setName] = useState(user.name)
  const [username, setUsername] = useState(textOf(user, 'username'))
  const [problem, setProblem] = useState<unknown>()
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)
  const atUsername =
    problem instanceof ApiError
      ? problem.code === 'user_already_exists'
        ? problemText(problem)
        : problem.fieldErrors.filter(({ field }) => field === 'username').map((one) => fieldProblemText(one, true))[0]
      : undefined

  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    setProblem(undefined)
    if (name.trim() === '') return
    setBusy(true)
    try {
      const changed = username.trim() !== textOf(user, 'username')
      await call('updateUser', {
        body: { name: name.trim(), ...(changed ? { username: username.trim() } : {}) },
      })
      await client.invalidateQueries({ queryKey: meQuery.queryKey })
      showToast({ message: t('profile.saved'), tone: 'good' })
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className={parts.form}>
      <TextInput
        label={t('word.name')}
        value={name}
        error={tried && name.trim() === '' ? t('word.needName') : undefined}
        autoComplete="name"
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label={t('word.username')}
        description={t('profile.username.help')}
        value={username}
        error={atUsername}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => setUsername(event.currentTarget.value)}
      />
      <TextInput label={t('word.emailAddress')} value={user.email} readOnly variant="filled" autoComplete="email" />
      {problem !== undefined && atUsername === undefined && (
        <Notice tone="bad" live>
          {problemText(problem)}
        </Notice>
      )}
      <Button type="submit" loading={busy} className={parts.start}>
        {t('word.save')}
      </Button>
    </form>
  )
}

function Rights() {
  const { data } = useQuery(ownRightsQuery)
  if (!data) return null
  const list = (names: readonly string[]): string => (names.length === 0 ? t('word.none') : names.join(', '))
  return (
    <section className={parts.section} aria-labelledby="own-rights">
      <h2 id="own-rights">{t('profile.rights')}</h2>
      <dl className={parts.facts}>
        <dt>{t('word.profile')}</dt>
        <dd>{profileLabel(data.profile)}</dd>
        <dt>{t('word.roles')}</dt>
        <dd>{list(data.roles)}</dd>
        <dt>{t('word.permissionSets')}</dt>
        <dd>{list(data.permissionSets)}</dd>
      </dl>
    </section>
  )
}
