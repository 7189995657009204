// Owns the page for a host that does not answer before anything was loaded.
import { Button } from '@mantine/core'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { usePageTitle } from '../../components/page.tsx'
import { t } from '../../lib/strings.ts'
import classes from './sign-in.module.css'

/** Says what is kept and how to go on; the frame tries again by itself as soon as the host answers. */
export function OfflineScreen(props: { onRetry: () => void }) {
  usePageTitle(t('offline.title'))
  return (
    <main className={classes.page}>
      <div className={classes.panel}>
        <IconPlugConnectedX size={32} stroke={1.5} aria-hidden className={classes.icon} />
        <h1 className={classes.title}>{t('offline.title')}</h1>
        <p className={classes.text}>{t('offline.lead')}</p>
        <p className={classes.text}>{t('offline.next')}</p>
        <Button onClick={props.onRetry} style={{ alignSelf: 'flex-start' }}>
          {t('word.tryAgain')}
        </Button>
      </div>
    </main>
  )
}
