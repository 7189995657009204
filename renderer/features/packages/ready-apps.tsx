// Owns the offer of ready applications where a workspace begins.
import { useQuery } from '@tanstack/react-query'
import { t } from '../../lib/strings.ts'
import { PackageCards } from './package-cards.tsx'
import { availableQuery } from './package-queries.ts'
import { newestOf } from './package-words.ts'
import classes from './packages.module.css'

/** The applications that come with Cairn; nothing while they are not known, or where there are none. */
export function ReadyApps() {
  const { data } = useQuery(availableQuery)
  const bundled = newestOf(data?.filter(({ origin }) => origin === 'bundled') ?? [])
  if (bundled.length === 0) return null
  return (
    <section className={classes.ready} aria-labelledby="ready-apps">
      <h2 id="ready-apps" className={classes.heading}>
        {t('ready.title')}
      </h2>
      <p className={classes.lead}>{t('ready.lead')}</p>
      <PackageCards label={t('ready.title')} packages={bundled} />
    </section>
  )
}
