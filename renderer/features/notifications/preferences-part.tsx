// Owns how one wants to be told: switches that hold at once, and addresses that are saved together.
import { Button, Switch, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import { call } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { fieldProblemText, problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { preferencesQuery } from './notification-queries.ts'
import type { Preferences } from './notification-queries.ts'
import classes from './notifications.module.css'

const switches = ['inApp', 'email', 'push'] as const
const digests = ['none', 'daily', 'weekly'] as const
/** Channels that are posted to an address, with the words of their fields. */
const addresses = [
  { channel: 'slack', label: 'notices.slack', help: 'notices.slack.help' },
  { channel: 'push', label: 'notices.pushUrl', help: 'notices.pushUrl.help' },
] as const

type Change = Parameters<typeof call<'updateNotificationPreferences'>>[1]['body']['preferences']

/** The part of the page. */
export function PreferencesPart() {
  const client = useQueryClient()
  const { data, error, refetch } = useQuery(preferencesQuery)
  const save = async (preferences: Change): Promise<void> => {
    const answer = await call('updateNotificationPreferences', { body: { preferences } })
    client.setQueryData(preferencesQuery.queryKey, answer.preferences)
  }
  if (error && !data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!data) {
    return <Loading />
  }
  const set = (change: Change): void => void save(change).catch(showProblem)
  return (
    <>
      <section className={classes.section} aria-label={t('notices.how')}>
        <h2>{t('notices.how')}</h2>
        {switches.map((name) => (
          <Switch
            key={name}
            label={t(`notices.${name}`)}
            description={t(`notices.${name}.help`)}
            checked={data[name]}
            onChange={(event) => set({ [name]: event.currentTarget.checked })}
          />
        ))}
        <label className={classes.show}>
          {t('notices.digest')}
          <select
            className={classes.choice}
            value={data.digest}
            onChange={(event) => set({ digest: event.currentTarget.value as Preferences['digest'] })}
          >
            {digests.map((digest) => (
              <option key={digest} value={digest}>
                {t(`notices.digest.${digest}`)}
              </option>
            ))}
          </select>
        </label>
      </section>
      <Addresses preferences={data} onSave={save} />
    </>
  )
}

function Addresses(props: { preferences: Preferences; onSave: (change: Change) => Promise<void> }) {
  const stored = (channel: string): string => props.preferences.channels[channel]?.url ?? ''
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [problem, setProblem] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const changed = addresses.filter(({ channel }) => (typed[channel] ?? stored(channel)) !== stored(channel))
  const save = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      const channels = Object.fromEntries(
        changed.map(({ channel }) => [channel, { enabled: true, url: (typed[channel] ?? '').trim() }]),
      )
      await props.onSave({ channels })
      setTyped({})
      showToast({ message: t('notices.saved'), tone: 'good' })
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  const fieldErrors = problem instanceof ApiError ? problem.fieldErrors : []
  const problemOf = (channel: string): string | undefined => {
    const own = fieldErrors.find(({ field }) => field === `preferences.channels.${channel}.url`)
    if (!own) return undefined
    return own.code === 'invalid_url' ? t('notices.url.wrong') : fieldProblemText(own, true)
  }
  const isElsewhere = problem !== undefined && !addresses.some(({ channel }) => problemOf(channel) !== undefined)
  return (
    <form
      className={classes.section}
      aria-label={t('notices.channels')}
      onSubmit={(event) => event.preventDefault()}
      noValidate
    >
      <h2>{t('notices.channels')}</h2>
      {isElsewhere && (
        <Notice tone="bad" live>
          {problemText(problem)}
        </Notice>
      )}
      {addresses.map(({ channel, label, help }) => (
        <TextInput
          key={channel}
          type="url"
          label={t(label)}
          description={t(help)}
          error={problemOf(channel)}
          value={typed[channel] ?? stored(channel)}
          onChange={(event) => {
            const { value } = event.currentTarget
            setTyped((before) => ({ ...before, [channel]: value }))
          }}
        />
      ))}
      <div>
        <Button disabled={changed.length === 0} loading={busy} onClick={() => void save()}>
          {t('notices.save')}
        </Button>
      </div>
    </form>
  )
}
