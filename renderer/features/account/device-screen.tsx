// Owns letting a device or program act as oneself: its code is entered, looked at, and allowed or refused.
import { Button, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { useLinkParameters } from '../../lib/link-parameters.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { textOf } from '../../lib/text-of.ts'
import classes from './account.module.css'

interface Waiting {
  code: string
  client: string
  scope: string
}

type State = { kind: 'asking' } | { kind: 'checking'; device: Waiting } | { kind: 'approved' } | { kind: 'denied' }

/** The page. A code in the address is only filled in: nothing is allowed by following a link. */
export function DeviceScreen() {
  const { user_code: given = '' } = useLinkParameters('user_code')
  const [code, setCode] = useState(given)
  const [state, setState] = useState<State>({ kind: 'asking' })
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)

  const attempt = async (run: () => Promise<void>): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      await run()
    } catch (error) {
      const unknown = hasCode(
        error,
        'token_invalid',
        'resource_not_found',
        'expired_token',
        'access_denied',
        'validation_error',
        'oauth_error',
        'invalid_request',
      )
      setProblem(unknown ? t('device.code.unknown') : problemText(error))
      setState({ kind: 'asking' })
      setTimeout(() => field.current?.focus(), 0)
    } finally {
      setBusy(false)
    }
  }

  const find = (event: SyntheticEvent): void => {
    event.preventDefault()
    const entered = code.trim().toUpperCase()
    if (entered === '') {
      setProblem(t('factor.code.missing'))
      field.current?.focus()
      return
    }
    void attempt(async () => {
      const device = await call('getDevice', { query: { user_code: entered } })
      const client = textOf(device, 'client_id') || textOf(device, 'clientId')
      setState({ kind: 'checking', device: { code: entered, client, scope: textOf(device, 'scope') } })
    })
  }

  const answer = (device: Waiting, allow: boolean): void =>
    void attempt(async () => {
      await call(allow ? 'approveDevice' : 'denyDevice', { body: { userCode: device.code } })
      setState({ kind: allow ? 'approved' : 'denied' })
    })

  if (state.kind === 'approved' || state.kind === 'denied') {
    return (
      <Page title={t(`device.${state.kind}`)} lead={t(`device.${state.kind}.lead`)} width="narrow">
        <div className={parts.actions}>
          <Button
            variant="default"
            autoFocus
            onClick={() => {
              setCode('')
              setState({ kind: 'asking' })
            }}
          >
            {t('device.again')}
          </Button>
        </div>
      </Page>
    )
  }
  if (state.kind === 'checking') {
    const { device } = state
    return (
      <Page title={t('device.check')} lead={t('device.check.lead')} width="narrow">
        <p className={classes.code}>{device.code}</p>
        <dl className={parts.facts}>
          {device.client !== '' && (
            <>
              <dt>{t('device.client')}</dt>
              <dd>{device.client}</dd>
            </>
          )}
          {device.scope !== '' && (
            <>
              <dt>{t('device.scope')}</dt>
              <dd>{device.scope}</dd>
            </>
          )}
        </dl>
        <div className={parts.actions}>
          <Button variant="default" autoFocus onClick={() => answer(device, false)}>
            {t('device.deny')}
          </Button>
          <Button loading={busy} onClick={() => answer(device, true)}>
            {t('device.approve')}
          </Button>
        </div>
      </Page>
    )
  }
  return (
    <Page title={t('device.title')} lead={t('device.lead')} width="narrow">
      <form onSubmit={find} noValidate className={parts.form}>
        <TextInput
          ref={field}
          label={t('device.code')}
          description={t('device.code.help')}
          value={code}
          error={problem === t('factor.code.missing') || problem === t('device.code.unknown') ? problem : undefined}
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          autoFocus
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        {problem && problem !== t('factor.code.missing') && problem !== t('device.code.unknown') && (
          <Notice tone="bad" live>
            {problem}
          </Notice>
        )}
        <Button type="submit" loading={busy} className={parts.start}>
          {t('device.next')}
        </Button>
      </form>
    </Page>
  )
}
