// Owns what Cairn says of itself: version, data folder, and whose work is shipped with it.
import { useQuery } from '@tanstack/react-query'
import { CopyField } from '../../components/copy-field.tsx'
import { LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { hasCode } from '../../lib/api-error.ts'
import { discoveryQuery } from '../../lib/discovery.ts'
import { t } from '../../lib/strings.ts'
import { packagesQuery, usageQuery } from './settings-queries.ts'
import classes from './settings.module.css'

/** The part. */
export function AboutPart() {
  const { data: manifest } = useQuery(discoveryQuery)
  const { data: usage, error: failure, refetch } = useQuery(usageQuery)
  const { data: packages, error } = useQuery(packagesQuery)
  return (
    <>
      <dl className={parts.facts}>
        <dt>{t('word.version')}</dt>
        <dd>Cairn {manifest?.version}</dd>
        <dt>{t('about.licence')}</dt>
        <dd>Apache License 2.0</dd>
      </dl>
      {usage && <CopyField label={t('about.data')} value={usage.dataFolder} />}
      {!usage && failure && !hasCode(failure, 'permission_denied') && (
        <LoadFailure error={failure} onRetry={() => void refetch()} />
      )}
      <section className={parts.section}>
        <h2>{t('about.packages')}</h2>
        {packages === null || error ? (
          <p className={parts.quiet}>{t('about.noPackages')}</p>
        ) : (
          <>
            <p className={parts.lead}>{t('about.packages.lead')}</p>
            <ul className={classes.packages}>
              {packages?.map(({ name, version, licence, text }) => (
                <li key={`${name} ${version}`}>
                  <details className={classes.package}>
                    <summary>
                      {name} {version}: {licence}
                    </summary>
                    <pre className={classes.licence} tabIndex={0} aria-label={t('about.text', { name })}>
                      {text || licence}
                    </pre>
                  </details>
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
    </>
  )
}
