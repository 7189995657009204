// Owns which relay keeps changes for devices that are seldom on at the same time.
import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { isRelayUrl } from './pair-link.ts'
import type { SyncSettings } from './sync-queries.ts'
import { useSettingsChange } from './use-settings-change.ts'

/** What the host shows in place of a token it keeps; sent back, it changes nothing. */
const kept = '********'

/** The form. */
export function RelayForm(props: { given: SyncSettings }) {
  const { settings } = props.given
  const change = useSettingsChange()
  const [typedUrl, setUrl] = useState(settings.relayUrl ?? '')
  const [typedFingerprint, setFingerprint] = useState(settings.relayFingerprint ?? '')
  const [typedToken, setToken] = useState(settings.relayToken ?? '')
  const token = typedToken.trim()
  const url = typedUrl.trim()
  const fingerprint = typedFingerprint.trim()
  const isRightUrl = url === '' || isRelayUrl(url)
  const isMissing = url !== '' && fingerprint === ''
  const { tried, busy, problem, onSubmit } = useSubmit(
    async () =>
      change(
        url === ''
          ? { relayUrl: null, relayFingerprint: null, relayToken: null }
          : {
              relayUrl: url,
              relayFingerprint: fingerprint,
              ...(token === kept ? {} : { relayToken: token === '' ? null : token }),
            },
        t('relay.saved'),
      ),
    isRightUrl && !isMissing,
  )
  return (
    <section className={parts.section} aria-labelledby="sync-relay">
      <h2 id="sync-relay">{t('relay.title')}</h2>
      <p className={parts.lead}>{t('relay.lead')}</p>
      <form onSubmit={onSubmit} noValidate className={parts.form}>
        <TextInput
          label={t('relay.url')}
          description={t('relay.url.help')}
          value={typedUrl}
          error={tried && !isRightUrl ? t('relay.url.wrong') : undefined}
          maxLength={300}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <TextInput
          label={t('relay.fingerprint')}
          description={t('relay.fingerprint.help')}
          value={typedFingerprint}
          error={tried && isMissing ? t('relay.fingerprint.missing') : undefined}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setFingerprint(event.currentTarget.value)}
        />
        <TextInput
          type="password"
          label={t('relay.token')}
          description={t('relay.token.help')}
          value={typedToken}
          maxLength={500}
          autoComplete="off"
          onChange={(event) => setToken(event.currentTarget.value)}
        />
        {problem !== undefined && (
          <Notice tone="bad" live>
            {problemText(problem)}
          </Notice>
        )}
        <Button type="submit" variant="default" loading={busy} className={parts.start}>
          {t('relay.save')}
        </Button>
      </form>
    </section>
  )
}
