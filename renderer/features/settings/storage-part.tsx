// Owns what the workspace takes on the disk: the database by object, files, backups.
import { useQuery } from '@tanstack/react-query'
import { ListTable } from '../../components/list-table.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { hasCode } from '../../lib/api-error.ts'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import { isStringKey, t } from '../../lib/strings.ts'
import { objectPluralLabel, useObjects } from '../objects/index.ts'
import { usageQuery } from './settings-queries.ts'

/** The part. */
export function StoragePart() {
  const { data: usage, error, refetch } = useQuery(usageQuery)
  const { data: items = [] } = useObjects()
  if (error && !usage) {
    return hasCode(error, 'permission_denied') ? (
      <EmptyState title={t('usage.denied')} />
    ) : (
      <LoadFailure error={error} onRetry={() => void refetch()} />
    )
  }
  if (!usage) return <p role="status">{t('word.loading')}</p>
  const labelOf = (name: string): string => {
    const item = items.find((each) => each.name === name)
    return item ? objectPluralLabel(item) : name
  }
  const { files, backups } = usage
  return (
    <>
      <p className={parts.lead}>{t('usage.lead')}</p>
      <dl className={parts.facts}>
        <dt>{t('usage.database')}</dt>
        <dd>{formatBytes(usage.database.sizeBytes)}</dd>
        <dt>{t('usage.free')}</dt>
        <dd>{formatBytes(usage.database.freeBytes)}</dd>
        {files && (
          <>
            <dt>{t('word.files')}</dt>
            <dd>
              {files.quotaBytes === null
                ? formatBytes(files.sizeBytes)
                : t('usage.ofQuota', { size: formatBytes(files.sizeBytes), quota: formatBytes(files.quotaBytes) })}
            </dd>
          </>
        )}
        {backups && (
          <>
            <dt>{t('word.backups')}</dt>
            <dd>{formatBytes(backups.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))}</dd>
          </>
        )}
      </dl>
      <section className={parts.section}>
        <h2>{t('usage.objects')}</h2>
        <ListTable
          label={t('usage.objects')}
          columns={[
            { label: t('word.object') },
            { label: t('word.records'), number: true },
            { label: t('usage.trashed'), number: true },
            { label: t('word.size'), number: true },
          ]}
        >
          {usage.objects
            .toSorted((a, b) => b.sizeBytes - a.sizeBytes)
            .map((each) => (
              <tr key={each.object}>
                <th scope="row">{labelOf(each.object)}</th>
                <td data-number>{formatNumber(each.records)}</td>
                <td data-number>{formatNumber(each.deleted)}</td>
                <td data-number>{formatBytes(each.sizeBytes)}</td>
              </tr>
            ))}
        </ListTable>
      </section>
      <section className={parts.section}>
        <h2>{t('usage.others')}</h2>
        <ListTable
          label={t('usage.others')}
          columns={[{ label: t('usage.other') }, { label: t('word.size'), number: true }]}
        >
          {usage.others.map(({ plugin, sizeBytes }) => (
            <tr key={plugin}>
              <th scope="row">{otherText(plugin)}</th>
              <td data-number>{formatBytes(sizeBytes)}</td>
            </tr>
          ))}
        </ListTable>
      </section>
    </>
  )
}

/** What a capability is called; those without a name of their own by their id. */
function otherText(plugin: string): string {
  const key = `usage.other.${plugin}`
  return isStringKey(key) ? t(key) : plugin
}
