// Owns what is shown while sync is off: one sentence about what turning it on does, the name of this device, and the way to
// join another device instead.
import { Button, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { joinPath } from './sync-places.ts'
import { statusQuery } from './sync-queries.ts'

/** The part; `name` is what the device was called before. */
export function TurnOnPart(props: { name: string }) {
  const client = useQueryClient()
  const [name, setName] = useState(props.name)
  const deviceName = name.trim()
  const { tried, busy, problem, onSubmit } = useSubmit(async () => {
    client.setQueryData(statusQuery.queryKey, await call('enableSync', { body: { deviceName } }))
    showToast({ message: t('on.done'), tone: 'good' })
  }, deviceName !== '')
  return (
    <section className={parts.section} aria-labelledby="sync-off">
      <h2 id="sync-off">{t('on.title')}</h2>
      <p className={parts.lead}>{t('on.lead')}</p>
      <form onSubmit={onSubmit} noValidate className={parts.form}>
        <TextInput
          label={t('on.name')}
          description={t('on.name.help')}
          value={name}
          error={tried && deviceName === '' ? t('on.name.missing') : undefined}
          maxLength={100}
          autoComplete="off"
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {problem !== undefined && (
          <Notice tone="bad" live>
            {problemText(problem)}
          </Notice>
        )}
        <Button type="submit" loading={busy} className={parts.start}>
          {t('on.submit')}
        </Button>
      </form>
      <p className={parts.lead}>
        {t('on.join')}{' '}
        <a href={`#${joinPath}`} className={parts.link}>
          {t('word.joinDevice')}
        </a>
      </p>
    </section>
  )
}
