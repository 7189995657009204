// Owns the time between a restore and the host that comes back: waits for the old one to go and the new one to answer.
import { Loader } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { call } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { t } from '../../lib/strings.ts'

const pollMs = 250
const longMs = 30_000

/** The page; it loads the application anew when the host is back. */
export function RestoringPage() {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const signal = new AbortController()
    let isGone = false
    const poll = async (): Promise<void> => {
      try {
        await call('listBackups', { signal: signal.signal })
        if (isGone) window.location.reload()
      } catch (error) {
        if (signal.signal.aborted) return
        // A host that answers with a refusal is the new one: the session of the old one is over.
        if (error instanceof ApiError && error.httpStatus === 401) window.location.reload()
        isGone = true
      }
    }
    const polling = setInterval(() => void poll(), pollMs)
    const waiting = setTimeout(() => setLong(true), longMs)
    return () => {
      signal.abort()
      clearInterval(polling)
      clearTimeout(waiting)
    }
  }, [])
  return (
    <Page title={t('backup.restoring')} width="narrow">
      <p role="status">{t('backup.restoring.text')}</p>
      <Loader size="sm" aria-hidden />
      {isLong && (
        <Notice tone="warn" live>
          {t('backup.restoring.long')}
        </Notice>
      )}
    </Page>
  )
}
